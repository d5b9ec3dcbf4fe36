"""May this data go out?"""
