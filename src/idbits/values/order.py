"""The order of a column's values and their distances: numbers and dates have both, text has neither.

Text files have no types, so texts are read as numbers or dates if all of them can be, as transforms read them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from idbits.counts import Value
from idbits.errors import InputError
from idbits.values.attributes import Kind
from idbits.values.date_readings import choose_reading, count_forms
from idbits.values.dates import form_of, read_date
from idbits.values.labels import OTHER_VALUES
from idbits.values.readings import COMMA_NUMBER_PATTERN, NUMBER_PATTERN, SURE_COMMA_PATTERN, has_decimal_comma
from idbits.values.zones import Zone

__all__ = ["ValueOrder", "order_values"]

_QUARTER, _WEEK = re.compile(r"(\d{4})-Q([1-4])"), re.compile(r"(\d{4})-W(\d{2})")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
# 007 is a code, not the number 7.
_CODE = re.compile(r"\s*[+-]?0\d.*", re.DOTALL)
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class ValueOrder:
    """The values of a column in order.

    Attributes:
        labels: the values, null last; in the order of their texts if they have no other.
        positions: the values as numbers or days, without null; None if they have no distances.
        are_dates: whether the positions are days.
    """

    labels: tuple[Value, ...]
    positions: tuple[float, ...] | None = None
    are_dates: bool = False


def order_values(labels: Sequence[Value], kind: Kind, dates: str | None = None, zone: Zone | None = None) -> ValueOrder:
    """Return the values of an attribute in their order, by their labels.

    >>> order_values(["10", "9", None], Kind.TEXT)
    ValueOrder(labels=('9', '10', None), positions=(9.0, 10.0), are_dates=False)
    >>> order_values(["007", "10"], Kind.TEXT).positions is None
    True
    """
    texts = [text for text in labels if text is not None]
    null = (None,) if len(texts) < len(labels) else ()
    numbers, are_dates = _numbers(texts, kind), False
    if numbers is None:
        numbers, are_dates = _days(texts, kind, dates, zone), True
    if numbers is None or OTHER_VALUES in texts or not all(map(math.isfinite, numbers)):
        return ValueOrder((*sorted(texts), *null))
    ordered = sorted(zip(numbers, texts, strict=True))
    return ValueOrder((*(text for _, text in ordered), *null), tuple(number for number, _ in ordered), are_dates)


def _numbers(texts: Sequence[str], kind: Kind) -> list[float] | None:
    if kind in (Kind.INTEGER, Kind.NUMBER):
        return [float(text) for text in texts] if OTHER_VALUES not in texts else None
    if kind is not Kind.TEXT or not texts or any(map(_CODE.fullmatch, texts)):
        return None
    unfit_with_point = sum(not _fits(NUMBER_PATTERN, text) for text in texts)
    unfit_with_comma = sum(not _fits(COMMA_NUMBER_PATTERN, text) for text in texts)
    sure = sum(_fits(SURE_COMMA_PATTERN, text) for text in texts)
    if has_decimal_comma(unfit_with_point, unfit_with_comma, sure):
        return [float(text.replace(",", ".")) for text in texts]
    return None if unfit_with_point else [float(text) for text in texts]


def _fits(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text, re.ASCII) is not None


def _days(texts: Sequence[str], kind: Kind, dates: str | None, zone: Zone | None) -> list[float] | None:
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        days = [_day(text) for text in texts]
    elif kind is Kind.TEXT and texts:
        days = _written_days(texts, dates, zone)
    else:
        return None
    return None if None in days else [day for day in days if day is not None]


def _day(text: str) -> float | None:
    """Return the day of the label of a date, a month, a quarter, a week or a time."""
    try:
        if match := _QUARTER.fullmatch(text):
            return float(date(int(match[1]), 3 * int(match[2]) - 2, 1).toordinal())
        if match := _WEEK.fullmatch(text):
            return float(date.fromisocalendar(int(match[1]), int(match[2]), 1).toordinal())
        if match := _MONTH.fullmatch(text):
            return float(date(int(match[1]), int(match[2]), 1).toordinal())
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    return moment.toordinal() + seconds / _DAY_SECONDS


def _written_days(texts: Sequence[str], dates: str | None, zone: Zone | None) -> list[float | None]:
    try:
        reading = choose_reading(count_forms(texts, zone), "", dates, zone=zone)
    except InputError:  # day and month may be swapped, and nobody said which comes first
        return [None]
    if reading.unread or not reading.n_dates:
        return [None]
    days = []
    for text in texts:
        form = form_of(text)
        day = read_date(text, form, reading.order, zone) if form is not None else None
        days.append(float(day.toordinal()) if day is not None else None)
    return days
