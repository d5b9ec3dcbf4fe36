"""Everybody knows the values of attributes: which published counts belong in one cross table, and what follows.

That all are men or women is not in the vocabulary, but an attacker knows it. So the values that have been published of
an attribute are taken to be all that it has, as long as no count says otherwise: then men with a car, and women with a
car, make up everybody with a car, whether that was published or not. Where counts say otherwise (everybody is more than
men and women), people with another value are a row of the table, too.

Tables of attributes with few values are looked at, as many attributes at once as their cells allow. Of an attribute
with many values (a municipality) the one that the new entry is about is compared with all others together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from idbits.repository.conditions import Condition, Group, concept_of
from idbits.repository.cross_tables import group_masks, group_number, leaves_few
from idbits.repository.table_sides import Side, side_of, side_of_one

__all__ = ["known_values_leave_few"]

# Of attributes beside those of the new entry, and of its own.
_FEW_VALUES, _MOST_VALUES = 8, 40
_MOST_CELLS, _MOST_GROUPS = 200, 8192
_MOST_TABLES = 24
_MOST_ATTRIBUTES = 4

Missing = tuple[tuple[bool, ...], ...]
"""For each side, which of its doubtful rows do not exist."""


def known_values_leave_few(
    new: Sequence[Group],
    values: Mapping[str, Sequence[Condition]],
    always: Set[str],
    counted: Callable[[Group], int | None],
    limit: int,
    is_whole: Callable[[str], bool],
) -> bool:
    """Return whether few people follow from published counts for somebody who knows the values of attributes.

    Args:
        new: the groups of the new entry, its population first.
        values: the published conditions on each concept.
        always: concepts that all published groups have a condition on.
        counted: how many people a group has, where that is published.
        limit: the fewest people that may follow.
        is_whole: whether the values of a concept are whole numbers or days.
    """
    own: dict[str, set[Condition]] = {}
    for group in new:
        for one in group:
            own.setdefault(concept_of(one), set()).add(one)
    return any(_table_leaves_few(sides, counted, limit) for sides in _tables(own, values, always, is_whole))


def _tables(
    own: Mapping[str, set[Condition]],
    values: Mapping[str, Sequence[Condition]],
    always: Set[str],
    is_whole: Callable[[str], bool],
) -> Iterator[list[Side]]:
    """Yield the sides of tables that the new groups belong to: their own attributes, with some others beside them."""
    sides = _own_sides(own, values, always, is_whole)
    others = [
        side
        for concept in sorted(values.keys() - own.keys())
        if 0 < len(values[concept]) <= _FEW_VALUES
        and (side := side_of(values[concept], whole=is_whole(concept))) is not None
    ]
    yielded = 0
    wide = sum(side.size() > 1 for side in sides)
    for number in range(min(len(others), max(0, _MOST_ATTRIBUTES - wide)), -1, -1):
        for beside in itertools.combinations(others, number):
            if yielded < _MOST_TABLES and _is_small([*sides, *beside]):
                yielded += 1
                yield [*sides, *beside]
        if yielded:
            # What smaller tables tell, larger ones tell, too.
            return


def _own_sides(
    own: Mapping[str, set[Condition]],
    values: Mapping[str, Sequence[Condition]],
    always: Set[str],
    is_whole: Callable[[str], bool],
) -> list[Side]:
    """Return the sides of the new groups' own attributes, as long as the table stays small: fewest values first."""
    sides: list[Side] = []
    # The attributes with one value here come first: they can always be compared with all others together.
    for concept in sorted(own, key=lambda concept: (len(own[concept]) > 1, len(values[concept]))):
        if len(own[concept]) == 1 and concept in always:
            # No count has people with other values as well.
            sides.append(side_of_one(next(iter(own[concept])), others=False))
            continue
        whole_side = side_of(values[concept], whole=is_whole(concept)) if len(values[concept]) <= _MOST_VALUES else None
        single = side_of_one(next(iter(own[concept]))) if len(own[concept]) == 1 else None
        for side in (whole_side, single):
            if side is not None and _is_small([*sides, side]):
                sides.append(side)
                break
    return sides


def _is_small(sides: Sequence[Side]) -> bool:
    shape = [side.size() for side in sides]
    return math.prod(shape) <= _MOST_CELLS and group_number(shape) <= _MOST_GROUPS


def _table_leaves_few(sides: Sequence[Side], counted: Callable[[Group], int | None], limit: int) -> bool:
    """Return whether few people follow in a table, with as few doubtful rows as the counts allow."""
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
        # The fewer rows there are, the more follows.
        if any(_misses_more(other, missing) for other in possible):
            continue
        sums, groups = _rows(sides, [chosen for chosen, _ in published], missing)
        follows_few = leaves_few(sums, people, groups, limit)
        if follows_few:
            return True
        if follows_few is not None:
            possible.append(missing)
    return False


def _choices(sides: Sequence[Side]) -> list[Missing]:
    """Return which doubtful rows may be missing, the most missing first."""
    choices = itertools.product(*(itertools.product((True, False), repeat=len(side.doubtful)) for side in sides))
    return sorted(choices, key=lambda missing: -sum(map(sum, missing)))


def _misses_more(one: Missing, other: Missing) -> bool:
    """Return whether all that is missing in the other is missing in one, too."""
    pairs = zip(itertools.chain(*one), itertools.chain(*other), strict=True)
    return all(mine >= theirs for mine, theirs in pairs)


def _rows(
    sides: Sequence[Side], published: Sequence[tuple[Condition | None, ...]], missing: Missing
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the published sums of a table, and the groups that are looked at."""
    masks = []
    for side, absent in zip(sides, missing, strict=True):
        without = [rows for rows, is_absent in zip(side.doubtful, absent, strict=True) if is_absent]
        masks.append(side.masks(frozenset[int]().union(*without)))
    sums = []
    for chosen in published:
        row = np.ones(1)
        for mask, one in zip(masks, chosen, strict=True):
            row = np.multiply.outer(row, mask[one]).ravel()
        sums.append(row)
    shape = tuple(len(mask[None]) for mask in masks)
    return np.array(sums), group_masks(shape)
