"""A release is a sample: who is still unique in the population it comes from?"""
