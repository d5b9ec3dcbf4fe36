"""Households: people who live together are found together.

Implements: SPEC page people.md, section 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from idbits.measures.quantiles import counted_quantiles

__all__ = ["household_risk", "risk_over_people"]


def household_risk(group_sizes: Iterable[int]) -> float:
    """Return the chance that a guess finds at least one member: 1 - product over members of (1 - 1/k).

    sdcMicro's household risk, without weights and with nulls as a value. Bounds: 1/k_min to 1.

    >>> household_risk([2, 2]), household_risk([1, 500])
    (0.75, 1.0)
    """
    return 1.0 - math.prod(1.0 - 1.0 / size for size in group_sizes)


def risk_over_people(households: Sequence[tuple[Sequence[int], int]]) -> tuple[float, float]:
    """Return the mean and the 95th percentile over people of the risk of their household.

    ``households`` are (group sizes of the members, number of such households).

    >>> risk_over_people([((2,), 2), ((1,), 1)])
    (0.6666666666666666, 0.95)
    """
    risks = [(household_risk(sizes), len(sizes) * number) for sizes, number in households]
    n_people = sum(people for _, people in risks)
    mean = math.fsum(risk * people for risk, people in risks) / n_people
    risks.sort()
    values, people = np.array([risk for risk, _ in risks]), np.array([people for _, people in risks], np.int64)
    (high,) = counted_quantiles(values, people, (0.95,))
    return min(mean, float(values[-1])), high
