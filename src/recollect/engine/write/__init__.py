"""How does something get into a memory, change, and come to stand or fall?"""
