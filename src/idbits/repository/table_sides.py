"""The sides of a cross table: the values of an attribute, as published conditions tell them apart.

Some rows of a side may not exist. That nobody has another value than the published ones, that nothing is left of a
coarser value beside its finer ones, that nobody is older than the oldest band: an attacker who knows the values knows
that, and the repository does not. So each side says which rows are sure, and which ones stand or fall together.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

import numpy as np
from numpy.typing import NDArray

from idbits.repository.conditions import Condition, excluding, extent, follows, is_null

__all__ = ["Side", "side_of", "side_of_one"]

Mask = NDArray[np.float64]


class Side:
    """One side of a table.

    Attributes:
        conditions: the published ones.
        doubtful: sets of rows that may not exist.
    """

    def __init__(self, members: dict[Condition, frozenset[int]], doubtful: Sequence[frozenset[int]], rows: int) -> None:
        self.conditions = tuple(members)
        self.doubtful = tuple(doubtful)
        self._members = members
        self._rows = rows

    def size(self, without: frozenset[int] = frozenset()) -> int:
        """Return how many rows the side has without those that do not exist."""
        return self._rows - len(without)

    def masks(self, without: frozenset[int]) -> dict[Condition | None, Mask]:
        """Return which rows belong to each condition, and to none, without rows that do not exist."""
        rows = [row for row in range(self._rows) if row not in without]
        masks: dict[Condition | None, Mask] = {None: np.ones(len(rows))}
        for one, members in self._members.items():
            masks[one] = np.array([float(row in members) for row in rows])
        return masks


def side_of_one(one: Condition, *, others: bool = True) -> Side:
    """Return a side with one value, and all others together, unless no count has them."""
    return Side({one: frozenset({0})}, (), 2 if others else 1)


def side_of(conditions: Sequence[Condition], *, whole: bool) -> Side | None:
    """Return the side that conditions on one concept make; None where they overlap in a way that is not known.

    Args:
        conditions: the published ones.
        whole: whether all values are whole numbers or days.
    """
    ordered = sorted(conditions)
    if len(ordered) == 1:
        # An attribute has more than one value: a single published one is never all.
        return side_of_one(ordered[0])
    if len({name for name, _ in ordered}) == 1:
        # Different values of one attribute exclude each other.
        others = frozenset({len(ordered)})
        return Side({one: frozenset({row}) for row, one in enumerate(ordered)}, [others], len(ordered) + 1)
    for one, other in itertools.combinations(ordered, 2):
        if not (excluding(one, other) or follows(one, other[0]) == other or follows(other, one[0]) == one):
            return _ranged(ordered, whole=whole)
    return _nested(ordered)


def _nested(conditions: Sequence[Condition]) -> Side:
    """Return the side of values that hold or exclude each other."""
    within = {one: [other for other in conditions if follows(other, one[0]) == one] for one in conditions}
    # Two names of the same people share a row.
    first = {
        one: next(other for other in conditions if other in within[one] and one in within[other]) for one in within
    }
    row = {one: number for number, one in enumerate(dict.fromkeys(first.values()))}
    members = {one: frozenset(row[first[other]] for other in some) for one, some in within.items()}
    # The row of a coarser value is what is left of it beside the finer ones.
    coarse = frozenset(row[first[one]] for one in conditions if len(members[one]) > 1)
    return Side(members, [some for some in (coarse, frozenset({len(row)})) if some], len(row) + 1)


def _ranged(conditions: Sequence[Condition], *, whole: bool) -> Side | None:
    """Return the side of ranges of one number or day that are cut at different places."""
    ends: dict[Condition, tuple[Decimal, Decimal]] = {}
    for one in conditions:
        reach = extent(one)
        if reach is None and not is_null(one):
            return None
        if reach is not None:
            first, end = reach.first, reach.end
            if whole:
                first, end = (bound.to_integral_value(ROUND_CEILING) for bound in (first, end))
                end += reach.is_single
            elif reach.is_single:
                return None
            ends[one] = first, end
    cuts = sorted({cut for both in ends.values() for cut in both})
    members: dict[Condition, frozenset[int]] = {
        one: frozenset(row for row, cut in enumerate(cuts[:-1]) if first <= cut < end)
        for one, (first, end) in ends.items()
    }
    rows = len(cuts) - 1
    for one in conditions:
        if one not in ends:
            members[one], rows = frozenset({rows}), rows + 1
    held = frozenset().union(*members.values())
    # What no range holds is one row with everything outside.
    gaps = frozenset(row for row in range(rows) if row not in held)
    # The highest ranges may reach beyond the highest value, and the lowest one below 0.
    edges = [frozenset({row}) for row in (len(cuts) - 2, len(cuts) - 3) if row in held]
    edges += [frozenset({0})] if cuts[1] <= 0 and frozenset({0}) not in edges else []
    return Side(members, [*edges, gaps | {rows}], rows + 1)
