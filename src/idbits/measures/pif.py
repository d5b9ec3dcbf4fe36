"""Row information gain over people, and the personal information factor that follows from it.

Implements: SPEC section 4; S3 III.F to III.H.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.exact_sums import FRACTION_BITS, exact_total, split

__all__ = [
    "SAME",
    "GainedRows",
    "PersonalInformationFactor",
    "above_rounding",
    "personal_information_factor",
    "weighted_total",
]

Bits = NDArray[np.float64]

# Rows of equal gain may differ in the last digits, as their cells are added up in floating point.
SAME = 1e-12
_BLOCK = 1 << 17
_LARGE = 1024
_PART = 16


@dataclass(frozen=True, slots=True, eq=False)
class GainedRows:
    """The gain of rows, ascending, in parts: rows of the most frequent numbers of people apart, the others together.

    Nearly all rows have one of a few numbers of people, and plain sorts take a fraction of an argsort.

    Attributes:
        parts: gains, and the people of each row or, where they differ, those of all rows up to each.
    """

    parts: tuple[tuple[Bits, int | Integers], ...]
    n_people: int

    @classmethod
    def of(cls, rig_bits: Bits, people: Integers | None) -> GainedRows:
        """Sort rows by their gain.

        >>> GainedRows.of(np.array([3.0, 1.0]), np.array([1, 5])).n_people
        6
        """
        if people is None:
            return cls(((np.sort(rig_bits), 1),), len(rig_bits))
        parts: list[tuple[Bits, int | Integers]] = []
        others = np.ones(len(people), np.bool_)
        for number in _frequent_numbers(people):
            here = people == number
            others &= ~here
            alike = rig_bits[here]
            alike.sort()
            parts.append((alike, number))
        gains, counts = rig_bits[others], people[others]
        if len(gains):
            order = np.argsort(gains, kind="stable")
            parts.append((gains[order], np.cumsum(counts[order])))
        return cls(tuple(parts), int(people.sum()))

    def quantiles(self, levels: Sequence[float]) -> list[float]:
        """Return quantiles over people, linear interpolation. Implements: S3 III.H (RIG_95), SPEC section 12.

        >>> GainedRows.of(np.array([0.0, 4.0]), np.array([3, 1])).quantiles([0.5, 1.0])
        [0.0, 4.0]
        """
        found = []
        for level in levels:
            # In exact fractions: in floats the position among very many people loses its part after the point.
            position = Fraction(str(level)) * (self.n_people - 1)
            below = math.floor(position)
            low = self._at(below)
            high = self._at(min(below + 1, self.n_people - 1))
            found.append(low + (high - low) * float(position - below))
        return found

    def _at(self, person: int) -> float:
        """Return the gain of the person at this place, counted from 0, when all stand in order."""
        # Gains are not negative, and such floats are in the order of their bits: halve the interval of bits.
        first, last = 0, max(int(gains[-1:].view(np.int64)[0]) for gains, _ in self.parts)
        while first < last:
            middle = (first + last) // 2
            bits = float(np.array([middle], np.int64).view(np.float64)[0])
            if self.n_people - self._above([bits])[0] > person:
                last = middle
            else:
                first = middle + 1
        return float(np.array([first], np.int64).view(np.float64)[0])

    def people_above(self, thresholds: Sequence[float]) -> list[int]:
        """Return how many people have a gain above each threshold, by more than rounding. Implements: S3 figure 6.

        >>> GainedRows.of(np.array([0.0, 4.000000000000001]), np.array([3, 1])).people_above([0.0, 4.0])
        [1, 0]
        """
        return self._above(above_rounding(thresholds))

    def _above(self, thresholds: Sequence[float]) -> list[int]:
        wanted = np.array(thresholds)
        below = np.zeros(len(wanted), np.int64)
        for gains, people in self.parts:
            places = np.searchsorted(gains, wanted, side="right")
            below += places * people if isinstance(people, int) else np.where(places > 0, people[places - 1], 0)
        return (self.n_people - below).tolist()


def above_rounding(thresholds: Sequence[float]) -> list[float]:
    """Return what a gain has to exceed to be above each threshold by more than rounding.

    >>> above_rounding([0.0])
    [0.0]
    """
    return [threshold * (1 + SAME) for threshold in thresholds]


def _frequent_numbers(people: Integers) -> list[int]:
    """Return the numbers of people that at least a sixteenth of the rows have."""
    small = np.bincount(np.minimum(people, _LARGE))[:_LARGE]
    return np.flatnonzero(small > len(people) // _PART).tolist()


@dataclass(frozen=True, slots=True)
class PersonalInformationFactor:
    """PIF, the people who set it, those at or above the threshold, and the smallest cohort."""

    pif: float
    rows_at_pif: int
    people_at_threshold: int
    mics: int


def personal_information_factor(
    rig_bits: Bits, people: Integers | None, threshold: float = 1.0
) -> PersonalInformationFactor:
    """PIF = max over rows of RIG / cohort size. Implements: S3 III.H.

    The cohort of a row are the people equal to it in all features; MICS is the smallest. Bounds: 0 to the largest RIG.

    >>> personal_information_factor(np.array([6.0, 10.0]), np.array([1, 2]))
    PersonalInformationFactor(pif=6.0, rows_at_pif=1, people_at_threshold=3, mics=1)
    """
    pif = max(float(factors.max()) for factors, _ in _factors(rig_bits, people))
    at_pif = at_threshold = 0
    for factors, counts in _factors(rig_bits, people):
        at_pif += _people_where(factors >= pif * (1 - SAME), counts)
        at_threshold += _people_where(factors >= threshold * (1 - SAME), counts)
    return PersonalInformationFactor(pif, at_pif, at_threshold, 1 if people is None else int(people.min()))


def _factors(rig_bits: Bits, people: Integers | None) -> Iterator[tuple[Bits, Integers | None]]:
    """Yield RIG / cohort and the people of the rows, block by block."""
    for start in range(0, len(rig_bits), _BLOCK):
        block = rig_bits[start : start + _BLOCK]
        counts = people[start : start + _BLOCK] if people is not None else None
        yield (block if counts is None else block / counts), counts


def _people_where(chosen: NDArray[np.bool_], people: Integers | None) -> int:
    return int(np.count_nonzero(chosen)) if people is None else int(people[chosen].sum())


def weighted_total(numbers: Bits, people: Integers | None) -> int:
    """Return the sum over people in units of 2^-50, exactly once each number is rounded to such units.

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
