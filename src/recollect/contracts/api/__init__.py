"""How do people, and pages for them, reach a memory over the web?"""
