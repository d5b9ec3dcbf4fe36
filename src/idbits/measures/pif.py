"""Row information gain over people, and the personal information factor derived from it.

Implements: SPEC section 4; S3 III.F to III.H.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.ranked import largest_share, people_with_share

__all__ = [
    "SAME", "PersonalInformationFactor", "above_rounding", "curve_levels", "people_quantiles",
    "personal_information_factor", "reaching",
]  # fmt: skip

Bits = NDArray[np.float64]

# Rows of equal gain may differ in the last digits, because their cells are summed in floating point.
SAME = 1e-12
_CURVE_POINTS = 100
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)


def people_quantiles(
    at: Callable[[Sequence[int]], Sequence[float]], n_people: int, levels: Sequence[float]
) -> list[float]:
    """Return quantiles over people, linear interpolation. Implements: S3 III.H (RIG_95), SPEC section 12.

    ``at`` returns the gains of the people at some positions (from 0) of the ranking.

    >>> people_quantiles(lambda positions: [[0.0, 0.0, 0.0, 4.0][position] for position in positions], 4, [0.5, 1.0])
    [0.0, 4.0]
    """
    # Exact fractions: as a float, a position among very many people would lose its fractional part.
    positions = [Fraction(str(level)) * (n_people - 1) for level in levels]
    below = [math.floor(position) for position in positions]
    wanted = sorted({*below, *(min(position + 1, n_people - 1) for position in below)})
    gains = dict(zip(wanted, at(wanted), strict=True))
    return [
        gains[low] + (gains[min(low + 1, n_people - 1)] - gains[low]) * float(position - low)
        for position, low in zip(positions, below, strict=True)
    ]


def above_rounding(thresholds: Sequence[float]) -> list[float]:
    """Return the level above which a gain exceeds each threshold by more than rounding. Implements: S3 figure 6.

    >>> above_rounding([0.0])
    [0.0]
    """
    return [threshold * (1 + SAME) for threshold in thresholds]


def reaching(thresholds: Sequence[float]) -> list[float]:
    """Return the smallest gain that reaches each threshold, allowing for rounding.

    >>> reaching([0.0])
    [0.0]
    """
    return [threshold * (1 - SAME) for threshold in thresholds]


def curve_levels(most: float) -> list[float]:
    """Return about a hundred round numbers of bits from 0 to the first at or above ``most``.

    >>> curve_levels(0.03)
    [0.0, 0.01, 0.02, 0.03]
    """
    step = next((step for step in _STEPS if most / step <= _CURVE_POINTS), most / _CURVE_POINTS)
    return [round(number * step, 6) for number in range(math.ceil(most / step - 1e-9) + 1)]


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

    The cohort of a row is the people equal to it in all features; MICS is the smallest. Bounds: 0 to the largest RIG.

    >>> personal_information_factor(np.array([6.0, 10.0]), np.array([1, 2]))
    PersonalInformationFactor(pif=6.0, rows_at_pif=1, people_at_threshold=3, mics=1)
    """
    pif = largest_share(rig_bits, people)
    at_pif, at_threshold = people_with_share(rig_bits, people, reaching([pif, threshold]))
    return PersonalInformationFactor(pif, at_pif, at_threshold, 1 if people is None else int(people.min()))
