"""Two dots per row, joined: what the distance between them is worth can be compared from row to row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idbits.render.drawing import NARROW, WIDE, dot, drawn, fitted, label, line, room
from idbits.render.scales import Scale, even_scale

__all__ = ["DotPair", "DotPairs"]

_STEP, _NARROW_STEP = 28.0, 42.0
_LONGEST_NAME = 190.0
_LARGE, _SMALL = 6.0, 4.0


@dataclass(frozen=True, slots=True)
class DotPair:
    """A row: its name, two values, what is written beside each, and further columns of text."""

    name: str
    first: float
    second: float
    first_shown: str
    second_shown: str = ""
    columns: tuple[str, ...] = ()

    @property
    def sides(self) -> tuple[str, str]:
        """What is written at the left and at the right of the pair: each value beside its own dot."""
        shown = (self.first_shown, self.second_shown)
        return shown if self.first <= self.second else (shown[1], shown[0])


@dataclass(frozen=True, slots=True)
class DotPairs:
    """Rows with two dots.

    Attributes:
        key: what the first and the second dot are.
        colours: the classes of the first dot, of the second and of the bar between them.
        ticks: values on the axis, as they are written; the last is the end of the axis.
        heads: titles of the further columns; narrow screens leave them out.
    """

    rows: tuple[DotPair, ...]
    key: tuple[str, str]
    colours: tuple[str, str, str]
    ticks: tuple[tuple[float, str], ...]
    heads: tuple[str, ...] = ()

    def wide(self, words_id: str) -> str:
        """Return the rows with names at the left and further columns at the right."""
        named = min(_LONGEST_NAME, max(room(row.name, bold=True) for row in self.rows))
        before = max(room(row.sides[0], bold=True) for row in self.rows) + 12
        widths = [
            20 + max(room(text) for text in (head, *(row.columns[index] for row in self.rows)))
            for index, head in enumerate(self.heads)
        ]
        after = max(room(row.sides[1], bold=True) for row in self.rows) + 14
        x = even_scale(0, self.ticks[-1][0], named + before, WIDE - sum(widths) - after)
        top = 52.0
        bottom = top + len(self.rows) * _STEP
        parts = [*self._keys(across=True), *self._axis(x, top - 8, bottom)]
        ends = [WIDE - sum(widths[index + 1 :]) for index in range(len(widths))]
        parts += [label(end, top - 14, head, "q", "end") for end, head in zip(ends, self.heads, strict=True)]
        for index, row in enumerate(self.rows):
            y = top + 14 + index * _STEP
            parts.append(label(0, y + 4, fitted(row.name, named, bold=True), "b"))
            parts += self._pair(row, x, y)
            left, right = row.sides
            if left:
                parts.append(label(x(min(row.first, row.second)) - 10, y + 4, left, "b halo", "end"))
            if right:
                parts.append(label(x(max(row.first, row.second)) + 9, y + 4, right, "b"))
            parts += [label(end, y + 4, text, anchor="end") for end, text in zip(ends, row.columns, strict=True)]
        return drawn("wide", WIDE, bottom + 2, words_id, parts)

    def narrow(self, words_id: str) -> str:
        """Return the rows with names and values above the dots."""
        x = even_scale(0, self.ticks[-1][0], _LARGE, NARROW - _LARGE)
        top = 46.0
        parts = self._keys(across=False)
        for index, row in enumerate(self.rows):
            y = top + index * _NARROW_STEP
            shown = row.first_shown + (f" → {row.second_shown}" if row.second_shown else "")
            parts.append(label(0, y + 14, fitted(row.name, NARROW - room(shown, bold=True) - 12, bold=True), "b"))
            parts.append(label(NARROW, y + 14, shown, anchor="end"))
            parts.append(line(0, y + 28, NARROW, y + 28, "grid"))
            parts += self._pair(row, x, y + 28)
        return drawn("narrow", NARROW, top + len(self.rows) * _NARROW_STEP, words_id, parts)

    def _keys(self, *, across: bool) -> list[str]:
        """Name the two dots: the only key, because every pair would need the same words."""
        second = (room(self.key[0]) + 46, 9.0) if across else (6.0, 29.0)
        places = ((6.0, 9.0), second)
        parts = []
        for (x, y), words, colour, radius in zip(places, self.key, self.colours, (_LARGE, _SMALL), strict=False):
            parts += [dot(x, y, radius, colour), label(x + 13, y + 5, words)]
        return parts

    def _axis(self, x: Scale, top: float, bottom: float) -> list[str]:
        parts = []
        for value, shown in self.ticks:
            parts += [line(x(value), top, x(value), bottom, "grid"), label(x(value), top - 6, shown, "q", "middle")]
        return parts

    def _pair(self, row: DotPair, x: Scale, y: float) -> Sequence[str]:
        first, second, between = self.colours
        return (
            line(x(row.first), y, x(row.second), y, between),
            dot(x(row.second), y, _SMALL, second),
            dot(x(row.first), y, _LARGE, first),
        )
