"""Chances of success in attacks on synthetic data, with ties kept whole: expectations over draws among the tied.

Implements: SPEC link 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from idbits.counts import Floats, Integers

__all__ = [
    "chance_of_shared_neighbour",
    "random_shared_neighbour",
    "scaled_control_successes",
    "singled_out_in_samples",
]

_SMALLEST_SAMPLE, _SAMPLE_SIZES = 1_000, 10


def random_shared_neighbour(n_records: int, k: int) -> float:
    """Return the chance that two draws of k of n records share one: the success of guessing links.

    >>> round(random_shared_neighbour(10, 1), 12)
    0.1
    """
    if 2 * k > n_records:
        return 1.0
    return 1.0 - math.comb(n_records - k, k) / math.comb(n_records, k)


def chance_of_shared_neighbour(first: tuple[Integers, Integers, int], second: tuple[Integers, Integers, int]) -> float:
    """Return the chance that the neighbours of two halves of a record share one.

    Each half has sure neighbours, tied ones, and the number drawn of those. With one neighbour each and tie sets T0
    and T1 this is |T0 and T1| / (|T0| |T1|).

    >>> one, other = np.array([1, 2]), np.array([2, 3, 4])
    >>> none = np.array([], np.int64)
    >>> round(chance_of_shared_neighbour((none, one, 1), (none, other, 1)), 6)
    0.166667
    """
    sure0, tied0, drawn0 = first
    sure1, tied1, drawn1 = second
    if len(np.intersect1d(sure0, sure1, assume_unique=True)):
        return 1.0
    common = len(np.intersect1d(tied0, tied1, assume_unique=True))
    if not len(sure0) and not len(sure1) and drawn0 == drawn1 == 1:
        return common / (len(tied0) * len(tied1))
    blocked0 = len(np.intersect1d(tied0, sure1, assume_unique=True))
    blocked1 = len(np.intersect1d(tied1, sure0, assume_unique=True))
    none_shared = math.fsum(
        math.comb(common, both)
        * math.comb(len(tied0) - common - blocked0, drawn0 - both)
        / math.comb(len(tied0), drawn0)
        * math.comb(len(tied1) - both - blocked1, drawn1)
        / math.comb(len(tied1), drawn1)
        for both in range(min(common, drawn0) + 1)
        if drawn0 - both <= len(tied0) - common - blocked0 and drawn1 <= len(tied1) - both - blocked1
    )
    return 1.0 - none_shared


def singled_out_in_samples(matches: Integers, n_records: int, sample: int) -> float:
    """Return how many predicates are expected to match exactly one record of a random sample of a table.

    ``matches`` has the records of the whole table that each predicate matches; hypergeometric, so no sample is drawn.

    >>> round(singled_out_in_samples(np.array([1, 2, 0]), 4, 2), 6)
    1.166667
    """
    whole = math.lgamma(n_records + 1) - math.lgamma(sample + 1) - math.lgamma(n_records - sample + 1)
    chances = []
    for number, predicates in zip(*np.unique(matches, return_counts=True), strict=True):
        count, rest = int(number), n_records - int(number)
        if count == 0 or sample - 1 > rest:
            continue
        ways = math.lgamma(rest + 1) - math.lgamma(sample) - math.lgamma(rest - sample + 2)
        chances.append(int(predicates) * count * math.exp(ways - whole))
    return math.fsum(chances)


def scaled_control_successes(matches: Integers, n_control: int, n_original: int) -> float:
    """Return how many predicates would single out a person if the control had as many people as the original.

    A control that is larger is sampled, in expectation. For a smaller one, successes in samples of 10 sizes are fitted
    by c times the integral of n w (1 - w)^(n - 1) over w from 0 to w_max (Cohen & Nissim 2020), and extrapolated.
    """
    if n_original <= n_control:
        return singled_out_in_samples(matches, n_control, n_original)
    found = float(np.count_nonzero(matches == 1))
    sizes = np.linspace(min(_SMALLEST_SAMPLE, n_control), n_control, _SAMPLE_SIZES).astype(np.int64)
    sizes = np.unique(sizes)
    if not found or len(sizes) < 3:
        return found
    successes = [singled_out_in_samples(matches, n_control, int(size)) for size in sizes]
    largest, scale = _fitted(sizes.astype(np.float64), successes, n_control)
    at_control, at_original = (_integral(np.array([float(n)]), largest)[0] for n in (n_control, n_original))
    return min(found * float(at_original / at_control), float(len(matches))) if at_control > 0 and scale > 0 else found


def _fitted(sizes: Floats, successes: Sequence[float], n_control: int) -> tuple[float, float]:
    """Return w_max and c of the least squares."""
    from scipy.optimize import curve_fit

    first = 1.0 / n_control
    scale = successes[-1] / float(_integral(np.array([float(n_control)]), first)[0])

    def model(n: Floats, largest: float, factor: float) -> Floats:
        return factor * scale * _integral(n, largest)

    try:
        found, _ = curve_fit(model, sizes, successes, p0=(first, 1.0), bounds=((0.0, 0.0), (1.0, np.inf)))
    except RuntimeError:
        return first, scale
    return float(found[0]), float(found[1] * scale)


def _integral(n: Floats, largest: float) -> Floats:
    """Return the integral of n w (1 - w)^(n - 1) over w from 0 to the largest."""
    integral: Floats = (1.0 - (n * largest + 1.0) * np.exp(n * np.log1p(-min(largest, 1 - 1e-15)))) / (n + 1.0)
    return integral
