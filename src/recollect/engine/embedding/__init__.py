"""Which model gives vectors, and when are they computed?"""
