"""How is text written by a language model?"""
