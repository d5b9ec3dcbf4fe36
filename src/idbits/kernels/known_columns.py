"""Cohorts of a few known columns: ranks of rows, and how often each value of a feature occurs in each cohort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.distinct import people_by_code
from idbits.kernels.ordering import Column, bits_of, dense_ranks, lexical_order

__all__ = ["Ranks", "cells_of", "ranks_of"]

_DENSE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The cohort of each row: rows with the same number are equal in some columns."""

    ranks: NDArray[np.uint32]
    number: int


def ranks_of(columns: Sequence[Column], sizes: Sequence[int], n_rows: int) -> Ranks:
    """Return the cohorts of the columns; numbers of cohorts that do not occur may be left free.

    >>> ranks_of([Column(np.array([1, 0, 1], np.uint32), 1)], [2], 3).ranks.tolist()
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
    """Return (cohort, code, people) of each value that occurs in a cohort, cohorts side by side.

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
    columns = [Column(ranks.ranks, bits_of(ranks.number)), Column(codes, bits_of(size))]
    order, changes = lexical_order(columns, len(codes))
    borders = np.flatnonzero(changes)
    kept = order[borders]
    weights = np.diff(borders, append=len(codes)) if people is None else np.add.reduceat(people[order], borders)
    return ranks.ranks[kept], codes[kept], weights
