"""Seeded draws of k people, for figures that cannot be computed exactly.

Implements: SPEC section 5 (simulation with an interval).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.distribution import Distribution

__all__ = [
    "Estimate", "mean_estimate", "n_draws", "share_estimate", "simulated_sets", "simulated_singletons",
    "variance_estimate",
]  # fmt: skip

Integers = NDArray[np.int64]

_NORMAL_95 = 1.959963984540054
_CELLS_AT_ONCE = 4_000_000
_MOST_PEOPLE_DRAWN = 30_000_000
_FEW_VALUES = 20
_MANY_PEOPLE = 2_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """The result of a simulation: a value with its 95% interval, and the number of draws."""

    value: float
    low: float
    high: float
    draws: int


def n_draws(k: int, most: int = 10_000) -> int:
    """Return how often k people can be drawn within seconds; at least 100."""
    return max(100, min(most, _MOST_PEOPLE_DRAWN // max(1, k)))


def simulated_singletons(
    source: Distribution | Callable[[np.random.Generator, tuple[int, int]], Integers], k: int, draws: int, seed: int
) -> Integers:
    """Return the number of unique people in each draw of k people.

    ``source`` is a distribution, or a function that draws an array of values (as whole numbers) of a shape.

    >>> simulated_singletons(Distribution.uniform(2), 2, 4, seed=0).tolist()
    [0, 0, 2, 2]
    """
    random = np.random.default_rng(seed)
    if isinstance(source, Distribution):
        draw = _drawer(source)
        if k >= _MANY_PEOPLE and source.n_occurring <= _FEW_VALUES * k:
            # For many people and few values, counting is faster than sorting.
            return np.array([_counted_once(draw(random, (1, k))[0]) for _ in range(draws)], dtype=np.int64)
    else:
        draw = source
    step = max(1, _CELLS_AT_ONCE // k)
    counts = [_unique(draw(random, (min(step, draws - start), k))) for start in range(0, draws, step)]
    return np.concatenate(counts)


def simulated_sets(
    draw: Callable[[np.random.Generator, tuple[int, int]], Integers], k: int, draws: int, seed: int, largest: int
) -> Integers:
    """Return the number of sets of 1, 2, ... ``largest`` people, one row per size, in each draw of k people.

    >>> simulated_sets(lambda random, shape: random.integers(0, 2, shape), 2, 4, seed=0, largest=2).tolist()
    [[0, 2, 0, 0], [1, 0, 1, 1]]
    """
    random = np.random.default_rng(seed)
    step = max(1, _CELLS_AT_ONCE // k)
    parts = []
    for start in range(0, draws, step):
        values = draw(random, (min(step, draws - start), k))
        parts.append(np.stack([_sets(values, size) for size in range(1, largest + 1)]))
    return np.concatenate(parts, axis=1)


def _drawer(distribution: Distribution) -> Callable[[np.random.Generator, tuple[int, int]], Integers]:
    """Return a function that draws values: first a probability, then one of the values that have it."""
    shares = distribution.multiplicities * distribution.probabilities
    ends = np.cumsum(shares)
    ends /= ends[-1]
    sizes = distribution.multiplicities.astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> Integers:
        groups = np.searchsorted(ends, random.random(shape), side="right")
        return np.asarray(starts[groups] + random.integers(0, sizes[groups]), dtype=np.int64)

    return draw


def _counted_once(values: Integers) -> int:
    return int((np.bincount(values) == 1).sum())


def _unique(values: Integers) -> Integers:
    """Count the values of each sorted row that differ from both neighbours."""
    return _sets(values, 1)


def _sets(values: Integers, size: int) -> Integers:
    """Count the values of each row that occur exactly ``size`` times."""
    ordered = np.sort(values, axis=1)
    edge = np.ones((len(ordered), 1), dtype=bool)
    begins = np.concatenate([edge, ordered[:, 1:] != ordered[:, :-1], edge], axis=1)
    people = ordered.shape[1]
    if size > people:
        return np.zeros(len(ordered), dtype=np.int64)
    is_set = begins[:, : people - size + 1] & begins[:, size:]
    for index in range(1, size):
        is_set = is_set & ~begins[:, index : people - size + 1 + index]
    return np.asarray(is_set.sum(axis=1), dtype=np.int64)


def mean_estimate(counts: Integers, most: int) -> Estimate:
    """Return the mean of draws with its interval; each draw is between 0 and ``most``.

    If all draws are equal, the interval allows for what this many draws can miss.

    >>> mean_estimate(np.full(1000, 7), 10).low < 7
    True
    """
    mean, draws = float(counts.mean()), len(counts)
    half = _NORMAL_95 * float(counts.std(ddof=1)) / math.sqrt(draws)
    if half == 0:
        missed = share_estimate(0, draws).high
        return Estimate(mean, mean * (1 - missed), mean + (most - mean) * missed, draws)
    return Estimate(mean, max(0.0, mean - half), min(float(most), mean + half), draws)


def variance_estimate(counts: Integers) -> Estimate:
    """Return the variance of draws; its interval comes from the fourth moment."""
    spread = float(counts.var(ddof=1))
    if spread == 0:
        size = float(counts.max())
        return Estimate(0.0, 0.0, share_estimate(0, len(counts)).high * size * size, len(counts))
    fourth = float(np.mean((counts - counts.mean()) ** 4))
    half = _NORMAL_95 * math.sqrt(max(0.0, fourth - spread**2) / len(counts))
    return Estimate(spread, max(0.0, spread - half), spread + half, len(counts))


def share_estimate(hits: int, draws: int) -> Estimate:
    """Return a chance with its interval (Wilson), which is also valid for 0 hits.

    >>> share_estimate(0, 100).high < 0.04
    True
    """
    z2 = _NORMAL_95**2
    share = hits / draws
    middle = (share + z2 / (2 * draws)) / (1 + z2 / draws)
    half = _NORMAL_95 / (1 + z2 / draws) * math.sqrt(share * (1 - share) / draws + z2 / (4 * draws**2))
    return Estimate(share, max(0.0, middle - half) if hits else 0.0, min(1.0, middle + half), draws)
