"""S4's figures for a release and its original: degree of anonymity, amplification, r1, implied epsilon.

Implements: SPEC section 7; S4 (Odoh) equations 3 and 4, sections IV.B, IV.D and IV.E.
They compare how irregular two series are. They detect neither a copy nor a relabelling, and gamma, r1 and epsilon all
grow when, according to S4, risk falls.
"""

from __future__ import annotations

import math

__all__ = ["amplification", "ceiling", "degree_of_anonymity", "implied_epsilon", "information_coefficient", "saturated"]

SATURATION = 0.005


def degree_of_anonymity(entropy_bits: float, length: int) -> float:
    """Permutation entropy over the logarithm of the length: d = H / log2 m.

    Implements: S4 (4). Bounds: 0 (one pattern only) to ``ceiling``, which is below 1. At least two rows.

    >>> round(degree_of_anonymity(13.2861, 10_000), 4)
    0.9999
    """
    return entropy_bits / math.log2(length)


def ceiling(windows: int, length: int) -> float:
    """The largest possible degree: log2(m - n + 1) / log2 m, reached when no two windows have the same pattern.

    >>> round(ceiling(944 - 11 + 1, 944), 4)
    0.9984
    """
    return math.log2(windows) / math.log2(length)


def saturated(rho: float, most: float) -> bool:
    """Return whether a degree is within 0.5% of its ceiling, where it is the same for all data.

    >>> saturated(0.998, 0.9984), saturated(0.5, 0.9984)
    (True, False)
    """
    return rho >= (1 - SATURATION) * most


def amplification(rho1: float, rho2: float) -> float:
    """Amplification gamma = (rho2 / rho1) ((1 - rho1) / (1 - rho2)): the odds of rho2 over those of rho1.

    Implements: S4 (3), as an equality. Equal degrees give 1, even if both are 0 or 1.
    Bounds: 0 (rho2 = 0 or rho1 = 1) to infinity (rho1 = 0 or rho2 = 1).

    >>> amplification(0.5, 0.75), amplification(0.0, 0.5), amplification(0.5, 0.0), amplification(1.0, 1.0)
    (3.0, inf, 0.0, 1.0)
    """
    if rho1 == rho2:
        return 1.0
    if rho1 <= 0 or rho2 >= 1:
        return math.inf
    if rho2 <= 0 or rho1 >= 1:
        return 0.0
    return (rho2 / rho1) * ((1 - rho1) / (1 - rho2))


def information_coefficient(gamma: float) -> float:
    """r1 = sqrt(1 - exp(-2 gamma)): gamma scaled to between 0 and 1. Implements: S4 IV.D.

    >>> information_coefficient(0.0), information_coefficient(math.inf), round(information_coefficient(1.0), 4)
    (0.0, 1.0, 0.9299)
    """
    return math.sqrt(-math.expm1(-2 * gamma))


def implied_epsilon(gamma: float) -> float:
    """The lower bound ln gamma of epsilon, in nats. Implements: S4 IV.E. Bounds: -infinity to infinity.

    >>> implied_epsilon(1.0), implied_epsilon(0.0), implied_epsilon(math.inf)
    (0.0, -inf, inf)
    """
    return math.log(gamma) if gamma > 0 else -math.inf
