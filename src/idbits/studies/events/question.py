"""What is asked of a table of events, wherever it is counted, and how the counts become an answer."""

from __future__ import annotations

import os
import shlex
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from idbits.counts import Spectrum
from idbits.engines.base import OpenOptions, Table
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError
from idbits.studies.events.days import STEPS, Period, day_text, parse_time, time_step
from idbits.studies.events.points import Axes
from idbits.studies.events.result import Events, LeftOut, PairFigures, PairRow, Unicity
from idbits.studies.events.resume import Kept
from idbits.studies.shared.next_command import quoted_names
from idbits.values.attributes import Attribute, parse_attributes
from idbits.wording import counted

__all__ = ["MAX_EVENTS", "EventQuestion", "ReadEvents", "must_have_events", "no_pairs", "outside"]

MAX_EVENTS = 1000

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_EPOCH = date(1970, 1, 1).toordinal()


class ReadEvents(Protocol):
    """Events that were read, and the records that could not become one."""

    @property
    def records(self) -> int:
        """All records of the table."""

    @property
    def nobody(self) -> int:
        """Records that name no person."""

    @property
    def no_time(self) -> int:
        """Records with an empty time."""

    @property
    def unread_time(self) -> int:
        """Records with a time that cannot be read."""

    @property
    def n_people(self) -> int:
        """The people who have a point."""

    @property
    def n_points(self) -> int:
        """The points of all people."""

    @property
    def excluded(self) -> tuple[int, int]:
        """The people left out because they have too many records, and those records."""


@dataclass
class EventQuestion(ABC):
    """A table of events that is being measured; ``kept`` is what a folder keeps, so that it can be carried on."""

    source: Any
    options: OpenOptions
    max_events: int
    kept: Kept | None
    person: str = field(init=False)
    time: str = field(init=False)
    step: str = field(init=False)
    attributes: tuple[str, ...] = field(init=False)
    notes: tuple[str, ...] = field(init=False)

    @abstractmethod
    def open(self, person: str, time: str, attributes: list[str], coarser: Sequence[Sequence[str]]) -> None:
        """Open the table and read its events."""

    @abstractmethod
    def answer(self, asked: Period | None) -> Events:
        """Count the pairs."""

    @abstractmethod
    def unicity(
        self, axes: Axes, wanted: Sequence[int | str], draws: int, seed: int
    ) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
        """Return the unicities as asked for, and those of the grid."""

    @abstractmethod
    def close(self) -> None:
        """Give back what was opened."""

    def _columns(
        self, table: Table, person: str, time: str, attributes: list[str]
    ) -> tuple[Attribute, Attribute, tuple[Attribute, ...]]:
        """Find the columns of the question, and keep their names."""
        if person not in table.columns:
            raise ColumnNotFoundError(person, table.columns)
        who = Attribute(person, table.columns[person])
        when = parse_time(time, table.columns)
        if when.column == person:
            raise InputError("the person and the time are two columns (--person, --time)")
        self.person = person
        what = self._known(table, attributes, "--attributes")
        self.time, self.step = when.name, time_step(when)
        self.attributes = tuple(attribute.name for attribute in what)
        return who, when, what

    def _known(self, table: Table, names: Sequence[str], option: str) -> tuple[Attribute, ...]:
        """Return what is known of an event."""
        found = parse_attributes(names, table.columns)
        if any(attribute.column == self.person for attribute in found):
            raise InputError(f"the column that names the person cannot be what is known of an event ({option})")
        return found

    def _result(self, loaded: ReadEvents, asked: Period | None, spectra: dict[int, Spectrum]) -> Events:
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
            next_command=self._next(asked, list(spectra)),
        )

    def _next(self, asked: Period | None, days: Sequence[int]) -> str | None:
        """Return the same question with time one step coarser."""
        if not isinstance(self.source, str | os.PathLike) or os.fspath(self.source) == "-" or self.step == "year":
            return None
        step = STEPS[STEPS.index(self.step) + 1]
        coarser = f"{self.time.removesuffix(':' + self.step)}:{step}"
        words = ["idbits", "events", os.fspath(self.source), "--person", self.person, "--time", coarser]
        words += ["--attributes", quoted_names(self.attributes)] if self.attributes else []
        words += ["--period", asked.widened(days, step)] if asked is not None else []
        words += ["--max-events", str(self.max_events)] if self.max_events != MAX_EVENTS else []
        return " ".join([shlex.join(words), *self.options.command_words()])


def must_have_events(loaded: ReadEvents, column: str, filtered: bool) -> None:
    """Refuse a table without events."""
    if not loaded.records:
        left = "no row is left after the filter" if filtered else "the table has no rows"
        raise NotEstimableError(f"there are no events to measure: {left}")
    if loaded.nobody == loaded.records:
        raise DataError("no record names a person, so no two events belong together")
    lost = loaded.no_time + loaded.unread_time
    if lost == loaded.records - loaded.nobody:
        how = f"{counted(loaded.unread_time, 'record')} cannot be read as a date and {loaded.no_time:,} are empty"
        raise DataError(f'column "{column}" holds no times: {how} (see --dates)')


def no_pairs(loaded: ReadEvents, person: str) -> str:
    """Say why there are no pairs."""
    lost = loaded.no_time + loaded.unread_time
    if loaded.n_people == 0:
        who = "everyone who has a time" if lost else "everyone"
        return f"{who} was left out: they have as many records as --max-events says, or more"
    if loaded.n_people == loaded.records - loaded.nobody - lost:
        where = "every row with a time" if lost else "every row"
        return (
            f'there are no pairs: column "{person}" names another person in {where}; '
            "name the column that all events of a person share (--person)"
        )
    return "there are no pairs: nobody has two different events"


def outside(period: Period, step: str, first: int, last: int) -> NotEstimableError:
    """Say that the pairs begin at other times than asked for."""
    whole = period.widened([period.last], step)
    if whole != period.text:
        return NotEstimableError(
            f"no {step} begins in {period.text}, and a {step} counts where it begins: ask for {whole} (--period)"
        )
    begin, end = (day_text(day, "month") for day in (first, last))
    return NotEstimableError(
        f"no pair of events begins in {period.text}: the pairs of this table begin from {begin} to {end}"
    )


def _row(day: int, spectrum: Spectrum, step: str) -> PairRow:
    weekday = _WEEKDAYS[date.fromordinal(day + _EPOCH).weekday()] if step == "day" else None
    return PairRow(day_text(day, step), weekday, PairFigures.of(spectrum))
