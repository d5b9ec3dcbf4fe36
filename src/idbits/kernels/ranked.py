"""People ranked by a number of their row: the number at a position, and how many people are above a level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers

__all__ = ["RankedRows", "largest_share", "people_with_share"]

Floats = NDArray[np.float64]

_BLOCK = 1 << 17
_LARGE = 1024
_PART = 16


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """Rows by a non-negative number, ascending, in parts: one per frequent number of people, and one for the rest.

    Nearly all rows have one of a few numbers of people, and plain sorts take a fraction of the time of an argsort.

    Attributes:
        parts: numbers, and the people of each row or, if they differ, the cumulative people up to each row.
    """

    parts: tuple[tuple[Floats, int | Integers], ...]
    n_people: int

    @classmethod
    def of(cls, numbers: Floats, people: Integers | None) -> RankedRows:
        """Sort rows; without ``people`` each is one person.

        >>> RankedRows.of(np.array([3.0, 1.0]), np.array([1, 5])).n_people
        6
        """
        if people is None:
            return cls(((np.sort(numbers), 1),), len(numbers))
        parts: list[tuple[Floats, int | Integers]] = []
        others = np.ones(len(people), np.bool_)
        for frequent in _frequent_numbers(people):
            here = people == frequent
            others &= ~here
            alike = numbers[here]
            alike.sort()
            parts.append((alike, frequent))
        rest, counts = numbers[others], people[others]
        if len(rest):
            order = np.argsort(rest, kind="stable")
            parts.append((rest[order], np.cumsum(counts[order])))
        return cls(tuple(parts), int(people.sum()))

    def at(self, positions: Sequence[int]) -> list[float]:
        """Return the numbers of the people at these positions (from 0) of the ranking.

        >>> RankedRows.of(np.array([3.0, 1.0]), np.array([1, 5])).at([0, 4, 5])
        [1.0, 1.0, 3.0]
        """
        return [self._at(position) for position in positions]

    def _at(self, position: int) -> float:
        # Non-negative floats have the same order as their bits, so bisect on the bits.
        first, last = 0, max(int(numbers[-1:].view(np.int64)[0]) for numbers, _ in self.parts)
        while first < last:
            middle = (first + last) // 2
            level = float(np.array([middle], np.int64).view(np.float64)[0])
            if self.n_people - self.people_above([level])[0] > position:
                last = middle
            else:
                first = middle + 1
        return float(np.array([first], np.int64).view(np.float64)[0])

    def people_above(self, levels: Sequence[float]) -> list[int]:
        """Return how many people have a number above each level.

        >>> RankedRows.of(np.array([3.0, 1.0]), np.array([1, 5])).people_above([0.0, 1.0])
        [6, 1]
        """
        wanted = np.array(levels)
        below = np.zeros(len(wanted), np.int64)
        for numbers, people in self.parts:
            ends = np.searchsorted(numbers, wanted, side="right")
            below += ends * people if isinstance(people, int) else np.where(ends > 0, people[ends - 1], 0)
        return (self.n_people - below).tolist()


def _frequent_numbers(people: Integers) -> list[int]:
    """Return the numbers of people that at least a sixteenth of the rows have."""
    small = np.bincount(np.minimum(people, _LARGE))[:_LARGE]
    return np.flatnonzero(small > len(people) // _PART).tolist()


def largest_share(numbers: Floats, people: Integers | None) -> float:
    """Return the largest number of a row divided by its people.

    >>> largest_share(np.array([6.0, 10.0]), np.array([1, 2]))
    6.0
    """
    return max(float(shares.max()) for shares, _ in _shares(numbers, people))


def people_with_share(numbers: Floats, people: Integers | None, least: Sequence[float]) -> list[int]:
    """Return how many people are in rows whose number divided by their people is at least each of these.

    >>> people_with_share(np.array([6.0, 10.0]), np.array([1, 2]), [6.0, 5.0])
    [1, 3]
    """
    totals = [0] * len(least)
    for shares, counts in _shares(numbers, people):
        for index, level in enumerate(least):
            reached = shares >= level
            totals[index] += int(np.count_nonzero(reached)) if counts is None else int(counts[reached].sum())
    return totals


def _shares(numbers: Floats, people: Integers | None) -> Iterator[tuple[Floats, Integers | None]]:
    """Yield number / people and the people of the rows, block by block."""
    for start in range(0, len(numbers), _BLOCK):
        block = numbers[start : start + _BLOCK]
        counts = people[start : start + _BLOCK] if people is not None else None
        yield (block if counts is None else block / counts), counts
