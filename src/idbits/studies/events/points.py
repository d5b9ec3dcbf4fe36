"""Unicity: how many points of a person single them out, for a grid of coarser times and attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idbits.errors import InputError
from idbits.kernels.events import Trajectories, coarser
from idbits.kernels.pairs import n_pairs_by_day
from idbits.kernels.points import Matches, drawn_matches, in_fixed_order, one_point, two_points, whole_trajectories
from idbits.measures.interval import share_interval
from idbits.measures.unicity import bits_of_points, unicity
from idbits.progress import Progress
from idbits.studies.events.days import STEPS, coarser_days
from idbits.studies.events.result import Unicity

__all__ = ["Axes", "no_unicity", "parse_points", "unicity_of", "unicity_rows"]

_MOST_POINTS = 100
Known = int | str
Named = tuple[tuple[str, ...], Trajectories]


@dataclass(frozen=True, slots=True)
class Axes:
    """The grid of unicities: coarser lists of attributes, and steps of time."""

    attributes: tuple[tuple[str, ...], ...]
    times: tuple[str, ...]


def parse_points(points: str | int | Sequence[int | str] | None) -> tuple[Known, ...]:
    """Return numbers of points.

    >>> parse_points("1..3,5,all")
    (1, 2, 3, 5, 'all')
    """
    if points is None:
        return ()
    words = points.split(",") if isinstance(points, str) else [points] if isinstance(points, int) else list(points)
    found: list[Known] = []
    for word in (str(word).strip() for word in words):
        match = re.fullmatch(r"(\d{1,3})(?:\.\.(\d{1,3}))?", word, re.ASCII)
        if word == "all":
            found.append("all")
        elif match is None:
            raise InputError("points are written like 1..5,all (--points)")
        else:
            first, last = int(match[1]), int(match[2] or match[1])
            if not 1 <= first <= last <= _MOST_POINTS:
                raise InputError(f"there can be 1 to {_MOST_POINTS} points, the smaller number first (--points)")
            found.extend(range(first, last + 1))
    numbers = sorted({known for known in found if isinstance(known, int)})
    return (*numbers, *(["all"] if "all" in found else []))


def unicity_rows(
    base: Named,
    others: Sequence[Named],
    step: str,
    times: Sequence[str],
    wanted: Sequence[Known],
    draws: int,
    seed: int,
    threads: int,
    progress: Progress,
) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
    """Return the unicities as asked for, and those of the grid, these among them."""
    steps = [step, *(time for time in times if STEPS.index(time) > STEPS.index(step))]
    names, made = base[0], in_fixed_order(base[1])
    rows = [(own_names, in_fixed_order(own)) for own_names, own in others]
    if names:
        nothing = coarser(made, made.days, np.zeros(len(made.labels), np.uint64))
        rows.append(((), nothing))
    main: tuple[Unicity, ...] = ()
    grid: list[Unicity] = []
    for own_names, own in [(names, made), *rows]:
        for time in steps:
            view = own if time == step else coarser(own, coarser_days(own.days, time), own.labels)
            cell = _Cell(view, own_names, time, draws, seed, threads, progress)
            found = tuple(cell.unicity(known) for known in wanted)
            main = main or found
            grid.extend(found)
    return main, tuple(grid)


def no_unicity(known: Known, time: str, attributes: tuple[str, ...], n_people: int) -> Unicity:
    """Return the unicity of more points than anybody has."""
    return Unicity(known, time, attributes, 0, n_people, None, None, None, None, None)


def unicity_of(matches: Matches, known: Known, time: str, attributes: tuple[str, ...], n_people: int) -> Unicity:
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


@dataclass(frozen=True)
class _Cell:
    """One cell of the grid."""

    made: Trajectories
    attributes: tuple[str, ...]
    time: str
    draws: int
    seed: int
    threads: int
    progress: Progress

    def unicity(self, known: Known) -> Unicity:
        """Measure the unicity of some points."""
        n_people = self.made.n_people
        able = n_people if known == "all" else int((self.made.lengths() >= int(known)).sum())
        if not able:
            return no_unicity(known, self.time, self.attributes, n_people)
        return unicity_of(self._matches(known), known, self.time, self.attributes, n_people)

    def _matches(self, known: Known) -> Matches:
        finished = [0]

        def done(number: int) -> None:
            finished[0] += number

        what = f"points by {self.time}"
        if known == "all":
            with self.progress.step(f"whole trajectories, {what}"):
                return whole_trajectories(self.made)
        if known == 1:
            return one_point(self.made)
        if known == 2:
            total = sum(n_pairs_by_day(self.made).values())
            with self.progress.step(f"pairs of {what}", lambda: finished[0] / total):
                return two_points(self.made, self.threads, done)
        with self.progress.step(f"{known} {what}", lambda: finished[0] / self.draws):
            return drawn_matches(self.made, int(known), self.draws, self.seed, done)
