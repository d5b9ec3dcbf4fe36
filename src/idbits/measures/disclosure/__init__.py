"""What sharing a group gives away about a sensitive value: one idea per file, each a pure function of the cells.

Implements: SPEC page disclosure.md. Groups are people with the same quasi-identifier; ``SensitiveColumn`` has their
cells (group, value, people) and what was known before.
"""
