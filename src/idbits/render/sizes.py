"""Sizes of files as people read them."""

from __future__ import annotations

__all__ = ["sized"]


def sized(size: int | None) -> str:
    """Return a number of bytes with its unit; nothing for None.

    >>> sized(2_516_935), sized(12), sized(None)
    ('2.5 MB', '12 bytes', '')
    """
    if size is None:
        return ""
    for unit, bytes_ in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= bytes_:
            return f"{size / bytes_:.1f} {unit}"
    return f"{size} bytes"
