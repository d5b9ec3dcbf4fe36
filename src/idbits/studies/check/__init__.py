"""Checks datasets against the rules of a policy: the study behind ``idbits check``."""
