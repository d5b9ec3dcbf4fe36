"""What an attacker would claim from the odds of pairs, how sure the claims are, and how many are right.

The chance that record i is person j is P_ij = o_ij / (1 + sum over j' of o_ij'): one of its candidates, or nobody. A
claim is a pair that is best for both. Implements: SPEC link 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers

__all__ = ["CalibrationBin", "ClaimCounts", "calibrate", "claim_counts", "match_probabilities", "odds_in_units"]

Floats = NDArray[np.float64]

_UNIT_BITS = 40
_LARGEST_ODDS = 2.0**70
_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCounts:
    """The claims with at least some probability.

    Attributes:
        p: the least probability.
        claims: their number.
        expected_right, expected_wrong: how many are right and wrong by their probabilities.
        right, wrong: how many are, if the truth is known.
    """

    p: float
    claims: int
    expected_right: float
    expected_wrong: float
    right: int | None
    wrong: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Pairs with probabilities from ``low`` to ``high``: how many, how many should be right, and how many are."""

    low: float
    high: float
    pairs: int
    expected: float
    right: int


def odds_in_units(odds: Floats) -> list[int]:
    """Return odds as whole numbers of 2^-40, at most 2^70: their sums do not depend on the order.

    >>> odds_in_units(np.array([1.0, 0.25])) == [1 << 40, 1 << 38]
    True
    """
    return [round(math.ldexp(value, _UNIT_BITS)) for value in np.minimum(odds, _LARGEST_ODDS).tolist()]


def match_probabilities(units: Integers | Floats, totals: Floats) -> Floats:
    """Return P from the odds of each best pair and the sum of the odds of all candidates, both in units."""
    one = math.ldexp(1.0, _UNIT_BITS)
    return np.asarray(units, np.float64) / (one + totals)


def claim_counts(
    probabilities: Floats, is_right: NDArray[np.bool_] | None, least: Sequence[float]
) -> list[ClaimCounts]:
    """Count the claims at each of some least probabilities."""
    counts = []
    for p in least:
        claimed = probabilities >= p
        expected = math.fsum(probabilities[claimed].tolist())
        number = int(np.count_nonzero(claimed))
        right = None if is_right is None else int(np.count_nonzero(is_right & claimed))
        counts.append(
            ClaimCounts(
                p=p,
                claims=number,
                expected_right=expected,
                expected_wrong=number - expected,
                right=right,
                wrong=None if right is None else number - right,
            )
        )
    return counts


def calibrate(probabilities: Floats, is_right: NDArray[np.bool_]) -> list[CalibrationBin]:
    """Compare probabilities with the truth in ten bins of equal width; the last one includes 1."""
    bins = np.minimum((probabilities * _BINS).astype(np.int64), _BINS - 1)
    return [
        CalibrationBin(
            low=number / _BINS,
            high=(number + 1) / _BINS,
            pairs=int(np.count_nonzero(bins == number)),
            expected=math.fsum(probabilities[bins == number].tolist()),
            right=int(np.count_nonzero(is_right & (bins == number))),
        )
        for number in range(_BINS)
    ]
