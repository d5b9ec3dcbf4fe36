"""The chance that all of k people are unique: the birthday problem with uneven probabilities.

Implements: SPEC section 5 (all k unique); S2 4.2, (4.1), (4.3) and 4.3.2.
"""

from __future__ import annotations

import math

import numpy as np

from idbits.measures.contour import (
    condensed,
    log1p_minus,
    log_factorial_rest,
    mean_on_circle,
    n_nodes,
    solve_increasing,
)
from idbits.measures.distribution import Distribution

__all__ = [
    "is_uniqueness_negligible", "log_uniform_uniqueness", "log_uniqueness", "uniqueness_from_collisions",
    "uniqueness_from_kappa", "uniqueness_from_uniform_and_kappa",
]  # fmt: skip

_WHOLE_NUMBERS = 2_000
_TERM_BY_TERM = 1_000_000


def is_uniqueness_negligible(n_values: int, k: int, chance: float) -> bool:
    """Return whether the chance that all of k people are unique is below this limit for any distribution.

    Uniqueness is likeliest for equally likely values, so if it is negligible for them, it always is.

    >>> is_uniqueness_negligible(365, 23, 0.001), is_uniqueness_negligible(365, 100, 0.001)
    (False, True)
    """
    return log_uniform_uniqueness(n_values, k) < math.log(chance)


def log_uniqueness(distribution: Distribution, k: int) -> float:
    """Natural logarithm of the chance that k people draw k different values: k! e_k(p).

    Implements: SPEC section 5; S2 4.2 without its approximation. Exact up to rounding: the coefficient of x^k of
    prod (1 + p x), on a circle through its saddle. -inf when there are fewer values than people.

    >>> round(math.exp(log_uniqueness(Distribution.of([0.5, 0.25, 0.25]), 2)), 12)
    0.625
    """
    if k <= 1:
        return 0.0
    n, p = distribution.n_occurring, distribution.probabilities
    if k > n:
        return -math.inf
    if len(p) == 1:
        return log_uniform_uniqueness(n, k)
    if k == n:
        return math.lgamma(k + 1) + math.fsum((distribution.multiplicities * np.log(p)).tolist())
    r = solve_increasing(lambda r: distribution.total(p * r / (1 + p * r)), k, k)
    x = p * r
    variance = distribution.total(x / (1 + x) ** 2)
    # ln(1 + x) = x + (ln(1 + x) - x), and the x add up to r: this avoids subtracting large terms.
    at_saddle = distribution.total(log1p_minus(x))
    # For k near N the saddle is far out, and r - k would swamp the rest: then sum the logarithms directly.
    far = r > 4 * k
    height = distribution.total(np.log1p(x)) - k * math.log(r / k) - k if far else at_saddle + k * _growth(r / k)

    nodes, weights = condensed(p, distribution.multiplicities, r)
    step_sizes = nodes * r / (1 + nodes * r)

    def log_ratio(angle: float) -> complex:
        turn = complex(math.cos(angle) - 1, math.sin(angle))
        # (1 + x e^(i angle)) / (1 + x) = 1 + x (e^(i angle) - 1) / (1 + x)
        return complex(np.dot(weights, np.log1p(step_sizes * turn)))

    mean = mean_on_circle(log_ratio, k, n_nodes(variance), falls=True)
    return min(0.0, log_factorial_rest(k) + height + math.log(mean))


def _growth(t: float) -> float:
    """Return t - 1 - ln t."""
    return -float(log1p_minus(np.array([t - 1.0]))[0])


def log_uniform_uniqueness(n_values: int, k: int) -> float:
    """Natural logarithm of N! / ((N - k)! N^k), for equally likely values. Implements: S2 4.2.

    >>> [round(100 * math.exp(log_uniform_uniqueness(n, k)), 2) for n, k in ((95, 29), (190, 41))]
    [0.84, 0.95]
    """
    if k > n_values:
        return -math.inf
    if k <= _WHOLE_NUMBERS:
        chance = math.perm(n_values, k) / n_values**k
        if chance > 0.5:
            lost = (n_values**k - math.perm(n_values, k)) / n_values**k
            return math.log1p(-lost)
        if chance > 1e-290:
            return math.log(chance)
    if k <= _TERM_BY_TERM:
        return math.fsum(np.log1p(-np.arange(k, dtype=np.float64) / n_values).tolist())
    share = k / n_values
    if share > 0.1:
        # The logarithm is below -50,000 here, so the error of lgamma does not matter.
        return math.lgamma(n_values + 1) - math.lgamma(n_values - k + 1) - k * math.log(n_values)
    # Euler-Maclaurin: the integral as a series, half of the ends, a twelfth of the slopes.
    integral = -n_values * math.fsum(share**m / (m * (m - 1)) for m in range(2, 24))
    return integral - math.log1p(-share) / 2 - k / (12.0 * n_values * (n_values - k))


def uniqueness_from_collisions(distribution: Distribution, k: int) -> float:
    """exp(-k^2/2 sum p^2). Implements: S2 (4.3).

    >>> round(uniqueness_from_collisions(Distribution.uniform(365), 23), 4)
    0.4845
    """
    return math.exp(-k * k / 2 * distribution.collision)


def uniqueness_from_uniform_and_kappa(n_values: int, kappa_nats: float, k: int) -> float:
    """The chance for equally likely values times exp(-k^2 kappa / N). Implements: S2 4.3.2 (see the errata).

    >>> round(uniqueness_from_uniform_and_kappa(95, 0.0914, 29), 6)
    0.00374
    """
    return math.exp(log_uniform_uniqueness(n_values, k) - k * k * kappa_nats / n_values)


def uniqueness_from_kappa(n_values: int, kappa_nats: float, k: int) -> float:
    """exp(-(1/2 + kappa) k^2 / N). Implements: S2 4.3.2.

    >>> round(uniqueness_from_kappa(95, 0.0914, 29), 6)
    0.005324
    """
    return math.exp(-(0.5 + kappa_nats) * k * k / n_values)
