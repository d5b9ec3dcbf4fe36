"""Times of events as days: read from dates, moments or text, coarsened, and cut to a period."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Value
from idbits.engines.base import Table
from idbits.errors import DataError, InputError
from idbits.values.attributes import Attribute, Kind, Transform, parse_attribute
from idbits.values.readings import DATE_ORDERS, DATE_PATTERNS, choose_date_order, date_note

__all__ = [
    "STEPS",
    "Days",
    "Period",
    "coarser_days",
    "day_number",
    "day_text",
    "days_by_month",
    "parse_time",
    "read_days",
    "time_step",
]

STEPS = ("day", "week", "month", "quarter", "year")
"""How time can be coarsened, finest first."""

_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH
_LONGEST_DATE = 12

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Days:
    """The days of a time column.

    Attributes:
        attribute: what rows are coded by.
        numbers: for each of its codes, the day since 1970; 0 where there is none.
        missing: for each code, whether the cell is empty.
        unread: for each code, whether the cell cannot be read as a date.
        notes: how it was read.
    """

    attribute: Attribute
    numbers: Integers
    missing: NDArray[np.bool_]
    unread: NDArray[np.bool_]
    notes: tuple[str, ...]


def parse_time(name: str, columns: Mapping[str, Kind]) -> Attribute:
    """Return the attribute that the name of a time stands for; whole numbers are dates of eight digits.

    >>> parse_time("day:week", {"day": Kind.INTEGER}).transforms
    (Transform(name='week', argument=None),)
    """
    dated = {column: Kind.DATE if kind is Kind.INTEGER else kind for column, kind in columns.items()}
    found = parse_attribute(name, dated)
    return replace(found, kind=columns[found.column])


def time_step(time: Attribute) -> str:
    """Return the step that a time column is coarsened to."""
    steps = [str(transform) for transform in time.transforms]
    if time.kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TEXT, Kind.INTEGER):
        raise InputError(f'column "{time.column}" holds no times ({time.kind} there); name a column of dates (--time)')
    if len(steps) > 1 or any(step not in STEPS for step in steps):
        raise InputError(f"time is coarsened in one step: {', '.join(STEPS)}")
    return steps[0] if steps else "day"


def day_attribute(table: Table, time: Attribute) -> tuple[Attribute, tuple[str, ...]]:
    """Return the attribute by which the days of a time column are coded, and what to say about its reading."""
    plain = Attribute(time.column, time.kind)
    by_day = Attribute(time.column, time.kind, (Transform("day"),))
    if time.kind is Kind.INTEGER:
        return plain, (f'column "{time.column}" was read as dates of eight digits, year first',)
    if time.kind is not Kind.TEXT:
        said = f'days of column "{time.column}" are those of UTC where its times have a time zone, else as they stand'
        return by_day, (said,) if time.kind is Kind.TIMESTAMP else ()
    notes: tuple[str, ...] = ()
    if table.profile(time.column).longest > _LONGEST_DATE:
        notes = (f'days of column "{time.column}" are as written: a time zone behind them moves no event',)
    try:
        table.null_people(by_day)
    except DataError:
        # Some texts are no dates: then each text is looked at, and those are counted.
        return plain, notes
    return by_day, notes


def read_days(table: Table, attribute: Attribute, dates: str | None, notes: tuple[str, ...]) -> Days:
    """Return the days of the codes that the table gives an attribute."""
    labels = table.labels(attribute)
    if attribute.transforms:
        found = [_iso_date(label) for label in labels]
    else:
        order, found = _dates_of_texts(labels, attribute, dates)
        if attribute.kind is Kind.TEXT and dates is None and any(day is not None for day in found):
            notes = (*notes, date_note(attribute.column, order))
    missing = np.array([label is None for label in labels], bool)
    unread = np.array([day is None for day in found], bool) & ~missing
    numbers = np.array([0 if day is None else day.toordinal() - _EPOCH for day in found], np.int64)
    return Days(attribute, numbers, missing, unread, notes)


def _iso_date(label: Value) -> date | None:
    try:
        return date.fromisoformat(label) if label is not None else None
    except ValueError:
        return None


def _dates_of_texts(labels: list[Value], attribute: Attribute, dates: str | None) -> tuple[str, list[date | None]]:
    orders = ("ymd",) if attribute.kind is Kind.INTEGER else DATE_ORDERS
    read = {order: [_read_date(label, order) for label in labels] for order in orders}
    if attribute.kind is Kind.INTEGER:
        return "ymd", read["ymd"]
    # What no order can read says nothing about the order.
    hopeless = sum(all(day is None for day in days) for days in zip(*read.values(), strict=True))
    unfit = {order: sum(day is None for day in days) - hopeless for order, days in read.items()}
    order = choose_date_order(unfit, attribute.column, dates) if hopeless < len(labels) else "ymd"
    return order, read[order]


_PATTERNS = {
    order: [(re.compile(pattern, re.ASCII), groups) for pattern, groups in patterns]
    for order, patterns in DATE_PATTERNS.items()
}


def _read_date(text: Value, order: str) -> date | None:
    for pattern, groups in _PATTERNS[order]:
        match = pattern.fullmatch(text) if text is not None else None
        if match is not None:
            try:
                return date(*(int(match[group]) for group in groups))
            except ValueError:
                return None
    return None


def coarser_days(numbers: Integers, step: str) -> Integers:
    """Return the first day of the week (Monday), month, quarter or year of each day.

    >>> [day_text(int(day), "day") for day in coarser_days(np.array([day_number(date(2005, 1, 27))]), "week")]
    ['2005-01-24']
    """
    if step == "day":
        return numbers
    if step == "week":
        return numbers - (numbers + 3) % 7
    months = numbers.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    length = {"month": 1, "quarter": 3, "year": 12}[step]
    return (months - months % length).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def day_number(day: date) -> int:
    """Return a day as the number of days since 1970."""
    return day.toordinal() - _EPOCH


def day_text(number: int, step: str) -> str:
    """Return a day, or the week, month, quarter or year that begins on it, as text.

    >>> day_text(12810, "day"), day_text(12807, "week"), day_text(12784, "quarter"), day_text(-719162, "month")
    ('2005-01-27', '2005-W04', '2005-Q1', '0001-01')
    """
    day = date.fromordinal(number + _EPOCH)
    if step == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    quarter = f"{day.year:04}-Q{(day.month + 2) // 3}"
    return {"month": f"{day.year:04}-{day.month:02}", "quarter": quarter, "year": f"{day.year:04}"}.get(
        step, day.isoformat()
    )


def days_by_month(days: Iterable[int]) -> list[list[int]]:
    """Put days that ascend together by their month.

    >>> days_by_month([12784, 12814, 12815])
    [[12784, 12814], [12815]]
    """
    return [list(own) for _, own in groupby(days, key=lambda day: day_text(day, "month"))]


@dataclass(frozen=True, slots=True)
class Period:
    """Days from ``first`` to ``last``, both since 1970 and both in it."""

    text: str
    first: int
    last: int

    @classmethod
    def parse(cls, text: str) -> Period:
        """Read a day, week, month, quarter, year, or two of them with two points in between.

        >>> period = Period.parse("2005-01..2005-02")
        >>> day_text(period.first, "day"), day_text(period.last, "day")
        ('2005-01-01', '2005-02-28')
        """
        ends = text.strip().split("..")
        if not 1 <= len(ends) <= 2:
            raise InputError(_HOW)
        first, last = _span(ends[0])[0], _span(ends[-1])[1]
        if last < first:
            raise InputError("the period ends before it begins (--period)")
        return cls(text.strip(), day_number(first), day_number(last))

    def widened(self, days: Sequence[int], step: str) -> str:
        """Return the period in which these days can be found again when time is coarser.

        A week, month ... counts where it begins. Where none of theirs begins in the period, it is the first of theirs.

        >>> Period.parse("2005-01-27").widened([12810], "week"), Period.parse("2005-01").widened([12810], "week")
        ('2005-W04', '2005-01')
        """
        begins = coarser_days(np.array(days, np.int64), step)
        return self.text if (begins >= self.first).any() else day_text(int(begins[0]), step)

    @classmethod
    def everything(cls) -> Period:
        """Return the period that holds every day."""
        return cls("", _FIRST, _LAST)


_HOW = "a period is written 2005, 2005-Q1, 2005-01, 2005-W05, 2005-01-27 or 2005-01..2005-03 (--period)"


def _span(text: str) -> tuple[date, date]:
    words = text.strip()
    try:
        if match := re.fullmatch(r"(\d{4})-W(\d{2})", words, re.ASCII):
            monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
            return monday, monday + timedelta(days=6)
        if match := re.fullmatch(r"(\d{4})(?:-Q([1-4])|-(\d{2}))?", words, re.ASCII):
            year, quarter, month = int(match[1]), match[2], match[3]
            first = 3 * int(quarter) - 2 if quarter else int(month or 1)
            last = first + 2 if quarter else int(month or 12)
            return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])
        day = date.fromisoformat(words)
    except (ValueError, IndexError, OverflowError):
        raise InputError(_HOW) from None
    return day, day
