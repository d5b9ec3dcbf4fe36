"""Permutation entropy: how irregular a series is, by the order of neighbouring values.

Implements: SPEC section 7; S4 (Odoh) IV.A with log p(pi) (SPEC section 9); Bandt and Pompe, Physical Review Letters 88
(2002). Equal values are ordered by position.

S4's figures of a release beside its original (degree of anonymity, amplification, r1, implied epsilon: equations 3 and
4, sections IV.B, IV.D and IV.E) compare how irregular two series are. They see neither a copy nor a relabelling, and
all three of gamma, r1 and epsilon grow when S4 says that risk falls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from idbits.errors import InputError, NotEstimableError
from idbits.kernels.ordinal import MOST_CODED, n_windows, pattern_code, pattern_codes, pattern_spectra, pattern_spectrum
from idbits.measures.entropy import entropy_bits

__all__ = [
    "amplification", "best_order", "ceiling", "coarse_grained", "conditional_permutation_entropy_bits",
    "degree_of_anonymity", "implied_epsilon", "information_coefficient", "permutation_entropies_bits",
    "permutation_entropy_bits", "saturated", "weighted_permutation_entropy_bits",
]  # fmt: skip

Series = NDArray[np.float64] | NDArray[np.int64]

# Of a periodic series all long orders have the same entropy but for its last digits.
_SAME_BITS = 1e-9
SATURATION = 0.005


def permutation_entropy_bits(series: Series, order: int, delay: int = 1) -> float:
    """Entropy of the ordinal patterns of all windows: H = -sum p(pi) log2 p(pi).

    Implements: S4 IV.A. Bounds: 0 (one pattern, e.g. a rising series) to log2 of the windows or of order!.

    >>> permutation_entropy_bits(np.array([4, 7, 9, 10, 6, 11, 3]), 3).__round__(3)
    1.522
    """
    _check(series, order, delay)
    return entropy_bits(pattern_spectrum(series, order, delay))


def permutation_entropies_bits(series: Series, most: int, delay: int = 1) -> Iterator[float]:
    """Yield the entropy of orders 1, 2, .. as far as there are windows, at most ``most``: S4's figure 2.

    >>> [round(bits, 3) for bits in permutation_entropies_bits(np.array([4, 7, 9, 10, 6, 11, 3]), 3)]
    [0.0, 0.918, 1.522]
    """
    _check(series, 1, delay)
    last = min(most, (len(series) - 1) // delay + 1)
    for spectrum in pattern_spectra(series, range(1, last + 1), delay):
        yield entropy_bits(spectrum)


def best_order(entropies_bits: list[float]) -> int:
    """Return the smallest order that reaches the largest entropy; order 1, which has one pattern, is none.

    Implements: SPEC section 7, S4 V. The list begins with order 1 and holds order 2.

    >>> best_order([0.0, 0.918, 1.522, 1.5])
    3
    """
    candidates = entropies_bits[1:]
    return 2 + next(index for index, bits in enumerate(candidates) if bits >= max(candidates) - _SAME_BITS)


def weighted_permutation_entropy_bits(
    series: Series, weights: Mapping[tuple[int, ...], float], others: float = 0.0, delay: int = 1
) -> float:
    """Entropy with p(pi) proportional to weight times frequency: a subset of patterns, or some made to count more.

    Args:
        weights: patterns as the ranks of their values in order of time ((0, 1, 2) rises), all of one length.
        others: the weight of every pattern not named.

    Implements: S4 V and appendix B (a restricted set of patterns, modified weights). With all weights equal it is the
    permutation entropy.

    >>> series = np.array([4, 7, 9, 10, 6, 11, 3])
    >>> weighted_permutation_entropy_bits(series, {(0, 1, 2): 1, (1, 0, 2): 2, (0, 2, 1): 2})
    1.0
    """
    order = len(next(iter(weights)))
    _check(series, order, delay)
    _must_be_coded(order)
    codes, counts = np.unique(pattern_codes(series, order, delay), return_counts=True)
    by_code = {pattern_code(pattern): weight for pattern, weight in weights.items()}
    masses = [by_code.get(code, others) * many for code, many in zip(codes.tolist(), counts.tolist(), strict=True)]
    total = math.fsum(masses)
    if total <= 0:
        raise NotEstimableError("no window has one of the patterns that count")
    return math.fsum(mass / total * math.log2(total / mass) for mass in masses if mass > 0)


def conditional_permutation_entropy_bits(series: Series, order: int, delay: int = 1) -> float:
    """How uncertain the next pattern is when one is known: H(pi, next pi) - H(pi), over neighbouring windows.

    Implements: SPEC section 7 (option); Unakafov and Keller, Physica D 269 (2014); S4 VI. The next window starts
    ``delay`` later. Bounds: 0 to log2 order. Order at most 20.

    >>> conditional_permutation_entropy_bits(np.array([1, 2, 1, 2, 1, 2]), 2)
    0.0
    """
    _check(series, order, delay)
    _must_be_coded(order)
    if n_windows(len(series), order, delay) <= delay:
        raise NotEstimableError(f"no window of order {order} has a next one in {len(series):,} rows")
    _, labels = np.unique(pattern_codes(series, order, delay), return_inverse=True)
    first, then = labels[:-delay], labels[delay:]
    pairs = np.unique(first * (int(labels.max()) + 1) + then, return_counts=True)[1]
    of_first = np.bincount(first)
    n = len(first)
    # H(pair) - H(first), both over the same windows, so that the difference is a conditional entropy.
    gained = math.fsum(_n_log_n(of_first)) - math.fsum(_n_log_n(pairs))
    return max(0.0, gained / n)


def coarse_grained(series: Series, scale: int) -> NDArray[np.float64]:
    """Means of neighbouring, not overlapping stretches of ``scale`` values: the series at a coarser scale.

    Implements: SPEC section 7 (multi-scale, option); Costa et al., Physical Review Letters 89 (2002).

    >>> coarse_grained(np.array([1, 3, 2, 4, 9]), 2)
    array([2., 3.])
    """
    whole = len(series) // scale
    stretches = np.asarray(series[: whole * scale], np.float64).reshape(whole, scale)
    return np.asarray(stretches.mean(axis=1), np.float64)


def _n_log_n(counts: NDArray[np.integer]) -> list[float]:
    sizes, often = np.unique(counts[counts > 0], return_counts=True)
    return [k * many * math.log2(k) for k, many in zip(sizes.tolist(), often.tolist(), strict=True)]


def _check(series: Series, order: int, delay: int) -> None:
    if order < 1 or delay < 1:
        raise InputError("order and delay are 1 or more")
    if n_windows(len(series), order, delay) < 1:
        raise NotEstimableError(
            f"a pattern of {order:,} values needs at least {(order - 1) * delay + 1:,} rows, and there are "
            f"{len(series):,}"
        )


def _must_be_coded(order: int) -> None:
    if order > MOST_CODED:
        raise InputError(f"patterns can be told one by one up to order {MOST_CODED}")


def degree_of_anonymity(entropy_bits: float, length: int) -> float:
    """Permutation entropy over the logarithm of the length: d = H / log2 m.

    Implements: S4 (4). Bounds: 0 (one pattern only) to ``ceiling``, which is below 1. At least two rows.

    >>> round(degree_of_anonymity(13.2861, 10_000), 4)
    0.9999
    """
    return entropy_bits / math.log2(length)


def ceiling(windows: int, length: int) -> float:
    """The largest degree that is possible: log2(m - n + 1) / log2 m, when no two windows have the same pattern.

    >>> round(ceiling(944 - 11 + 1, 944), 4)
    0.9984
    """
    return math.log2(windows) / math.log2(length)


def saturated(rho: float, most: float) -> bool:
    """Whether a degree is within 0.5% of its ceiling, where it is the same for all data.

    >>> saturated(0.998, 0.9984), saturated(0.5, 0.9984)
    (True, False)
    """
    return rho >= (1 - SATURATION) * most


def amplification(rho1: float, rho2: float) -> float:
    """Amplification gamma = (rho2 / rho1) ((1 - rho1) / (1 - rho2)): the odds of rho2 over those of rho1.

    Implements: S4 (3), as an equality. Equal degrees give 1, also where both are 0 or 1.
    Bounds: 0 (rho2 = 0 or rho1 = 1) to infinity (rho1 = 0 or rho2 = 1).

    >>> amplification(0.5, 0.75), amplification(0.0, 0.5), amplification(0.5, 0.0), amplification(1.0, 1.0)
    (3.0, inf, 0.0, 1.0)
    """
    if rho1 == rho2:
        return 1.0
    if rho1 <= 0 or rho2 >= 1:
        return math.inf
    if rho2 <= 0 or rho1 >= 1:
        return 0.0
    return (rho2 / rho1) * ((1 - rho1) / (1 - rho2))


def information_coefficient(gamma: float) -> float:
    """r1 = sqrt(1 - exp(-2 gamma)): gamma brought between 0 and 1. Implements: S4 IV.D.

    >>> information_coefficient(0.0), information_coefficient(math.inf), round(information_coefficient(1.0), 4)
    (0.0, 1.0, 0.9299)
    """
    return math.sqrt(-math.expm1(-2 * gamma))


def implied_epsilon(gamma: float) -> float:
    """The lower bound ln gamma of epsilon, in nats. Implements: S4 IV.E. Bounds: -infinity to infinity.

    >>> implied_epsilon(1.0), implied_epsilon(0.0), implied_epsilon(math.inf)
    (0.0, -inf, inf)
    """
    return math.log(gamma) if gamma > 0 else -math.inf
