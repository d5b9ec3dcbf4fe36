"""Unicity: how often some points single a person out, for a grid of coarser times and attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from idbits.engines.backends.points import Points
from idbits.errors import InputError
from idbits.kernels.points import Matches
from idbits.measures.unicity import bits_of_points, share_interval, unicity
from idbits.studies.events.result import Unicity
from idbits.values.days import TIME_STEPS

__all__ = ["NamedPoints", "UnicityGrid", "parse_points"]

_MOST_POINTS = 100
Known = int | str
"""The number of points that someone knows, or ``"all"``."""


def parse_points(points: str | int | Sequence[int | str] | None) -> tuple[Known, ...]:
    """Read the numbers of points.

    >>> parse_points("1..3,5,all")
    (1, 2, 3, 5, 'all')
    """
    if points is None:
        return ()
    words = points.split(",") if isinstance(points, str) else [points] if isinstance(points, int) else list(points)
    numbers: set[int] = set()
    texts = [str(word).strip() for word in words]
    for text in texts:
        match = re.fullmatch(r"(\d{1,3})(?:\.\.(\d{1,3}))?", text, re.ASCII)
        if match is not None:
            first, last = int(match[1]), int(match[2] or match[1])
            if not 1 <= first <= last <= _MOST_POINTS:
                raise InputError(f"give 1 to {_MOST_POINTS} points, the smaller number first (--points)")
            numbers.update(range(first, last + 1))
        elif text != "all":
            raise InputError("write points as numbers or ranges, such as 1..5,all (--points)")
    return (*sorted(numbers), *(["all"] if "all" in texts else []))


@dataclass(frozen=True, slots=True)
class NamedPoints:
    """Points with the names of their attributes."""

    attributes: tuple[str, ...]
    points: Points


@dataclass(frozen=True, slots=True)
class UnicityGrid:
    """The unicities to compute.

    Attributes:
        known: numbers of points; empty if no unicity is requested.
        attributes: coarser lists of attributes.
        times: time steps.
        draws, seed: the number and the seed of the random draws for more than two points.
    """

    known: tuple[Known, ...]
    attributes: tuple[tuple[str, ...], ...]
    times: tuple[str, ...]
    draws: int
    seed: int

    @property
    def needs_draws(self) -> bool:
        """Whether there are too many combinations of points to count them all."""
        return any(isinstance(known, int) and known > 2 for known in self.known)

    def rows(
        self, base: NamedPoints, others: Sequence[NamedPoints], step: str
    ) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
        """Return the unicities of the points as requested, and those of the whole grid."""
        steps = [step, *(time for time in self.times if TIME_STEPS.index(time) > TIME_STEPS.index(step))]
        views = [base, *others]
        if base.attributes:
            views.append(NamedPoints((), base.points.coarser(step, attributes=False)))
        grid: list[Unicity] = []
        for view in views:
            for time in steps:
                points = view.points if time == step else view.points.coarser(time, attributes=True)
                grid.extend(self._unicity(points, known, time, view.attributes) for known in self.known)
        return tuple(grid[: len(self.known)]), tuple(grid)

    def _unicity(self, points: Points, known: Known, time: str, attributes: tuple[str, ...]) -> Unicity:
        lengths = points.lengths()
        n_people = sum(lengths.values())
        n_points = known if isinstance(known, int) else None
        able = sum(people for length, people in lengths.items() if n_points is None or length >= n_points)
        if not able:
            return Unicity(known, time, attributes, 0, n_people, None, None, None, None, None)
        return _unicity_of(points.matches(n_points, self.draws, self.seed), known, time, attributes, n_people)


def _unicity_of(matches: Matches, known: Known, time: str, attributes: tuple[str, ...], n_people: int) -> Unicity:
    """Return the unicity from the counts of matching points."""
    share = low = high = unicity(matches)
    if matches.draws is not None:
        low, high = share_interval(matches.unique_choices, matches.draws)
    return Unicity(
        points=known,
        time=time,
        attributes=attributes,
        people=matches.people,
        too_few=n_people - matches.people,
        share=share,
        low=low,
        high=high,
        bits=bits_of_points(matches, n_people),
        draws=matches.draws,
    )
