"""Coefficients of generating functions by the trapezoid rule on a circle through the saddle point.

Implements: DESIGN section 5 (exact predictions for uneven probabilities).

With independent people the number of people on each value has the generating function ``prod_i g(p_i x)``, and what
is wanted is k! times its coefficient of x^k. On the circle of radius r the integrand is, up to a factor, the
characteristic function of a sum of independent counts whose mean at the saddle is k. The rule with M nodes adds up
the coefficients at k, k + M, k - M, ..., so it is exact up to the chance that this sum is M away from its mean:
below 1e-20 for the M chosen here. Nothing cancels: the terms are largest at the saddle and fall from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["log1p_minus", "log_factorial_rest", "mean_on_circle", "n_nodes", "solve_increasing"]

Floats = NDArray[np.float64]


def log1p_minus(z: Floats) -> Floats:
    """Return ln(1 + z) - z, with its digits where z is small.

    >>> float(log1p_minus(np.array([1e-9]))[0])
    -4.999999996666667e-19
    """
    small = np.abs(z) < 0.02
    with np.errstate(divide="ignore", invalid="ignore"):
        wide = np.log1p(z) - z
    # The series: 1e-17 of the first term at |z| = 0.02 after ten terms.
    series = np.zeros_like(z)
    for power in range(11, 1, -1):
        series = (series + (-1) ** (power + 1) / power) * z
    return np.where(small, series * z, wide)


def log_factorial_rest(k: int) -> float:
    """Return ln k! - (k ln k - k): what Stirling's first terms leave, with its digits for large k.

    >>> round(log_factorial_rest(10), 12)
    2.078561643135
    """
    if k == 0:
        return 0.0
    if k < 30:
        return math.log(math.factorial(k)) - k * math.log(k) + k
    x = 1.0 / k
    return 0.5 * math.log(2 * math.pi * k) + x / 12 - x**3 / 360 + x**5 / 1260 - x**7 / 1680


def n_nodes(variance: float) -> int:
    """Return how many nodes the circle needs for a count with this variance."""
    return 80 + math.ceil(12 * math.sqrt(variance))


def solve_increasing(function: Callable[[float], float], target: float, start: float) -> float:
    """Return where an increasing function of a positive number takes a value; a few digits suffice for a saddle."""
    low = high = max(start, 1e-300)
    while function(low) > target:
        low /= 4
    while function(high) < target:
        high *= 4
    for _ in range(60):
        middle = math.sqrt(low) * math.sqrt(high)
        if function(middle) < target:
            low = middle
        else:
            high = middle
        if high / low < 1 + 1e-6:
            break
    return math.sqrt(low) * math.sqrt(high)


def mean_on_circle(log_ratio: Callable[[float], complex], k: int, nodes: int, *, falls: bool) -> float:
    """Return the mean over the circle of exp(log_ratio(angle) - i k angle); log_ratio is 0 at angle 0.

    ``falls`` says that the integrand never grows again from 0 to pi: it can then be left where it is negligible.
    """
    # Real coefficients: the lower half of the circle mirrors the upper one.
    total = 1.0
    for node in range(1, nodes // 2 + 1):
        logarithm = log_ratio(2 * math.pi * node / nodes)
        weight = 1.0 if 2 * node == nodes else 2.0
        if logarithm.real > -745:
            # k times the angle, reduced in whole numbers: a large phase would cost digits.
            phase = logarithm.imag - 2 * math.pi * (k * node % nodes) / nodes
            total += weight * math.exp(logarithm.real) * math.cos(phase)
        if falls and logarithm.real < -45:
            break
    return total / nodes
