"""How identifying are events over time?"""
