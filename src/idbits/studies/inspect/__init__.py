"""What is in this table?"""
