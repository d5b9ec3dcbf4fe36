"""The time column of a question, its step, and the period in which pairs begin."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from idbits.errors import InputError
from idbits.values.attributes import Attribute, Kind, parse_attribute
from idbits.values.days import TIME_STEPS, coarser_days, day_number, day_text

__all__ = ["Period", "parse_time", "time_step"]


def parse_time(name: str, columns: Mapping[str, Kind]) -> Attribute:
    """Return the time attribute with this name; whole numbers are read as eight-digit dates.

    >>> parse_time("day:week", {"day": Kind.INTEGER}).transforms
    (Transform(name='week', argument=None),)
    """
    dated = {column: Kind.DATE if kind is Kind.INTEGER else kind for column, kind in columns.items()}
    time = parse_attribute(name, dated)
    return replace(time, kind=columns[time.column])


def time_step(time: Attribute) -> str:
    """Return the step to which a time column is coarsened."""
    steps = [str(transform) for transform in time.transforms]
    if time.kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TEXT, Kind.INTEGER):
        raise InputError(f'column "{time.column}" contains {time.kind}, not times; name a column of dates (--time)')
    if len(steps) > 1 or any(step not in TIME_STEPS for step in steps):
        raise InputError(f"time can be coarsened in one step only: {', '.join(TIME_STEPS)} (--time)")
    return steps[0] if steps else "day"


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


_PERIOD_FORMS = "write a period as 2005, 2005-Q1, 2005-01, 2005-W05, 2005-01-27 or 2005-01..2005-03 (--period)"


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
