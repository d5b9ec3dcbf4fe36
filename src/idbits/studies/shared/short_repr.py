"""What ``repr`` shows of an attribute: one line, rounded, and short even if there are many names or long ones."""

from __future__ import annotations

from reprlib import Repr

from idbits.render.numbers import to_places

__all__ = ["short_repr"]

_SHORT = Repr()
_SHORT.maxlist = _SHORT.maxdict = 8
_SHORT.maxstring, _SHORT.maxother = 120, 400


def short_repr(value: object) -> str:
    """Return an attribute for ``repr``: numbers rounded, names in brackets, only the first of many.

    >>> short_repr(("zip", "gender")), short_repr(2 / 3)
    ("['zip', 'gender']", '0.6667')
    >>> short_repr(range(12))
    '[0, 1, 2, 3, 4, 5, 6, 7, ...]'
    """
    if isinstance(value, float):
        return to_places(value, 4)
    return _SHORT.repr(list(value) if isinstance(value, tuple | range) else value)
