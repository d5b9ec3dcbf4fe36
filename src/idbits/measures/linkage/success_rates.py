"""How often an attack succeeds, and what remains after the success that needs no memory of the people.

Implements: SPEC link 4; Wilson, "Probable inference" (1927); the residual risk of Giomi et al., "A unified framework
for quantifying privacy risk in synthetic data" (2023), section 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Rate", "Risk", "residual_rate", "success_rate"]

_Z = 1.959963984540054
"""The 97.5% quantile of the standard normal distribution: intervals have 95%."""


@dataclass(frozen=True, slots=True)
class Risk:
    """A rate with its 95% interval, both between 0 and 1."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate and its error, which may reach beyond 0 and 1."""

    value: float
    error: float

    def bounded(self) -> Risk:
        """Return the rate and its interval, cut to what is possible.

        >>> Rate(-0.1, 0.2).bounded()
        Risk(value=0.0, low=0.0, high=0.1)
        """
        return Risk(_cut(self.value), _cut(self.value - self.error), _cut(self.value + self.error))


def success_rate(successes: float, attacks: int) -> Rate:
    """Return Wilson's estimate: (s + z^2/2) / (n + z^2), with the error z/(n + z^2) sqrt(s (n - s)/n + z^2/4).

    Ties make the number of successes an expectation, so it need not be whole.

    >>> rate = success_rate(850, 1000)
    >>> round(rate.value, 3), round(rate.error, 3)
    (0.849, 0.022)
    """
    square = _Z * _Z
    total = attacks + square
    error = _Z / total * math.sqrt(successes * (attacks - successes) / attacks + square / 4)
    return Rate((successes + square / 2) / total, error)


def residual_rate(attack: Rate, control: Rate) -> Rate | None:
    """Return (r_O - r_C)/(1 - r_C): success on original people beyond that on people whom the release never saw.

    The error is propagated; None if the attack always succeeds on the control.

    >>> residual = residual_rate(Rate(0.9, 0.02), Rate(0.85, 0.02))
    >>> round(residual.value, 3), round(residual.error, 3)
    (0.333, 0.16)
    """
    margin = 1 - control.value
    if margin <= 0:
        return None
    error = math.hypot(attack.error / margin, control.error * (attack.value - 1) / margin**2)
    return Rate((attack.value - control.value) / margin, error)


def _cut(value: float) -> float:
    return min(max(value, 0.0), 1.0)
