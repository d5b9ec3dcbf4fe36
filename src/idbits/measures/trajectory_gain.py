"""CIG, RIG and PIF of trajectories: what someone learns about a point of a person from all the others.

Implements: SPEC section 3; S3 IV.C with S3 III.D to III.H. A person is a row, and each of their points is a cell. The
prior is that of drawing a person and then one of their points; the posterior is the same among people who have all
other points of the person. So a person with a single point, of whom nothing else is known, has no gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.companions import Companions

__all__ = ["mean_interval", "point_gains", "trajectory_gains"]

_NORMAL_95 = 1.959963984540054


def trajectory_gains(companions: Companions, people: Iterable[int]) -> list[float]:
    """Return RIG, the sum of CIG over all points, of some people."""
    of_one_known: dict[int, float] = {}
    return [math.fsum(point_gains(companions, person, of_one_known)) for person in people]


def point_gains(companions: Companions, person: int, of_one_known: dict[int, float] | None = None) -> list[float]:
    """Return the CIG of each point of a person, in the order of the points; ``of_one_known`` caches results.

    CIG = sum over points y of p(y) log2(p(y) / q(y)), p the posterior and q the prior. Bounds: >= 0.
    """
    points = companions.points(person)
    if len(points) == 1:
        return [0.0]
    if len(points) == 2:
        kept = of_one_known if of_one_known is not None else {}
        return [_beside_one(companions, point, kept) for point in points[::-1].tolist()]
    people, missing = companions.all_but_one(person)
    simple = (companions.lengths[people] == len(points)) & (missing < 0)
    gains = []
    for index, point in enumerate(points.tolist()):
        here = (missing < 0) | (missing == index)
        if simple[here].all():
            # Nobody else has the other points: the posterior is certain.
            gains.append(-math.log2(companions.prior[point]))
            continue
        gains.append(_gain(companions, *companions.further(people[here], np.delete(points, index))))
    return gains


def _beside_one(companions: Companions, known: int, kept: dict[int, float]) -> float:
    if known not in kept:
        people = companions.holders(known).astype(np.int64)
        kept[known] = _gain(companions, *companions.further(people, np.array([known], np.uint32)))
    return kept[known]


def _gain(companions: Companions, points: NDArray[np.uint32], posterior: NDArray[np.float64]) -> float:
    terms = posterior * np.log2(posterior / companions.prior[points])
    return max(0.0, math.fsum(terms.tolist()))


def mean_interval(numbers: list[float], n_all: int) -> tuple[float, float]:
    """Return a 95% interval of the mean over everyone, from a sample drawn without replacement.

    >>> [round(end, 3) for end in mean_interval([1.0, 2.0, 3.0, 2.0], 1000)]
    [1.201, 2.799]
    """
    n = len(numbers)
    mean = math.fsum(numbers) / n
    spread = math.fsum((number - mean) ** 2 for number in numbers) / max(1, n - 1)
    half = _NORMAL_95 * math.sqrt(spread / n * (1 - n / n_all))
    return max(0.0, mean - half), mean + half
