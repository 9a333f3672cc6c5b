"""How does Recollect speak of itself?"""
