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
from idbits.kernels.cohorts import direct_ranks, people_by_combination, ranks_are_direct, ranks_of
from idbits.kernels.distinct import people_by_code
from idbits.kernels.ordering import CodedColumn, bits_of
from idbits.measures.population.parent_scores import AlikeSets, SearchedSets
from idbits.measures.population.sets import PeopleOfSets, SampleSets

__all__ = ["ColumnFamily", "log_rates", "search_network"]

_MOST_PARENTS = 2
_LEAST_GAIN_NATS = 1e-4
_SMOOTHING = (1.0, 3.0, 10.0, 30.0, 100.0)
_MOST_SEARCHED = 20_000
# Far above the rounding of a mean of all logarithms, far below a difference that matters.
_ROUNDING = 1e-9
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
    drawn = sets.first(_MOST_SEARCHED)
    margins = _Margins(drawn, sets.n_values)
    searched = SearchedSets(drawn)
    order = sorted(range(len(sets.sizes)), key=lambda column: -sets.n_values[column])
    return tuple(
        _family(margins, AlikeSets.of(searched, column), column, order[:rank], shares or {})
        for rank, column in enumerate(order)
    )


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
        # Never the ranks of all sets: there may be as many sets as rows.
        totals = people_by_combination(codes, sizes, sets.people)
        return lambda part: _of_part(totals, codes, sizes, sets.people, part)
    ranks = ranks_of([CodedColumn(*each) for each in zip(codes, map(bits_of, sizes), strict=True)], sizes, sets.n_sets)
    numbers, people = ranks.ranks, people_by_code(ranks.ranks, ranks.number, sets.people)
    return lambda part: people[numbers[part]] - sets.people[part]


def _family(margins: _Margins, alike: AlikeSets, column: int, earlier: Sequence[int], shares: Shares) -> ColumnFamily:
    family = ColumnFamily(column)
    chance = _first_chance(margins.sets, column, margins.n_values[column], shares)(slice(None))
    reached = float(np.log(chance).mean())
    for _ in range(min(_MOST_PARENTS, len(earlier))):
        best: tuple[float, ColumnFamily, Floats] | None = None
        candidates = [parent for parent in earlier if parent not in family.parents]
        for parent, smoothing in _possibly_best(alike, candidates, chance):
            parents = (*family.parents, parent)
            both = margins.others((column, *parents))
            tried = _next_chance(both, margins.others(parents), smoothing, chance)
            mean = float(np.log(tried).mean())
            if best is None or mean > best[0]:
                best = mean, ColumnFamily(column, parents, (*family.smoothing, smoothing)), tried
        if best is None or best[0] - reached <= _LEAST_GAIN_NATS:
            break
        reached, family, chance = best
        alike = alike.with_parent(family.parents[-1])
    return family


def _possibly_best(alike: AlikeSets, candidates: list[int], chance: Floats) -> list[tuple[int, float]]:
    """Return the candidates (parent, smoothing), in order, without those that are worse than the best one."""
    scores = alike.scores(candidates, np.array(_SMOOTHING), chance)
    best = float(scores.max())
    return [
        (candidates[row], _SMOOTHING[index])
        for row, index in np.argwhere(scores >= best - _ROUNDING * abs(best)).tolist()
    ]


def _of_part(
    totals: Integers,
    codes: Sequence[NDArray[np.unsignedinteger]],
    sizes: Sequence[int],
    people: PeopleOfSets,
    part: slice,
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
