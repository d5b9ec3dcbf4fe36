"""Coefficients of generating functions by the trapezoid rule on a circle through the saddle point.

Implements: DESIGN section 5 (exact predictions for uneven probabilities).

For independent people, the numbers of people per value have the generating function ``prod_i g(p_i x)``, and we
need k! times its coefficient of x^k. On the circle of radius r the integrand is, up to a factor, the
characteristic function of a sum of independent counts whose mean at the saddle is k. The rule with M nodes adds up
the coefficients at k, k + M, k - M, ..., so it is exact up to the chance that this sum is M away from its mean:
below 1e-20 for the M chosen here. Nothing cancels: the terms are largest at the saddle and fall from there.

The generating functions need only sums over values of a smooth function of p. So if there are many different
probabilities, those within a narrow bin are replaced by the four nodes and weights of the Gauss rule of the values in
it, which has the same moments up to the seventh. The bins are so narrow that the error is below the rounding of the
sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["condensed", "log1p_minus", "log_factorial_rest", "mean_on_circle", "n_nodes", "solve_increasing"]

Floats = NDArray[np.float64]

_LARGEST_EXACT = 3_000
_FEWEST_IN_BIN = 64
_NODES = 4
_SMALL = 0.05
_SMALL_WIDTH = 0.01
_RATIO = 1.02


def log1p_minus(z: Floats) -> Floats:
    """Return ln(1 + z) - z, accurate for small z.

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
    """Return ln k! - (k ln k - k), the remainder of Stirling's first terms, accurate for large k.

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
    """Return where an increasing function of a positive number takes a value, to the few digits a saddle needs."""
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

    ``falls``: the integrand does not grow from 0 to pi, so the sum can stop where it is negligible.
    """
    # Real coefficients: the lower half of the circle mirrors the upper one.
    total = 1.0
    for node in range(1, nodes // 2 + 1):
        logarithm = log_ratio(2 * math.pi * node / nodes)
        weight = 1.0 if 2 * node == nodes else 2.0
        if logarithm.real > -745:
            # Reduce k times the angle in whole numbers: a large phase would lose digits.
            phase = logarithm.imag - 2 * math.pi * (k * node % nodes) / nodes
            total += weight * math.exp(logarithm.real) * math.cos(phase)
        if falls and logarithm.real < -45:
            break
    return total / nodes


def condensed(p: Floats, weights: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return probabilities and weights with the same sums of smooth functions of ``scale * p``.

    Up to 3,000 different probabilities stay as they are, and so do those in bins of fewer than 64 values: there, the
    logarithm of a factor may leave its branch where the product is not yet negligible.

    >>> p = np.linspace(1, 2, 100_000) / 150_000
    >>> fewer, weights = condensed(p, np.ones_like(p), 1e5)
    >>> len(fewer) < 200, bool(abs(weights.sum() - 100_000) < 1e-6)
    (True, True)
    """
    if len(p) <= _LARGEST_EXACT:
        return p, weights
    x = p * scale
    small = np.floor(x / _SMALL_WIDTH).astype(np.int64)
    large = 10 + np.floor(np.log(np.maximum(x, _SMALL) / _SMALL) / math.log(_RATIO)).astype(np.int64)
    bins = np.where(x < _SMALL, small, large)
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    ends = np.append(starts[1:], len(p))
    held = np.add.reduceat(weights, starts)
    wide = (ends - starts > _NODES) & (held >= _FEWEST_IN_BIN)
    kept_p, kept_weights = [], []
    for start, end, merge in zip(starts.tolist(), ends.tolist(), wide.tolist(), strict=True):
        nodes, masses = _gauss(p[start:end], weights[start:end]) if merge else (p[start:end], weights[start:end])
        kept_p.append(nodes)
        kept_weights.append(masses)
    return np.concatenate(kept_p), np.concatenate(kept_weights)


def _gauss(p: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the Gauss rule of weighted points by Stieltjes' recursion (orthogonal polynomials on the points)."""
    middle, half = (p[0] + p[-1]) / 2, (p[-1] - p[0]) / 2
    t = (p - middle) / half
    mass = float(weights.sum())
    diagonal, beside = [], []
    before, here = np.zeros_like(t), np.full_like(t, 1 / math.sqrt(mass))
    link = 0.0
    for step in range(_NODES):
        diagonal.append(float(np.dot(weights, t * here * here)))
        after = (t - diagonal[-1]) * here - link * before
        link = math.sqrt(float(np.dot(weights, after * after)))
        if step < _NODES - 1:
            if link < 1e-6:
                return p, weights
            beside.append(link)
            before, here = here, after / link
    jacobi = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    nodes, vectors = np.linalg.eigh(jacobi)
    return middle + half * nodes, mass * vectors[0] ** 2
