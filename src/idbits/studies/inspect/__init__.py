"""What does this table hold?"""
