"""n log2 n for many whole numbers, the same on every processor."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from idbits.counts import Floats, Integers

__all__ = ["x_log2_x"]

_SMALL = 1 << 15


@cache
def _small() -> Floats:
    return np.array([number * math.log2(number) if number else 0.0 for number in range(_SMALL)])


def x_log2_x(numbers: Integers) -> Floats:
    """Return n log2 n of whole numbers, with 0 log2 0 = 0.

    NumPy's logarithm differs in the last digit between processors, the standard library's does not.

    >>> x_log2_x(np.array([0, 1, 8, 1 << 20])).tolist()
    [0.0, 0.0, 24.0, 20971520.0]
    """
    small = _small()
    if not len(numbers) or int(numbers.max()) < _SMALL:
        return small[numbers]
    distinct, where = np.unique(numbers, return_inverse=True)
    made: Floats = np.array([number * math.log2(number) if number else 0.0 for number in distinct.tolist()])[where]
    return made
