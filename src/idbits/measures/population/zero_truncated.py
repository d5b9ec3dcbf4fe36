"""The zero-truncated extended negative binomial: how many people of a set are in the sample, given that some are.

Implements: SPEC page population.md, 8.2 step 2 and 8.8b (the forms that do not lose digits). Engen 1974. It has a shape
a > 0 and the mean rate mu of the untruncated part; a = 1 is the logarithmic distribution.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln

from idbits.counts import Floats

__all__ = ["log_probability", "log_probability_slopes"]

_SMALL = 1e-2
_LARGE = 30.0


def log_probability(k: Floats, mu: Floats, a: Floats) -> Floats:
    """ln q(k; mu, a) = lgamma(k+a-1) - lgamma(a) - lgamma(k+1) + (k-1) ln p - ln Z, p = mu/(mu+a).

    Z = ((1-p)^-(a-1) - 1)/((a-1) p) makes it add up to 1 over k = 1, 2, ...; all arguments can be arrays.

    >>> k = np.arange(1.0, 400.0)
    >>> round(float(np.exp(log_probability(k, np.array(3.0), np.array(0.5))).sum()), 9)
    1.0
    """
    log_p, spread = np.log(mu) - np.log(mu + a), np.log1p(mu / a)
    log_z = _log_expm1_over((a - 1) * spread) + np.log(spread) - log_p
    logs: Floats = gammaln(k + a - 1) - gammaln(a) - gammaln(k + 1) + (k - 1) * log_p - log_z
    return logs


def log_probability_slopes(k: Floats, mu: Floats, a: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of ln q in ln mu and in ln a.

    >>> first, second = log_probability_slopes(np.array(2.0), np.array(3.0), np.array(0.5))
    >>> step = 1e-6
    >>> moved = log_probability(np.array(2.0), np.array(3.0 * np.exp(step)), np.array(0.5))
    >>> abs((moved - log_probability(np.array(2.0), np.array(3.0), np.array(0.5))) / step - first) < 1e-5
    np.True_
    """
    p, rest = mu / (mu + a), a / (mu + a)
    spread = np.log1p(mu / a)
    slope = _slope_of_log_expm1_over((a - 1) * spread)
    by_spread = (a - 1) * slope + 1 / spread
    by_mu = (k - 1) * rest - (by_spread * p - rest)
    by_a = a * (digamma(k + a - 1) - digamma(a)) - (k - 1) * rest - (a * spread * slope - by_spread * p + rest)
    return by_mu, by_a


def _log_expm1_over(x: Floats) -> Floats:
    """Return ln((e^x - 1)/x), also near 0 and where e^x overflows."""
    safe = np.where(np.abs(x) < _SMALL, 1.0, np.minimum(x, _LARGE))
    middle = np.log(np.expm1(safe) / safe)
    near = x / 2 + x * x / 24 - x**4 / 2880
    far = x - np.log(np.maximum(x, _LARGE))
    return np.where(np.abs(x) < _SMALL, near, np.where(x > _LARGE, far, middle))


def _slope_of_log_expm1_over(x: Floats) -> Floats:
    """Return 1/(1 - e^-x) - 1/x."""
    safe = np.where(np.abs(x) < _SMALL, 1.0, x)
    # Beyond e^-700 there is nothing to add to 1.
    middle = -1 / np.expm1(-np.maximum(safe, -700.0)) - 1 / safe
    return np.where(np.abs(x) < _SMALL, 0.5 + x / 12 - x**3 / 720, middle)
