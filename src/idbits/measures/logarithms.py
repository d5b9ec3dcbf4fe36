"""Binary logarithms as fixed-point integers: the same on every processor, and with exact sums.

The standard library's logarithm is taken once for each number that occurs; NumPy's differs in the last digit between
processors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import numpy as np

from idbits.counts import Integers
from idbits.kernels.exact_sums import FRACTION_BITS

__all__ = ["as_bits", "complement_of_log10", "fixed", "fixed_log2", "log10_from_nats"]

_SMALL = 4096


def log10_from_nats(log_chance: float) -> float:
    """Return the decimal logarithm of a chance from its natural logarithm, even if the chance is too small for a float.

    >>> round(log10_from_nats(-2302.585), 4)
    -1000.0
    """
    return log_chance / math.log(10)


def complement_of_log10(log10_chance: float) -> float:
    """Return 1 - chance from the decimal logarithm of the chance, accurate even if the chance is nearly 1.

    >>> round(complement_of_log10(-0.30103), 6), complement_of_log10(-1e-20) > 2e-20
    (0.5, True)
    """
    return -math.expm1(log10_chance * math.log(10))


def fixed(number: float) -> int:
    """Return a number in units of 2^-50.

    >>> fixed(1.5) == 3 << 49
    True
    """
    return round(math.ldexp(number, FRACTION_BITS))


def as_bits(units: int, divisor: int = 1) -> float:
    """Return units of 2^-50, divided by a whole number, as a float; rounded once.

    >>> as_bits(fixed(4.5), 3)
    1.5
    """
    return units / (divisor << FRACTION_BITS)


def fixed_log2(counts: Integers) -> Integers:
    """Return the logarithms of whole numbers; that of 0, which is never used, is 0.

    >>> [as_bits(int(units)) for units in fixed_log2(np.array([1, 8, 10_000]))]
    [0.0, 3.0, 13.287712379549449]
    """
    table = _small_table()
    if len(counts) == 0 or int(counts.max()) < _SMALL:
        return table[counts]
    units = table[np.minimum(counts, _SMALL - 1)]
    large = np.flatnonzero(counts >= _SMALL)
    distinct, where = np.unique(counts[large], return_inverse=True)
    units[large] = _logarithms(distinct.tolist())[where]
    return units


@cache
def _small_table() -> Integers:
    return np.concatenate((np.zeros(1, np.int64), _logarithms(range(1, _SMALL))))


def _logarithms(numbers: Iterable[int]) -> Integers:
    return np.array([fixed(math.log2(number)) for number in numbers], np.int64)
