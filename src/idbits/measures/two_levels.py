"""Distributions with the same kappa: the range of figures that kappa alone allows.

Implements: SPEC section 5 (when an approximation cannot be trusted). Kappa measures how far a distribution is from
equally likely values, but not in what way: one value may be much likelier than the others, or half of them a little. A
figure that differs between such distributions cannot be determined from kappa.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from idbits.measures.distribution import Distribution

__all__ = ["two_level_distributions"]

Floats = NDArray[np.float64]

_GROUPS = 24
_HALVINGS = 100
_ROUNDING = 1e-14


@lru_cache(maxsize=64)
def two_level_distributions(n_values: int, kappa_nats: float) -> tuple[Distribution, ...]:
    """Return distributions with this kappa in which m values share one probability and the others another.

    m runs from 1 (one outlier) through a few (some likely values) to half of them, and the m values are likelier or
    less likely than the rest. The same is repeated for distributions in which as many values as kappa allows never
    occur. For a fixed kappa, sums over the values take their extremes at distributions with two or three different
    probabilities, so these cover nearly the whole range.

    >>> distributions = two_level_distributions(95, 0.0914)
    >>> len(distributions) > 20, all(abs(each.kappa_nats - 0.0914) < 1e-9 for each in distributions)
    (True, True)
    """
    if n_values < 2 or kappa_nats <= 0:
        return ()
    distributions = _two_levels(n_values, kappa_nats, n_values)
    # Values that never occur use up ln(N / the others) of kappa; the rest makes the others uneven.
    never = min(n_values - 1, math.floor(n_values * -math.expm1(-kappa_nats)))
    if never:
        left = kappa_nats + math.log1p(-never / n_values)
        distributions += _two_levels(n_values - never, max(0.0, left), n_values)
    return tuple(distributions)


def _two_levels(n_occurring: int, kappa_nats: float, n_values: int) -> list[Distribution]:
    """Return distributions over some of the values, at this distance from uniform on them."""
    if kappa_nats < _ROUNDING or n_occurring < 2:
        return [Distribution(np.array([1.0 / n_occurring]), np.array([float(n_occurring)]), n_values)]
    spaced = np.exp(np.linspace(0, math.log(n_occurring / 2), _GROUPS)).tolist()
    distributions = []
    for m in sorted(
        {size for near in spaced for size in (math.floor(near), math.ceil(near)) if 2 * size <= n_occurring}
    ):
        for mass in _masses(m / n_occurring, kappa_nats):
            levels = np.array([mass / m, (1 - mass) / (n_occurring - m)])
            sizes = np.array([float(m), float(n_occurring - m)])
            order = np.argsort(levels)
            kept = order[levels[order] > 0]
            distributions.append(Distribution(levels[kept], sizes[kept], n_values))
    return distributions


def _masses(share: float, kappa_nats: float) -> list[float]:
    """Return the chances of a group with this share of the values: one above the share and, if possible, one below."""
    masses = []
    for end in (1.0, 0.0):
        if _distance(end, share) < kappa_nats:
            continue
        near, far = share, end
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if _distance(middle, share) < kappa_nats else (near, middle)
        masses.append((near + far) / 2)
    return masses


def _distance(mass: float, share: float) -> float:
    """Return the KL distance of (mass, 1 - mass) to (share, 1 - share), nats."""
    parts = ((mass, share), (1 - mass, 1 - share))
    return math.fsum(part * math.log(part / even) for part, even in parts if part > 0)
