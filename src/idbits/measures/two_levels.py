"""Distributions that share one kappa: what kappa alone leaves open.

Implements: SPEC section 5 (where an approximation stops being trusted). Kappa says how far a distribution is from
equally likely values, not how: one value may be much likelier than the others, or half of them a little. A figure that
differs between such distributions cannot be known from kappa.
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


@lru_cache(maxsize=64)
def two_level_distributions(n_values: int, kappa_nats: float) -> tuple[Distribution, ...]:
    """Return distributions with this kappa in which m values share one probability and the others another.

    m goes from 1 (one outlier) over a few (some likely values) to all but one, and the m values are likelier or less
    likely than the rest, up to values that never occur. Under a fixed kappa, sums over the values take their extremes
    at distributions with two or three different probabilities, so these span nearly all that kappa leaves open.

    >>> found = two_level_distributions(95, 0.0914)
    >>> len(found) > 20, all(abs(one.kappa_nats - 0.0914) < 1e-9 for one in found)
    (True, True)
    """
    if n_values < 2 or kappa_nats <= 0:
        return ()
    spaced = np.exp(np.linspace(0, math.log(n_values - 1), _GROUPS)).tolist() if n_values > 2 else [1.0]
    never = n_values * -math.expm1(-kappa_nats)
    wanted = {int(size) for near in (*spaced, never) for size in (math.floor(near), math.ceil(near), n_values - near)}
    found = []
    for m in sorted(size for size in wanted if 1 <= size < n_values):
        for mass in _masses(m / n_values, kappa_nats):
            levels = np.array([mass / m, (1 - mass) / (n_values - m)])
            sizes = np.array([float(m), float(n_values - m)])
            order = np.argsort(levels)
            levels, sizes = levels[order], sizes[order]
            kept = levels > 0
            if len(set(levels.tolist())) == 2:
                found.append(Distribution(levels[kept], sizes[kept], n_values))
    return tuple(found)


def _masses(share: float, kappa_nats: float) -> list[float]:
    """Return the chances of a group with this share of the values: above it, and below it where that can be."""
    found = []
    for end in (1.0, 0.0):
        if _distance(end, share) < kappa_nats:
            continue
        near, far = share, end
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if _distance(middle, share) < kappa_nats else (near, middle)
        found.append((near + far) / 2)
    return found


def _distance(mass: float, share: float) -> float:
    """Return the KL distance of (mass, 1 - mass) to (share, 1 - share), nats."""
    parts = ((mass, share), (1 - mass, 1 - share))
    return math.fsum(part * math.log(part / even) for part, even in parts if part > 0)
