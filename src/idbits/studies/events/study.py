"""How identifying are events over time? The study behind ``idbits events``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Unpack

from idbits.engines.open import counts_on_spark
from idbits.errors import InputError
from idbits.file_guard import guarded_files
from idbits.reading import Names, Reading, name_list, open_options
from idbits.studies.events.cluster_events import ClusterEvents
from idbits.studies.events.days import STEPS, Period
from idbits.studies.events.gain import trajectory_gain_of
from idbits.studies.events.local_events import LocalEvents
from idbits.studies.events.points import Axes, parse_points
from idbits.studies.events.question import MAX_EVENTS, EventQuestion
from idbits.studies.events.result import Events
from idbits.studies.events.resume import Kept

__all__ = ["events"]


@guarded_files()
def events(
    source: Any,
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
    """Measure how identifying pairs of events of a person are, and how many points single people out.

    Implements: SPEC section 3; S1 (Alexin), entropy of visit pairs; S3 IV.C (trajectories).

    Args:
        source: a path, a glob of paths, a database, or a pandas, polars or pyarrow frame; one row is one event.
        person: the column that names the person.
        time: the column that says when; ``"date:week"`` makes it coarser.
        attributes: what else is known of an event, ``["place"]`` or ``"place:prefix2,kind"``; nothing for time alone.
        period: when the first event of a pair happens: ``"2005-01"``, ``"2005"``, ``"2005-01-10..2005-02-03"``.
            Without it, every month of the data.
        max_events: people with so many records or more are left out and counted.
        points: numbers of points for the unicity: ``"1..5,all"``, a number, or a list of them.
        coarser: further, coarser lists of attributes for the grid of unicities.
        times: steps of time for that grid.
        gain: measure what is learnt about each point of a person by someone who knows all the others, too.
        draws: how many choices of points are drawn where not all are counted, and people for ``gain``.
        seed: seed of the draws.
        resume: a folder that keeps what is done, so that a count that was stopped can be carried on.
        reading: how the table is read, see ``idbits.reading.Reading``.

    >>> import pyarrow
    >>> visits = pyarrow.table({"who": [1, 1, 2, 2, 3], "day": ["2005-01-03", "2005-01-05"] * 2 + ["2005-01-04"]})
    >>> events(visits, "who", "day")
    Events(n_pairs=2, entropy_bits=0.0000, k_hat=2.0000, singletons=0, days=1)
    """
    asked = Period.parse(period) if period is not None else None
    wanted = parse_points(points)
    axes = _axes(coarser, times)
    _check(max_events, draws, seed, reading)
    options = open_options(reading)
    on_cluster = counts_on_spark(source, options)
    kept = _kept(resume, source, person, time, attributes, max_events, reading, axes if wanted else None, gain=gain)
    made: EventQuestion
    if on_cluster and not gain and not _needs_draws(wanted):
        made = ClusterEvents(source, options, max_events, kept)
    else:
        made = local = LocalEvents(source, options, max_events, kept, canonical=bool(wanted) or gain)
    with closing(made) as question:
        question.open(person, time, name_list(attributes) if attributes else [], axes.attributes if wanted else ())
        answer = question.answer(asked)
        if wanted:
            main, grid = question.unicity(axes, wanted, draws, seed)
            answer = replace(answer, unicity=main, grid=grid, seed=seed)
        if gain:
            answer = replace(answer, gain=trajectory_gain_of(local.base[1], draws, seed, options.progress), seed=seed)
    return answer


def _axes(coarser: Sequence[Names], times: Names) -> Axes:
    steps = name_list(times)
    unknown = [step for step in steps if step not in STEPS]
    if unknown:
        raise InputError(f"time is coarsened to {', '.join(STEPS)} (--times)")
    lists = [coarser] if isinstance(coarser, str) else list(coarser)
    return Axes(tuple(tuple(name_list(names)) for names in lists), tuple(step for step in STEPS if step in steps))


def _check(max_events: int, draws: int, seed: int, reading: Reading) -> None:
    if max_events < 3:
        raise InputError("only people with two events or more have pairs; say --max-events 3 or more")
    if not 100 <= draws <= 10_000_000:
        raise InputError("there can be 100 to 10,000,000 draws (--draws)")
    if seed < 0:
        raise InputError("a seed is 0 or more (--seed)")
    if reading.get("count") is not None:
        raise InputError("--count says a row stands for many people, but an event has one person: leave it out")


def _kept(
    resume: str | os.PathLike[str] | None,
    source: Any,
    person: str,
    time: str,
    attributes: Names,
    max_events: int,
    reading: Reading,
    axes: Axes | None,
    *,
    gain: bool,
) -> Kept | None:
    if resume is None:
        return None
    if axes is not None and axes.attributes:
        raise InputError("--resume keeps one set of attributes; leave --coarser out")
    silent = ("progress", "memory", "threads", "timeout", "master")
    said = {name: value for name, value in reading.items() if name not in silent}
    asked = {"person": person, "time": time, "attributes": name_list(attributes or ["-"]), "max_events": max_events}
    return Kept(resume, source, {**asked, "canonical": axes is not None or gain, "reading": said})


def _needs_draws(wanted: Sequence[int | str]) -> bool:
    # Drawing takes everyone's points on this machine.
    return any(isinstance(known, int) and known > 2 for known in wanted)
