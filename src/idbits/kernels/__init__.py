"""Kernels: fast counting on codes in NumPy, without any input or output."""
