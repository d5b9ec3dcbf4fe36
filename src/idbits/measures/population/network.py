"""How many others should share somebody's values? A small network of columns answers without looking at their own set.

Implements: SPEC page population.md, 8.2 step 1 and 8.8b. Under Poisson sampling the sets are independent, so what is
computed from the people of other sets does not know how many people a set itself has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.cohorts import direct_ranks, ranks_are_direct, ranks_of
from idbits.kernels.distinct import people_by_code
from idbits.kernels.ordering import CodedColumn, bits_of
from idbits.measures.population.sets import SampleSets

__all__ = ["ColumnFamily", "log_rates", "search_network"]

_MOST_PARENTS = 2
_LEAST_GAIN_NATS = 1e-4
_SMOOTHING = (1.0, 3.0, 10.0, 30.0, 100.0)
_MOST_SEARCHED = 20_000
_BLOCK = 1 << 16

Shares = Mapping[int, Floats]
"""The population share of each code, for columns of which it is known."""


@dataclass(frozen=True, slots=True)
class ColumnFamily:
    """A column, the columns that predict it, and how strongly each step is drawn to the one before."""

    column: int
    parents: tuple[int, ...] = ()
    smoothing: tuple[float, ...] = ()


def search_network(sets: SampleSets, shares: Shares | None = None) -> tuple[ColumnFamily, ...]:
    """Choose up to two parents of each column among those with more values, greedily by the mean of ln p over sets.

    The search counts within at most 20,000 sets, so it does not grow with the table.

    >>> codes = (np.array([0, 1, 2, 3], np.uint32), np.array([0, 0, 1, 1], np.uint32))
    >>> [family.column for family in search_network(SampleSets(codes, (4, 2), np.array([9, 9, 9, 9])))]
    [0, 1]
    """
    margins = _Margins(sets.first(_MOST_SEARCHED), sets.n_values)
    order = sorted(range(len(sets.sizes)), key=lambda column: -sets.n_values[column])
    return tuple(_family(margins, column, order[:rank], shares or {}) for rank, column in enumerate(order))


def log_rates(
    sets: SampleSets, network: Sequence[ColumnFamily], shares: Shares | None = None, most: int | None = None
) -> Floats:
    """Return ln lambda of the first sets: the expected number of people with their values, by the network.

    lambda = n * product over columns of p(value given parents), counted over everyone outside the set.
    """
    n_sets = sets.n_sets if most is None else min(most, sets.n_sets)
    logs = np.full(n_sets, np.log(sets.n_people))
    blocks = [slice(start, min(start + _BLOCK, n_sets)) for start in range(0, n_sets, _BLOCK)]
    for family in network:
        column = family.column
        first = _first_chance(sets, column, sets.n_values[column], shares or {})
        steps = [
            (_others(sets, (column, *family.parents[:length])), _others(sets, family.parents[:length]), smoothing)
            for length, smoothing in enumerate(family.smoothing, 1)
        ]
        for part in blocks:
            chance = first(part)
            for both, parents, smoothing in steps:
                chance = _next_chance(both(part), parents(part), smoothing, chance)
            logs[part] += np.log(chance)
    return logs


def _first_chance(sets: SampleSets, column: int, n_values: int, shares: Shares) -> Callable[[slice], Floats]:
    """p_0 = (others_j + 1/V_j)/(n + 1), or the share in the population; the denominator must not know c."""
    if column in shares:
        return lambda part: shares[column][sets.codes[column][part]]
    others, least = _others(sets, (column,)), 1 / n_values
    return lambda part: (others(part) + least) / (sets.n_people + 1)


def _next_chance(both: Integers, parents: Integers, smoothing: float, before: Floats) -> Floats:
    """p_i = (others_{j,a1..ai} + s p_{i-1})/(others_{a1..ai} + s)."""
    chance: Floats = (both + smoothing * before) / (parents + smoothing)
    return chance


def _others(sets: SampleSets, columns: Sequence[int]) -> Callable[[slice], Integers]:
    """Count the people of other sets who are equal in these columns; return the counts of some sets at a time."""
    if len(columns) == len(sets.codes):
        # Only the set itself is equal in all columns.
        return lambda part: np.zeros(len(sets.people[part]), np.int64)
    codes, sizes = [sets.codes[column] for column in columns], [sets.sizes[column] for column in columns]
    if ranks_are_direct(sizes, sets.n_sets):
        ranks = direct_ranks(codes, sizes, sets.n_sets)
        totals = people_by_code(ranks.ranks, ranks.number, sets.people)
        # Not the ranks of all sets: there may be as many sets as rows.
        return lambda part: _of_part(totals, codes, sizes, sets.people, part)
    ranks = ranks_of([CodedColumn(*each) for each in zip(codes, map(bits_of, sizes), strict=True)], sizes, sets.n_sets)
    numbers, people = ranks.ranks, people_by_code(ranks.ranks, ranks.number, sets.people)
    return lambda part: people[numbers[part]] - sets.people[part]


def _family(margins: _Margins, column: int, earlier: Sequence[int], shares: Shares) -> ColumnFamily:
    family = ColumnFamily(column)
    chance = _first_chance(margins.sets, column, margins.n_values[column], shares)(slice(None))
    reached = float(np.log(chance).mean())
    for _ in range(min(_MOST_PARENTS, len(earlier))):
        best: tuple[float, ColumnFamily, Floats] | None = None
        for parent in earlier:
            if parent in family.parents:
                continue
            parents = (*family.parents, parent)
            for smoothing in _SMOOTHING:
                both = margins.others((column, *parents))
                tried = _next_chance(both, margins.others(parents), smoothing, chance)
                mean = float(np.log(tried).mean())
                if best is None or mean > best[0]:
                    best = mean, ColumnFamily(column, parents, (*family.smoothing, smoothing)), tried
        if best is None or best[0] - reached <= _LEAST_GAIN_NATS:
            break
        reached, family, chance = best
    return family


def _of_part(
    totals: Integers, codes: Sequence[NDArray[np.unsignedinteger]], sizes: Sequence[int], people: Integers, part: slice
) -> Integers:
    own = people[part]
    ranks = direct_ranks([column[part] for column in codes], sizes, len(own)).ranks
    others: Integers = totals[ranks] - own
    return others


class _Margins:
    """People of other sets who are equal in some columns; the last counts are kept, as searches ask for them again."""

    def __init__(self, sets: SampleSets, n_values: tuple[int, ...]) -> None:
        self.sets = sets
        self.n_values = n_values
        self._singles: dict[tuple[int, ...], Integers] = {}
        self._last: dict[tuple[int, ...], Integers] = {}

    def others(self, columns: tuple[int, ...]) -> Integers:
        """Return the people of other sets who are equal in these columns, set by set."""
        key = tuple(sorted(columns))
        kept = self._singles if len(columns) == 1 else self._last
        if key not in kept:
            # A candidate needs two margins, once for each smoothing.
            while len(self._last) > 1:
                self._last.pop(next(iter(self._last)))
            kept[key] = _others(self.sets, key)(slice(None))
        return kept[key]
