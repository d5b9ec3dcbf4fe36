"""The version of idbits, in one place."""

__version__ = "1.0.0"
