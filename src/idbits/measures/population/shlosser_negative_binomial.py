"""The slide negative binomial estimate (SNB) on Shlosser's number of sets, with the equations as they should be.

Implements: SPEC page population.md, 8.3 (snb), 8.8b (how it is solved), 8.9 (what ARX gets wrong). Chen and
Keller-McNulty 1998; Haas and Stokes 1998 for Shlosser's estimate.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import root
from scipy.special import expit

from idbits.counts import Floats, Spectrum

__all__ = ["shlosser_sets", "snb_uniques"]

_STARTS = tuple((a, b) for a in (-3.0, -1.0, 0.0, 1.0, 3.0) for b in (-2.0, -5.0))
_LEAST_RESIDUAL = 1e-8


def shlosser_sets(spectrum: Spectrum, fraction: float) -> float | None:
    """Shlosser's number of sets in the population; None if it does not exist (no uniques, or a whole population).

    >>> round(shlosser_sets(Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4}), 0.5), 3)
    137.554
    """
    if fraction >= 1 or spectrum.sizes[0] != 1:
        return None
    k, m, f = spectrum.sizes.astype(np.float64), spectrum.sets.astype(np.float64), fraction
    seldom = np.power(1 - f, k)
    inner = float(m @ (k * f * f * np.power(1 - f * f, k - 1)))
    outer = float(m @ (np.power(1 - f * f, k) - seldom))
    ratio = float(m @ seldom) / float(m @ (k * f * np.power(1 - f, k - 1)))
    return spectrum.n_sets + float(m[0]) * inner / outer * ratio**2


def snb_uniques(spectrum: Spectrum, fraction: float) -> float | None:
    """Population uniques K b^a; None if there are no sets of one or two people, or the equations have no solution.

    With K Shlosser's number of sets and d = (1-f)(1-b), solves for a and b:
    m_1 = K f (b/(1-d))^a (a d/(1-d) + 1),  m_2 = K a b^a f^2 (1-b)(2 - (1-a) d) / (2 (1-d)^(a+2)).
    """
    n_sets = shlosser_sets(spectrum, fraction)
    observed = dict(spectrum.pairs())
    if n_sets is None or 2 not in observed:
        return None
    log_observed = np.log([observed[1], observed[2]])

    def residuals(x: Floats) -> Floats:
        return _log_expected(x, n_sets, fraction) - log_observed

    for start in _STARTS:
        with np.errstate(all="ignore"):
            solution = root(residuals, start, method="hybr", options={"maxfev": 2000})
            left = residuals(solution.x)
        if np.all(np.isfinite(left)) and float(np.abs(left).max()) < _LEAST_RESIDUAL:
            a, log_b = _parameters(solution.x)
            return n_sets * math.exp(a * log_b)
    return None


def _parameters(x: Floats) -> tuple[float, float]:
    """Return a and ln b at ln a and logit b; b itself can be too small for a number."""
    return float(np.exp(np.clip(x[0], -50, 50))), -float(np.logaddexp(0, -x[1]))


def _log_expected(x: Floats, n_sets: float, fraction: float) -> Floats:
    """Return the logarithms of the expected m_1 and m_2 at ln a and logit b."""
    (a, log_b), rest, f = _parameters(x), float(expit(-x[1])), fraction
    d = (1 - f) * rest
    log_left = math.log1p(-d)
    first = math.log(n_sets * f) + a * (log_b - log_left) + math.log(a * d / (1 - d) + 1)
    second = (
        math.log(n_sets) + math.log(a) + a * log_b + 2 * math.log(f) + math.log(rest)
        + math.log(2 - (1 - a) * d) - math.log(2) - (a + 2) * log_left
    )  # fmt: skip
    return np.array([first, second])
