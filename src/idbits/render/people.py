"""Numbers of people as one says them: about 8.9 million, as many as live in a large city."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["LANDMARKS", "about", "as_many_as", "fold", "one_in"]

LANDMARKS = (
    (1, "just you"),
    (5, "a family"),
    (50, "a bus"),
    (500, "a school"),
    (5_000, "a village"),
    (50_000, "a stadium"),
    (500_000, "a city"),
    (5_000_000, "a metropolis"),
    (50_000_000, "a country"),
    (500_000_000, "a continent"),
)
"""Sizes that people know, each up to about three times as many."""


def about(people: float, rounded: Callable[[float], int] = math.floor) -> str:
    """Return a number of people with the digits that one would say; never more people than there are.

    A bound from above is rounded up, ``math.ceil``, and a number of those at risk to what is nearest, ``round``.

    >>> about(17_811_291), about(412_345), about(9_876.4), about(2.4), about(0.3)
    ('17.8 million', '412,000', '9,870', '2', 'fewer than 1')
    >>> about(412_345, math.ceil), about(29.2, math.ceil), about(95.7, round)
    ('413,000', '30', '96')
    """
    if people < 1:
        return "fewer than 1"
    if people >= 1e9:
        return f"{rounded(people / 1e7) / 100:,.2f} billion"
    if people >= 1e6:
        return f"{rounded(people / 1e5) / 10:,.1f} million"
    digits = 10 ** max(0, math.floor(math.log10(people)) - 2)
    return f"{rounded(people / digits) * digits:,}"


def as_many_as(people: float) -> str:
    """Return what holds about as many people.

    >>> as_many_as(34_000), as_many_as(0.2), as_many_as(1.4)
    ('a stadium', 'just you', 'just you')
    """
    if people < 2:
        return LANDMARKS[0][1]
    return min(LANDMARKS[1:], key=lambda mark: abs(math.log(mark[0]) - math.log(people)))[1]


def fold(times: float) -> str:
    """Return how many times as many, in the digits that one would say.

    >>> fold(1.26), fold(2.004), fold(9.94), fold(9.99), fold(87.9), fold(50_000.2)
    ('1.3', '2', '9.9', '10', '87', '50,000')
    """
    return about(times) if times >= 10 else f"{times:.1f}".removesuffix(".0")


def one_in(bits: float) -> str:
    """Return what some bits leave of a crowd, in words.

    >>> one_in(1.0), one_in(11.3), one_in(0.2)
    ('1 in 2', '1 in 2,520', '9 in 10')
    """
    times = 2.0**bits
    if times < 1.05:
        return "nearly all"
    if times < 1.9:
        return f"{min(9, round(10 / times))} in 10"
    return f"1 in {fold(times)}"
