"""Which cell, which person, which column gives away how much?"""
