"""Writes a first policy for a table."""
