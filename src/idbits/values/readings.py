"""The patterns by which every engine reads text as a number or a date.

Numbers have a decimal point and an optional sign and exponent. Dates are year-month-day, day-month-year or
month-day-year with full years, separated by - / or ., or eight digits with the year first; a time of day may follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from idbits.errors import DataError, InputError
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.wording import counted

__all__ = [
    "COMMA_NUMBER_PATTERN", "COUNT_PATTERN", "DATE_ORDERS", "DATE_PATTERNS", "NUMBER_PATTERN", "SURE_COMMA_PATTERN",
    "TextReadings", "before_reading", "choose_date_order", "date_note", "fitting_date_order", "has_decimal_comma",
    "has_numbers_to_check",
]  # fmt: skip

# For RE2 and for Python's re with ASCII digits; matched against the whole value. Adjacent parts never match the same
# characters, so that backtracking takes no quadratic time.
NUMBER_PATTERN = r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*"
COMMA_NUMBER_PATTERN = r"\s*[+-]?[0-9]+(,[0-9]+)?\s*"
# 1,234 may be a thousand: only another number of digits shows that the comma is a decimal comma.
SURE_COMMA_PATTERN = r"\s*[+-]?[0-9]+,([0-9]{1,2}|[0-9]{4,})\s*"
COUNT_PATTERN = r"\s*\+?([0-9]+)(\.0*)?\s*"

_TIME = r"([T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(\s*(Z|[+-][0-9]{2}(:?[0-9]{2})?))?)?"
_YEAR, _PART, _SEPARATOR = r"([0-9]{4})", r"([0-9]{1,2})", r"[-/.]"

DATE_ORDERS = ("ymd", "dmy", "mdy")

# Each pattern with its groups for year, month and day.
DATE_PATTERNS: Mapping[str, Sequence[tuple[str, tuple[int, int, int]]]] = {
    "ymd": (
        (rf"\s*{_YEAR}{_SEPARATOR}{_PART}{_SEPARATOR}{_PART}\.?{_TIME}\s*", (1, 2, 3)),
        (r"\s*([0-9]{4})([0-9]{2})([0-9]{2})\s*", (1, 2, 3)),
    ),
    "dmy": ((rf"\s*{_PART}{_SEPARATOR}{_PART}{_SEPARATOR}{_YEAR}\.?{_TIME}\s*", (3, 2, 1)),),
    "mdy": ((rf"\s*{_PART}{_SEPARATOR}{_PART}{_SEPARATOR}{_YEAR}\.?{_TIME}\s*", (3, 1, 2)),),
}


def has_decimal_comma(unfit_with_point: int, unfit_with_comma: int, sure: int) -> bool:
    """Whether numbers have a decimal comma (3,5): all fit it, not all fit a point, and one is surely no thousand.

    >>> has_decimal_comma(unfit_with_point=7, unfit_with_comma=0, sure=2)
    True
    """
    return unfit_with_point > 0 and unfit_with_comma == 0 and sure > 0


def choose_date_order(unfit: Mapping[str, int], column: str, chosen: str | None) -> str:
    """Return the order of a column's dates, from the number of values that each order cannot read.

    >>> choose_date_order({"ymd": 9, "dmy": 0, "mdy": 4}, "born", None)
    'dmy'
    """
    if chosen is not None:
        return chosen
    fitting = [order for order in DATE_ORDERS if unfit[order] == 0]
    if fitting == ["dmy", "mdy"]:
        raise InputError(
            f'the dates in column "{column}" may have the day or the month first; '
            "choose with --dates dmy or --dates mdy"
        )
    return fitting[0] if fitting else min(DATE_ORDERS, key=lambda order: unfit[order])


def fitting_date_order(unread: Sequence[int], attribute: Attribute, chosen: str | None) -> str:
    """Return the order that reads all values as dates; ``unread`` has the number that each order cannot read."""
    unfit = dict(zip(DATE_ORDERS, map(int, unread), strict=True))
    order = choose_date_order(unfit, attribute.column, chosen)
    if unfit[order]:
        raise DataError(
            f'column "{attribute.column}" has {counted(unfit[order], "value")} that cannot be read as a date, '
            f'so "{attribute.name}" cannot be computed (check the order with --dates)'
        )
    return order


def date_note(column: str, order: str) -> str:
    """Return a note on the order in which the dates of a column were read.

    >>> date_note("born", "dmy")
    'column "born" was read as dates in the order day-month-year'
    """
    words = {"ymd": "year-month-day", "dmy": "day-month-year", "mdy": "month-day-year"}
    return f'column "{column}" was read as dates in the order {words[order]}'


@dataclass(slots=True)
class TextReadings:
    """What is known about reading texts: the order of dates, and which numbers have a decimal comma.

    Texts are identified by the attribute that reads them: a column, or a prefix of it.
    """

    date_orders: dict[Attribute, str] = field(default_factory=dict)
    commas: dict[Attribute, bool] = field(default_factory=dict)


def before_reading(attribute: Attribute) -> list[tuple[Attribute, Transform]]:
    """Return the texts that an attribute reads as numbers or dates, each with the transform that does."""
    texts = []
    for index, (transform, kind) in enumerate(attribute.steps()):
        if kind is Kind.TEXT and (transform.wants_dates or transform.wants_numbers):
            texts.append((Attribute(attribute.column, attribute.kind, attribute.transforms[:index]), transform))
    return texts


def has_numbers_to_check(attribute: Attribute) -> bool:
    """Whether an attribute coarsens a column of floats or decimals, which must be finite."""
    return attribute.kind is Kind.NUMBER and any(transform.wants_numbers for transform in attribute.transforms)
