"""What does a memory answer?"""
