"""Whether a release still leaks its original."""
