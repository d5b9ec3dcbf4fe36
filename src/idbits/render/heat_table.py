"""A table of numbers whose cells are the stronger, the larger the number: no scale has to be looked up."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.render.drawing import NARROW, WIDE, drawn, fitted, label, room
from idbits.render.scales import coordinate

__all__ = ["HeatRow", "HeatTable"]

_STEP, _STACKED_STEP, _HEAD = 22.0, 42.0, 24.0
_LONGEST_NAME = 220.0
# Words must stay readable on the strongest cell, in light and in the dark.
_FAINTEST, _STRONGEST = 0.03, 0.5


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row: its name, and for each column a value and how it is written; None if there is none."""

    name: str
    cells: tuple[tuple[float, str] | None, ...]


@dataclass(frozen=True, slots=True)
class HeatTable:
    """Rows of cells.

    Attributes:
        heads: the names of the columns, which are short.
        title: what the heads are.
        meaning: the class of the colour.
        most: the value of the strongest cell; the largest value if not given.
    """

    rows: tuple[HeatRow, ...]
    heads: tuple[str, ...]
    title: str
    meaning: str
    most: float | None = None

    def wide(self, words_id: str) -> str:
        """Return the table with names at the left."""
        named = min(_LONGEST_NAME, max(room(text) for text in (self.title, *(row.name for row in self.rows))))
        left = named + 12
        parts = [label(0, 16, fitted(self.title, named), "q"), *self._heads(left, WIDE)]
        for index, row in enumerate(self.rows):
            y = _HEAD + index * _STEP
            parts += [label(0, y + 15, fitted(row.name, named)), *self._cells(row, left, WIDE, y)]
        return drawn("wide", WIDE, _HEAD + len(self.rows) * _STEP + 2, words_id, parts)

    def narrow(self, words_id: str) -> str:
        """Return the table with names above the cells."""
        parts = [label(0, 14, self.title, "q")]
        top = 20.0
        parts += [f'<g transform="translate(0 {coordinate(top)})">', *self._heads(0, NARROW), "</g>"]
        for index, row in enumerate(self.rows):
            y = top + _HEAD + index * _STACKED_STEP
            parts += [label(0, y + 14, fitted(row.name, NARROW)), *self._cells(row, 0, NARROW, y + 19)]
        return drawn("narrow", NARROW, top + _HEAD + len(self.rows) * _STACKED_STEP + 2, words_id, parts)

    def _heads(self, left: float, right: float) -> list[str]:
        wide = (right - left) / len(self.heads)
        return [label(left + (index + 0.5) * wide, 16, head, "q", "middle") for index, head in enumerate(self.heads)]

    def _cells(self, row: HeatRow, left: float, right: float, y: float) -> list[str]:
        most = self.most or max(cell[0] for each in self.rows for cell in each.cells if cell is not None) or 1.0
        wide = (right - left) / len(self.heads)
        parts = []
        for index, cell in enumerate(row.cells):
            if cell is None:
                continue
            x = left + index * wide
            strength = _FAINTEST + (_STRONGEST - _FAINTEST) * min(1.0, max(0.0, cell[0] / most))
            place = " ".join(
                f'{name}="{coordinate(at)}"'
                for name, at in (("x", x), ("y", y), ("width", wide - 1), ("height", _STEP - 1))
            )
            opacity = coordinate(100 * strength)
            parts.append(f'<rect {place} class="{self.meaning}" fill-opacity="{opacity}%"/>')
            parts.append(label(x + wide / 2, y + 15, cell[1], "i", "middle"))
        return parts
