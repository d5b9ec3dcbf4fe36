"""The chance that nobody is unique.

Implements: SPEC section 5 (no singleton at all, zeta); S2 5.4.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from idbits.measures.contour import log_factorial_rest, mean_on_circle, n_nodes, solve_increasing
from idbits.measures.distribution import Distribution
from idbits.measures.quadrature import condensed

__all__ = [
    "exact_uniform_no_singleton",
    "log_no_singleton",
    "log_no_singleton_from_kappa",
    "log_no_singleton_poisson",
]

_WHOLE_NUMBERS = 300


def exact_uniform_no_singleton(k: int, n_values: int) -> Fraction:
    """zeta(k, N) for equally likely values, as a fraction of whole numbers.

    The number of ways without a singleton is k! times the coefficient of x^k in (e^x - x)^N, which is
    sum over j of (-1)^j C(N, j) k!/(k-j)! (N-j)^(k-j). It is what the recursion of S2 5.4.1 gives, in one sum.
    Implements: S2 5.4.1, table A.1.

    >>> exact_uniform_no_singleton(4, 5) == Fraction(3 * 5 - 2, 5**3)
    True
    """
    ways = factor = 1
    ways = n_values**k
    for j in range(1, min(k, n_values) + 1):
        factor = -factor * (n_values - j + 1) * (k - j + 1) // j
        ways += factor * (n_values - j) ** (k - j)
    return Fraction(ways, n_values**k)


def log_no_singleton(distribution: Distribution, k: int) -> float:
    """Natural logarithm of the chance that nobody among k people is unique; -inf for one person.

    k! times the coefficient of x^k of prod (e^(p x) - p x), on a circle through its saddle; for equally likely values
    and few people by whole numbers. Implements: SPEC section 5; S2 5.4.1, 5.4.3 without its sum over all vectors.

    >>> round(math.exp(log_no_singleton(Distribution.of([0.5, 0.25, 0.25]), 3)), 10)
    0.15625
    """
    if k == 0:
        return 0.0
    if k == 1:
        return -math.inf
    n = distribution.n_occurring
    if n == 1:
        return 0.0
    if len(distribution.probabilities) == 1 and k <= _WHOLE_NUMBERS and n <= 10**9:
        return _log_of(exact_uniform_no_singleton(k, n))
    return _on_circle(distribution, k)


def _log_of(chance: Fraction) -> float:
    if chance > Fraction(1, 2):
        return math.log1p(-float(1 - chance))
    # Python's logarithm takes whole numbers of any length.
    return math.log(chance.numerator) - math.log(chance.denominator) if chance else -math.inf


def _on_circle(distribution: Distribution, k: int) -> float:
    p, weights = distribution.probabilities, distribution.multiplicities

    def mean(r: float) -> float:
        x = p * r
        return float(np.dot(weights, x * -np.expm1(-x) / (1 - x * np.exp(-x))))

    r = solve_increasing(mean, k, float(k))
    p, weights = condensed(p, weights, r)
    x = p * r
    fade = x * np.exp(-x)
    # Each value's count is a Poisson count that cannot be 1: its second moment is (x^2 + x - x e^-x) / (1 - x e^-x).
    first = x * -np.expm1(-x) / (1 - fade)
    variance = float(np.dot(weights, (x * x + x - fade) / (1 - fade) - first**2))
    # ln(e^x - x) = x + ln(1 - x e^-x), and the x add up to r.
    height = float(np.dot(weights, np.log1p(-fade))) + k * (r / k - 1 - math.log(r / k))

    def log_ratio(angle: float) -> complex:
        turn = complex(math.cos(angle) - 1, math.sin(angle))
        turned = x * (1 + turn)
        # Where a value has many people, the far side of the circle overflows: nothing is left there (NaN is skipped).
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            step = np.log1p(-turned * np.exp(-turned)) - np.log1p(-fade)
            return complex(np.dot(weights, step)) + r * turn

    average = mean_on_circle(log_ratio, k, n_nodes(max(variance, 1.0)), falls=False)
    return min(0.0, log_factorial_rest(k) + height + math.log(average))


def log_no_singleton_poisson(distribution: Distribution, k: int) -> float:
    """Natural logarithm of prod (1 - k p e^(-k p)): people come as Poisson counts. Implements: S2 5.4.3.

    >>> round(math.exp(log_no_singleton_poisson(Distribution.uniform(20), 100)), 4)
    0.5039
    """
    x = distribution.probabilities * k
    with np.errstate(divide="ignore"):
        return distribution.total(np.log1p(-x * np.exp(-x)))


def log_no_singleton_from_kappa(n_values: int, kappa_nats: float, k: int) -> float:
    """The Poisson product from kappa alone: N (g(a) + a^2 g''(a) kappa), with g(x) = ln(1 - x e^-x), a = k/N.

    Beyond S2, in its manner: the mean of g(a alpha) over the values, to second order in alpha - 1, whose mean square
    is 2 kappa. Bounds: at most 0.

    >>> round(math.exp(log_no_singleton_from_kappa(20, 0.0, 100)), 4)
    0.5039
    """
    a = k / n_values
    fade = math.exp(-a)
    h, h1, h2 = 1 - a * fade, -(1 - a) * fade, (2 - a) * fade
    curvature = h2 / h - (h1 / h) ** 2
    return min(0.0, n_values * (math.log1p(-a * fade) + a * a * curvature * kappa_nats))
