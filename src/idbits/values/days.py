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
from idbits.values.readings import DATE_ORDERS, DATE_PATTERNS, choose_date_order, date_note

__all__ = [
    "TIME_STEPS", "LabelDays", "coarser_days", "date_of_day", "day_number", "day_text", "days_by_month",
    "days_of_labels",
]  # fmt: skip

TIME_STEPS = ("day", "week", "month", "quarter", "year")
"""The units that time can be coarsened to, finest first."""

_EPOCH = date(1970, 1, 1).toordinal()

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelDays:
    """The days of the values of a time column.

    Attributes:
        numbers: for each value, the day since 1970; 0 if there is none.
        missing: for each value, whether it is empty.
        unread: for each value, whether it cannot be read as a date.
        notes: how the days were read.
    """

    numbers: Integers
    missing: NDArray[np.bool_]
    unread: NDArray[np.bool_]
    notes: tuple[str, ...]


def days_of_labels(labels: Sequence[Value], attribute: Attribute, dates: str | None) -> LabelDays:
    """Return the days of an attribute's labels; ``dates`` is the order of their parts, None to detect it."""
    notes: tuple[str, ...] = ()
    if attribute.transforms:
        days = [_iso_date(label) for label in labels]
    else:
        order, days = _dates_of_texts(labels, attribute, dates)
        if attribute.kind is Kind.TEXT and dates is None and any(day is not None for day in days):
            notes = (date_note(attribute.column, order),)
    missing = np.array([label is None for label in labels], bool)
    unread = np.array([day is None for day in days], bool) & ~missing
    numbers = np.array([0 if day is None else day_number(day) for day in days], np.int64)
    return LabelDays(numbers, missing, unread, notes)


def _iso_date(label: Value) -> date | None:
    try:
        return date.fromisoformat(label) if label is not None else None
    except ValueError:
        return None


def _dates_of_texts(labels: Sequence[Value], attribute: Attribute, dates: str | None) -> tuple[str, list[date | None]]:
    orders = ("ymd",) if attribute.kind is Kind.INTEGER else DATE_ORDERS
    read = {order: [_read_date(label, order) for label in labels] for order in orders}
    if attribute.kind is Kind.INTEGER:
        return "ymd", read["ymd"]
    # Values that no order can read do not help to decide the order.
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
