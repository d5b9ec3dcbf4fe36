"""A first policy for a table."""
