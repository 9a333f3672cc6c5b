"""How does memory-mcp speak of a memory?"""
