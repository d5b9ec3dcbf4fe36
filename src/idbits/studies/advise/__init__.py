"""Which treatment meets a goal with the least loss?"""
