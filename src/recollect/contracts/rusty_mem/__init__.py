"""How does rusty-mem speak of a memory?"""
