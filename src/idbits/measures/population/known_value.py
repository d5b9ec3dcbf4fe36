"""A single value whose probability is known: is somebody who has it unique among N people?

Implements: SPEC page population.md, 8.2. Rocher, Hendrickx and de Montjoye 2019.
"""

from __future__ import annotations

import math

__all__ = ["correctness_of_value", "uniqueness_of_value"]


def uniqueness_of_value(probability: float, people: float) -> float:
    """Probability that nobody else of ``people`` has the value: (1-p)^(N-1).

    >>> round(uniqueness_of_value(4.4e-5, 1_000), 3)
    0.957
    """
    return math.exp((people - 1) * math.log1p(-probability)) if probability < 1 else float(people <= 1)


def correctness_of_value(probability: float, people: float) -> float:
    """Mean of 1/F for somebody who has the value: (1 - (1-p)^N)/(N p).

    >>> round(correctness_of_value(4.4e-5, 1_000), 3)
    0.978
    """
    if probability >= 1:
        return 1 / people
    return -math.expm1(people * math.log1p(-probability)) / (people * probability)
