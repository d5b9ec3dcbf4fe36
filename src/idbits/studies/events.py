"""How identifying are events over time? The study behind ``idbits events``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Unpack

from idbits.attributes import Attribute, parse_attribute, parse_attributes
from idbits.counts import Spectrum
from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import counts_on_spark, open_table
from idbits.engines.spark import SparkTable
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError, counted
from idbits.kernels.events import Trajectories
from idbits.kernels.pairs import counted_day_spectra, n_pairs_by_day
from idbits.progress import Progress
from idbits.results.events import Events, LeftOut, PairFigures, PairRow, Unicity
from idbits.studies.cluster_events import ClusterLoaded, cluster_unicity, load_points
from idbits.studies.event_days import STEPS, Period, day_text, time_step
from idbits.studies.event_loading import Loaded, load_trajectories
from idbits.studies.event_points import Axes, parse_points, unicity_rows
from idbits.studies.event_resume import Kept
from idbits.studies.next_step import quoted_names, reading_words
from idbits.studies.reading import Names, Reading, name_list, open_options

__all__ = ["events"]

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MAX_EVENTS = 1000
_EPOCH = date(1970, 1, 1).toordinal()


def events(
    source: Any,
    person: str,
    time: str,
    attributes: Names = (),
    period: str | None = None,
    *,
    max_events: int = _MAX_EVENTS,
    points: str | int | Sequence[int | str] | None = None,
    coarser: Sequence[Names] = (),
    times: Names = ("day", "week", "month"),
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
        draws: how many choices of points are drawn where not all are counted.
        seed: seed of the draws.
        resume: a folder that keeps what is done, so that a count that was stopped can be carried on.
        reading: how the table is read, see ``idbits.studies.reading.Reading``.

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
    if on_cluster and resume is not None:
        raise InputError("only a count of files on this machine can be carried on later (--resume)")
    kept = _kept(resume, source, person, time, attributes, max_events, reading, axes if wanted else None)
    made = ClusterEvents if on_cluster and not needs_draws(wanted) else _Question
    with closing(made(source, options, max_events, kept, canonical=bool(wanted))) as question:
        question.open(person, time, name_list(attributes) if attributes else [], axes.attributes if wanted else ())
        answer = question.answer(asked)
        if wanted:
            main, grid = question.unicity(axes, wanted, draws, seed)
            answer = replace(answer, unicity=main, grid=grid, seed=seed)
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
) -> Kept | None:
    if resume is None:
        return None
    if axes is not None and axes.attributes:
        raise InputError("--resume keeps one set of attributes; leave --coarser out")
    silent = ("progress", "memory", "threads", "timeout")
    said = {name: value for name, value in reading.items() if name not in silent}
    return Kept(resume, source, {"person": person, "time": time, "attributes": name_list(attributes or ["-"]),
                                 "max_events": max_events, "canonical": axes is not None, "reading": said})  # fmt: skip


def needs_draws(wanted: Sequence[int | str]) -> bool:
    """Whether points are drawn: that takes everyone's points on this machine."""
    return any(isinstance(known, int) and known > 2 for known in wanted)


@dataclass
class _Question:
    """A table of events that is being measured."""

    source: Any
    options: OpenOptions
    max_events: int
    kept: Kept | None
    canonical: bool

    @property
    def threads(self) -> int:
        """How many threads count."""
        return self.options.threads or os.cpu_count() or 1

    @property
    def base(self) -> tuple[tuple[str, ...], Trajectories]:
        """The attributes as asked for, and their trajectories."""
        return self.attributes, self.loaded.trajectories

    def open(self, person: str, time: str, attributes: list[str], coarser: Sequence[Sequence[str]]) -> None:
        """Open the table and read its events; the engine gets half of the memory."""
        memory = self.options.memory
        half = replace(self.options, memory=max(64 * 10**6, memory // 2) if memory is not None else None)
        with closing(open_table(self.source, half)) as table:
            who, when, what = _columns(table, person, time, attributes)
            self.person, self.time, self.step = who.name, when.name, time_step(when)
            self.attributes = tuple(attribute.name for attribute in what)
            others = [parse_attributes(names, table.columns) for names in coarser]
            self.loaded, self.notes = self._load(table, who, when, what, [a for own in others for a in own])
            self.coarser = [
                (tuple(attribute.name for attribute in own), self._read(table, who, when, own).trajectories)
                for own in others
            ]
            table.check_unchanged()

    def _load(
        self, table: Table, who: Attribute, when: Attribute, what: Sequence[Attribute], others: Sequence[Attribute]
    ) -> tuple[Loaded, tuple[str, ...]]:
        found = self.kept.load() if self.kept is not None else None
        if found is not None and not others:
            return found, found.notes
        table.load(dict.fromkeys([who.column, when.column, *(attribute.column for attribute in (*what, *others))]))
        loaded = self._read(table, who, when, what)
        notes = tuple(dict.fromkeys((*table.notes, *loaded.notes)))
        if self.kept is not None:
            self.kept.save(loaded, notes)
        return loaded, notes

    def _read(self, table: Table, who: Attribute, when: Attribute, what: Sequence[Attribute]) -> Loaded:
        loaded = load_trajectories(
            table, who, when, what,
            step=time_step(when), dates=self.options.dates, max_events=self.max_events, memory=self.options.memory,
            progress=self.options.progress, canonical=self.canonical,
        )  # fmt: skip
        _must_have_events(loaded, when.column, self.options.where is not None)
        return loaded

    def close(self) -> None:
        """Nothing to give back: the table was closed when its events were read."""

    def unicity(
        self, axes: Axes, wanted: Sequence[int | str], draws: int, seed: int
    ) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
        """Return the unicities as asked for, and those of the grid."""
        return unicity_rows(
            self.base, self.coarser, self.step, axes.times, wanted, draws, seed, self.threads, self.options.progress
        )

    def answer(self, asked: Period | None) -> Events:
        """Count the pairs."""
        pairs = n_pairs_by_day(self.loaded.trajectories)
        if not pairs:
            raise NotEstimableError(_no_pairs(self.loaded, self.person))
        period = asked or Period.everything()
        inside = {day: number for day, number in pairs.items() if period.first <= day <= period.last}
        if not inside:
            raise _outside(period, min(pairs), max(pairs))
        spectra = self._spectra(inside, self.options.progress)
        return self._result(asked, spectra)

    def _spectra(self, pairs: dict[int, int], progress: Progress) -> dict[int, Spectrum]:
        """Count month by month, so that each can be kept when it is done."""
        months: dict[str, list[int]] = {}
        for day in sorted(pairs):
            months.setdefault(day_text(day, "month"), []).append(day)
        total, counted_pairs = sum(pairs.values()), [0]
        found: dict[int, Spectrum] = {}

        def done(number: int) -> None:
            counted_pairs[0] += number

        with progress.step(f"counting {total:,} pairs", lambda: counted_pairs[0] / max(1, total)):
            for days in months.values():
                first, last = days[0], days[-1]
                own = self.kept.spectra(first, last) if self.kept is not None else None
                if own is None:
                    own = counted_day_spectra(self.loaded.trajectories, first, last, self.threads, done)
                    if self.kept is not None:
                        self.kept.save_spectra(first, last, own)
                else:
                    total -= sum(pairs[day] for day in days)
                found |= own
        return found

    def _result(self, asked: Period | None, spectra: dict[int, Spectrum]) -> Events:
        loaded = self.loaded
        days = [_row(day, spectrum, self.step) for day, spectrum in spectra.items()]
        months: dict[str, list[Spectrum]] = {}
        for day, spectrum in spectra.items():
            months.setdefault(day_text(day, "month"), []).append(spectrum)
        whole = Spectrum.merged(spectra.values())
        rows = [PairRow(month, None, PairFigures.of(Spectrum.merged(own))) for month, own in months.items()]
        return Events(
            person=self.person,
            time=self.time,
            step=self.step,
            attributes=self.attributes,
            source=os.fspath(self.source) if isinstance(self.source, str | os.PathLike) else None,
            asked_period=asked.text if asked is not None else None,
            max_events=self.max_events,
            records=loaded.records,
            people=loaded.n_people,
            points=loaded.n_points,
            days=tuple(days),
            months=tuple(rows),
            period=PairFigures.of(whole),
            excluded=LeftOut(*loaded.excluded, loaded.nobody, loaded.no_time, loaded.unread_time),
            notes=self.notes,
            next_command=self._next(asked),
        )

    def _next(self, asked: Period | None) -> str | None:
        """Return the same question with time one step coarser."""
        if not isinstance(self.source, str | os.PathLike) or os.fspath(self.source) == "-" or self.step == "year":
            return None
        coarser = f"{self.time.removesuffix(':' + self.step)}:{STEPS[STEPS.index(self.step) + 1]}"
        words = ["idbits", "events", os.fspath(self.source), "--person", self.person, "--time", coarser]
        words += ["--attributes", quoted_names(self.attributes)] if self.attributes else []
        words += ["--period", asked.text] if asked is not None else []
        words += ["--max-events", str(self.max_events)] if self.max_events != _MAX_EVENTS else []
        return " ".join([shlex.join(words), *reading_words(self.options)])


def _outside(period: Period, first: int, last: int) -> NotEstimableError:
    begin, end = (day_text(day, "month") for day in (first, last))
    return NotEstimableError(
        f"no pair of events begins in {period.text}: the pairs of this table begin from {begin} to {end}"
    )


def _columns(
    table: Table, person: str, time: str, attributes: list[str]
) -> tuple[Attribute, Attribute, tuple[Attribute, ...]]:
    if person not in table.columns:
        raise ColumnNotFoundError(person, table.columns)
    who = Attribute(person, table.columns[person])
    when = parse_attribute(time, table.columns)
    if when.column == person:
        raise InputError("the person and the time are two columns (--person, --time)")
    what = parse_attributes(attributes, table.columns)
    if any(attribute.column == person for attribute in what):
        raise InputError("the column that names the person cannot be what is known of an event (--attributes)")
    return who, when, what


def _must_have_events(loaded: Loaded, column: str, filtered: bool) -> None:
    if not loaded.records:
        left = "no row is left after the filter" if filtered else "the table has no rows"
        raise NotEstimableError(f"there are no events to measure: {left}")
    if loaded.nobody == loaded.records:
        raise DataError("no record names a person, so no two events belong together")
    lost = loaded.no_time + loaded.unread_time
    if lost == loaded.records - loaded.nobody:
        how = f"{counted(loaded.unread_time, 'record')} cannot be read as a date and {loaded.no_time:,} are empty"
        raise DataError(f'column "{column}" holds no times: {how} (see --dates)')


def _no_pairs(loaded: Loaded, person: str) -> str:
    if loaded.n_people == 0:
        return "everyone was left out: all people have as many records as --max-events says, or more"
    if loaded.n_people == loaded.records - loaded.nobody - loaded.no_time - loaded.unread_time:
        return (
            f'there are no pairs: column "{person}" names another person in every row; '
            "name the column that all events of a person share (--person)"
        )
    return "there are no pairs: nobody has two different events"


def _row(day: int, spectrum: Spectrum, step: str) -> PairRow:
    weekday = _WEEKDAYS[date.fromordinal(day + _EPOCH).weekday()] if step == "day" else None
    return PairRow(day_text(day, step), weekday, PairFigures.of(spectrum))


class ClusterEvents(_Question):
    """A table of events that is being measured on a cluster, where its points stay."""

    _stack: ExitStack
    table: SparkTable
    loaded: ClusterLoaded  # type: ignore[assignment]

    def open(self, person: str, time: str, attributes: list[str], coarser: Sequence[Sequence[str]]) -> None:
        """Open the table, and let the cluster keep the points."""
        self._stack = ExitStack()
        table = self._stack.enter_context(closing(open_table(self.source, self.options)))
        assert isinstance(table, SparkTable)
        self.table = table
        who, when, what = _columns(table, person, time, attributes)
        self.person, self.time, self.step = who.name, when.name, time_step(when)
        self.attributes = tuple(attribute.name for attribute in what)
        others = [parse_attributes(names, table.columns) for names in coarser]
        everything = [who, when, *what, *(attribute for own in others for attribute in own)]
        table.load(dict.fromkeys(attribute.column for attribute in everything))
        self.loaded = self._points(who, when, what)
        self.notes = tuple(dict.fromkeys((*table.notes, *self.loaded.notes)))
        self.views = [(tuple(a.name for a in own), self._points(who, when, own).points) for own in others]

    def _points(self, who: Attribute, when: Attribute, what: Sequence[Attribute]) -> ClusterLoaded:
        loaded = load_points(self.table, who, when, what, step=self.step, max_events=self.max_events)
        _must_have_events(loaded, when.column, self.options.where is not None)  # type: ignore[arg-type]
        return loaded

    def answer(self, asked: Period | None) -> Events:
        """Count the pairs, all days at once."""
        points, period = self.loaded.points, asked or Period.everything()
        spectra = points.day_spectra(period.first, period.last)
        if not spectra:
            days = points.first_days()
            if days is None:
                raise NotEstimableError(_no_pairs(self.loaded, self.person))  # type: ignore[arg-type]
            raise _outside(period, *days)
        return self._result(asked, spectra)

    def unicity(
        self,
        axes: Axes,
        wanted: Sequence[int | str],
        draws: int,  # noqa: ARG002 (nothing is drawn)
        seed: int,  # noqa: ARG002
    ) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
        """Return the unicities as asked for, and those of the grid."""
        return cluster_unicity((self.attributes, self.loaded.points), self.views, self.step, axes.times, wanted)

    def close(self) -> None:
        """Close the table."""
        self._stack.close()
