"""Attacks on synthetic data: what it tells about the people it was made from, beyond people it never saw."""
