"""Parts of drawings: SVG elements in the colours of the page, and the room that a text takes.

Colours are classes, each with one meaning; the style of the page says which colour that is on a screen or on paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol
from unicodedata import east_asian_width

from idbits.render.page import shortened
from idbits.render.scales import coordinate
from idbits.render.text import safe

__all__ = ["NARROW", "WIDE", "Drawing", "bar", "dot", "drawn", "fitted", "label", "line", "outline", "room"]

WIDE, NARROW = 720.0, 342.0
"""The widths at which drawings are read: in the column of a page or on paper, and on a narrow screen."""

_TEXT = 13
# The width of letters in the widest font that a page may be shown in, as a part of the size of the type.
_LETTER, _BOLD_LETTER = 0.61, 0.69
_WIDE_LETTERS = frozenset("%mwMW@→…")
_WIDE_LETTER = 1.0


class Drawing(Protocol):
    """A chart that is drawn twice, for wide and for narrow pages: another layout, not a smaller one."""

    def wide(self, words_id: str) -> str:
        """Return the drawing for screens and paper; the element ``words_id`` of the page says what it shows."""
        ...

    def narrow(self, words_id: str) -> str:
        """Return the drawing for narrow screens."""
        ...


def room(text: str, *, bold: bool = False, size: float = _TEXT) -> float:
    """Return the width that a text takes at most, whatever the font.

    >>> room("12") < room("12", bold=True) < room("中文")
    True
    """
    letter = _BOLD_LETTER if bold else _LETTER
    shown = safe(text)
    wide = sum(character in _WIDE_LETTERS or east_asian_width(character) in "WF" for character in shown)
    return size * (wide * _WIDE_LETTER + (len(shown) - wide) * letter)


def fitted(name: str, width: float, *, bold: bool = False) -> str:
    """Return a name without its middle if it does not fit into a width.

    >>> fitted("a name that is far too long", 80)
    'a na…long'
    """
    if room(name, bold=bold) <= width:
        return safe(name)
    longest = len(safe(name))
    while longest > 3 and room(shortened(name, longest), bold=bold) > width:
        longest -= 1
    return shortened(name, longest)


def drawn(kind: str, width: float, height: float, words_id: str, parts: Sequence[str]) -> str:
    """Return a drawing: to a screen reader it is one image, described by an element of the page."""
    size = f'viewBox="0 0 {coordinate(width)} {coordinate(height)}" width="{coordinate(width)}" '
    size += f'height="{coordinate(height)}"'
    return f'<svg class="drawing {kind}" {size} role="img" aria-labelledby="{words_id}">' + "".join(parts) + "</svg>"


def bar(x: float, y: float, width: float, height: float, meaning: str) -> str:
    """Return a filled rectangle."""
    x_, y_, width_, height_ = map(coordinate, (x, y, width, height))
    return f'<rect x="{x_}" y="{y_}" width="{width_}" height="{height_}" class="{meaning}"/>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a straight line."""
    ends = zip(("x1", "y1", "x2", "y2"), map(coordinate, (x1, y1, x2, y2)), strict=True)
    written = " ".join(f'{name}="{at}"' for name, at in ends)
    return f'<line {written} class="{kind}"/>'


def dot(x: float, y: float, radius: float, meaning: str) -> str:
    """Return a filled circle."""
    return f'<circle cx="{coordinate(x)}" cy="{coordinate(y)}" r="{coordinate(radius)}" class="{meaning}"/>'


def outline(points: Sequence[tuple[float, float]], kind: str) -> str:
    """Return lines from point to point."""
    written = " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in points)
    return f'<polyline points="{written}" class="{kind}"/>'


def label(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    """Return a text, escaped, with control characters shown; nothing for no text."""
    if not text:
        return ""
    style = f' class="{kind}"' if kind else ""
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{coordinate(x)}" y="{coordinate(y)}"{style}{place}>{escape(safe(text))}</text>'
