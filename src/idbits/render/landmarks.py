"""Familiar places with about as many people."""

from __future__ import annotations

__all__ = ["LANDMARKS", "as_many_as"]

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
"""Familiar sizes, each for up to about three times as many people."""


def as_many_as(people: float) -> str:
    """Return a familiar place with about as many people.

    >>> as_many_as(34_000), as_many_as(0.2), as_many_as(1.4)
    ('a stadium', 'just you', 'just you')
    """
    if people < 2:
        return LANDMARKS[0][1]
    return min(LANDMARKS[1:], key=lambda mark: max(mark[0] / people, people / mark[0]))[1]
