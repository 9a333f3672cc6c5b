"""How does what lies elsewhere (files, folders, pages, other programs) come in and stay in step?"""
