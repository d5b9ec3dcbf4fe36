"""The shape of a text: how it is written, without what it says. Errors may show it; they never show a value."""

from __future__ import annotations

import re

__all__ = ["LONGEST_SHAPE", "SHAPE_STEPS", "cut_shape", "shape_of"]

LONGEST_SHAPE = 40

SHAPE_STEPS = (("[0-9]", "9"), ("[A-Za-z]|[^ -~]", "A"), ("[^9A /.:,+()_'-]", "?"))
"""What is replaced, in this order: digits, letters and everything outside ASCII, and all but common punctuation."""


def shape_of(text: str) -> str:
    """Return the shape of a text.

    >>> shape_of("04/01/2019 12:02:34 AM"), shape_of("Zoë <zoe@example.com>")
    ('99/99/9999 99:99:99 AA', 'AAA ?AAA?AAAAAAA.AAA?')
    """
    for pattern, sign in SHAPE_STEPS:
        text = re.sub(pattern, sign, text)
    return cut_shape(text)


def cut_shape(shape: str) -> str:
    """Return a shape that fits in a message.

    >>> cut_shape("A" * 100)
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA...'
    """
    return shape if len(shape) <= LONGEST_SHAPE else f"{shape[:LONGEST_SHAPE]}..."
