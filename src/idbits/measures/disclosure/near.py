"""Who is given away approximately: people whose group has similar numbers or dates.

Implements: SPEC page disclosure.md, sections 3 and 8; Li, Tao and Xiao, "Preservation of proximity privacy", 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats
from idbits.kernels.group_values import GroupCells
from idbits.measures.disclosure.column import PeopleCount, cells_in

__all__ = ["NearPeople", "Window", "near_people"]

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Window:
    """What counts as near: a distance, or a share of the value."""

    width: float
    is_share: bool = False


@dataclass(frozen=True, slots=True)
class NearPeople:
    """How much of a group is near a person's value.

    Attributes:
        people: the people of whose group more than the certainty is near their value.
        mean: the mean share of a person's group that is near their value.
        baseline_mean: the mean share of the whole table.
    """

    people: PeopleCount
    mean: float
    baseline_mean: float


def near_people(
    cells: GroupCells, table: GroupCells, positions: Floats, window: Window, certainty: float,
    targets: NDArray[np.bool_],
) -> NearPeople | None:  # fmt: skip
    """Return who has a group whose values are near their own; None if there is nobody to ask about.

    Args:
        cells: people by group and value; values from ``len(positions)`` on have no position (nulls).
        table: all people of the table.
        positions: the values as numbers, ascending.
        window: how near.
        certainty: the share of a group above which its people count.
        targets: the cells whose people are asked about.
    """
    n = len(positions)
    asked = targets & (cells.values < n)
    people = int(cells.counts[asked].sum())
    if not people:
        return None
    widths = np.abs(positions) * window.width if window.is_share else np.full(n, window.width)
    widths = widths * (1 + _TOLERANCE)
    low = np.searchsorted(positions, positions - widths, side="left")
    high = np.searchsorted(positions, positions + widths, side="right")
    before = np.concatenate(([0], np.cumsum(cells.counts)))
    values, groups = cells.values[asked], cells.groups[asked]
    keys = cells.groups * cells.n_values + cells.values
    begin = np.searchsorted(keys, groups * cells.n_values + low[values], side="left")
    end = np.searchsorted(keys, groups * cells.n_values + high[values], side="left")
    shares = (before[end] - before[begin]) / cells.cell_sizes[asked]
    upto = np.concatenate(([0], np.cumsum(table.value_people)))
    baseline = (upto[high] - upto[low])[values] / table.n_people
    above = np.zeros(cells.n_cells, np.bool_)
    above[np.flatnonzero(asked)[shares > certainty]] = True
    counts = cells.counts[asked]
    return NearPeople(
        cells_in(above, cells),
        math.fsum((shares * counts).tolist()) / people,
        math.fsum((baseline * counts).tolist()) / people,
    )
