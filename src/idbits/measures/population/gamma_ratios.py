"""Logarithms of ratios of gamma functions, also where the two are so large that their difference would be lost.

Implements: SPEC page population.md, 8.3 (D).
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln

__all__ = ["log_rising", "log_rising_slopes"]

_LARGE = 1e4


def log_rising(a: float, b: float) -> float:
    """ln Gamma(a + b) - ln Gamma(a), the logarithm of a rising factorial.

    For a > 1e4 by Stirling's series, whose next term is below 1e-23; the difference of two lgammas would lose digits.

    >>> round(log_rising(3.0, 2.0), 6), round(float(np.log(3 * 4)), 6)
    (2.484907, 2.484907)
    """
    if a <= _LARGE:
        return float(gammaln(a + b) - gammaln(a))
    series = (1 / (a + b) - 1 / a) / 12 - (1 / (a + b) ** 3 - 1 / a**3) / 360
    return float(b * np.log(a) + (a + b - 0.5) * np.log1p(b / a) - b + series)


def log_rising_slopes(a: float, b: float) -> float:
    """Derivative of ``log_rising`` in a: psi(a + b) - psi(a).

    >>> round(log_rising_slopes(3.0, 2.0), 6), round(1 / 3 + 1 / 4, 6)
    (0.583333, 0.583333)
    """
    if a <= _LARGE:
        return float(digamma(a + b) - digamma(a))
    return float(np.log1p(b / a) + (1 / a - 1 / (a + b)) / 2 + (1 / a**2 - 1 / (a + b) ** 2) / 12)
