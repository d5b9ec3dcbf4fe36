"""How unique will people be, before anything is collected?"""
