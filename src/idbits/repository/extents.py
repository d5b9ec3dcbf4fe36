"""Which numbers or days a condition allows: ``age:band5=30`` those from 30 up to 35, ``birthdate:month=1985-05`` a May.

Whatever coarsens in steps has such an extent, however the steps are chained, so conditions on different views of one
concept can be compared: ``age:cap90=33`` lies within ``age:band5=30``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache

from idbits.values.attributes import Attribute, Transform
from idbits.values.decimals import number_text

__all__ = ["FOREVER", "Extent", "extent_of", "first_text"]

FOREVER = Decimal("Infinity")
_A_LITTLE = Decimal("1e-9")
_MOST = Decimal("1e15")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,9})?", flags=re.ASCII)


@dataclass(frozen=True, slots=True)
class Extent:
    """Values from the first one up to, and not including, the end; a single one where both are the same.

    Attributes:
        days: whether they are days, as ordinals, and not numbers.
        first: the first value.
        end: where they end.
    """

    days: bool
    first: Decimal
    end: Decimal

    @property
    def is_single(self) -> bool:
        """Whether it is one number."""
        return self.first == self.end

    def holds(self, other: Extent) -> bool:
        """Return whether all values of the other are among these."""
        if self.days != other.days or other.first < self.first:
            return False
        return other.end <= self.end and (not other.is_single or other.end < self.end or self.is_single)

    def misses(self, other: Extent) -> bool:
        """Return whether no value is in both."""
        if self.days != other.days:
            return False
        before, after = sorted((self, other), key=lambda one: (one.first, one.end))
        return before.end < after.first or (before.end == after.first and not before.is_single)


@lru_cache(maxsize=200_000)
def extent_of(attribute: Attribute, value: str) -> Extent | None:
    """Return the extent of a value, as it is compared; None where it has none that is known here.

    >>> from idbits.values.attributes import Kind, parse_attribute
    >>> found = extent_of(parse_attribute("age:cap90:band5", {"age": Kind.TEXT}), "90")
    >>> str(found.first), str(found.end)
    ('90', 'Infinity')
    """
    try:
        found = _written(attribute, value)
        for step in reversed(attribute.transforms):
            if found is None:
                return None
            found = _before(step, found)
    except (ValueError, OverflowError):
        # No day of the calendar.
        return None
    return found


def first_text(extent: Extent) -> str:
    """Return the first value of an extent as it is written in a table."""
    return date.fromordinal(int(extent.first)).isoformat() if extent.days else number_text(extent.first)


def _written(attribute: Attribute, value: str) -> Extent | None:
    """Return the extent of what is written, before any step is taken back."""
    if (match := re.fullmatch(r"([0-9]{4})-w([0-9]{2})", value, flags=re.ASCII)) is not None:
        return _day(date.fromisocalendar(int(match[1]), int(match[2]), 1))
    if (match := re.fullmatch(r"([0-9]{4})-q([1-4])", value, flags=re.ASCII)) is not None:
        return _day(date(int(match[1]), 3 * int(match[2]) - 2, 1))
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?", value, flags=re.ASCII) is not None:
        return _day(date.fromisoformat(value if len(value) > len("1985-05") else f"{value}-01"))
    # A code that begins with 0 is a text, unless something takes it for a number.
    is_code = len(value) > 1 and value[0] == "0" and value[1] != "." and not attribute.transforms
    return Extent(False, Decimal(value), Decimal(value)) if _NUMBER.fullmatch(value) and not is_code else None


def _day(day: date) -> Extent:
    return Extent(True, Decimal(day.toordinal()), Decimal(day.toordinal() + 1))


def _before(step: Transform, after: Extent) -> Extent | None:
    """Return the values that a step takes into an extent."""
    first, end = after.first, after.end if not after.is_single else after.end + _A_LITTLE
    if step.name == "cap" and step.argument is not None and not after.days:
        return Extent(False, first, FOREVER if end > step.argument else after.end) if first <= step.argument else None
    if step.name in ("band", "round") and step.argument is not None and not after.days:
        width = step.argument
        first, end = (bound if bound == FOREVER else math.ceil(bound / width) * width for bound in (first, end))
        shift = width / 2 if step.name == "round" else 0
        return Extent(False, first - shift, end - shift) if first < end else None
    if step.name == "year" and not after.days:
        years = math.ceil(first), math.ceil(min(end, _MOST))
        if not 1 <= years[0] < years[1] <= date.max.year:
            return None
        return Extent(True, *(Decimal(date(year, 1, 1).toordinal()) for year in years))
    if step.name in _PERIODS and after.days:
        bounds = [_next_period(int(bound), _PERIODS[step.name]) for bound in (first, end)]
        return Extent(True, *bounds) if bounds[0] < bounds[1] else None
    return None


_PERIODS: dict[str, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
    "quarter": lambda day: day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
}


def _next_period(ordinal: int, begin: Callable[[date], date]) -> Decimal:
    """Return the first day on or after a day that begins a period."""
    while begin(date.fromordinal(ordinal)) != date.fromordinal(ordinal):
        ordinal += 1
    return Decimal(ordinal)
