"""The individual risk of Benedetti and Franconi (mu-Argus, sdcMicro), for comparison.

Implements: SPEC page population.md, 8.9. Its prior 1/F makes the probability that a sample unique is unique in the
population equal to f for everybody: it learns nothing from the table.
"""

from __future__ import annotations

import math

from scipy.special import hyp2f1

__all__ = ["individual_risk"]


def individual_risk(people: int, population: float) -> float:
    """E[1/F] given c people in the sample, if F - c is negative binomial with p = c / (estimated F).

    p^c/c 2F1(c, c; c+1; 1-p); for c = 1 it is p/(1-p) ln(1/p). Bounds: 0 to 1/c.

    >>> round(individual_risk(1, 84.5), 10), individual_risk(3, 3.0)
    (0.0531347489, 0.3333333333333333)
    """
    p = people / population
    if p >= 1:
        return 1 / people
    if people == 1:
        return p / (1 - p) * -math.log(p)
    return float(math.exp(people * math.log(p)) / people * hyp2f1(people, people, people + 1, 1 - p))
