"""LIKE in linear time: % any text, _ one character, case counts, no escape character."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["like_expression", "python_pattern"]


def like_expression(pattern: str) -> str:
    """Return a regular expression for the whole text, in words that Python and Java share.

    The first place where a part between two % fits is as good as any later one. An atomic group keeps it, so that no
    text, however long, makes the expression go back and try others.

    >>> like_expression("a%b_%c")
    'a(?>.*?b.).*c'
    """
    first, *rest = map(_fixed, pattern.split("%"))
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(f"(?>.*?{part})" for part in middle if part) + ".*" + last


@lru_cache(maxsize=256)
def python_pattern(pattern: str) -> re.Pattern[str]:
    """Return the compiled expression, for ``fullmatch``."""
    return re.compile(like_expression(pattern), re.DOTALL)


def _fixed(part: str) -> str:
    return "".join("." if sign == "_" else _escaped(sign) for sign in part)


def _escaped(sign: str) -> str:
    return sign if sign.isalnum() or not sign.isascii() else f"\\x{ord(sign):02x}"
