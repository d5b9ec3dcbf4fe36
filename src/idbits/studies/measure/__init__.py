"""How identifying are these columns?"""
