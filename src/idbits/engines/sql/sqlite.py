"""SQLite: how its values are compared, and what queries may do.

It has few functions, so most of them are defined here. A query may read tables and call functions that only compute:
SQLite asks a guard about each function, table and statement while it compiles a query, so nothing is guessed from the
text.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import func

from idbits.engines.sql.dialect import NEVER, Element, SqlDialect
from idbits.engines.where import like_pattern
from idbits.errors import InputError
from idbits.values.attributes import Kind, Transform
from idbits.values.dates import DATE_FORMS, DateForm, day_in_zone, form_of, has_zone, read_date
from idbits.values.decimals import Number, as_decimal, coarser_number, number_text
from idbits.values.zones import Zone

if TYPE_CHECKING:
    from idbits.engines.sql.connection import DatabaseConnection
    from idbits.engines.sql.one_select import OneSelect

__all__ = ["SQLite", "add_functions", "set_guard"]

_FORMS = {form.name: form for form in DATE_FORMS}
_WIDEST = 2**63
_PART_BITS = 32
_DETERMINISTIC, _DIRECT_ONLY, _INNOCUOUS = 0x800, 0x80000, 0x200000
# SQLite calls them innocuous, but they return changing values, describe the connection or write to its log.
_NOT_HARMLESS = ("random", "randomblob", "changes", "total_changes", "last_insert_rowid", "sqlite_log")
_PRAGMAS = ("table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "data_version")
# A virtual table declares itself with an UPDATE that is never run, and an R-tree prepares statements for changes.
# query_only refuses to run any of them.
_PREPARED_BY_MODULES = (sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_DELETE)
_SHADOWS = ("_node", "_rowid", "_parent")
_SETTINGS = (("query_only", "ON"), ("trusted_schema", "OFF"))
_STATEMENTS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_TRANSACTION)
# Tables that show pages, programs or settings of the database instead of rows.
_NO_TABLES = ("sqlite_dbpage", "dbstat", "bytecode", "tables_used", "sqlite_stmt", "fsdir", "zipfile")


class SQLite(SqlDialect):
    """Text is compared in the collation BINARY; dates are text, as SQLite has no type for them."""

    label = "SQLite"
    text_type = sa.Text()

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if kind is Kind.OTHER:
            return func.idbits_text(column)
        if kind is Kind.TEXT and type_name != "text":
            # Cells of different types are compared as text.
            return func.idbits_text(column)
        return column

    def key(self, value: Element, kind: Kind) -> Element:
        return value.collate("BINARY") if kind in (Kind.TEXT, Kind.OTHER) else value

    def summed_parts(self, number: Element) -> Sequence[Element]:
        return [number.op(">>")(_PART_BITS), number.op("&")((1 << _PART_BITS) - 1)]

    def sum_of_parts(self, sums: Sequence[int]) -> int:
        high, low = sums
        return (high << _PART_BITS) + low

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

    def replaced(self, text: Element, pattern: str, sign: str) -> Element:
        return func.idbits_replaced(text, pattern, sign)

    def form_number(self, text: Element) -> Element:
        return func.idbits_form(text)

    def has_zone(self, text: Element) -> Element:
        return func.idbits_has_zone(text) == 1

    def date_of(self, text: Element, form: DateForm, order: str) -> Element:
        return func.idbits_date(text, form.name, order)

    def moved_day(self, day: Element, text: Element, zone: Zone, *, is_far: bool) -> Element:  # noqa: ARG002
        return func.idbits_moved_day(day, text, zone.name)

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

    def list_item(self, *numbers: Element) -> Element:
        return func.idbits_item(*numbers)

    def ordered_list(self, item: Element) -> Element:
        return func.idbits_list(item)

    def session(self, timeout: int | None) -> list[str]:  # noqa: ARG002
        return ["PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF", "BEGIN"]

    def check_query(self, connection: DatabaseConnection, query: OneSelect) -> None:  # noqa: ARG002
        # SQLite asks about each function (set_guard); the functions that idbits adds are not for queries.
        if any(token.value.lower().startswith("idbits_") for token in query.names):
            raise InputError("the query calls a function that idbits reserves for itself")


def add_functions(connection: sqlite3.Connection) -> None:
    """Add the functions that the dialect calls to a connection of the standard library's sqlite3."""
    for name, (arguments, function) in _FUNCTIONS.items():
        connection.create_function(f"idbits_{name}", arguments, function, deterministic=True)
    # The library's types only know aggregates of whole numbers.
    connection.create_aggregate("idbits_list", 1, _TextList)  # type: ignore[arg-type]


class _TextList:
    """Lists texts in an order: before version 3.44, SQLite lists them in any order."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def step(self, text: str, /) -> None:
        self._texts.append(text)

    def finalize(self) -> str:
        return ",".join(sorted(self._texts))


def _with_value(function: Callable[..., str | int | None]) -> Callable[..., str | int | None]:
    return lambda value, *rest: None if value is None else function(value, *rest)


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return number_text(as_decimal(value)) if isinstance(value, float) and math.isfinite(value) else str(value)


def _matches(text: object, pattern: str) -> int:
    return int(re.fullmatch(pattern, str(text), flags=re.ASCII) is not None)


def _like(text: object, pattern: str) -> int:
    return int(like_pattern(pattern).fullmatch(str(text)) is not None)


def _number(text: str) -> str | None:
    return number_text(as_decimal(text)) if math.isfinite(float(text)) else None


def _form(text: object) -> int | None:
    form = form_of(str(text))
    return DATE_FORMS.index(form) if form is not None else None


def _date(text: object, form: str, order: str) -> str | None:
    day = read_date(str(text), _FORMS[form], order)
    return day.isoformat() if day is not None else None


def _moved_day(day: str, text: str, zone: str) -> str | None:
    try:
        return day_in_zone(date.fromisoformat(day), text, Zone(zone)).isoformat()
    except OverflowError:
        return None


def _count(text: object, pattern: str) -> int | None:
    match = re.fullmatch(pattern, str(text), flags=re.ASCII)
    # Python does not parse numbers with thousands of digits.
    digits = match[1].lstrip("0") if match is not None else None
    if digits is None or len(digits) > len(str(_WIDEST)) or int(digits or "0") >= _WIDEST:
        return None
    return int(digits or "0")


def _coarser(value: Number | str, name: str, argument: str) -> str:
    return number_text(coarser_number(value, Transform(name, Decimal(argument))))


def _first_day(text: str, unit: str) -> str:
    day = datetime.fromisoformat(text).date()
    if unit == "week":
        return (day - timedelta(days=day.weekday())).isoformat()
    return day.replace(month=(day.month - 1) // 3 * 3 + 1 if unit == "quarter" else day.month, day=1).isoformat()


def _compare(value: Number | str, number: str) -> int:
    if isinstance(value, float) and math.isinf(value):
        return 1 if value > 0 else -1
    ours, theirs = as_decimal(value), Decimal(number)
    return (ours > theirs) - (ours < theirs)


_FUNCTIONS: dict[str, tuple[int, Callable[..., str | int | None]]] = {
    "text": (1, _with_value(_text)),
    "length": (1, _with_value(lambda text: len(str(text)))),
    "prefix": (2, _with_value(lambda text, length: str(text)[:length])),
    "matches": (2, _with_value(_matches)),
    "like": (2, _with_value(_like)),
    "number": (1, _with_value(_number)),
    "replaced": (3, _with_value(lambda text, pattern, sign: re.sub(pattern, sign, text))),
    "form": (1, _with_value(_form)),
    "has_zone": (1, _with_value(lambda text: int(has_zone(str(text))))),
    "date": (3, _with_value(_date)),
    "moved_day": (3, _with_value(_moved_day)),
    "count": (2, _with_value(_count)),
    "coarser": (3, _with_value(_coarser)),
    "first_day": (2, _with_value(_first_day)),
    "compare": (2, _with_value(_compare)),
    "item": (-1, lambda *numbers: ":".join(map(str, numbers))),
}


def set_guard(connection: sqlite3.Connection) -> None:
    """Make SQLite refuse everything except reading and computing."""
    harmless = _harmless_functions(connection)

    def allow(action: int, first: str | None, second: str | None, *_: object) -> int:
        name = (first or "").lower()
        if action in _STATEMENTS:
            allowed = True
        elif action == sqlite3.SQLITE_READ:
            allowed = name not in _NO_TABLES and not name.startswith("pragma_")
        elif action == sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() in harmless
        elif action in _PREPARED_BY_MODULES:
            allowed = name == "sqlite_master" or name.endswith(_SHADOWS)
        else:
            setting = (name, (second or "").upper()) in _SETTINGS
            allowed = action == sqlite3.SQLITE_PRAGMA and (setting or name in _PRAGMAS)
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    connection.set_authorizer(allow)


def _harmless_functions(connection: sqlite3.Connection) -> frozenset[str]:
    allowed: dict[str, bool] = {}
    for name, built_in, _, _, _, flags in connection.execute("PRAGMA function_list"):
        harmless = flags & (_DETERMINISTIC | _INNOCUOUS) and not flags & _DIRECT_ONLY and name not in _NOT_HARMLESS
        # SQLAlchemy adds floor, which only computes, and regexp, which may run forever.
        ours = name.startswith("idbits_") or name == "floor"
        allowed[name] = allowed.get(name, True) and bool(ours or (built_in and harmless))
    return frozenset(name for name, harmless in allowed.items() if harmless)
