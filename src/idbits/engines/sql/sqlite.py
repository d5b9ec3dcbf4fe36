"""The words of SQLite: it has few of its own, so most are functions of ours that it calls."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func

from idbits.engines.like import python_pattern
from idbits.engines.sql.words import NEVER, Element, Words
from idbits.values.attributes import Kind, Transform
from idbits.values.decimals import as_decimal, coarser_number, number_text

__all__ = ["SQLite", "add_functions"]

_WIDEST = 2**63


class SQLite(Words):
    """Text is compared in the collation BINARY; dates are text, as SQLite has no type for them."""

    label = "SQLite"
    text_type = sa.Text()

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if kind is Kind.OTHER:
            return func.idbits_text(column)
        if kind is Kind.TEXT and type_name != "text":
            # Cells of several types meet by their text.
            return func.idbits_text(column)
        return column

    def key(self, value: Element, kind: Kind) -> Element:
        return value.collate("BINARY") if kind in (Kind.TEXT, Kind.OTHER) else value

    def length(self, text: Element) -> Element:
        return func.idbits_length(text)

    def like(self, text: Element, pattern: str) -> Element:
        return func.idbits_like(text, pattern) == 1

    def prefix(self, text: Element, length: int) -> Element:
        return func.idbits_prefix(text, length)

    def matches(self, text: Element, pattern: str) -> Element:
        return func.idbits_matches(text, pattern) == 1

    def number_of(self, text: Element) -> Element:
        return func.idbits_number(text)

    def date_of(self, text: Element, pattern: str, groups: Sequence[int]) -> Element:
        return func.idbits_date(text, pattern, *groups)

    def count_of(self, text: Element, pattern: str) -> Element:
        return func.idbits_count(text, pattern)

    def exact(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return value

    def inexact(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return NEVER

    def is_finite(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return func.abs(value) < sa.literal_column("9e999")

    def coarser(self, value: Element, name: str, argument: Decimal) -> Element:
        return func.idbits_coarser(value, name, str(argument))

    def whole(self, value: Element) -> Element:
        return sa.cast(value, sa.Integer())

    def integer(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return value

    def as_double(self, value: Element) -> Element:
        return sa.cast(value, sa.REAL())

    def day(self, value: Element) -> Element:
        return value

    def year(self, value: Element) -> Element:
        return sa.cast(func.substr(value, 1, 4), sa.Integer())

    def month_of_year(self, value: Element) -> Element:
        return sa.cast(func.substr(value, 6, 2), sa.Integer())

    def truncated(self, value: Element, unit: str) -> Element:
        return func.idbits_first_day(value, unit)

    def compared_number(self, value: Element, type_name: str, operator: str, number: Decimal | int) -> Element:  # noqa: ARG002
        return func.idbits_compare(value, str(number)).op(operator, is_comparison=True)(sa.literal_column("0"))

    def session(self, timeout: int | None) -> list[str]:  # noqa: ARG002
        return ["PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF", "BEGIN"]


def add_functions(connection: Any) -> None:
    """Give a connection of the standard library's sqlite3 the functions that the words call."""
    for name, (arguments, function) in _FUNCTIONS.items():
        connection.create_function(f"idbits_{name}", arguments, function, deterministic=True)


def _with_value(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, *rest: None if value is None else function(value, *rest)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return number_text(as_decimal(value)) if isinstance(value, float) and math.isfinite(value) else str(value)


def _matches(text: Any, pattern: str) -> int:
    return int(re.fullmatch(pattern, str(text), flags=re.ASCII) is not None)


def _like(text: Any, pattern: str) -> int:
    return int(python_pattern(pattern).fullmatch(str(text)) is not None)


def _number(text: str) -> str | None:
    return number_text(as_decimal(text)) if math.isfinite(float(text)) else None


def _date(text: Any, pattern: str, *groups: int) -> str | None:
    match = re.fullmatch(pattern, str(text), flags=re.ASCII)
    if match is None:
        return None
    try:
        return date(*(int(match[group]) for group in groups)).isoformat()
    except ValueError:
        return None


def _count(text: Any, pattern: str) -> int | None:
    match = re.fullmatch(pattern, str(text), flags=re.ASCII)
    # Python reads no number of thousands of digits.
    digits = match[1].lstrip("0") if match is not None else None
    if digits is None or len(digits) > len(str(_WIDEST)) or int(digits or "0") >= _WIDEST:
        return None
    return int(digits or "0")


def _coarser(value: Any, name: str, argument: str) -> str:
    return number_text(coarser_number(value, Transform(name, Decimal(argument))))


def _first_day(text: str, unit: str) -> str:
    day = datetime.fromisoformat(text).date()
    if unit == "week":
        return (day - timedelta(days=day.weekday())).isoformat()
    return day.replace(month=(day.month - 1) // 3 * 3 + 1 if unit == "quarter" else day.month, day=1).isoformat()


def _compare(value: Any, number: str) -> int:
    if isinstance(value, float) and math.isinf(value):
        return 1 if value > 0 else -1
    ours, theirs = as_decimal(value), Decimal(number)
    return (ours > theirs) - (ours < theirs)


_FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "text": (1, _with_value(_text)),
    "length": (1, _with_value(lambda text: len(str(text)))),
    "prefix": (2, _with_value(lambda text, length: str(text)[:length])),
    "matches": (2, _with_value(_matches)),
    "like": (2, _with_value(_like)),
    "number": (1, _with_value(_number)),
    "date": (5, _with_value(_date)),
    "count": (2, _with_value(_count)),
    "coarser": (3, _with_value(_coarser)),
    "first_day": (2, _with_value(_first_day)),
    "compare": (2, _with_value(_compare)),
}
