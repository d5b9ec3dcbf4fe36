"""What does a second table tell about the records of a release?"""
