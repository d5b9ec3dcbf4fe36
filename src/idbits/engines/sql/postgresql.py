"""The words of PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy import func
from sqlalchemy.dialects import postgresql

from idbits.engines.sql.words import NEVER, Element, Words
from idbits.values.attributes import Kind

__all__ = ["SETTINGS", "PostgreSQL", "portable"]

# What changes a figure, or how a statement is read.
SETTINGS = (
    "SET LOCAL standard_conforming_strings = on",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL IntervalStyle = 'postgres'",
    "SET LOCAL TimeZone = 'UTC'",
)
_LARGEST = Decimal("1.7976931348623157e308")


def portable(pattern: str) -> str:
    """Return a pattern of ``values/readings.py`` for a whole text; what a blank is depends on no locale.

    >>> portable("[0-9]+ *")
    '^(?:[0-9]+ *)$'
    """
    return "^(?:" + pattern.replace(r"\s", r"[ \t\n\r\f\v]") + ")$"


class PostgreSQL(Words):
    """Text is compared in the collation "C", whatever the column's own."""

    label = "PostgreSQL"
    exact_type = sa.Numeric()
    text_type = sa.Text()

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if type_name in ("float4", "float8"):
            return func.nullif(sa.cast(column, sa.Double()), sa.literal_column("'NaN'::float8"))
        if type_name == "numeric":
            return func.nullif(column, sa.literal_column("'NaN'::numeric"))
        if type_name == "timestamptz":
            return func.timezone("UTC", column)
        if kind in (Kind.TEXT, Kind.OTHER):
            return self.as_text(column)
        return column

    def key(self, value: Element, kind: Kind) -> Element:
        return value.collate("C") if kind in (Kind.TEXT, Kind.OTHER) else value

    def prefix(self, text: Element, length: int) -> Element:
        return func.left(text, length)

    def like(self, text: Element, pattern: str) -> Element:
        return text.like(sa.literal(pattern), escape="")

    def trimmed(self, text: Element) -> Element:
        return func.btrim(text, " ")

    def matches(self, text: Element, pattern: str) -> Element:
        return text.op("~", is_comparison=True)(sa.literal(portable(pattern)))

    def number_of(self, text: Element) -> Element:
        # A number beyond what double precision holds is none on any engine.
        number = sa.cast(text, sa.Numeric())
        return sa.case((func.abs(number) <= self.decimal(_LARGEST), number))

    def date_of(self, text: Element, pattern: str, groups: Sequence[int]) -> Element:
        # In a query of its own, so that the text is matched once; without the pattern it has no row.
        match = func.regexp_match(text, portable(pattern), type_=postgresql.ARRAY(sa.Text())).column_valued("part")
        year, month, day = (sa.cast(match[group], sa.Integer()) for group in groups)
        read = sa.case((self.is_day(year, month, day), func.make_date(year, month, day)))
        return sa.select(read).scalar_subquery()

    def count_of(self, text: Element, pattern: str) -> Element:
        parts = func.regexp_match(text, portable(pattern), type_=postgresql.ARRAY(sa.Text()))
        return sa.cast(parts[1], sa.Numeric())

    def exact(self, value: Element, type_name: str) -> Element:
        if type_name == "float4":
            value = sa.cast(value, sa.REAL())  # of which the shortest text has fewer digits
        return sa.cast(sa.cast(value, sa.Text()) if "float" in type_name else value, sa.Numeric())

    def inexact(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return NEVER

    def is_finite(self, value: Element, type_name: str) -> Element:
        if type_name in ("float4", "float8"):
            return func.abs(value) != sa.literal_column("'Infinity'::float8")
        return sa.cast(value, sa.Text()).not_in(["Infinity", "-Infinity"])

    def integer(self, value: Element, type_name: str) -> Element:
        return sa.cast(value, sa.BigInteger() if type_name in ("int2", "int4") else sa.Numeric())

    def truncated(self, value: Element, unit: str) -> Element:
        # Of a date, too, this is a moment without time zone: no time zone moves it to another day.
        moment = sa.cast(value, sa.DateTime())
        return sa.cast(func.date_trunc(sa.literal_column(f"'{unit}'"), moment), sa.Date())

    def compared_number(self, value: Element, type_name: str, operator: str, number: Decimal | int) -> Element:
        if type_name in ("float4", "float8"):
            return value.op(operator, is_comparison=True)(self.as_double(sa.literal_column(f"'{number}'")))
        return value.op(operator, is_comparison=True)(self.decimal(number))

    def session(self, timeout: int | None) -> list[str]:
        limit = f"SET LOCAL statement_timeout = {timeout * 1000}" if timeout is not None else ""
        return [
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            *([limit] if limit else []),
            *SETTINGS,
        ]
