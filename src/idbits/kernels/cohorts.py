"""Cohorts: rows that are equal in what an attacker knows, and the values of a feature in each.

Cohorts of a few known columns are ranks of rows, with the count of each value of a feature in each cohort. Those of all
columns but one are in ``leave_one_out.py``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum
from idbits.kernels.distinct import people_by_code
from idbits.kernels.ordering import CodedColumn, bits_of, dense_ranks, lexical_order
from idbits.kernels.run_lengths import size_counts

__all__ = [
    "CohortCells", "CohortGains", "CohortSizes", "Ranks", "cells_of", "direct_ranks",
    "pair_spectrum", "people_by_combination", "ranks_are_direct", "ranks_of", "spectrum_of",
]  # fmt: skip

_BLOCK = 1 << 17
_SMALL = 4096
_DENSE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class CohortCells:
    """The values of a feature within cohorts.

    Attributes:
        codes: a value that occurs in a cohort, each once.
        people: the number of people in the cohort who have it; None if it is one each.
        starts: where each cohort begins.
    """

    codes: NDArray[np.uint32] | Integers
    people: Integers | None
    starts: NDArray[np.int64]

    def lengths(self) -> Integers:
        """Return how many values each cohort has."""
        lengths = np.empty_like(self.starts)
        np.subtract(self.starts[1:], self.starts[:-1], out=lengths[:-1])
        lengths[-1:] = len(self.codes) - self.starts[-1:]
        return lengths

    def sizes(self) -> Integers:
        """Return the people of each cohort."""
        return self.lengths() if self.people is None else np.add.reduceat(self.people, self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class CohortGains:
    """The information gained in each cohort.

    Attributes:
        cig_bits: the gain of each person in the cohort.
        sizes: the people of each cohort.
        total: the gain summed over people, in units of 2^-50, exactly.
    """

    cig_bits: NDArray[np.float64]
    sizes: Integers
    total: int


class CohortSizes:
    """The number of cohorts of each size, counted block by block.

    >>> sizes = CohortSizes()
    >>> sizes.add(np.array([1, 5000, 1]))
    >>> sizes.spectrum().pairs()
    [(1, 2), (5000, 1)]
    """

    def __init__(self) -> None:
        self._small = np.zeros(_SMALL, np.int64)
        self._large: Counter[int] = Counter()

    def add(self, sizes: Integers) -> None:
        """Count the cohorts of one more block."""
        if len(sizes) and int(sizes.max()) >= _SMALL:
            large = sizes >= _SMALL
            distinct, numbers = np.unique(sizes[large], return_counts=True)
            self._large.update(dict(zip(distinct.tolist(), numbers.tolist(), strict=True)))
            sizes = sizes[~large]
        counts = np.bincount(sizes)
        self._small[: len(counts)] += counts

    def add_numbers(self, numbers: Sequence[int]) -> None:
        """Add the number of cohorts of size 0, 1, 2, and so on."""
        self._small[: len(numbers)] += numbers

    def include(self, others: CohortSizes) -> None:
        """Count the cohorts that another thread has counted."""
        self._small += others._small
        self._large.update(others._large)

    def spectrum(self) -> Spectrum:
        """Return the spectrum of the cohorts counted so far, except those of nobody."""
        seen = np.flatnonzero(self._small[1:]) + 1
        pairs = dict(zip(seen.tolist(), self._small[seen].tolist(), strict=True))
        return Spectrum.of(pairs | dict(self._large))


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The cohort of each row: rows with the same number are equal in some columns."""

    ranks: NDArray[np.uint32]
    number: int


def ranks_of(columns: Sequence[CodedColumn], sizes: Sequence[int], n_rows: int) -> Ranks:
    """Return the cohorts of the columns; some cohort numbers may be unused.

    >>> ranks_of([CodedColumn(np.array([1, 0, 1], np.uint32), 1)], [2], 3).ranks.tolist()
    [1, 0, 1]
    """
    if not ranks_are_direct(sizes, n_rows):
        return Ranks(*dense_ranks(columns, n_rows))
    return direct_ranks([column.codes for column in columns], sizes, n_rows)


def ranks_are_direct(sizes: Sequence[int], n_rows: int) -> bool:
    """Return whether there is room for all combinations of codes, so that each row's number follows from its codes."""
    return math.prod(max(1, size) for size in sizes) <= max(_DENSE, n_rows)


def direct_ranks(codes: Sequence[NDArray[np.unsignedinteger]], sizes: Sequence[int], n_rows: int) -> Ranks:
    """Return the number of each row among all combinations of codes; without columns, all rows are equal.

    >>> direct_ranks([np.array([1, 0], np.uint8), np.array([2, 1], np.uint32)], [2, 3], 2).ranks.tolist()
    [5, 1]
    >>> direct_ranks([], [], 2).ranks.tolist()
    [0, 0]
    """
    ranks = np.zeros(n_rows, np.uint32)
    for column, size in zip(codes, sizes, strict=True):
        ranks *= np.uint32(max(1, size))
        ranks += column
    return Ranks(ranks, math.prod(max(1, size) for size in sizes))


def people_by_combination(
    codes: Sequence[NDArray[np.unsignedinteger]], sizes: Sequence[int], people: NDArray[np.integer]
) -> Integers:
    """Count the people of each combination of codes, some rows at a time; ``direct_ranks`` numbers the combinations.

    >>> codes = [np.array([1, 0, 1], np.uint8), np.array([2, 1, 2], np.uint8)]
    >>> people_by_combination(codes, [2, 3], np.array([4, 1, 2])).tolist()
    [0, 1, 0, 0, 0, 6]
    """
    totals = np.zeros(math.prod(max(1, size) for size in sizes), np.int64)
    for start in range(0, len(people), _BLOCK):
        part = people[start : start + _BLOCK]
        ranks = direct_ranks([column[start : start + _BLOCK] for column in codes], sizes, len(part)).ranks
        if len(totals) <= _BLOCK:
            totals += people_by_code(ranks, len(totals), part)
        else:
            # Narrower integers would take many times as long.
            np.add.at(totals, ranks, part.astype(np.int64))
    return totals


def cells_of(
    ranks: Ranks, codes: NDArray[np.uint32], size: int, people: Integers | None
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Integers]:
    """Return (cohort, code, people) of each value that occurs in a cohort, sorted by cohort.

    >>> known = Ranks(np.array([0, 0, 1], np.uint32), 2)
    >>> [array.tolist() for array in cells_of(known, np.array([1, 1, 0], np.uint32), 2, None)]
    [[0, 1], [1, 0], [2, 1]]
    """
    room = ranks.number * size
    if room <= max(_DENSE, 2 * len(codes)):
        keys = ranks.ranks.astype(np.int64) * size + codes
        counted = people_by_code(keys, room, people)
        cohort, code = np.nonzero(counted.reshape(ranks.number, size))
        return cohort.astype(np.uint32), code.astype(np.uint32), counted[counted > 0]
    columns = [CodedColumn(ranks.ranks, bits_of(ranks.number)), CodedColumn(codes, bits_of(size))]
    order, changes = lexical_order(columns, len(codes))
    borders = np.flatnonzero(changes)
    kept = order[borders]
    weights = np.diff(borders, append=len(codes)) if people is None else np.add.reduceat(people[order], borders)
    return ranks.ranks[kept], codes[kept], weights


def spectrum_of(people: Integers) -> Spectrum:
    """Return the spectrum of values from the number of people of each; values with 0 people are left out.

    >>> spectrum_of(np.array([1, 0, 2, 1])).pairs()
    [(1, 2), (2, 1)]
    """
    return Spectrum.of(size_counts(people))


def pair_spectrum(
    first: NDArray[np.uint32], first_size: int, second: NDArray[np.uint32], second_size: int, people: Integers | None
) -> Spectrum:
    """Return the spectrum of two columns together.

    >>> pair_spectrum(np.array([0, 0, 1], np.uint32), 2, np.array([1, 1, 1], np.uint32), 2, None).pairs()
    [(1, 1), (2, 1)]
    """
    return spectrum_of(cells_of(Ranks(first, first_size), second, second_size, people)[2])
