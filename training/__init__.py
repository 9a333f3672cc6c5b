"""How are the models that the library carries trained?"""
