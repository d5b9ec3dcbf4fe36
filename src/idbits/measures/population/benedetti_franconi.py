"""The individual risk of Benedetti and Franconi (mu-Argus, sdcMicro), for comparison.

Implements: SPEC page population.md, 8.9. Its prior 1/F makes the probability that a sample unique is unique in the
population equal to f for everybody: it learns nothing from the table.
"""

from __future__ import annotations

import math

from scipy.special import hyp2f1

__all__ = ["individual_risk"]

_LARGE = 30
_TERMS = 40


def individual_risk(people: int, population: float) -> float:
    """E[1/F] given c people in the sample, if F - c is negative binomial with p = c / (estimated F).

    p^c/c 2F1(c, c; c+1; 1-p) = p/c 2F1(1, 1; c+1; 1-p); for c = 1 it is p/(1-p) ln(1/p). Bounds: 0 to 1/c.

    >>> round(individual_risk(1, 84.5), 10), individual_risk(3, 3.0)
    (0.0531347489, 0.3333333333333333)
    """
    p = people / population
    if p >= 1:
        return 1 / people
    if people == 1:
        return p / (1 - p) * -math.log(p)
    if people <= _LARGE:
        return float(p / people * hyp2f1(1, 1, people + 1, 1 - p))
    # scipy's function overflows here; the terms of its series are at most 1/C(c+k, k), which vanish quickly.
    terms = [1.0]
    for k in range(1, _TERMS):
        terms.append(terms[-1] * k / (people + k) * (1 - p))
    return p / people * math.fsum(terms)
