"""How do those speak of a memory who know palaces, rooms and drawers?"""
