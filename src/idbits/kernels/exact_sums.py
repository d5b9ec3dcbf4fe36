"""Exact sums of weighted fixed-point numbers: the order of rows or labels cannot change a digit.

A number is an integer (in units of 2^-50). Weight times number does not fit in 64 bits, so a number is split
into a high and a low limb; each limb's weighted sum fits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.errors import NotEstimableError

__all__ = [
    "FLOAT_BITS", "FRACTION_BITS", "LIMB_BITS", "ROUNDING_UNITS", "Limbs", "as_floats", "check_room", "exact_total",
    "in_limbs", "segment_sums", "split", "weighted_total",
]  # fmt: skip

FRACTION_BITS = 50
LIMB_BITS = 28
FLOAT_BITS = 53
# A gain uses four logarithms, each off by less than 8 units, so a gain of at most this counts as 0.
ROUNDING_UNITS = 32
_MASK = (1 << LIMB_BITS) - 1
_MOST = 2**63 - 1
_BLOCK = 1 << 17

Limbs = tuple[Integers, Integers]
"""High and low limbs: the numbers are high * 2^28 + low."""


def split(numbers: Integers) -> Limbs:
    """Return the limbs of numbers."""
    return numbers >> LIMB_BITS, numbers & _MASK


def in_limbs(limbs: Limbs) -> Limbs:
    """Return limbs with the low ones between 0 and 2^28 again, so that the high one has the sign."""
    high, low = limbs
    return high + (low >> LIMB_BITS), low & _MASK


def check_room(numbers: Integers, n_people: int) -> None:
    """Raise an error if sums of these numbers, or of logarithms, over this many people may exceed 64 bits."""
    largest = (int(np.abs(numbers).max(initial=0)) + (n_people.bit_length() << FRACTION_BITS)) >> LIMB_BITS
    if n_people * max(largest + 1, 1 << LIMB_BITS) > _MOST:
        raise NotEstimableError("there are too many people with too rare values to sum the information gain exactly")


def segment_sums(numbers: Integers, weights: Integers | None, starts: NDArray[np.int64]) -> Limbs:
    """Return the weighted sum of the numbers of each segment.

    >>> segment_sums(np.array([1, 2, 2**40]), np.array([1, 10, 2]), np.array([0, 2]))
    (array([   0, 8192]), array([21,  0]))
    """
    high, low = split(numbers)
    if weights is not None:
        high, low = high * weights, low * weights
    return in_limbs((np.add.reduceat(high, starts), np.add.reduceat(low, starts)))


def as_floats(limbs: Limbs) -> NDArray[np.float64]:
    """Return numbers as floats, each rounded once; the low limbs are between 0 and 2^28.

    >>> float(as_floats((np.array([2**53 + 1]), np.array([1])))[0]) == float((2**53 + 1 << 28) + 1)
    True
    """
    high, low = limbs
    floats = np.asarray(high * 2.0**LIMB_BITS + low, np.float64)
    for index in np.flatnonzero((high >> FLOAT_BITS) > 0).tolist():
        # Such a high limb would be rounded before the low one is added.
        floats[index] = float((int(high[index]) << LIMB_BITS) + int(low[index]))
    return floats


def exact_total(limbs: Limbs) -> int:
    """Return the sum of all numbers.

    >>> exact_total((np.array([0, 8192]), np.array([21, 0]))) == 21 + 2**41
    True
    """
    high, low = limbs
    return (int(high.sum()) << LIMB_BITS) + int(low.sum())


def weighted_total(numbers: NDArray[np.float64], people: Integers | None) -> int:
    """Return the sum over people in units of 2^-50; exact after each number is rounded to such units.

    >>> weighted_total(np.array([0.5, 2.0]), np.array([2, 1])) == 3 << 50
    True
    """
    total = 0
    for start in range(0, len(numbers), _BLOCK):
        block = slice(start, start + _BLOCK)
        high, low = split(np.rint(np.ldexp(numbers[block], FRACTION_BITS)).astype(np.int64))
        if people is not None:
            high, low = high * people[block], low * people[block]
        total += exact_total((high, low))
    return total
