"""Unicity: how many points of a person single them out, for a grid of coarser times and attributes."""

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
"""How many points somebody knows, or ``"all"``."""


def parse_points(points: str | int | Sequence[int | str] | None) -> tuple[Known, ...]:
    """Return numbers of points.

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
                raise InputError(f"there can be 1 to {_MOST_POINTS} points, the smaller number first (--points)")
            numbers.update(range(first, last + 1))
        elif text != "all":
            raise InputError("points are written like 1..5,all (--points)")
    return (*sorted(numbers), *(["all"] if "all" in texts else []))


@dataclass(frozen=True, slots=True)
class NamedPoints:
    """Points with the names of the attributes that they hold."""

    attributes: tuple[str, ...]
    points: Points


@dataclass(frozen=True, slots=True)
class UnicityGrid:
    """The unicities that are asked for.

    Attributes:
        known: numbers of points; none if no unicity is asked for.
        attributes: coarser lists of attributes.
        times: steps of time.
        draws, seed: how many choices are drawn of more points than two, and from which seed.
    """

    known: tuple[Known, ...]
    attributes: tuple[tuple[str, ...], ...]
    times: tuple[str, ...]
    draws: int
    seed: int

    @property
    def needs_draws(self) -> bool:
        """Whether there are too many choices of points to count them all."""
        return any(isinstance(known, int) and known > 2 for known in self.known)

    def rows(
        self, base: NamedPoints, others: Sequence[NamedPoints], step: str
    ) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
        """Return the unicities of the points as asked for, and those of the grid, these among them."""
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
    """Return the unicity that follows from how points match."""
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
