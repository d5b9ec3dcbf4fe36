"""The group size with the most unique people for its cost.

Implements: SPEC section 5 (the best group size under a cost per group); S2 example 5.6.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from idbits.measures.distribution import Distribution
from idbits.measures.singletons import unique_share

__all__ = ["best_group_size", "gain_from_kappa", "gain_per_person", "nearly_best_group_size"]

_DENSE = 2_000
_STEPS_PER_OCTAVE = 64


def gain_per_person(distribution: Distribution, cost: float, k: int) -> float:
    """Unique people per person minus the cost of the group per person: sum p (1-p)^(k-1) - C/k.

    Implements: S2 example 5.6, with the exact mean instead of exp(-k/N).

    >>> round(gain_per_person(Distribution.uniform(95), 10, 37), 4)
    0.4129
    """
    return unique_share(distribution, k) - cost / k


def gain_from_kappa(n_values: int, kappa_nats: float, cost: float, k: int) -> float:
    """e^-a (1 + a (a - 2) kappa) - C/k, with a = k/N. Implements: S2 example 5.6.

    >>> round(gain_from_kappa(95, 0.0, 10, 38), 4)
    0.4072
    """
    a = k / n_values
    return math.exp(-a) * (1 + a * (a - 2) * kappa_nats) - cost / k


def best_group_size(gain: Callable[[int], float], largest: int) -> tuple[int, float] | None:
    """Return the group size with the highest gain and that gain; None if no group is worth its cost.

    Tries every size up to 2,000, then 64 per octave and all sizes around the best of those.

    >>> best_group_size(lambda k: gain_from_kappa(95, 0.0, 10, k), 10_000)[0]
    38
    """
    sizes = _sizes(largest)
    gains = [gain(k) for k in sizes]
    index = max(range(len(sizes)), key=gains.__getitem__)
    low, high = sizes[max(0, index - 1)], sizes[min(len(sizes) - 1, index + 1)]
    while high - low > _DENSE:
        third = (high - low) // 3
        if gain(low + third) < gain(high - third):
            low += third
        else:
            high -= third
    best = max(range(low, high + 1), key=gain)
    best_gain = gain(best)
    return (best, best_gain) if best_gain > 0 else None


def nearly_best_group_size(distribution: Distribution, cost: float, largest: int) -> int | None:
    """Return the best group size to about 1%, fast enough for many distributions; None if none is worth its cost.

    >>> nearly_best_group_size(Distribution.uniform(95), 10, 10_000)
    37
    """
    sizes = np.array(_sizes(largest), dtype=np.float64)
    gains = -cost / sizes
    for p, many in zip(distribution.probabilities.tolist(), distribution.multiplicities.tolist(), strict=True):
        gains += many * p * (np.exp((sizes - 1) * np.log1p(-p)) if p < 1 else sizes == 1)
    index = int(np.argmax(gains))
    return int(sizes[index]) if gains[index] > 0 else None


def _sizes(largest: int) -> list[int]:
    """Return the sizes to try first: every one up to 2,000, then 64 per octave."""
    sizes = list(range(1, min(_DENSE, largest) + 1))
    size = float(_DENSE)
    while size < largest:
        size *= 2 ** (1 / _STEPS_PER_OCTAVE)
        sizes.append(min(largest, round(size)))
    return sizes
