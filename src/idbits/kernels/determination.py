"""Which columns a column determines: they have one value in all rows that share its value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Determination", "determination"]

Codes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Determination:
    """How often other columns vary within the values of one column.

    Attributes:
        values: the values that several rows share.
        constant: for each other column, in how many of these values it has a single value.
        equal_pairs, pairs: for each other column, how many pairs of rows have equal values, out of how many.
    """

    values: int
    constant: NDArray[np.int64]
    equal_pairs: NDArray[np.int64]
    pairs: int


def determination(codes: Codes, others: Codes) -> Determination:
    """Compare the rows that share a code; ``others`` has a column of codes per other column.

    >>> found = determination(np.array([7, 7, 9, 9], "u8"), np.array([[1, 1], [1, 2], [3, 1], [3, 1]], "u8"))
    >>> found.values, found.constant.tolist()
    (2, [2, 1])
    """
    order = np.argsort(codes, kind="stable")
    codes, others = codes[order], others[order]
    n_rows = len(codes)
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]]) if n_rows else np.zeros(0, np.int64)
    shared = np.diff(np.r_[starts, n_rows]) > 1
    differs = np.zeros(others.shape, np.bool_)
    differs[1:] = others[1:] != others[:-1]
    # The first row of a value has nothing before it to compare with.
    differs[starts] = False
    varied = np.logical_or.reduceat(differs, starts, axis=0) if n_rows else np.zeros((0, others.shape[1]), np.bool_)
    constant = np.count_nonzero(~varied[shared], axis=0)
    equal = np.array([_equal_pairs(column) for column in others.T], np.int64)
    return Determination(int(np.count_nonzero(shared)), constant, equal, n_rows * (n_rows - 1) // 2)


def _equal_pairs(codes: Codes) -> int:
    counts = np.unique(codes, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())
