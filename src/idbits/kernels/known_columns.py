"""Cohorts of a few known columns: ranks of rows, and how often each value of a feature occurs in each cohort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum
from idbits.kernels.distinct import people_by_code
from idbits.kernels.ordering import CodedColumn, bits_of, dense_ranks, lexical_order
from idbits.kernels.run_lengths import size_counts

__all__ = ["Ranks", "cells_of", "pair_spectrum", "ranks_of", "spectrum_of"]

_DENSE = 1 << 20


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
    room = 1
    for size in sizes:
        room *= max(1, size)
    if room > max(_DENSE, n_rows):
        return Ranks(*dense_ranks(columns, n_rows))
    ranks = np.zeros(n_rows, np.uint32)
    for column, size in zip(columns, sizes, strict=True):
        ranks *= np.uint32(max(1, size))
        ranks += column.codes
    return Ranks(ranks, room)


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
