"""How well does a further column predict another one? Scores from groups of sets that are alike, instead of all sets.

Sets with the same people, the same value of the column and the same values of its parents have the same probability, so
its logarithm is computed once for all of them. The sums are those over sets up to rounding: they decide which
candidates cannot be the best one, not which one is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Integers
from idbits.measures.population.sets import SampleSets

__all__ = ["AlikeSets", "SearchedSets"]

# Above this many possible keys per set, sorting the keys takes less time than an array of all possible ones.
_ROOM_PER_SET = 8


@dataclass(frozen=True, slots=True, eq=False)
class _Grouping:
    """Groups of sets.

    Attributes:
        of_set: the group of each set.
        number: the number of groups.
    """

    of_set: Integers
    number: int

    def split(self, codes: Integers, size: int) -> _Grouping:
        """Return the groups of sets that are also equal in these codes."""
        keys = self.of_set * size + codes
        if self.number * size <= _ROOM_PER_SET * len(keys):
            occurring = np.bincount(keys, minlength=self.number * size) > 0
            numbers = np.cumsum(occurring) - 1
            return _Grouping(numbers[keys], int(numbers[-1]) + 1)
        distinct, numbers = np.unique(keys, return_inverse=True)
        return _Grouping(numbers, len(distinct))


class SearchedSets:
    """The sets that a search counts, with codes as wide as arithmetic needs them."""

    def __init__(self, sets: SampleSets) -> None:
        self.sizes = sets.sizes
        self.codes = [codes.astype(np.int64) for codes in sets.codes]
        self.people = sets.people.astype(np.int64)
        people, self.people_code = np.unique(self.people, return_inverse=True)
        self.n_people_codes = len(people)


@dataclass(frozen=True, slots=True, eq=False)
class AlikeSets:
    """Sets that are alike in a column, its parents and their people.

    Attributes:
        sets: all sets.
        both: the groups of sets that are equal in the column and its parents.
        parents: the groups of sets that are equal in the parents.
    """

    sets: SearchedSets
    both: _Grouping
    parents: _Grouping

    @classmethod
    def of(cls, sets: SearchedSets, column: int) -> AlikeSets:
        """Return the sets that are alike in a column that has no parents yet."""
        everything = _Grouping(np.zeros(len(sets.people), np.int64), 1)
        return cls(sets, everything.split(sets.codes[column], sets.sizes[column]), everything)

    def with_parent(self, parent: int) -> AlikeSets:
        """Return the sets that are also alike in a further parent."""
        codes, size = self.sets.codes[parent], self.sets.sizes[parent]
        return AlikeSets(self.sets, self.both.split(codes, size), self.parents.split(codes, size))

    def scores(self, candidates: list[int], smoothing: Floats, chance: Floats) -> Floats:
        """Return the mean of ln p over sets for each candidate parent and each smoothing.

        Args:
            candidates: columns that are no parents yet.
            smoothing: how strongly p is drawn to the chance without the candidate.
            chance: that chance, set by set.
        """
        sets = self.sets
        alike = self.both.split(sets.people_code, sets.n_people_codes) if sets.n_people_codes > 1 else self.both
        # Any set of a group shows what all of its sets have.
        example = np.empty(alike.number, np.int64)
        example[alike.of_set] = np.arange(len(alike.of_set))
        people, before = sets.people[example], chance[example]
        both, parents = self.both.of_set[example], self.parents.of_set[example]
        made = np.empty((len(candidates), len(smoothing)))
        drawn = smoothing[:, None]
        for row, candidate in zip(made, candidates, strict=True):
            size = sets.sizes[candidate]
            group, value, number = _counted_pairs(alike, sets.codes[candidate], size)
            own = people[group]
            everyone = number * own
            if alike is self.both:
                others_both = everyone - own
            else:
                others_both = _sums(both[group] * size + value, everyone, self.both.number * size) - own
            others_parents = _sums(parents[group] * size + value, everyone, self.parents.number * size) - own
            logs = np.log((others_both + drawn * before[group]) / (others_parents + drawn))
            row[:] = logs @ number
        return made / len(sets.people)


def _counted_pairs(groups: _Grouping, codes: Integers, size: int) -> tuple[Integers, Integers, Integers]:
    """Return (group, code, number of sets) of each pair that occurs."""
    keys = groups.of_set * size + codes
    if groups.number * size <= _ROOM_PER_SET * len(keys):
        counted = np.bincount(keys, minlength=groups.number * size)
        distinct = np.flatnonzero(counted > 0)
        number = counted[distinct]
    else:
        distinct, number = np.unique(keys, return_counts=True)
    group = distinct // size
    return group, distinct - group * size, number


def _sums(keys: Integers, numbers: Integers, room: int) -> Integers:
    """Return for each key the sum of the numbers of all equal keys."""
    if room > _ROOM_PER_SET * len(keys):
        distinct, keys = np.unique(keys, return_inverse=True)
        room = len(distinct)
    sums: Integers = np.bincount(keys, numbers, room).astype(np.int64)[keys]
    return sums
