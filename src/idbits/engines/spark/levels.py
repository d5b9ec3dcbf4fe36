"""How many of a hundred levels a value exceeds, without comparing it with each of them."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark.set_copies import number_at

__all__ = ["LevelCells"]

# Fewer are compared one by one.
_FEWEST = 8
_CELLS_PER_LEVEL = 8


@dataclass(frozen=True, slots=True)
class LevelCells:
    """Ascending levels, and equally wide cells between the first and the last, with at most one level in each.

    Attributes:
        width: the width of a cell.
        before: the number of levels in all cells before each cell.
        inside: the level in each cell; infinite if there is none.
    """

    levels: tuple[float, ...]
    width: float
    before: tuple[int, ...]
    inside: tuple[float, ...]

    @classmethod
    def of(cls, levels: Sequence[float]) -> LevelCells | None:
        """Return the cells of many levels at about equal distances; None for others.

        >>> LevelCells.of([0.0, 1.0]) is None
        True
        >>> LevelCells.of([float(level) for level in range(9)]).before[:18]
        (0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2)
        """
        ordered = sorted(set(levels))
        if len(ordered) < _FEWEST:
            return None
        n_cells = _CELLS_PER_LEVEL * len(ordered)
        width = (ordered[-1] - ordered[0]) / n_cells
        if not width:
            return None
        cells = [min(n_cells, math.floor((level - ordered[0]) / width)) for level in ordered]
        if len(set(cells)) < len(cells):
            return None
        level_in = dict(zip(cells, ordered, strict=True))
        before = tuple(bisect_left(cells, cell) for cell in range(n_cells + 1))
        return cls(tuple(ordered), width, before, tuple(level_in.get(cell, math.inf) for cell in range(n_cells + 1)))

    def index(self, level: float) -> int:
        """Return the position of a level."""
        return bisect_left(self.levels, level)

    def levels_below(self, value: Column) -> Column:
        """Return how many levels a value exceeds, exactly: rounding does not change the order of cells."""
        cell = F.floor((value - F.lit(self.levels[0])) / F.lit(self.width))
        cell = F.least(F.greatest(cell, F.lit(0)), F.lit(len(self.inside) - 1)).cast("int")
        texts = ("double('Infinity')" if math.isinf(level) else f"{level!r}D" for level in self.inside)
        exceeds = value > F.expr(f"array({', '.join(texts)})")[cell]
        return number_at(cell, self.before) + exceeds.cast("bigint")
