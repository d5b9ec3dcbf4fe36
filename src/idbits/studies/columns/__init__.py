"""Which columns together single people out?"""
