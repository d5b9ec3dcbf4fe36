"""Sampling weights: people who stand for different numbers of people.

Implements: SPEC page population.md, 8.6 (weights). If the columns determine the weight, a set has its own sampling
fraction; if they do not, its people come from strata with different fractions, and the overall fraction says more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from idbits.counts import Floats
from idbits.measures.population.sets import PeopleOfSets

__all__ = ["SetWeights", "determined_share", "people_outside"]


@dataclass(frozen=True, eq=False)
class SetWeights:
    """The sampling weights of the people in each set.

    Attributes:
        sums: the sum of the weights, set by set.
        squares: the sum of their squares.
        least: the smallest weight of a person.
        most: the largest.
    """

    sums: Floats
    squares: Floats
    least: float
    most: float

    @property
    def people(self) -> float:
        """The people in the population: the sum of all weights."""
        return math.fsum(self.sums)


def determined_share(weights: SetWeights, people: PeopleOfSets) -> float:
    """Share of the variance of weights that the columns determine, over people in sets of two and more.

    1 - (variance within sets)/(total variance); 0 if there are no such sets, 1 if all weights are equal.

    >>> import numpy as np
    >>> sums, squares = np.array([4.0, 12.0]), np.array([8.0, 72.0])
    >>> determined_share(SetWeights(sums, squares, 2.0, 6.0), np.array([2, 2]))
    1.0
    """
    if weights.least == weights.most:
        return 1.0
    several = people >= 2
    n = int(people[several].sum())
    if not n:
        return 0.0
    sums, squares = weights.sums[several], weights.squares[several]
    within = math.fsum(squares - sums * sums / people[several])
    total = math.fsum(squares) - math.fsum(sums) ** 2 / n
    return 1.0 if total <= 0 else min(1.0, max(0.0, 1 - within / total))


def people_outside(weights: SetWeights, people: PeopleOfSets, share: float) -> Floats:
    """Return g of each set: the people outside the sample for each person in it.

    share (mean weight - 1) + (1 - share)(N/n - 1), with the share of the variance that the columns determine.

    >>> import numpy as np
    >>> weights = SetWeights(np.array([4.0, 12.0]), np.array([8.0, 72.0]), 2.0, 6.0)
    >>> people_outside(weights, np.array([2, 2]), 0.5).tolist()
    [2.0, 4.0]
    """
    overall = weights.people / int(people.sum()) - 1
    return share * (weights.sums / people - 1) + (1 - share) * overall
