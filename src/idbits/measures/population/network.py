"""How many others should share somebody's values? A small network of columns answers without looking at their own set.

Implements: SPEC page population.md, 8.2 step 1 and 8.8b. Under Poisson sampling the sets are independent, so what is
computed from the people of other sets does not know how many people a set itself has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Integers
from idbits.kernels.cohorts import ranks_of
from idbits.kernels.distinct import people_by_code
from idbits.kernels.ordering import CodedColumn, bits_of
from idbits.measures.population.sets import SampleSets

__all__ = ["ColumnFamily", "log_rates", "search_network"]

_MOST_PARENTS = 2
_LEAST_GAIN_NATS = 1e-4
_SMOOTHING = (1.0, 3.0, 10.0, 30.0, 100.0)
_MOST_SEARCHED = 20_000

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
    drawn = sets.first(_MOST_SEARCHED)
    margins = _Margins(drawn, sets.n_values, drawn.n_sets)
    order = sorted(range(len(sets.sizes)), key=lambda column: -sets.n_values[column])
    return tuple(_family(margins, column, order[:rank], shares or {}) for rank, column in enumerate(order))


def log_rates(
    sets: SampleSets, network: Sequence[ColumnFamily], shares: Shares | None = None, most: int | None = None
) -> Floats:
    """Return ln lambda of the first sets: the expected number of people with their values, by the network.

    lambda = n * product over columns of p(value given parents), counted over everyone outside the set.
    """
    n_sets = sets.n_sets if most is None else min(most, sets.n_sets)
    margins = _Margins(sets, sets.n_values, n_sets)
    logs = np.full(n_sets, np.log(sets.n_people))
    for family in network:
        chance = margins.first_chance(family.column, shares or {})
        for length, smoothing in enumerate(family.smoothing, 1):
            chance = margins.next_chance(family.column, family.parents[:length], smoothing, chance)
        logs += np.log(chance)
    return logs


def _family(margins: _Margins, column: int, earlier: Sequence[int], shares: Shares) -> ColumnFamily:
    family = ColumnFamily(column)
    chance = margins.first_chance(column, shares)
    reached = float(np.log(chance).mean())
    for _ in range(min(_MOST_PARENTS, len(earlier))):
        best: tuple[float, ColumnFamily, Floats] | None = None
        for parent in earlier:
            if parent in family.parents:
                continue
            parents = (*family.parents, parent)
            for smoothing in _SMOOTHING:
                tried = margins.next_chance(column, parents, smoothing, chance)
                mean = float(np.log(tried).mean())
                if best is None or mean > best[0]:
                    best = mean, ColumnFamily(column, parents, (*family.smoothing, smoothing)), tried
        if best is None or best[0] - reached <= _LEAST_GAIN_NATS:
            break
        reached, family, chance = best
    return family


class _Margins:
    """People of other sets who are equal in some columns; the last counts are kept, as searches ask for them again."""

    def __init__(self, sets: SampleSets, n_values: tuple[int, ...], n_sets: int) -> None:
        self._sets = sets
        self._n_values = n_values
        self._n_sets = n_sets
        self._singles: dict[int, Floats] = {}
        self._last: dict[tuple[int, ...], Floats] = {}

    def first_chance(self, column: int, shares: Shares) -> Floats:
        """p_0 = (others_j + 1/V_j)/(n + 1), or the share in the population; the denominator must not know c."""
        if column in shares:
            return shares[column][self._sets.codes[column][: self._n_sets]]
        return (self.others((column,)) + 1 / self._n_values[column]) / (self._sets.n_people + 1)

    def next_chance(self, column: int, parents: tuple[int, ...], smoothing: float, before: Floats) -> Floats:
        """p_i = (others_{j,a1..ai} + s p_{i-1})/(others_{a1..ai} + s)."""
        chance: Floats = (self.others((column, *parents)) + smoothing * before) / (self.others(parents) + smoothing)
        return chance

    def others(self, columns: tuple[int, ...]) -> Floats:
        """Return the people of other sets who are equal in these columns, set by set."""
        if len(columns) == 1 and self._n_sets <= _MOST_SEARCHED:
            if columns[0] not in self._singles:
                self._singles[columns[0]] = self._count(columns)
            return self._singles[columns[0]]
        key = tuple(sorted(columns))
        if key not in self._last:
            # A candidate needs two margins, once for each smoothing.
            while len(self._last) > 1:
                self._last.pop(next(iter(self._last)))
            self._last[key] = self._count(key)
        return self._last[key]

    def _count(self, columns: Sequence[int]) -> Floats:
        sets = self._sets
        if len(columns) == len(sets.codes):
            # Only the set itself is equal in all columns.
            return np.zeros(self._n_sets)
        coded = [CodedColumn(sets.codes[column], bits_of(sets.sizes[column])) for column in columns]
        ranks = ranks_of(coded, [sets.sizes[column] for column in columns], sets.n_sets)
        totals: Integers = people_by_code(ranks.ranks, ranks.number, sets.people)
        others = totals[ranks.ranks[: self._n_sets]] - sets.people[: self._n_sets]
        return others.astype(np.float64)
