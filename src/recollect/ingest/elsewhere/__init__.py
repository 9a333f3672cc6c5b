"""What do the files of other programs hold that a person may want to bring along?"""
