"""Minimal sample uniques: for each record, the smallest sets of columns that nobody else shares with it.

A record's columns S are a minimal sample unique when it is the only one with its values in S and not the only one
in any part of S (Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008). Being unique is inherited by
larger sets, so only the subsets that lack one column need to be checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.coded import CodedColumns
from idbits.kernels.partition import Partition

__all__ = ["SampleUniques", "minimal_sample_uniques", "n_sets_up_to", "subset_score"]

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SampleUniques:
    """The minimal sample uniques of each row.

    Attributes:
        counts: one array per size, from 1 on: how many minimal sample uniques of that size each row has.
        sets: sets of columns as masks; the first is the empty one.
        smallest: the index in ``sets`` of each row's smallest minimal sample unique, 0 if there is none; of several
            equally small ones the lowest mask, so the one whose last column stands first.
        scores: how exposed each row is (``subset_score``).
    """

    counts: tuple[NDArray[np.uint32], ...]
    sets: tuple[int, ...]
    smallest: NDArray[np.int32]
    scores: Integers

    @classmethod
    def scored(
        cls, counts: Sequence[NDArray[np.uint32]], sets: Sequence[int], smallest: NDArray[np.int32], n_columns: int
    ) -> SampleUniques:
        """Return the minimal sample uniques of rows with ``n_columns`` columns, and their scores."""
        scores = np.zeros(len(smallest), np.int64)
        for size, number in enumerate(counts, start=1):
            scores += number.astype(np.int64) * subset_score(size, n_columns, len(counts))
        return cls(tuple(counts), tuple(sets), smallest, scores)

    def part(self, rows: slice) -> SampleUniques:
        """Return the minimal sample uniques of some rows."""
        counts = tuple(number[rows] for number in self.counts)
        return SampleUniques(counts, self.sets, self.smallest[rows], self.scores[rows])

    @property
    def smallest_sizes(self) -> Integers:
        """The number of columns of each row's smallest minimal sample unique, 0 if there is none."""
        return np.array([mask.bit_count() for mask in self.sets], np.int64)[self.smallest]


def subset_score(size: int, n_columns: int, max_size: int) -> int:
    """Return the weight of a minimal sample unique of ``size``: the product of (n_columns - i), i = size..max_size.

    Implements: the SUDA score of Elliot, Manning, Mayes, Gurd and Bane (2005): the number of ways in which the set
    grows to max_size + 1 columns, one at a time. A record's score is the sum over its minimal sample uniques.
    Deviation: if max_size is all columns, the product ends at n_columns - 1, since the last factor would be 0.

    >>> [subset_score(size, 4, 3) for size in (1, 2, 3)]
    [6, 2, 1]
    """
    product = 1
    for taken in range(size, min(max_size, n_columns - 1) + 1):
        product *= n_columns - taken
    return product


def n_sets_up_to(n_columns: int, max_size: int) -> int:
    """Return the number of sets of 1 to ``max_size`` columns."""
    return sum(math.comb(n_columns, size) for size in range(1, max_size + 1))


def minimal_sample_uniques(
    table: CodedColumns, max_size: int, tick: Callable[[], None] = lambda: None
) -> SampleUniques:
    """Find the minimal sample uniques of up to ``max_size`` columns; ``tick`` is called after each set of columns.

    >>> table = CodedColumns((np.array([0, 0, 1]), np.array([0, 1, 1])), (2, 2), None, 3)
    >>> uniques = minimal_sample_uniques(table, 2)
    >>> [counts.tolist() for counts in uniques.counts], [uniques.sets[index] for index in uniques.smallest]
    ([[1, 0, 1], [0, 1, 0]], [2, 3, 1])
    """
    search = _Search(table, min(max_size, len(table.codes)), tick)
    search.below(Partition.whole(table), 0, len(table.codes))
    return SampleUniques.scored(search.counts, search.sets, search.smallest, len(table.codes))


class _Search:
    """Visits the sets of columns in an order in which every subset of a set comes before it."""

    def __init__(self, table: CodedColumns, max_size: int, tick: Callable[[], None]) -> None:
        self.table, self.max_size, self.tick = table, max_size, tick
        self.counts = [np.zeros(table.n_rows, np.uint32) for _ in range(max_size)]
        self.sets = [0]
        self.smallest = np.zeros(table.n_rows, np.int32)
        self._sizes = np.full(table.n_rows, 255, np.uint8)
        self._unique: dict[int, NDArray[np.uint8]] = {0: np.zeros((table.n_rows + 7) // 8, np.uint8)}

    def below(self, partition: Partition, mask: int, lowest: int) -> None:
        """Visit all sets that add columns before ``lowest`` to ``mask``.

        Masks are visited in ascending order as numbers, and a subset is a smaller number than its set.
        """
        for column in range(lowest):
            finer = partition.refined(column)
            grown = mask | 1 << column
            alone = finer.alone
            if self.table.people is not None:
                alone = alone[self.table.people[alone] == 1]
            self._note(alone, mask, grown, column)
            self.tick()
            if grown.bit_count() < self.max_size:
                bits = np.zeros(self.table.n_rows, bool)
                bits[alone] = True
                self._unique[grown] = np.packbits(bits, bitorder="little") | self._unique[mask]
                self.below(finer, grown, column)

    def _note(self, alone: Integers, mask: int, grown: int, column: int) -> None:
        """Keep rows that are not unique by any subset; ``mask`` needs no check, since the rows were just split off."""
        for other in range(column + 1, len(self.table.codes)):
            if mask >> other & 1 and len(alone):
                unique = self._unique[grown ^ 1 << other]
                alone = alone[(unique[alone >> 3] >> (alone & 7).astype(np.uint8)) & 1 == 0]
        size = grown.bit_count()
        self.counts[size - 1][alone] += 1
        smaller = alone[self._sizes[alone] > size]
        self._sizes[smaller] = size
        if len(smaller):
            self.smallest[smaller] = len(self.sets)
            self.sets.append(grown)
