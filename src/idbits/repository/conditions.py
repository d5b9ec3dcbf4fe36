"""Conditions on people, such as ``municipality=Amsterdam``, and which conditions imply which.

The differencing rule uses them, and so do queries when they compare wider and narrower populations.

A condition on a number or a day allows a range, its extent: ``age:band5=30`` allows 30 up to 35,
``birthdate:month=1985-05`` the days of that month. Every chain of coarsening steps has an extent, so conditions on
different views of one concept can be compared: ``age:cap90=33`` is within ``age:band5=30``.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache

from idbits.errors import IdbitsError
from idbits.repository.vocabulary import determines, remaining_steps, simplified
from idbits.values.attributes import Attribute, Kind, Transform, parse_attribute
from idbits.values.decimals import number_text
from idbits.values.labels import OTHER_VALUES, label
from idbits.values.plain import transform_column

__all__ = [
    "FOREVER", "Condition", "Extent", "Group", "coarsen_value", "concept_of", "exclude_each_other", "extent_of",
    "implied_condition", "implies", "is_finer", "is_null", "make_condition",
]  # fmt: skip

Condition = tuple[str, str]
"""The canonical name of an attribute, and the value that people of a group have, normalised for comparison."""

Group = frozenset[Condition]
"""People who satisfy all of some conditions."""

FOREVER = Decimal("Infinity")

_NULL = "\0null"
_OTHER = OTHER_VALUES.casefold()
_A_LITTLE = Decimal("1e-9")
_MOST = Decimal("1e15")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,9})?", flags=re.ASCII)


@lru_cache(maxsize=200_000)
def make_condition(name: str, value: str | None) -> Condition:
    """Return a condition; upper and lower case and extra spaces in its value do not matter.

    >>> make_condition("municipality", "Den  Haag") == make_condition("municipality", "den haag")
    True
    """
    return name, _NULL if value is None else " ".join(unicodedata.normalize("NFKC", value).casefold().split())


def concept_of(condition: Condition) -> str:
    """Return the concept that a condition is about, without the view."""
    return condition[0].partition(":")[0]


@lru_cache(maxsize=10_000)
def _attribute(name: str) -> Attribute:
    # Every transform accepts text, and its meaning does not depend on the kind.
    return simplified(parse_attribute(name, {name.partition(":")[0]: Kind.TEXT}))


@lru_cache(maxsize=10_000)
def is_finer(fine: str, coarse: str) -> bool:
    """Return whether one attribute determines the other."""
    return determines(_attribute(fine), _attribute(coarse))


def is_null(condition: Condition) -> bool:
    """Return whether a condition is about people whose value is missing."""
    return condition[1] == _NULL


def _is_rest(condition: Condition) -> bool:
    """Return whether a condition is about the rest: the rarer values that ``top`` merges."""
    return condition[1] == _OTHER


def _kept_by_top(condition: Condition) -> Condition:
    """Return a condition without ``top``, which does not change the people who have a frequent value."""
    name, step, _ = condition[0].rpartition(":top")
    return (name, condition[1]) if step and not _is_rest(condition) else condition


@lru_cache(maxsize=200_000)
def extent_of(condition: Condition) -> Extent | None:
    """Return which numbers or days a condition allows; None if unknown."""
    name, value = _kept_by_top(condition)
    return _value_extent(_attribute(name), value)


@lru_cache(maxsize=200_000)
def implied_condition(fine: Condition, coarse: str) -> Condition | None:
    """Return the condition on another attribute that a condition implies; None if none is known.

    For ``top`` it is the value that people have if that value is among the most frequent ones.

    >>> implied_condition(("age", "34"), "age:band5"), implied_condition(("age:cap90", "34"), "age:band5")
    (('age:band5', '30'), ('age:band5', '30'))
    """
    if fine[0] == coarse:
        return fine
    name, value = _kept_by_top(fine)
    view, is_top, _ = coarse.rpartition(":top")
    if is_top:
        kept = implied_condition((name, value), view)
        return (coarse, kept[1]) if kept is not None and not _is_rest(kept) else None
    if name == coarse:
        return name, value
    coarser = coarsen_value(name, None if value == _NULL else value, coarse)
    return make_condition(coarse, coarser[0]) if coarser is not None else _containing((name, value), coarse)


def _containing(fine: Condition, coarse: str) -> Condition | None:
    """Return the value of another attribute that all values of this condition share; None if they differ."""
    mine = extent_of(fine)
    coarser = coarsen_value(concept_of(fine), _first_value_text(mine), coarse) if mine is not None else None
    wide = make_condition(coarse, coarser[0]) if coarser is not None else None
    theirs = extent_of(wide) if wide is not None else None
    return wide if mine is not None and theirs is not None and theirs.contains(mine) else None


@lru_cache(maxsize=200_000)
def exclude_each_other(condition: Condition, other: Condition) -> bool:
    """Return whether it is certain that nobody satisfies both conditions.

    >>> exclude_each_other(("age", "34"), ("age:band5", "35")), exclude_each_other(("age", "34"), ("gender", "f"))
    (True, False)
    """
    if concept_of(condition) != concept_of(other):
        return False
    if condition[0] != other[0] and (_is_rest(condition) or _is_rest(other)):
        return False
    mine, theirs = implied_condition(condition, other[0]), implied_condition(other, condition[0])
    if (mine is not None and mine != other) or (theirs is not None and theirs != condition):
        return True
    ranges = extent_of(condition), extent_of(other)
    return ranges[0] is not None and ranges[1] is not None and ranges[0].is_disjoint(ranges[1])


@lru_cache(maxsize=200_000)
def coarsen_value(name: str, value: str | None, coarse: str) -> tuple[str | None] | None:
    """Return the value of a coarser attribute as written in a table, in a tuple; None if unknown.

    >>> coarsen_value("postcode", "Ab12", "postcode:prefix2"), coarsen_value("age", None, "age:band5")
    (('Ab',), (None,))
    """
    attribute, wanted = _attribute(name), _attribute(coarse)
    steps = remaining_steps(attribute, wanted)
    if steps == ():
        return (value,)
    if steps is None or any(step.name == "top" for step in steps) or (value or "").casefold() == _OTHER:
        return None
    if value is None:
        return (None,)
    if attribute.transforms and attribute.transforms[-1].name in ("month", "quarter") and steps[0].name == "year":
        # Months and quarters are written as 1985-05 and 1985-Q2.
        value, steps = value[:4], steps[1:]
        if not steps:
            return (value,)
    try:
        view = Attribute(wanted.column, Kind.TEXT, steps)
        return (label(transform_column([value], [1], view, "ymd")[0], view),)
    except (IdbitsError, ValueError, ArithmeticError, AttributeError):
        return None


def implies(narrow: Iterable[Condition], wide: Iterable[Condition]) -> bool:
    """Return whether it is certain that everyone in the narrow group is in the wide one.

    >>> implies({("age", "34"), ("gender", "f")}, {("age:band5", "30")})
    True
    """
    narrow = tuple(narrow)
    return all(any(implied_condition(mine, theirs[0]) == theirs for mine in narrow) for theirs in wide)


@dataclass(frozen=True, slots=True)
class Extent:
    """The values from the first up to, but not including, the end; a single value if both are the same.

    Attributes:
        days: whether the values are days (ordinals) instead of numbers.
        first: the first value.
        end: the end of the range, excluded.
    """

    days: bool
    first: Decimal
    end: Decimal

    @property
    def is_single(self) -> bool:
        """Whether the extent is a single number."""
        return self.first == self.end

    def whole_ends(self) -> tuple[Decimal, Decimal]:
        """Return the first whole number and the excluded end, rounding a cut between whole numbers up."""
        first, end = (bound.to_integral_value(ROUND_CEILING) for bound in (self.first, self.end))
        return first, end + self.is_single

    def contains(self, other: Extent) -> bool:
        """Return whether this extent contains all values of the other."""
        if self.days != other.days or other.first < self.first:
            return False
        return other.end <= self.end and (not other.is_single or other.end < self.end or self.is_single)

    def is_disjoint(self, other: Extent) -> bool:
        """Return whether the two extents have no value in common."""
        if self.days != other.days:
            return False
        before, after = sorted((self, other), key=lambda extent: (extent.first, extent.end))
        return before.end < after.first or (before.end == after.first and not before.is_single)


@lru_cache(maxsize=200_000)
def _value_extent(attribute: Attribute, value: str) -> Extent | None:
    """Return the extent of a normalised value; None if unknown.

    >>> from idbits.values.attributes import Kind, parse_attribute
    >>> ages = _value_extent(parse_attribute("age:cap90:band5", {"age": Kind.TEXT}), "90")
    >>> str(ages.first), str(ages.end)
    ('90', 'Infinity')
    """
    try:
        extent = _written(attribute, value)
        for step in reversed(attribute.transforms):
            if extent is None:
                return None
            extent = _before(step, extent)
    except (ValueError, OverflowError):
        # Not a day of the calendar.
        return None
    return extent


def _first_value_text(extent: Extent) -> str:
    """Return the first value of an extent as written in a table."""
    return date.fromordinal(int(extent.first)).isoformat() if extent.days else number_text(extent.first)


def _written(attribute: Attribute, value: str) -> Extent | None:
    """Return the extent of the written value, before any transform is undone."""
    if (match := re.fullmatch(r"([0-9]{4})-w([0-9]{2})", value, flags=re.ASCII)) is not None:
        return _day(date.fromisocalendar(int(match[1]), int(match[2]), 1))
    if (match := re.fullmatch(r"([0-9]{4})-q([1-4])", value, flags=re.ASCII)) is not None:
        return _day(date(int(match[1]), 3 * int(match[2]) - 2, 1))
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?", value, flags=re.ASCII) is not None:
        return _day(date.fromisoformat(value if len(value) > len("1985-05") else f"{value}-01"))
    # A code with a leading 0 is text, unless a transform treats it as a number.
    is_code = len(value) > 1 and value[0] == "0" and value[1] != "." and not attribute.transforms
    return Extent(False, Decimal(value), Decimal(value)) if _NUMBER.fullmatch(value) and not is_code else None


def _day(day: date) -> Extent:
    return Extent(True, Decimal(day.toordinal()), Decimal(day.toordinal() + 1))


def _before(step: Transform, after: Extent) -> Extent | None:
    """Return the extent of the values that a transform maps into an extent; None if unknown."""
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
    """Return the first day, not before a given one, on which a period begins."""
    while begin(date.fromordinal(ordinal)) != date.fromordinal(ordinal):
        ordinal += 1
    return Decimal(ordinal)
