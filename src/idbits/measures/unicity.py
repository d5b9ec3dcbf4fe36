"""Unicity: how far some points of a person single them out.

Implements: SPEC section 3 (trajectories). Each person counts the same, and so does each choice of a person's points.
The sums are rounded once, so the same counts give the same digits, whoever has counted them in whatever order.
"""

from __future__ import annotations

import math
from itertools import chain, repeat

from idbits.kernels.points import Matches

__all__ = ["bits_of_points", "hidden_bits", "share_interval", "unicity"]

_STEPS = 60


def unicity(matches: Matches) -> float:
    """The mean over people of the share of their choices that nobody else has. Bounds: 0 to 1.

    >>> unicity(Matches(2, {(2, 1): 1, (2, 2): 1, (1, 2): 1}, n_points=1))
    0.25
    """
    if matches.draws is not None:
        return matches.unique_choices / matches.draws
    if matches.n_points is None:
        return matches.unique_choices / matches.people
    alone = ((length, number) for (length, people), number in matches.choices.items() if people == 1)
    return math.fsum(number / math.comb(length, matches.n_points) for length, number in alone) / matches.people


def hidden_bits(matches: Matches) -> float:
    """The mean of log2 k, k being how many people have the points, the person among them. Bounds: >= 0.

    >>> hidden_bits(Matches(3, {(0, 1): 1, (0, 2): 1}, n_points=None)) == 2 / 3
    True
    """
    choices = [(length, people, number) for (length, people), number in matches.choices.items()]
    if matches.draws is not None:
        drawn = chain.from_iterable(repeat(math.log2(people), number) for _, people, number in choices)
        return math.fsum(drawn) / matches.draws
    if matches.n_points is None:
        return math.fsum(people * math.log2(people) * number for _, people, number in choices) / matches.people
    every = (number * math.log2(people) / math.comb(length, matches.n_points) for length, people, number in choices)
    return math.fsum(every) / matches.people


def bits_of_points(matches: Matches, n_people: int) -> float:
    """What the points say about who it is: log2 N less the hidden bits. Bounds: 0 to log2 N.

    >>> bits_of_points(Matches(4, {(0, 2): 2}, n_points=None), 4)
    1.0
    """
    return max(0.0, math.log2(n_people) - hidden_bits(matches))


def share_interval(successes: int, draws: int, level: float = 0.95) -> tuple[float, float]:
    """Interval that holds the true share with at least the probability ``level`` (Clopper and Pearson 1934).

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
