"""Linking the records of a release with a second table of people: how many get a name, and how many rightly.

Implements: SPEC page link.md.
"""
