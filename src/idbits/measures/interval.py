"""An interval for a share that was estimated from independent draws."""

from __future__ import annotations

import math

__all__ = ["share_interval"]

_STEPS = 60


def share_interval(successes: int, draws: int, level: float = 0.95) -> tuple[float, float]:
    """Interval that contains the true share with at least the probability ``level`` (Clopper and Pearson 1934).

    Its ends are the shares for which as many successes or more, or as few or less, have the probability
    (1 - level) / 2. Bounds: 0 <= low <= successes / draws <= high <= 1.
    Implements: SPEC section 3 (confidence interval of sampled unicity).

    >>> [round(end, 4) for end in share_interval(7, 10)]
    [0.3475, 0.9333]
    """
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else _solved(draws - successes, draws, tail)
    high = 1.0 if successes == draws else 1.0 - _solved(successes, draws, tail)
    return low, high


def _solved(failures: int, draws: int, tail: float) -> float:
    """Return the share p at which at most ``failures`` of the draws fail with probability ``tail``."""
    low, high = 0.0, 1.0
    coefficients = _log_binomials(draws, failures)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        fails, succeeds = math.log1p(-middle), math.log(middle)
        chance = math.fsum(
            math.exp(coefficient + index * fails + (draws - index) * succeeds)
            for index, coefficient in enumerate(coefficients)
        )
        low, high = (middle, high) if chance < tail else (low, middle)
    return (low + high) / 2


def _log_binomials(draws: int, most: int) -> list[float]:
    whole = math.lgamma(draws + 1)
    return [whole - math.lgamma(index + 1) - math.lgamma(draws - index + 1) for index in range(most + 1)]
