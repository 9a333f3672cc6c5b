"""How does agentos speak of a memory?"""
