"""A question about a table of events: its columns, time and period, its points, and their counts."""

from __future__ import annotations

import calendar
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from idbits.counts import Spectrum
from idbits.engines.backends.points import EventCounts, EventRequest, Points
from idbits.engines.base import Table
from idbits.engines.coded_points import CodedPoints
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError, UnreadDatesError
from idbits.reading import OpenOptions
from idbits.studies.events.points import NamedPoints
from idbits.studies.events.result import Events, LeftOut, PairFigures, PairRow
from idbits.studies.events.resume import Checkpoint
from idbits.studies.shared.next_command import quoted_names
from idbits.values.attributes import Attribute, Kind, parse_attribute, parse_attributes
from idbits.values.date_readings import written_like
from idbits.values.days import TIME_STEPS, coarser_days, date_of_day, day_number, day_text, needed_part
from idbits.wording import counted

__all__ = ["MAX_EVENTS", "EventQuestion", "Period", "parse_time", "time_step"]

MAX_EVENTS = 1000

_STEPS_WITHIN_MONTHS = ("day", "week", "month")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_PERIOD_FORMS = "write a period as 2005, 2005-Q1, 2005-01, 2005-W05, 2005-01-27 or 2005-01..2005-03 (--period)"


@dataclass(frozen=True)
class EventQuestion:
    """A question about an open table.

    Attributes:
        person, time, attributes: the columns of an event.
        step: the time step; None for the finest that the column has.
        coarser: further, coarser lists of attributes.
        is_repeatable, is_drawn: what the points are needed for, see ``EventRequest``.
    """

    source: object
    options: OpenOptions
    person: str
    time: Attribute
    step: str | None
    attributes: tuple[Attribute, ...]
    coarser: tuple[tuple[Attribute, ...], ...]
    max_events: int
    is_repeatable: bool
    is_drawn: bool

    @classmethod
    def of(
        cls,
        table: Table,
        source: object,
        options: OpenOptions,
        person: str,
        time: str,
        attributes: Sequence[str],
        coarser: Sequence[Sequence[str]],
        *,
        max_events: int,
        is_repeatable: bool,
        is_drawn: bool,
    ) -> EventQuestion:
        """Look the columns of the question up in the table."""
        if person not in table.columns:
            raise ColumnNotFoundError(person, table.columns)
        when = parse_time(time, table.columns)
        if when.column == person:
            raise InputError("the person and the time must be two different columns (--person, --time)")
        known = _known_of_events(table, attributes, person, "--attributes")
        step = time_step(when)
        others = tuple(_known_of_events(table, names, person, "--coarser") for names in coarser)
        return cls(
            source, options, person, when, step, known, others, max_events, is_repeatable, is_drawn
        )  # fmt: skip

    def read(self, table: Table, checkpoint: Checkpoint | None) -> tuple[NamedPoints, tuple[str, ...]]:
        """Return the points and notes on how they were read, from the checkpoint if it has them."""
        saved = checkpoint.load(self.step or "day") if checkpoint is not None else None
        if saved is not None:
            return self._named(self.attributes, CodedPoints(*saved, self.options)), saved[1].notes
        everything = (self.time, *self.attributes, *(attribute for view in self.coarser for attribute in view))
        table.load(dict.fromkeys([self.person, *(attribute.column for attribute in everything)]))
        points = self._read(table, self.attributes)
        notes = tuple(dict.fromkeys((*table.notes, *points.counts.notes)))
        if checkpoint is not None and points.trajectories is not None:
            checkpoint.save(points.trajectories, points.counts, notes)
        return self._named(self.attributes, points), notes

    def read_coarser(self, table: Table) -> list[NamedPoints]:
        """Return the points with each coarser list of attributes."""
        return [self._named(attributes, self._read(table, attributes)) for attributes in self.coarser]

    @staticmethod
    def _named(attributes: Sequence[Attribute], points: Points) -> NamedPoints:
        return NamedPoints(tuple(attribute.name for attribute in attributes), points)

    def _read(self, table: Table, attributes: tuple[Attribute, ...]) -> Points:
        request = EventRequest(
            person=Attribute(self.person, table.columns[self.person]),
            time=self.time,
            step=self.step,
            attributes=attributes,
            max_events=self.max_events,
            is_repeatable=self.is_repeatable,
            is_drawn=self.is_drawn,
        )
        points = table.event_points(request, self.options)
        _must_have_events(points.counts, is_filtered=self.options.where is not None)
        if _has_no_times(points.counts):
            raise DataError(_why_no_times(table, self.time.column, points.counts))
        return points

    def answer(
        self, base: NamedPoints, notes: tuple[str, ...], asked: Period | None, checkpoint: Checkpoint | None
    ) -> Events:
        """Count the pairs."""
        points, counts, period = base.points, base.points.counts, asked or Period.everything()
        spectra = points.day_spectra(period.first, period.last, checkpoint)
        if not spectra:
            days = points.first_days()
            if days is None:
                raise NotEstimableError(_why_no_pairs(points, self.person))
            raise _outside(period, points.step, *days)
        months: dict[str, list[Spectrum]] = {}
        for day, spectrum in spectra.items() if points.step in _STEPS_WITHIN_MONTHS else ():
            months.setdefault(day_text(day, "month"), []).append(spectrum)
        return Events(
            person=self.person,
            time=self.time.name,
            step=points.step,
            attributes=base.attributes,
            source=os.fspath(self.source) if isinstance(self.source, str | os.PathLike) else None,
            asked_period=asked.text if asked is not None else None,
            max_events=self.max_events,
            records=counts.records,
            people=sum(points.lengths().values()),
            points=sum(length * people for length, people in points.lengths().items()),
            days=tuple(_day_row(day, spectrum, points.step) for day, spectrum in spectra.items()),
            months=tuple(PairRow(month, None, _figures_of(parts)) for month, parts in months.items()),
            period=_figures_of(spectra.values()),
            excluded=LeftOut(
                people=counts.excluded_people,
                events=counts.excluded_events,
                without_person=counts.without_person,
                without_time=counts.without_time,
                unreadable_time=counts.unreadable_time,
            ),
            notes=notes,
            next_command=self._next_command(points.step, base.attributes, asked, list(spectra)),
        )

    def _next_command(
        self, step_now: str, attributes: Sequence[str], asked: Period | None, days: Sequence[int]
    ) -> str | None:
        """Return the same question with time one step coarser."""
        if not isinstance(self.source, str | os.PathLike) or os.fspath(self.source) == "-" or step_now == "year":
            return None
        step = TIME_STEPS[TIME_STEPS.index(step_now) + 1]
        coarser = f"{self.time.name.removesuffix(':' + step_now)}:{step}"
        words = ["idbits", "events", os.fspath(self.source), "--person", self.person, "--time", coarser]
        words += ["--attributes", quoted_names(attributes)] if attributes else []
        words += ["--period", asked.widened(days, step)] if asked is not None else []
        words += ["--max-events", str(self.max_events)] if self.max_events != MAX_EVENTS else []
        return " ".join([shlex.join(words), *self.options.command_words()])


def _known_of_events(table: Table, names: Sequence[str], person: str, option: str) -> tuple[Attribute, ...]:
    """Return the attributes of an event that someone may know."""
    attributes = parse_attributes(names, table.columns)
    if any(attribute.column == person for attribute in attributes):
        raise InputError(f'column "{person}" names the person, so it cannot be an attribute of an event ({option})')
    return attributes


def _has_no_times(counts: EventCounts) -> bool:
    return 0 < counts.unreadable_time + counts.without_time == counts.records - counts.without_person


def _must_have_events(counts: EventCounts, *, is_filtered: bool) -> None:
    """Raise an error if a table has no events."""
    if not counts.records:
        left = "no row is left after the filter" if is_filtered else "the table has no rows"
        raise NotEstimableError(f"there are no events to measure: {left}")
    if counts.without_person == counts.records:
        raise DataError("no record names a person, so no two events belong together; check --person")


def _why_no_times(table: Table, column: str, counts: EventCounts) -> str:
    """Explain why a column contains no times, and how its texts are written."""
    unread, empty = counts.unreadable_time, counts.without_time
    part = {"day": "date"}.get(needed_part(counts.step), needed_part(counts.step))
    if not unread:
        return f'column "{column}" contains no times: it is empty in {counted(empty, "record")}; name another (--time)'
    how = written_like(_shape_of_texts(table, column), unread)
    others = f" and {empty:,} {'is' if empty == 1 else 'are'} empty" if empty else ""
    return (
        f'column "{column}" contains no times: {counted(unread, "record")} cannot be read as a {part}{how}{others} '
        "(see --dates)"
    )


def _shape_of_texts(table: Table, column: str) -> str | None:
    if table.columns[column] is not Kind.TEXT:
        return None
    try:
        table.spectrum(parse_attributes([f"{column}:year"], table.columns))
    except UnreadDatesError as error:
        return error.shape
    return None


def _why_no_pairs(points: Points, person: str) -> str:
    """Explain why there are no pairs."""
    counts, n_people = points.counts, sum(points.lengths().values())
    lost = counts.without_time + counts.unreadable_time
    if n_people == 0:
        who = "everyone who has a time" if lost else "everyone"
        return f"{who} was left out: they have as many records as --max-events or more; give a larger number"
    if n_people == counts.records - counts.without_person - lost:
        where = "every row with a time" if lost else "every row"
        return (
            f'there are no pairs: column "{person}" names a different person in {where}; '
            "name a column with the same value in all events of a person (--person)"
        )
    return "there are no pairs: nobody has two different events"


def _outside(period: Period, step: str, first: int, last: int) -> NotEstimableError:
    """Explain that the pairs begin outside the requested period."""
    whole = period.widened([period.last], step)
    if whole != period.text:
        return NotEstimableError(
            f"no {step} begins {period.when}, and a {step} counts where it begins; use --period {whole}"
        )
    begin, end = (day_text(day, "month") for day in (first, last))
    months = f"in {begin}" if begin == end else f"from {begin} to {end}"
    return NotEstimableError(
        f"no pair of events begins {period.when}; the pairs of this table begin {months} (--period)"
    )


def _figures_of(spectra: Iterable[Spectrum]) -> PairFigures:
    return PairFigures.of(Spectrum.merged(spectra))


def _day_row(day: int, spectrum: Spectrum, step: str) -> PairRow:
    weekday = _WEEKDAYS[date_of_day(day).weekday()] if step == "day" else None
    return PairRow(day_text(day, step), weekday, PairFigures.of(spectrum))


def parse_time(name: str, columns: Mapping[str, Kind]) -> Attribute:
    """Return the time attribute with this name; whole numbers are read as eight-digit dates or as years.

    >>> parse_time("day:week", {"day": Kind.INTEGER}).transforms
    (Transform(name='week', argument=None),)
    """
    dated = {column: Kind.DATE if kind is Kind.INTEGER else kind for column, kind in columns.items()}
    time = parse_attribute(name, dated)
    return replace(time, kind=columns[time.column])


def time_step(time: Attribute) -> str | None:
    """Return the step to which a time column is coarsened; None for the finest that it has."""
    steps = [str(transform) for transform in time.transforms]
    if time.kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TEXT, Kind.INTEGER):
        raise InputError(f'column "{time.column}" contains {time.kind}, not times; name a column of dates (--time)')
    if len(steps) > 1 or any(step not in TIME_STEPS for step in steps):
        raise InputError(f"time can be coarsened in one step only: {', '.join(TIME_STEPS)} (--time)")
    return steps[0] if steps else None


@dataclass(frozen=True, slots=True)
class Period:
    """Days from ``first`` to ``last``, both included, counted from 1970."""

    text: str
    first: int
    last: int

    @classmethod
    def parse(cls, text: str) -> Period:
        """Read a day, week, month, quarter or year, or two of them with two dots in between.

        >>> period = Period.parse("2005-01..2005-02")
        >>> day_text(period.first, "day"), day_text(period.last, "day")
        ('2005-01-01', '2005-02-28')
        """
        ends = text.strip().split("..")
        if not 1 <= len(ends) <= 2:
            raise InputError(_PERIOD_FORMS)
        first, last = _span(ends[0])[0], _span(ends[-1])[1]
        if last < first:
            raise InputError("the period ends before it begins (--period)")
        return cls(text.strip(), day_number(first), day_number(last))

    @property
    def when(self) -> str:
        """The period with its preposition.

        >>> Period.parse("2005-01-27").when, Period.parse("2005-01").when
        ('on 2005-01-27', 'in 2005-01')
        """
        return f"{'on' if self.first == self.last else 'in'} {self.text}"

    def widened(self, days: Sequence[int], step: str) -> str:
        """Return the period that includes these days when time is coarser.

        A week, month or longer step belongs to the period in which it begins. If none of theirs begins in this period,
        the result is their first step.

        >>> Period.parse("2005-01-27").widened([12810], "week"), Period.parse("2005-01").widened([12810], "week")
        ('2005-W04', '2005-01')
        """
        begins = coarser_days(np.array(days, np.int64), step)
        return self.text if (begins >= self.first).any() else day_text(int(begins[0]), step)

    @classmethod
    def everything(cls) -> Period:
        """Return the period that contains every day."""
        return cls("", day_number(date.min), day_number(date.max))


def _span(text: str) -> tuple[date, date]:
    day_or_more = text.strip()
    try:
        if match := re.fullmatch(r"(\d{4})-W(\d{2})", day_or_more, re.ASCII):
            monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
            return monday, monday + timedelta(days=6)
        if match := re.fullmatch(r"(\d{4})(?:-Q([1-4])|-(\d{2}))?", day_or_more, re.ASCII):
            year, quarter, month = int(match[1]), match[2], match[3]
            first = 3 * int(quarter) - 2 if quarter else int(month or 1)
            last = first + 2 if quarter else int(month or 12)
            return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])
        day = date.fromisoformat(day_or_more)
    except (ValueError, IndexError, OverflowError):
        raise InputError(_PERIOD_FORMS) from None
    return day, day
