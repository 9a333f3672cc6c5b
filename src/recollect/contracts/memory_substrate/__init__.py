"""How does memory-substrate speak of a memory?"""
