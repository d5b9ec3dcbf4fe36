"""People who are found together: the group sizes of the members, and households with the same composition.

Implements: SPEC page people.md, section 2. A household is to the sets of its members what a person is to their values,
so the same kernels compare both.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers
from idbits.kernels.distinct import distinct_keys
from idbits.kernels.ordering import bits_of
from idbits.kernels.person_sets import classes_of_sets
from idbits.kernels.persons import Flags, Pairs, SortedPairs, scan_pairs

__all__ = ["Homes", "HouseholdFigures", "homes_of", "household_figures"]


@dataclass(frozen=True, slots=True, eq=False)
class Homes:
    """Where people live.

    Attributes:
        codes: the household of each code of a person; -1 if the code does not occur.
        n_homes: the number of codes of households; some may not occur.
        people_without: the number of people without a household, each of whom has one of their own.
        people_in_several: the number of people in more than one household.
    """

    codes: Integers
    n_homes: int
    people_without: int
    people_in_several: int


def homes_of(persons: Integers, named: Integers, null: int | None, n_codes: int, n_named: int) -> Homes:
    """Return the households of people from the person and the household of each row.

    >>> homes = homes_of(np.array([0, 0, 1, 2]), np.array([7, 9, 9, 7]), null=9, n_codes=3, n_named=10)
    >>> homes.codes.tolist(), homes.people_without, homes.people_in_several
    ([7, 10, 7], 1, 0)
    """
    codes = np.full(n_codes, -1, np.int64)
    if null is not None:
        known = named != null
        everyone, persons, named = persons, persons[known], named[known]
    codes[persons] = named
    several = np.unique(persons[codes[persons] != named])
    without = np.zeros(0, np.int64)
    if null is not None:
        without = np.unique(everyone[codes[everyone] < 0])
        codes[without] = np.arange(n_named, n_named + len(without))
    return Homes(codes, n_named + len(without), len(without), len(several))


@dataclass(frozen=True, slots=True, eq=False)
class HouseholdFigures:
    """What is known of each code of a household.

    Attributes:
        members: the number of members; 0 if the code does not occur.
        is_distinct: whether the household has a value that no other household has.
        risks: the sizes of the groups of the members, ascending, with the number of such households.
        compositions: (households with the same composition, members of each) with the number of such groups.
    """

    members: Integers
    is_distinct: Flags
    risks: Counter[tuple[int, ...]]
    compositions: Counter[tuple[int, int]]


def household_figures(pairs: Pairs, homes: Homes, *, by_set: bool) -> HouseholdFigures:
    """Count households; the group of a member is that of the set of their values, or the smallest of their values."""
    classes, people = classes_of_sets(pairs)
    occurring = np.flatnonzero(classes >= 0)
    home = homes.codes[occurring]
    members = np.bincount(home, minlength=homes.n_homes)
    sets = _pairs_of(classes[occurring], home, homes.n_homes)
    sizes = people[classes[occurring]] if by_set else scan_pairs(pairs, None).figures.smallest[occurring]
    alike, households = classes_of_sets(sets, counted=True)
    members_of = np.zeros(len(households), np.int64)
    members_of[alike[home]] = members[home]
    return HouseholdFigures(
        members,
        _distinct_homes(sets if by_set else pairs, None if by_set else homes.codes, homes.n_homes),
        _risks(sizes, home, homes.n_homes),
        Counter(zip(households.tolist(), members_of.tolist(), strict=True)),
    )


def _pairs_of(values: Integers, home: Integers, n_homes: int) -> SortedPairs:
    """Return the households as people, each member being a row with one value."""
    bits = bits_of(n_homes)
    keys = (values.astype(np.uint64) << np.uint64(bits)) | home.astype(np.uint64)
    return SortedPairs(keys, bits, n_homes)


def _distinct_homes(pairs: Pairs, home: Integers | None, n_homes: int) -> Flags:
    """Return which households have a value that no other household has; ``home`` is None for pairs of households."""
    is_distinct = np.zeros(n_homes, np.bool_)
    bits = np.uint64(bits_of(n_homes))
    for block in pairs.blocks():
        keys = np.repeat(np.arange(len(block.values), dtype=np.uint64), block.lengths) << bits
        keys |= (block.persons if home is None else home[block.persons]).astype(np.uint64)
        held = distinct_keys(keys)[0]
        of_value = held >> bits
        single = np.bincount(of_value.astype(np.int64), minlength=len(block.values))[of_value] == 1
        is_distinct[(held[single] & np.uint64((1 << int(bits)) - 1)).astype(np.int64)] = True
    return is_distinct


def _risks(sizes: Integers, home: Integers, n_homes: int) -> Counter[tuple[int, ...]]:
    """Count the households with the same group sizes of their members."""
    alike, households = classes_of_sets(_pairs_of(sizes, home, n_homes), counted=True)
    order = np.lexsort((sizes, home))
    ordered_sizes, ordered_homes = sizes[order], home[order]
    starts = np.searchsorted(ordered_homes, np.arange(n_homes))
    example = np.zeros(len(households), np.int64)
    occurring = np.flatnonzero(alike >= 0)
    example[alike[occurring]] = occurring
    ends = np.searchsorted(ordered_homes, example, side="right")
    return Counter(
        {
            tuple(ordered_sizes[begin:end].tolist()): number
            for begin, end, number in zip(starts[example].tolist(), ends.tolist(), households.tolist(), strict=True)
        }
    )
