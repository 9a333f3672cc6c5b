"""How are things named, related and reached from each other?"""
