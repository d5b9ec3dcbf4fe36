"""The table as a problem of treatments: ladders, goal and losses, for ``advise``, which searches, and ``apply``."""
