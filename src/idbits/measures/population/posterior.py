"""How large is a set in the population, given its people in the sample? The distribution of F, and its means.

Implements: SPEC page population.md, 8.2 step 3. Y = F - c is negative binomial with shape A and odds o:
P(Y = y) = Gamma(A + y)/(Gamma(A) y!) (o/(1+o))^y (1+o)^-A.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import betainc

from idbits.counts import Floats

__all__ = ["Part", "mean_inverse", "mean_log", "probability_below", "probability_unique"]

Part = Callable[[Floats, Floats, Floats], Floats]
"""A figure of F given the people in the sample, the shape and the odds."""

_NODES: Floats
_WEIGHTS: Floats
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_NEGLIGIBLE = 40.0
_BLOCK = 1 << 14
_STEP = 0.2


def probability_unique(people: Floats, shape: Floats, odds: Floats) -> Floats:
    """P(F = 1) = (1+o)^-A if the set has one person in the sample, else 0.

    >>> probability_unique(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.array([1.0, 1.0])).tolist()
    [0.5, 0.0]
    """
    return np.where(people == 1, np.exp(-shape * np.log1p(odds)), 0.0)


def probability_below(limit: int, people: Floats, shape: Floats, odds: Floats) -> Floats:
    """P(F < limit) = P(Y <= limit - 1 - c), a regularised incomplete beta function.

    >>> round(float(probability_below(2, np.array(1.0), np.array(1.0), np.array(1.0))), 9)
    0.5
    """
    others = limit - 1 - people
    found: Floats = np.where(others >= 0, betainc(shape, np.maximum(others, 0) + 1, 1 / (1 + odds)), 0.0)
    return found


def mean_inverse(people: Floats, shape: Floats, odds: Floats) -> Floats:
    """E[1/F] = int_0^1 t^(c-1) (1 + o(1-t))^-A dt, with t = 1 - v^3 and 48 Gauss-Legendre nodes.

    The nodes are spread over the part of 0 .. 1 in which the integrand matters. Relative error below 1e-5 (tested).

    >>> round(float(mean_inverse(np.array(1.0), np.array(1.3), np.array(0.5))), 6)
    0.76355
    """
    flat = [np.ravel(part) for part in np.broadcast_arrays(people, shape, odds)]
    made = np.empty(len(flat[0]))
    for start in range(0, len(made), _BLOCK):
        c, a, o = (part[start : start + _BLOCK, None] for part in flat)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            by_people = np.where(c > 1, _NEGLIGIBLE / np.maximum(c - 1, 1e-300), 1.0)
            by_odds = np.where(o > 0, np.expm1(np.minimum(_NEGLIGIBLE / a, 700)) / np.maximum(o, 1e-300), 1.0)
        end = np.cbrt(np.minimum(1.0, np.minimum(by_people, by_odds)))
        v = (_NODES + 1) / 2 * end
        cube = v**3
        with np.errstate(divide="ignore"):
            logs = np.where(c > 1, (c - 1) * np.log1p(-np.minimum(cube, 1 - 1e-16)), 0.0) - a * np.log1p(o * cube)
        made[start : start + _BLOCK] = (3 * v * v * np.exp(logs)) @ _WEIGHTS * end[:, 0] / 2
    found: Floats = made.reshape(np.broadcast_shapes(np.shape(people), np.shape(shape), np.shape(odds)))
    return found


def mean_log(people: Floats, shape: Floats, odds: Floats) -> Floats:
    """E[ln F] = ln c + int_0^oo e^(-cz) (1 - (1 + o(1 - e^-z))^-A)/z dz, by the trapezoid rule in ln z.

    Because ln F - ln c = int_0^oo (e^(-cz) - e^(-Fz))/z dz. The integrand is smooth and falls off at both ends, so the
    rule converges exponentially: absolute error below 1e-7 (tested).

    >>> round(float(mean_log(np.array(1.0), np.array(1.3), np.array(0.5))), 5)
    0.36868
    >>> round(float(mean_log(np.array(1.0), np.array(0.3), np.array(50.0))), 5)
    1.67529
    """
    flat = [np.ravel(part) for part in np.broadcast_arrays(people, shape, odds)]
    made = np.log(flat[0])
    grows = np.flatnonzero(flat[2] > 0)
    if len(grows):
        c, a, o = (part[grows] for part in flat)
        made[grows] += _grown(c, a, o)
    found: Floats = made.reshape(np.broadcast_shapes(np.shape(people), np.shape(shape), np.shape(odds)))
    return found


def _grown(c: Floats, a: Floats, o: Floats) -> Floats:
    """Return E[ln F] - ln c."""
    # On this side the integrand is below a o z, on the other below e^(-cz).
    first = np.log(1e-11) - np.log(np.maximum(a * o, c))
    nodes = int(np.ceil(float((np.log(_NEGLIGIBLE / c) - first).max()) / _STEP)) + 1
    made = np.zeros(len(c))
    for start in range(0, len(c), _BLOCK):
        block = slice(start, start + _BLOCK)
        total = np.zeros(len(c[block]))
        for node in range(nodes):
            z = np.exp(first[block] + node * _STEP)
            hidden = -np.expm1(-a[block] * np.log1p(-o[block] * np.expm1(-z)))
            total += np.exp(-c[block] * z) * hidden
        made[block] = total * _STEP
    return made
