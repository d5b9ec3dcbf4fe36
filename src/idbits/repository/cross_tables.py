"""Cross tables of attributes whose values an attacker knows: which published counts belong together, what they reveal.

The vocabulary does not list the values of an attribute, but an attacker may know them all. So we assume that the
published values are all values, unless a count contradicts that. Then men with a car and women with a car make up
everyone with a car, whether that total was published or not. If a count contradicts it (everyone is more than men and
women), the people with another value become a further row of the table.

We check tables of attributes with few values, as many attributes at once as the limit on cells allows. For an attribute
with many values (a municipality), we compare the value in the new entry with all other values together.

Each side of a table lists the values of an attribute as far as published conditions distinguish them. Some rows may not
exist: perhaps nobody has a value that was not published, a coarser value has no people beyond its finer values, or
nobody is older than the oldest band. An attacker who knows the values knows this; the repository does not. So each side
records which rows are certain, and which doubtful rows exist or are missing together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from idbits.repository.conditions import (
    Condition,
    Group,
    concept_of,
    exclude_each_other,
    extent_of,
    implied_condition,
    is_null,
)
from idbits.repository.fitting_tables import group_masks, group_number, leaves_few

__all__ = ["known_values_leave_few"]

# For attributes outside the new entry, and for its own.
_FEW_VALUES, _MOST_VALUES = 8, 40
_MOST_CELLS, _MOST_GROUPS = 200, 8192
_MOST_TABLES = 24
_MOST_ATTRIBUTES = 4

Missing = tuple[tuple[bool, ...], ...]
"""For each side, which of its doubtful rows are assumed not to exist."""

Mask = NDArray[np.float64]


class TableSide:
    """One side of a table.

    Attributes:
        conditions: the published conditions.
        doubtful: sets of rows that may not exist.
    """

    def __init__(self, members: dict[Condition, frozenset[int]], doubtful: Sequence[frozenset[int]], rows: int) -> None:
        self.conditions = tuple(members)
        self.doubtful = tuple(doubtful)
        self._members = members
        self._rows = rows

    def size(self, without: frozenset[int] = frozenset()) -> int:
        """Return the number of rows, leaving out those that do not exist."""
        return self._rows - len(without)

    def masks(self, without: frozenset[int]) -> dict[Condition | None, Mask]:
        """Return which rows belong to each condition, and to no condition, leaving out rows that do not exist."""
        rows = [row for row in range(self._rows) if row not in without]
        masks: dict[Condition | None, Mask] = {None: np.ones(len(rows))}
        for condition, members in self._members.items():
            masks[condition] = np.array([float(row in members) for row in rows])
        return masks


def known_values_leave_few(
    new: Sequence[Group],
    values: Mapping[str, Collection[Condition]],
    always: Set[str],
    counted: Callable[[Group], int | None],
    limit: int,
    is_whole: Callable[[str], bool],
) -> bool:
    """Return whether published counts reveal a small group to an attacker who knows all values of the attributes.

    Args:
        new: the groups of the new entry, its population first.
        values: the published conditions on each concept.
        always: concepts on which every published group has a condition.
        counted: returns the published size of a group; None if it is not published.
        limit: the smallest group that may be revealed.
        is_whole: returns whether the values of a concept are whole numbers or days.
    """
    new_values: dict[str, set[Condition]] = {}
    for group in new:
        for condition in group:
            new_values.setdefault(concept_of(condition), set()).add(condition)
    return any(_table_leaves_few(sides, counted, limit) for sides in _tables(new_values, values, always, is_whole))


def _tables(
    new_values: Mapping[str, set[Condition]],
    values: Mapping[str, Collection[Condition]],
    always: Set[str],
    is_whole: Callable[[str], bool],
) -> Iterator[list[TableSide]]:
    """Yield the sides of tables that contain the new groups: their own attributes, and some others."""
    sides = _own_sides(new_values, values, always, is_whole)
    others = [
        side
        for concept in sorted(values.keys() - new_values.keys())
        if 0 < len(values[concept]) <= _FEW_VALUES
        and (side := _side_of(values[concept], whole=is_whole(concept))) is not None
    ]
    yielded = 0
    wide = sum(side.size() > 1 for side in sides)
    for number in range(min(len(others), max(0, _MOST_ATTRIBUTES - wide)), -1, -1):
        for added in itertools.combinations(others, number):
            if yielded < _MOST_TABLES and _is_small([*sides, *added]):
                yielded += 1
                yield [*sides, *added]
        if yielded:
            # Larger tables reveal everything that smaller ones do.
            return


def _own_sides(
    new_values: Mapping[str, set[Condition]],
    values: Mapping[str, Collection[Condition]],
    always: Set[str],
    is_whole: Callable[[str], bool],
) -> list[TableSide]:
    """Return the sides of the new groups' own attributes, fewest values first, while the table stays small."""
    sides: list[TableSide] = []
    # Attributes with one value come first: that value can always be compared with all others together.
    for concept in sorted(new_values, key=lambda concept: (len(new_values[concept]) > 1, len(values[concept]))):
        if len(new_values[concept]) == 1 and concept in always:
            # No published count includes people with other values.
            sides.append(_side_of_one(next(iter(new_values[concept])), others=False))
            continue
        whole_side = (
            _side_of(values[concept], whole=is_whole(concept)) if len(values[concept]) <= _MOST_VALUES else None
        )
        single = _side_of_one(next(iter(new_values[concept]))) if len(new_values[concept]) == 1 else None
        for side in (whole_side, single):
            if side is not None and _is_small([*sides, side]):
                sides.append(side)
                break
    return sides


def _is_small(sides: Sequence[TableSide]) -> bool:
    shape = [side.size() for side in sides]
    return math.prod(shape) <= _MOST_CELLS and group_number(shape) <= _MOST_GROUPS


def _table_leaves_few(sides: Sequence[TableSide], counted: Callable[[Group], int | None], limit: int) -> bool:
    """Return whether a table reveals a small group, with as few doubtful rows as the counts allow."""
    published = []
    for chosen in itertools.product(*((None, *side.conditions) for side in sides)):
        number = counted(frozenset(filter(None, chosen)))
        if number is not None:
            published.append((chosen, number))
    if len(published) < 2:
        return False
    people = np.array([number for _, number in published], dtype=float)
    possible: list[Missing] = []
    for missing in _choices(sides):
        # The fewer rows exist, the more the counts reveal.
        if any(_misses_more(other, missing) for other in possible):
            continue
        sums, groups = _rows(sides, [chosen for chosen, _ in published], missing)
        follows_few = leaves_few(sums, people, groups, limit)
        if follows_few:
            return True
        if follows_few is not None:
            possible.append(missing)
    return False


def _choices(sides: Sequence[TableSide]) -> list[Missing]:
    """Return all choices of missing rows among the doubtful ones, the most missing first."""
    choices = itertools.product(*(itertools.product((True, False), repeat=len(side.doubtful)) for side in sides))
    return sorted(choices, key=lambda missing: -sum(map(sum, missing)))


def _misses_more(missing: Missing, other: Missing) -> bool:
    """Return whether ``missing`` includes every row that is missing in ``other``."""
    pairs = zip(itertools.chain(*missing), itertools.chain(*other), strict=True)
    return all(mine >= theirs for mine, theirs in pairs)


def _rows(
    sides: Sequence[TableSide], published: Sequence[tuple[Condition | None, ...]], missing: Missing
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the published sums of a table, and the groups to check."""
    masks = []
    for side, absent in zip(sides, missing, strict=True):
        without = [rows for rows, is_absent in zip(side.doubtful, absent, strict=True) if is_absent]
        masks.append(side.masks(frozenset[int]().union(*without)))
    sums = []
    for chosen in published:
        row = np.ones(1)
        for mask, condition in zip(masks, chosen, strict=True):
            row = np.multiply.outer(row, mask[condition]).ravel()
        sums.append(row)
    shape = tuple(len(mask[None]) for mask in masks)
    return np.array(sums), group_masks(shape)


def _side_of_one(condition: Condition, *, others: bool = True) -> TableSide:
    """Return a side with one value, and one row for all other values unless no count includes them."""
    return TableSide({condition: frozenset({0})}, (), 2 if others else 1)


def _side_of(conditions: Collection[Condition], *, whole: bool) -> TableSide | None:
    """Return the side that conditions on one concept form; None if they overlap in an unknown way.

    Args:
        conditions: the published conditions.
        whole: whether all values are whole numbers or days.
    """
    ordered = sorted(conditions)
    if len(ordered) == 1:
        # An attribute has more than one value, so a single published value is never all of them.
        return _side_of_one(ordered[0])
    if len({name for name, _ in ordered}) == 1:
        # Different values of one attribute exclude each other.
        others = frozenset({len(ordered)})
        return TableSide(
            {condition: frozenset({row}) for row, condition in enumerate(ordered)}, [others], len(ordered) + 1
        )
    for condition, other in itertools.combinations(ordered, 2):
        if not (
            exclude_each_other(condition, other)
            or implied_condition(condition, other[0]) == other
            or implied_condition(other, condition[0]) == condition
        ):
            return _ranged(ordered, whole=whole)
    return _nested(ordered)


def _nested(conditions: Sequence[Condition]) -> TableSide:
    """Return the side of values that contain or exclude each other."""
    within = {
        condition: [other for other in conditions if implied_condition(other, condition[0]) == condition]
        for condition in conditions
    }
    # Two conditions with the same people share a row.
    first = {
        condition: next(other for other in conditions if other in within[condition] and condition in within[other])
        for condition in within
    }
    row = {condition: number for number, condition in enumerate(dict.fromkeys(first.values()))}
    members = {condition: frozenset(row[first[other]] for other in some) for condition, some in within.items()}
    # The row of a coarser value has the people who have none of its finer values.
    coarse = {condition: row[first[condition]] for condition in conditions if len(members[condition]) > 1}
    # Perhaps nobody is older than the highest finer value, though other ranges go on.
    extents = {condition: extent for condition in coarse if (extent := extent_of(condition)) is not None}
    highest = {coarse[max(extents, key=lambda condition: extents[condition].end)]} if extents else set()
    doubtful = (frozenset(coarse.values()) - highest, frozenset(highest), frozenset({len(row)}))
    return TableSide(members, [some for some in doubtful if some], len(row) + 1)


def _ranged(conditions: Sequence[Condition], *, whole: bool) -> TableSide | None:
    """Return the side of ranges of one number or day that are cut at different points."""
    ends: dict[Condition, tuple[Decimal, Decimal]] = {}
    for condition in conditions:
        extent = extent_of(condition)
        if extent is None and not is_null(condition):
            return None
        if extent is not None:
            if extent.is_single and not whole:
                return None
            ends[condition] = extent.whole_ends() if whole else (extent.first, extent.end)
    cuts = sorted({cut for both in ends.values() for cut in both})
    members: dict[Condition, frozenset[int]] = {
        condition: frozenset(row for row, cut in enumerate(cuts[:-1]) if first <= cut < end)
        for condition, (first, end) in ends.items()
    }
    rows = len(cuts) - 1
    for condition in conditions:
        if condition not in ends:
            members[condition], rows = frozenset({rows}), rows + 1
    held = frozenset().union(*members.values())
    # Values in no range share one row with everything outside.
    gaps = frozenset(row for row in range(rows) if row not in held)
    # The highest ranges may extend beyond the highest value, and the lowest one below 0.
    edges = [frozenset({row}) for row in (len(cuts) - 2, len(cuts) - 3) if row in held]
    edges += [frozenset({0})] if cuts[1] <= 0 and frozenset({0}) not in edges else []
    return TableSide(members, [*edges, gaps | {rows}], rows + 1)
