"""Sorting keys: NumPy's sort, or where that is slow, buckets first.

Keys are distributed by their highest bits, in linear time, into buckets of about a hundred keys. NumPy sorts such short
arrays without the instructions that are slow on some processors (``processor.py``).
"""

from __future__ import annotations

import itertools
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from idbits.processor import numpy_sorts_slowly

__all__ = ["bucket_sort", "distinct_sorted", "sort_keys"]

AnyNumber = TypeVar("AnyNumber", np.int64, np.uint64, np.uint32, np.float64)

_FEW = 1 << 20
_KEYS_PER_BUCKET = 128
_MOST_BITS = 16


def sort_keys(keys: NDArray[np.unsignedinteger]) -> None:
    """Sort keys in place.

    >>> keys = np.array([7, 3, 7], np.uint64)
    >>> sort_keys(keys)
    >>> keys.tolist()
    [3, 7, 7]
    """
    if len(keys) >= _FEW and numpy_sorts_slowly():
        bucket_sort(keys)
    else:
        keys.sort()


def distinct_sorted(values: NDArray[AnyNumber]) -> NDArray[AnyNumber]:
    """Return the distinct values in ascending order.

    NumPy's own function looks each value up in a table of hashes; for millions of values that takes 50 times as long.

    >>> distinct_sorted(np.array([7, 3, 7])).tolist()
    [3, 7]
    """
    ordered = values.copy()
    if ordered.dtype.kind == "u":
        sort_keys(ordered)  # type: ignore[arg-type]
    else:
        ordered.sort()
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def bucket_sort(keys: NDArray[np.unsignedinteger]) -> None:
    """Sort keys in place, by buckets; takes twice their memory.

    >>> keys = np.array([7, 3, 2**40, 7], np.uint64)
    >>> bucket_sort(keys)
    >>> keys.tolist()
    [3, 7, 7, 1099511627776]
    """
    # SciPy takes long to import.
    from scipy.sparse import csr_array

    if not len(keys):
        return
    bits = min(_MOST_BITS, max(1, (len(keys) // _KEYS_PER_BUCKET).bit_length()))
    numbers = np.int32 if len(keys) < 1 << 31 else np.int64
    shift = max(0, int(keys.max()).bit_length() - bits)
    buckets = (keys >> keys.dtype.type(shift)).astype(numbers)
    # A matrix of one row, transposed: its columns are the buckets.
    matrix = csr_array((keys, buckets, np.array([0, len(keys)], numbers)), shape=(1, 1 << bits)).tocsc()
    del buckets
    borders = matrix.indptr.tolist()
    for start, end in itertools.pairwise(borders):
        if end - start > 1:
            matrix.data[start:end].sort()
    keys[:] = matrix.data
