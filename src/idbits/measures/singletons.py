"""Unique people before any data are collected: their mean and variance, groups of any size, and the best sample size.

Implements: SPEC section 5; S2 5.2, 5.3 (with example 5.6) and 6.2 with the errata of SPEC section 9.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from idbits.measures.distribution import Distribution

__all__ = [
    "best_group_size", "chance_of_no_match", "gain_from_kappa", "gain_per_person", "mean_sets", "mean_sets_from_kappa",
    "mean_singletons", "nearly_best_group_size", "unique_share", "variance_from_alphas", "variance_from_kappa",
    "variance_singletons",
]  # fmt: skip

Floats = NDArray[np.float64]

_LIKELY = 0.1
_FEWEST_TERMS = 12
_DENSE = 2_000
_STEPS_PER_OCTAVE = 64


def unique_share(distribution: Distribution, k: float) -> float:
    """The chance that a person among k is unique: sum p (1 - p)^(k-1). Implements: S2 prop. 5.1.

    >>> unique_share(Distribution.uniform(2), 2)
    0.5
    """
    p = distribution.probabilities
    return distribution.total(p * chance_of_no_match(p, k - 1))


def mean_singletons(distribution: Distribution, k: int) -> float:
    """Mean number of unique people: ES = k sum p (1 - p)^(k-1). Implements: S2 prop. 5.1. Bounds: 0 to k.

    >>> round(mean_singletons(Distribution.uniform(365), 365), 1)
    134.5
    """
    return k * unique_share(distribution, k)


def mean_sets(distribution: Distribution, k: int, size: int) -> float:
    """Mean number of sets of a size: eta_j = C(k, j) sum p^j (1 - p)^(k-j). Implements: S2 6.2.1.

    >>> mean_sets(Distribution.uniform(2), 2, 2)
    0.5
    """
    if not 1 <= size <= k:
        return 0.0
    p = distribution.probabilities
    if size <= 100:
        terms = chance_of_no_match(p, k - size)
        for index in range(size):
            terms = terms * (p * ((k - index) / (index + 1)))
        return distribution.total(terms)
    with np.errstate(divide="ignore"):
        others = (k - size) * np.log1p(-p) if k > size else np.zeros_like(p)
    choices = math.lgamma(k + 1) - math.lgamma(size + 1) - math.lgamma(k - size + 1)
    return distribution.total(np.exp(choices + size * np.log(p) + others))


def mean_sets_from_kappa(n_values: int, kappa_nats: float, k: int, size: int) -> float:
    """N e^-a a^j / j! (1 + (a^2 + j(j-1) - 2ja) kappa), with a = k/N. Implements: S2 (5.4), (5.5), 6.2.2.

    >>> round(mean_sets_from_kappa(365, 0.0, 365, 1), 1)
    134.3
    """
    a = k / n_values
    bend = 1 + (a * a + size * (size - 1) - 2 * size * a) * kappa_nats
    return n_values * math.exp(size * math.log(a) - a - math.lgamma(size + 1)) * bend


def variance_singletons(distribution: Distribution, k: int) -> float:
    """Variance of the number of unique people, exactly, without a table of pairs.

    Var S = ES + sum over pairs of values k (k-1) p_i p_j (1 - p_i - p_j)^(k-2) - (ES)^2 (S2 prop. 5.9). With
    t = p / (1 - p) the power is (1 - p_i)^(k-2) (1 - p_j)^(k-2) (1 - t_i t_j)^(k-2). The last factor is a binomial
    sum in which each term factors into one of i and one of j, so the double sum becomes squares of single sums. Terms
    fall like m! / k^m. The large parts of ES and (ES)^2 are cancelled analytically, so that a variance of 1e-6 with
    a mean of a million stays accurate.

    Implements: S2 prop. 5.9.

    >>> variance_singletons(Distribution.uniform(2), 2)
    1.0
    """
    p, weights = distribution.probabilities, distribution.multiplicities
    if k <= 1 or distribution.n_occurring == 1:
        return 0.0
    small = p <= _LIKELY
    # At most nine values are likelier; we add their pairs one by one, because their t is not small.
    likely = np.repeat(p[~small], weights[~small].astype(np.int64))
    among = _variance_among(p[small], weights[small], k, float(likely.sum()))
    return max(0.0, among + _variance_of_likely(likely, p[small], weights[small], k))


def _variance_among(p: Floats, weights: Floats, k: int, others: float) -> float:
    """Return the variance of the number of unique people on these values, all of which are unlikely."""
    alone = _sum(weights, p * chance_of_no_match(p, k - 1))
    # 1 - alone, summed directly: the difference would lose digits if nearly everyone is unique.
    shared = others + _sum(weights, p * -np.expm1((k - 1) * np.log1p(-p)))
    squared = _sum(weights, p * p * chance_of_no_match(p, k - 2))
    same = _sum(weights, p * p * chance_of_no_match(2 * p, k - 2))
    pairs = 2 * alone * squared + squared * squared - same + _later_terms(p, weights, k)
    return k * alone * shared + k * (k - 1) * pairs


def _later_terms(p: Floats, weights: Floats, k: int) -> float:
    """Return sum over m >= 1 of C(k-2, m) (-1)^m (sum p (1-p)^(k-2) t^m)^2."""
    logarithms = np.log(p) + (k - 2) * np.log1p(-p)
    odds = np.log(p) - np.log1p(-p)
    terms: list[float] = []
    choices = 0.0
    for m in range(1, k - 1):
        choices += math.log((k - 1 - m) / m)
        part = _sum(weights, np.exp(logarithms + m * odds + choices / 2))
        terms.append((-1) ** m * part * part)
        if m >= _FEWEST_TERMS and abs(terms[-1]) <= 1e-22 * abs(terms[0]):
            break
    return math.fsum(terms)


def _variance_of_likely(likely: Floats, p: Floats, weights: Floats, k: int) -> float:
    """Return what likely values add to the variance: their own variance and their covariance with all values."""
    chances = k * likely * chance_of_no_match(likely, k - 1)
    parts = [math.fsum((chances * (1 - chances)).tolist())]
    for index, probability in enumerate(likely.tolist()):
        parts.append(2 * _sum(weights, _covariances(probability, p, k)))
        parts.append(2 * float(_covariances(probability, likely[index + 1 :], k).sum()))
    return math.fsum(parts)


def _covariances(probability: float, p: Floats, k: int) -> Floats:
    """Return the covariance of being unique on a value with being unique on others. Implements: S2 (5.8)."""
    both = (k - 1) * np.maximum(1 - probability - p, 0.0) ** (k - 2)
    apart = k * ((1 - probability) * (1 - p)) ** (k - 1)
    return np.asarray(k * probability * p * (both - apart))


def variance_from_alphas(distribution: Distribution, k: int) -> float:
    """The variance for many people and values: N (mean(a alpha e^-a alpha) - ... ), see SPEC section 5.

    It replaces S2's proposition 5.10, which loses terms of order N.
    Implements: SPEC section 5 (variance of S, approximation).

    >>> round(variance_from_alphas(Distribution.uniform(1000), 1000) / 1000, 4)
    0.2325
    """
    n_values, a = distribution.n_values, k / distribution.n_values
    alpha = distribution.probabilities * n_values
    fade = np.exp(-a * alpha)
    diagonal = distribution.total(a * alpha * fade)
    both = distribution.total((a * alpha * fade) ** 2)
    slope = distribution.total(alpha * fade * (1 - a * alpha)) / n_values
    return diagonal - both - n_values * a * slope * slope


def variance_from_kappa(n_values: int, kappa_nats: float, k: int) -> float:
    """The variance from kappa alone, as in SPEC section 5.

    It replaces S2 5.3.2, which has a wrong sign and a wrong coefficient. Implements: SPEC section 5.

    >>> round(variance_from_kappa(1000, 0.0, 1000) / 1000, 4)
    0.2325
    """
    a = k / n_values
    once, twice = math.exp(-a), math.exp(-2 * a)
    return n_values * (
        a * once * (1 + a * (a - 2) * kappa_nats)
        - a**2 * twice * (1 + (2 - 8 * a + 4 * a**2) * kappa_nats)
        - a * twice * (1 - a) ** 2 * (1 + 2 * a * (a - 4) * kappa_nats)
    )


def chance_of_no_match(p: Floats, people: float) -> Floats:
    """The chance that none of some people draws a value: (1 - p)^people, accurate for small p; 0^0 is 1."""
    if people == 0:
        return np.ones_like(p)
    with np.errstate(divide="ignore"):
        return np.exp(people * np.log1p(-p))


def _sum(weights: Floats, terms: Floats) -> float:
    return float(np.dot(weights, terms))


def gain_per_person(distribution: Distribution, cost: float, k: int) -> float:
    """Unique people per person minus the cost of the group per person: sum p (1-p)^(k-1) - C/k.

    Implements: S2 example 5.6, with the exact mean instead of exp(-k/N).

    >>> round(gain_per_person(Distribution.uniform(95), 10, 37), 4)
    0.4129
    """
    return unique_share(distribution, k) - cost / k


def gain_from_kappa(n_values: int, kappa_nats: float, cost: float, k: int) -> float:
    """e^-a (1 + a (a - 2) kappa) - C/k, with a = k/N. Implements: S2 example 5.6.

    >>> round(gain_from_kappa(95, 0.0, 10, 38), 4)
    0.4072
    """
    a = k / n_values
    return math.exp(-a) * (1 + a * (a - 2) * kappa_nats) - cost / k


def best_group_size(gain: Callable[[int], float], largest: int) -> tuple[int, float] | None:
    """Return the group size with the highest gain and that gain; None if no group is worth its cost.

    Tries every size up to 2,000, then 64 per octave and all sizes around the best of those.

    >>> best_group_size(lambda k: gain_from_kappa(95, 0.0, 10, k), 10_000)[0]
    38
    """
    sizes = _sizes(largest)
    gains = [gain(k) for k in sizes]
    index = max(range(len(sizes)), key=gains.__getitem__)
    low, high = sizes[max(0, index - 1)], sizes[min(len(sizes) - 1, index + 1)]
    while high - low > _DENSE:
        third = (high - low) // 3
        if gain(low + third) < gain(high - third):
            low += third
        else:
            high -= third
    best = max(range(low, high + 1), key=gain)
    best_gain = gain(best)
    return (best, best_gain) if best_gain > 0 else None


def nearly_best_group_size(distribution: Distribution, cost: float, largest: int) -> int | None:
    """Return the best group size to about 1%, fast enough for many distributions; None if none is worth its cost.

    >>> nearly_best_group_size(Distribution.uniform(95), 10, 10_000)
    37
    """
    sizes = np.array(_sizes(largest), dtype=np.float64)
    gains = -cost / sizes
    for p, many in zip(distribution.probabilities.tolist(), distribution.multiplicities.tolist(), strict=True):
        gains += many * p * (np.exp((sizes - 1) * np.log1p(-p)) if p < 1 else sizes == 1)
    index = int(np.argmax(gains))
    return int(sizes[index]) if gains[index] > 0 else None


def _sizes(largest: int) -> list[int]:
    """Return the sizes to try first: every one up to 2,000, then 64 per octave."""
    sizes = list(range(1, min(_DENSE, largest) + 1))
    size = float(_DENSE)
    while size < largest:
        size *= 2 ** (1 / _STEPS_PER_OCTAVE)
        sizes.append(min(largest, round(size)))
    return sizes
