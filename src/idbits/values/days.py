"""Days since 1970: reads them from labels, coarsens them and writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Value
from idbits.values.attributes import Attribute, Kind
from idbits.values.date_readings import choose_reading, count_forms
from idbits.values.dates import form_of, read_date
from idbits.values.zones import Zone

__all__ = [
    "TIME_STEPS", "LabelDays", "coarser_days", "date_of_day", "day_number", "day_text", "days_by_month",
    "days_of_labels", "digits_note", "needed_part", "years_note",
]  # fmt: skip

TIME_STEPS = ("day", "week", "month", "quarter", "year")
"""The units that time can be coarsened to, finest first."""

_PARTS = ("year", "quarter", "month", "day")
_EIGHT_DIGITS, _FOUR_DIGITS = "([0-9]{4})([0-9]{2})([0-9]{2})", "([1-9][0-9]{3})"
_EPOCH = date(1970, 1, 1).toordinal()

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelDays:
    """The days of the values of a time column.

    Attributes:
        numbers: for each value, the day since 1970 (of a month or year, its first day); 0 if there is none.
        missing: for each value, whether it is empty.
        unread: for each value, whether it cannot be read as a time of this step.
        step: what the times are coarsened to.
        notes: how the days were read.
    """

    numbers: Integers
    missing: NDArray[np.bool_]
    unread: NDArray[np.bool_]
    step: str
    notes: tuple[str, ...]


Dated = tuple[date, str]
"""A date, and its finest part: day, month or year."""


def days_of_labels(
    labels: Sequence[Value],
    attribute: Attribute,
    step: str | None = None,
    dates: str | None = None,
    zone: Zone | None = None,
) -> LabelDays:
    """Return the days of an attribute's labels.

    ``step`` is what the times will be coarsened to; by default the finest part that they have. ``dates`` is the order
    of their parts, None to detect it.
    """
    notes: tuple[str, ...] = ()
    if attribute.transforms:
        read = [_iso_date(label) for label in labels]
    elif attribute.kind is Kind.INTEGER:
        read, notes = _dates_of_digits(labels, attribute.column)
    else:
        read, notes = _dates_of_texts(labels, attribute.column, dates, zone)
    chosen = step or max((part for _, part in filter(None, read)), key=_PARTS.index, default="day")
    needed = _PARTS.index(needed_part(chosen))
    days = [dated[0] if dated is not None and _PARTS.index(dated[1]) >= needed else None for dated in read]
    missing = np.array([label is None for label in labels], bool)
    unread = np.array([day is None for day in days], bool) & ~missing
    numbers = np.array([0 if day is None else day_number(day) for day in days], np.int64)
    return LabelDays(numbers, missing, unread, chosen, notes)


def needed_part(step: str) -> str:
    """Return the finest part of a date that a time step needs: day, month, quarter or year.

    >>> needed_part("week"), needed_part("quarter")
    ('day', 'quarter')
    """
    return {"week": "day"}.get(step, step)


def _iso_date(label: Value) -> Dated | None:
    try:
        return (date.fromisoformat(label), "day") if label is not None else None
    except ValueError:
        return None


def _dates_of_digits(labels: Sequence[Value], column: str) -> tuple[list[Dated | None], tuple[str, ...]]:
    """Read whole numbers as dates of eight digits or as years, whichever more of them are."""
    dates, years = ([_read_digits(label, part) for label in labels] for part in ("day", "year"))
    if sum(year is not None for year in years) > sum(day is not None for day in dates):
        return years, (years_note(column),)
    return dates, (digits_note(column),)


def years_note(column: str) -> str:
    """Return a note on whole numbers that were read as years."""
    return f'column "{column}" was read as years'


def digits_note(column: str) -> str:
    """Return a note on whole numbers that were read as dates."""
    return f'column "{column}" was read as dates of eight digits, year first'


def _read_digits(label: Value, part: str) -> Dated | None:
    match = re.fullmatch({"day": _EIGHT_DIGITS, "year": _FOUR_DIGITS}[part], label, re.ASCII) if label else None
    if match is None:
        return None
    try:
        return date(*(int(match[group]) if match.re.groups >= group else 1 for group in (1, 2, 3))), part
    except ValueError:
        return None


def _dates_of_texts(
    labels: Sequence[Value], column: str, dates: str | None, zone: Zone | None
) -> tuple[list[Dated | None], tuple[str, ...]]:
    """Read texts in one order; those that no order can read do not help to decide the order."""
    counts = count_forms((label for label in labels if label is not None), zone)
    reading = choose_reading(counts, column, dates, zone=zone, partly=True)
    return [_read_text(label, reading.order, zone) for label in labels], reading.notes


def _read_text(label: Value, order: str, zone: Zone | None) -> Dated | None:
    form = form_of(label) if label is not None else None
    if label is None or form is None:
        return None
    day = read_date(label, form, order, zone)
    return (day, form.step) if day is not None else None


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


def date_of_day(number: int) -> date:
    """Return the date of a day since 1970."""
    return date.fromordinal(number + _EPOCH)


def day_text(number: int, step: str) -> str:
    """Return a day, or the week, month, quarter or year that begins on it, as text.

    >>> day_text(12810, "day"), day_text(12807, "week"), day_text(12784, "quarter"), day_text(-719162, "month")
    ('2005-01-27', '2005-W04', '2005-Q1', '0001-01')
    """
    day = date_of_day(number)
    if step == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    quarter = f"{day.year:04}-Q{(day.month + 2) // 3}"
    return {"month": f"{day.year:04}-{day.month:02}", "quarter": quarter, "year": f"{day.year:04}"}.get(
        step, day.isoformat()
    )


def days_by_month(days: Iterable[int]) -> list[list[int]]:
    """Group ascending days by month.

    >>> days_by_month([12784, 12814, 12815])
    [[12784, 12814], [12815]]
    """
    return [list(month) for _, month in groupby(days, key=lambda day: day_text(day, "month"))]
