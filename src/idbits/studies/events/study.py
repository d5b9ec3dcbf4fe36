"""The study behind ``idbits events``: how identifying events over time are."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Unpack

import numpy as np

from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.file_guard import guarded_files
from idbits.kernels.events import Trajectories
from idbits.kernels.points import Companions, in_fixed_order
from idbits.kernels.ranked import RankedRows
from idbits.measures.gain import mean_interval, trajectory_gains
from idbits.measures.pif import SAME, people_quantiles, personal_information_factor
from idbits.progress import Progress
from idbits.reading import Names, Reading, name_list, no_names, open_options
from idbits.studies.events.points import UnicityGrid, parse_points
from idbits.studies.events.question import MAX_EVENTS, EventQuestion, Period
from idbits.studies.events.result import Events, TrajectoryGain
from idbits.studies.events.resume import Checkpoint
from idbits.values.days import TIME_STEPS

__all__ = ["events", "trajectory_gain_of"]


@guarded_files()
def events(
    source: object,
    person: str,
    time: str,
    attributes: Names = (),
    period: str | None = None,
    *,
    max_events: int = MAX_EVENTS,
    points: str | int | Sequence[int | str] | None = None,
    coarser: Sequence[Names] = (),
    times: Names = ("day", "week", "month"),
    gain: bool = False,
    draws: int = 10_000,
    seed: int = 0,
    resume: str | os.PathLike[str] | None = None,
    **reading: Unpack[Reading],
) -> Events:
    """Measure how identifying pairs of events are, and how many points single a person out.

    Implements: SPEC section 3; S1 (Alexin), entropy of visit pairs; S3 IV.C (trajectories).

    Args:
        source: a path, a glob of paths, a database, or a pandas, polars or pyarrow frame; one row is one event.
        person: the column that identifies the person.
        time: the column with the time of the event; ``"date:week"`` makes it coarser.
        attributes: what else someone may know about an event, ``["place"]`` or ``"place:prefix2,kind"``; empty for
            time only.
        period: when the first event of a pair happens: ``"2005-01"``, ``"2005"``, ``"2005-01-10..2005-02-03"``.
            Without it, every month of the data.
        max_events: people with this many records or more are left out and counted.
        points: numbers of points for the unicity: ``"1..5,all"``, a number, or a list of them.
        coarser: further, coarser lists of attributes for the grid of unicities.
        times: time steps for that grid.
        gain: also measure what someone learns about each point of a person from all the others.
        draws: the number of random draws of points if not all are counted, and of people for ``gain``.
        seed: seed of the draws.
        resume: a folder that saves progress, so that a stopped count can be resumed.
        reading: how to read the table, see ``idbits.reading.Reading``.

    Examples:
        >>> import pyarrow
        >>> visits = pyarrow.table({"who": [1, 1, 2, 2, 3], "day": ["2005-01-03", "2005-01-05"] * 2 + ["2005-01-04"]})
        >>> events(visits, "who", "day")
        Events(n_pairs=2, entropy_bits=0.0000, k_hat=2.0000, singletons=0, days=1)
    """
    asked = Period.parse(period) if period is not None else None
    grid = _grid(points, coarser, times, draws, seed)
    _check(max_events, draws, seed, reading)
    options = open_options(reading)
    is_repeatable = bool(grid.known) or gain
    checkpoint = None
    if resume is not None:
        if grid.attributes and grid.known:
            raise InputError("--resume saves only one list of attributes; omit --coarser")
        columns = {"person": person, "time": time, "attributes": name_list(attributes or ["-"])}
        checkpoint = Checkpoint(resume, source, columns | _conditions(max_events, reading, is_repeatable=is_repeatable))
    with ExitStack() as opened:
        table = opened.enter_context(closing(open_table(source, options, leave_room=True)))
        if checkpoint is not None:
            checkpoint.begin(table.file_stamps())
        question = EventQuestion.of(
            table, source, options, person, time,
            [] if attributes is None or no_names(attributes) else name_list(attributes),
            grid.attributes if grid.known else (),
            max_events=max_events, is_repeatable=is_repeatable, is_drawn=gain or grid.needs_draws,
        )  # fmt: skip
        base, notes = question.read(table, checkpoint)
        others = question.read_coarser(table)
        trajectories = base.points.trajectories
        if trajectories is not None:
            # From here on only the points are needed, so we release the table's memory.
            table.check_unchanged()
            opened.close()
        answer = question.answer(base, notes, asked, checkpoint)
        if grid.known:
            unicity, rows = grid.rows(base, others, base.points.step)
            answer = replace(answer, unicity=unicity, grid=rows, seed=seed)
        if gain:
            assert trajectories is not None
            answer = replace(answer, gain=trajectory_gain_of(trajectories, draws, seed, options.progress), seed=seed)
    return answer


def _grid(
    points: str | int | Sequence[int | str] | None, coarser: Sequence[Names], times: Names, draws: int, seed: int
) -> UnicityGrid:
    known, steps = parse_points(points), name_list(times)
    if any(step not in TIME_STEPS for step in steps):
        raise InputError(f"time steps must be among {', '.join(TIME_STEPS)} (--times)")
    lists = [coarser] if isinstance(coarser, str) else coarser
    return UnicityGrid(
        known=known,
        attributes=tuple(tuple(name_list(names)) for names in lists),
        times=tuple(step for step in TIME_STEPS if step in steps),
        draws=draws,
        seed=seed,
    )


def _check(max_events: int, draws: int, seed: int, reading: Reading) -> None:
    if max_events < 3:
        raise InputError("only people with two or more events have pairs; use --max-events 3 or more")
    if not 100 <= draws <= 10_000_000:
        raise InputError("the number of draws must be from 100 to 10,000,000 (--draws)")
    if seed < 0:
        raise InputError("the seed must be at least 0 (--seed)")
    if reading.get("count") is not None:
        raise InputError("--count is the number of people per row, but an event has one person; omit --count")


def _conditions(max_events: int, reading: Reading, *, is_repeatable: bool) -> dict[str, object]:
    """Return the other conditions that make two counts the same; the keys are those of earlier versions."""
    silent = ("progress", "memory", "threads", "timeout", "master")
    # Earlier versions did not have these options: they count only if they are given.
    added = ("header_row", "zone")
    read = {
        name: value
        for name, value in reading.items()
        if name not in silent and (name not in added or value is not None)
    }
    return {"max_events": max_events, "canonical": is_repeatable, "reading": read}


def trajectory_gain_of(trajectories: Trajectories, draws: int, seed: int, progress: Progress) -> TrajectoryGain:
    """Measure the gain of all people if there are at most ``draws`` different trajectories, else of ``draws`` people.

    People with exactly the same points have the same gain, so we compute each trajectory once.
    """
    with progress.step("information gain of trajectories"):
        companions = Companions(in_fixed_order(trajectories))
        n_people = trajectories.n_people
        exact = len(np.unique(companions.kinds)) <= draws
        # A different random stream from the one that draws points.
        random = np.random.default_rng([seed, 0, draws])
        drawn = np.arange(n_people) if exact else np.sort(random.choice(n_people, draws, replace=False))
        kinds, kind_of_drawn, people = np.unique(companions.kinds[drawn], return_inverse=True, return_counts=True)
        gains = trajectory_gains(companions, kinds.tolist())
    rig = np.array(gains)
    total = math.fsum(gain * number for gain, number in zip(gains, people.tolist(), strict=True))
    mean = total / len(drawn)
    ranked = RankedRows.of(rig, people)
    median, p95, largest = people_quantiles(ranked.at, ranked.n_people, [0.5, 0.95, 1.0])
    # The group is everyone with these points, whether drawn or not.
    factor = personal_information_factor(rig, companions.cohorts[kinds])
    at_pif = rig / companions.cohorts[kinds] >= factor.pif * (1 - SAME)
    low, high = (mean, mean) if exact else mean_interval(rig[kind_of_drawn].tolist(), n_people)
    return TrajectoryGain(
        people=len(drawn),
        rig={"mean": mean, "p50": median, "p95": p95, "max": largest},
        rig_low=low,
        rig_high=high,
        mean_cig_bits=total / int(companions.lengths[drawn].sum()),
        mics=int(companions.cohorts.min()),
        pif=factor.pif,
        rows_at_pif=int(people[at_pif].sum()),
        draws=None if exact else len(drawn),
    )
