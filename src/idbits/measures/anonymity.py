"""Anonymity sets: how large they are, and how many people are in small ones.

Implements: SPEC sections 1 and 2; S0 tables II, IV, VI, VIII; S2 tables 3.2, 3.3, B.1, B.2.
All counts are integers that follow from the spectrum alone; shares of whole numbers are exact to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, GroupSizes, Integers, Spectrum
from idbits.measures.entropy import surprisal_bits
from idbits.measures.quantiles import counted_quantiles

__all__ = [
    "BITS_LEVELS", "GainRow", "SetSizes", "bits_quantiles", "distinction", "gain_table", "mean_risk", "people_at_most",
    "people_below", "people_exactly", "separation", "set_sizes", "total",
]  # fmt: skip

BITS_LEVELS = {"min": 0.0, "p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95, "max": 1.0}
"""The quantiles of people's bits by their names."""


@dataclass(frozen=True, slots=True)
class GainRow:
    """People who give away at least ``bits`` bits, and their share."""

    bits: int
    people: int | float
    share: float


@dataclass(frozen=True, slots=True)
class SetSizes:
    """Summary of the set sizes over sets (S2 table 3.2)."""

    min: int
    q1: float
    median: float
    mean: float
    q3: float
    max: int


def gain_table(spectrum: GroupSizes) -> list[GainRow]:
    """People who give away at least n bits, k * 2^n <= N, for n = floor(log2 N) down to 0.

    Implements: S0 tables II, IV, VI, VIII, in integers.

    >>> [(row.bits, row.people) for row in gain_table(Spectrum.of({1: 2, 3: 2}))]
    [(3, 2), (2, 2), (1, 8), (0, 8)]
    """
    n = spectrum.n_reference
    # A cumulative count and a look-up stay cheap for thousands of sizes.
    upto = np.concatenate(([0], np.cumsum(spectrum.people)))
    rows = []
    for bits in range(n.bit_length() - 1, -1, -1):
        people = upto[np.searchsorted(spectrum.sizes, n >> bits, side="right")].item()
        rows.append(GainRow(bits, people, min(1.0, people / spectrum.n_people)))
    return rows


def total(people: Integers | Floats) -> int | float:
    """Return how many people there are: a whole number, or an expectation summed exactly.

    >>> total(np.array([2, 3])), total(np.array([0.5, 0.25]))
    (5, 0.75)
    """
    return int(people.sum()) if people.dtype.kind == "i" else math.fsum(people.tolist())


def set_sizes(spectrum: Spectrum) -> SetSizes:
    """Minimum, quartiles, mean and maximum of k over sets. Implements: S2 table 3.2.

    >>> set_sizes(Spectrum.of({1: 4, 496: 1}))
    SetSizes(min=1, q1=1.0, median=1.0, mean=100.0, q3=1.0, max=496)
    """
    q1, median, q3 = counted_quantiles(spectrum.sizes, spectrum.sets, (0.25, 0.5, 0.75))
    total = sum(k * m for k, m in spectrum.pairs())
    return SetSizes(int(spectrum.sizes[0]), q1, median, total / spectrum.n_sets, q3, int(spectrum.sizes[-1]))


def people_at_most(spectrum: GroupSizes, sizes: Sequence[int] = (1, 5, 10, 50, 100)) -> dict[str, int | float]:
    """People in sets of at most k. Implements: S2 table 3.3.

    >>> people_at_most(Spectrum.of({1: 2, 3: 1, 60: 1}))
    {'1': 2, '5': 5, '10': 5, '50': 5, '100': 65}
    """
    return {str(k): total(spectrum.people[spectrum.sizes <= k]) for k in sizes}


def people_below(spectrum: GroupSizes, sizes: Sequence[int] = (2, 5, 10)) -> dict[str, int | float]:
    """People in sets smaller than k.

    >>> people_below(Spectrum.of({1: 2, 5: 1}))
    {'2': 2, '5': 2, '10': 7}
    """
    return {str(k): total(spectrum.people[spectrum.sizes < k]) for k in sizes}


def people_exactly(spectrum: GroupSizes, sizes: Sequence[int] = range(1, 11)) -> dict[str, int | float]:
    """People in sets of exactly k. Implements: S2 tables B.1 and B.2.

    >>> people_exactly(Spectrum.of({1: 2, 2: 3}), sizes=[1, 2, 3])
    {'1': 2, '2': 6, '3': 0}
    """
    return {str(k): total(spectrum.people[spectrum.sizes == k]) for k in sizes}


def mean_risk(spectrum: GroupSizes) -> float:
    """Mean over people of 1/k, the chance that a guess within the set is right.

    Known as marketer risk, or against a population as journalist risk. Bounds: 1/k_max to 1/k_min.

    >>> mean_risk(Spectrum.of({1: 2, 2: 1}))
    0.75
    """
    if isinstance(spectrum, Spectrum) and spectrum.is_own_reference:
        return min(spectrum.n_sets / spectrum.n_people, 1 / int(spectrum.sizes[0]))
    chances = [people / k for people, k in zip(spectrum.people.tolist(), spectrum.sizes.tolist(), strict=True)]
    mean = math.fsum(chances) / spectrum.n_people
    return min(max(mean, 1 / int(spectrum.sizes[-1])), 1 / int(spectrum.sizes[0]))


def bits_quantiles(spectrum: GroupSizes) -> dict[str, float]:
    """Quantiles over people of log2(N/k), the bits they give away: typical and worst case. Implements: S2 2.2.2.

    >>> bits_quantiles(Spectrum.of({1: 2, 2: 1}))["max"]
    2.0
    """
    bits = np.array(surprisal_bits(spectrum.sizes.tolist(), spectrum.n_reference)[::-1])
    people = spectrum.people[::-1].astype(np.int64, casting="safe", copy=False)
    return dict(zip(BITS_LEVELS, counted_quantiles(bits, people, list(BITS_LEVELS.values())), strict=True))


def distinction(spectrum: Spectrum) -> float:
    """Distinct rows over rows: n_sets / N. Bounds: 1/N (all people are equal) to 1 (everyone is unique).

    Distinction and separation are defined as by Motwani and Xu (2007, "Efficient algorithms for masking and finding
    quasi-identifiers"), as ARX reports them. Implements: SPEC section 2.

    >>> distinction(Spectrum.of({1: 2, 2: 1}))
    0.75
    """
    return spectrum.n_sets / spectrum.n_people


def separation(spectrum: Spectrum) -> float | None:
    """Pairs of people that the columns distinguish, over all pairs. Bounds: 0 to 1. None for one person.

    >>> separation(Spectrum.of({1: 2, 2: 1}))
    0.8333333333333334
    """
    n = spectrum.n_people
    if n < 2:
        return None
    # Python integers: pairs of a large table do not fit in 64 bits.
    together = sum(sets * (k * (k - 1)) for k, sets in spectrum.pairs())
    return (n * (n - 1) - together) / (n * (n - 1))
