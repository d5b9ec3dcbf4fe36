"""Rows of bars, each with its name before it and its value behind it: no axis and no legend is needed."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.render.drawing import NARROW, WIDE, bar, drawn, fitted, label, line, room

__all__ = ["BarRow", "LabelledBars"]

_STEP, _BAR = 26.0, 18.0
_STACKED_STEP = 44.0
_LEAD = 30.0
_LONGEST_NAME, _LONGEST_NARROW_NAME = 250.0, 150.0


@dataclass(frozen=True, slots=True)
class BarRow:
    """A bar.

    Attributes:
        name: what it is about.
        value: its length.
        shown: its value as it is written behind it.
        meaning: the class of its colour.
        more: what belongs to the value, in plain type.
        lead: a number before the name.
        whole: the length of a pale bar behind it, of which it is a part.
    """

    name: str
    value: float
    shown: str
    meaning: str = "c1"
    more: str = ""
    lead: str = ""
    whole: float | None = None


@dataclass(frozen=True, slots=True)
class LabelledBars:
    """Bars in rows."""

    rows: tuple[BarRow, ...]

    def wide(self, words_id: str) -> str:
        """Return the rows with names at the left."""
        return self._beside("wide", WIDE, words_id, _LONGEST_NAME, has_more=True)

    def narrow(self, words_id: str) -> str:
        """Return the rows with long names above the bars."""
        if max(room(row.name) for row in self.rows) <= _LONGEST_NARROW_NAME:
            return self._beside("narrow", NARROW, words_id, _LONGEST_NARROW_NAME, has_more=False)
        left = self._lead
        length = NARROW - left - self._behind(has_more=True)
        parts = []
        for index, row in enumerate(self.rows):
            y = index * _STACKED_STEP
            parts += [label(10, y + 14, row.lead, "b", "middle")] if row.lead else []
            parts.append(label(left, y + 14, fitted(row.name, NARROW - left)))
            parts += self._row(row, left, y + 20, length, has_more=True)
        return drawn("narrow", NARROW, len(self.rows) * _STACKED_STEP, words_id, parts)

    def _beside(self, kind: str, width: float, words_id: str, longest: float, *, has_more: bool) -> str:
        named = min(longest, max(room(row.name) for row in self.rows))
        left = self._lead + named + 12
        length = width - left - self._behind(has_more=has_more)
        parts = []
        for index, row in enumerate(self.rows):
            y = 3 + index * _STEP
            parts += [label(10, y + 14, row.lead, "b", "middle")] if row.lead else []
            parts.append(label(self._lead, y + 14, fitted(row.name, named)))
            parts += self._row(row, left, y, length, has_more=has_more)
        height = 4 + len(self.rows) * _STEP
        return drawn(kind, width, height, words_id, [*parts, line(left, 0, left, height, "axis")])

    def _row(self, row: BarRow, x: float, y: float, length: float, *, has_more: bool) -> list[str]:
        most = max(max(each.value, each.whole or 0.0) for each in self.rows) or 1.0
        long = max(1.5, length * row.value / most)
        parts, end = [], long
        if row.whole is not None:
            end = max(long, length * row.whole / most)
            parts.append(bar(x, y, end, _BAR, "w1"))
        parts.append(bar(x, y, long, _BAR, row.meaning))
        parts.append(label(x + end + 7, y + 14, row.shown, "b"))
        if row.more and has_more:
            parts.append(label(x + end + 17 + room(row.shown, bold=True), y + 14, row.more))
        return parts

    def _behind(self, *, has_more: bool) -> float:
        """Return the room for what stands behind the bars."""
        more = 10.0 + max(room(row.more) for row in self.rows) if has_more else 0.0
        return 9 + max(room(row.shown, bold=True) for row in self.rows) + more

    @property
    def _lead(self) -> float:
        return _LEAD if any(row.lead for row in self.rows) else 0.0
