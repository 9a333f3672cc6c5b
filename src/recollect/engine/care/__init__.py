"""What keeps a memory in order over time?"""
