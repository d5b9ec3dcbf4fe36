"""The words of databases that cannot be run here: SQL Server, Oracle, Snowflake, BigQuery, Trino and Databricks.

They count columns as they stand, coarsen dates, whole numbers and decimals that have such types, and filter. What
would need text to be read as numbers or dates is refused.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy import func
from sqlalchemy.dialects import oracle
from sqlalchemy.sql.elements import Grouping

from idbits.engines.sql.words import ALWAYS, NEVER, Element, Words
from idbits.values.attributes import Kind

__all__ = ["BigQuery", "Databricks", "Oracle", "SQLServer", "Snowflake", "Trino"]


class SQLServer(Words):
    """Text is compared as bytes in a binary collation; trailing blanks count by a character that follows them."""

    label = "SQL Server"
    text_type = sa.Unicode(4000)

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if kind is Kind.OTHER and "binary" in type_name:
            return func.convert(sa.literal_column("VARCHAR(MAX)"), column, 1)
        if kind is Kind.OTHER:
            return sa.cast(column, sa.Unicode(4000))
        return column

    def key(self, value: Element, kind: Kind) -> Element:
        # Even in a binary collation a and "a " are equal: a mark at the end tells them apart.
        if kind not in (Kind.TEXT, Kind.OTHER):
            return value
        return Grouping(value + sa.literal_column("N'|'")).collate("Latin1_General_100_BIN2")

    def count(self) -> Element:
        return func.count_big(sa.literal_column("*"))

    def decoded(self, value: object, kind: Kind) -> object:
        return super().decoded(
            value[:-1] if kind in (Kind.TEXT, Kind.OTHER) and isinstance(value, str) else value, kind
        )

    def prefix(self, text: Element, length: int) -> Element:
        return func.left(text.collate("Latin1_General_100_CI_AS_SC"), length)

    def length(self, text: Element) -> Element:
        return func.len(text + sa.literal_column("N'|'")) - 1

    def like(self, text: Element, pattern: str) -> Element:
        plain = pattern.replace("[", "[[]")
        return text.collate("Latin1_General_100_BIN2").like(sa.literal(plain))

    def compared_text(self, text: Element, operator: str, other: Element) -> Element:
        if operator in ("=", "<>"):
            return super().compared_text(text, operator, other)
        return text.collate("Latin1_General_100_BIN2").op(operator, is_comparison=True)(other)

    def remainder(self, value: Element, width: Element) -> Element:
        return value % width

    def year(self, value: Element) -> Element:
        return func.year(value)

    def month_of_year(self, value: Element) -> Element:
        return func.month(value)

    def truncated(self, value: Element, unit: str) -> Element:
        day = sa.cast(value, sa.Date())
        if unit == "week":
            # 1 January 0001 is a Monday.
            days = func.datediff(sa.literal_column("day"), sa.literal_column("CAST('0001-01-01' AS DATE)"), day) % 7
            return func.dateadd(sa.literal_column("day"), -days, day)
        month = func.month(day) if unit == "month" else (func.datepart(sa.literal_column("quarter"), day) * 3 - 2)
        return func.datefromparts(func.year(day), month, 1)

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"SET LOCK_TIMEOUT {timeout * 1000}"] if timeout is not None else []
        return [*limit, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"]


class Oracle(Words):
    """The empty text is null, as everywhere in Oracle."""

    label = "Oracle"
    exact_type = oracle.NUMBER()  # type: ignore[no-untyped-call]
    text_type = sa.String(4000)

    def key(self, value: Element, kind: Kind) -> Element:
        return value.collate("BINARY") if kind in (Kind.TEXT, Kind.OTHER) else value

    def length(self, text: Element) -> Element:
        return func.length(text)

    def day(self, value: Element) -> Element:
        return func.trunc(value)

    def truncated(self, value: Element, unit: str) -> Element:
        return func.trunc(value, sa.literal_column({"week": "'IW'", "month": "'MM'", "quarter": "'Q'"}[unit]))

    def calendar_day(self, value: date) -> Element:
        return func.to_date(sa.literal(value.isoformat()), sa.literal_column("'YYYY-MM-DD'"))

    def moment(self, value: datetime) -> Element:
        form: Element = sa.literal_column("'YYYY-MM-DD HH24:MI:SS.FF6'")
        return func.to_timestamp(sa.literal(value.isoformat(sep=" ", timespec="microseconds")), form)

    def compared_number(self, value: Element, type_name: str, operator: str, number: Decimal | int) -> Element:  # noqa: ARG002
        return value.op(operator, is_comparison=True)(self.decimal(number))

    def session(self, timeout: int | None) -> list[str]:  # noqa: ARG002
        return ["SET TRANSACTION READ ONLY"]


class Snowflake(Words):
    """Text is compared in no collation but the bytes' own."""

    label = "Snowflake"

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if type_name == "double":
            return func.nullif(column, sa.literal_column("'NaN'::float"))
        return super().comparable(column, type_name, kind)

    def is_finite(self, value: Element, type_name: str) -> Element:
        return func.abs(value) != sa.literal_column("'inf'::float") if type_name == "double" else ALWAYS

    def key(self, value: Element, kind: Kind) -> Element:
        return func.collate(value, sa.literal_column("''")) if kind in (Kind.TEXT, Kind.OTHER) else value

    def length(self, text: Element) -> Element:
        return func.length(text)

    def prefix(self, text: Element, length: int) -> Element:
        return func.left(text, length)

    def truncated(self, value: Element, unit: str) -> Element:
        if unit == "week":
            return sa.cast(func.dateadd(sa.literal_column("day"), 1 - func.dayofweekiso(value), value), sa.Date())
        return super().truncated(value, unit)

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {timeout}"] if timeout is not None else []
        return [*limit, "ALTER SESSION SET TIMEZONE = 'UTC'"]


class BigQuery(Words):
    """Text is compared by code points, unless a column has a collation, which is then left aside."""

    label = "BigQuery"

    def key(self, value: Element, kind: Kind) -> Element:
        return func.collate(value, sa.literal_column("''")) if kind in (Kind.TEXT, Kind.OTHER) else value

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if type_name == "timestamp":
            return func.datetime(column, sa.literal_column("'UTC'"))
        if type_name == "double":
            return sa.case((func.is_nan(column), sa.null()), else_=column)
        return super().comparable(column, type_name, kind)

    def exact(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return func.parse_bignumeric(sa.cast(value, sa.String()))

    def inexact(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return NEVER

    def is_finite(self, value: Element, type_name: str) -> Element:
        return sa.not_(func.is_inf(value)) if type_name == "double" else ALWAYS

    def decimal(self, number: Decimal | int) -> Element:
        return sa.literal_column(f"{number}" if isinstance(number, int) else f"BIGNUMERIC '{number:f}'")

    def like(self, text: Element, pattern: str) -> Element:
        return text.like(sa.literal(pattern.replace("\\", "\\\\")))

    def integer(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return value

    def as_double(self, value: Element) -> Element:
        return sa.cast(value, sa.Float())

    def truncated(self, value: Element, unit: str) -> Element:
        part = "ISOWEEK" if unit == "week" else unit.upper()
        return func.date_trunc(sa.cast(value, sa.Date()), sa.literal_column(part))


class Trino(Words):
    """Text is compared by its bytes, as Trino always does."""

    label = "Trino"

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if type_name == "double":
            return sa.case((func.is_nan(column), sa.null()), else_=column)
        return super().comparable(column, type_name, kind)

    def is_finite(self, value: Element, type_name: str) -> Element:
        return func.is_finite(value) if type_name == "double" else ALWAYS

    def length(self, text: Element) -> Element:
        return func.length(text)

    def session(self, timeout: int | None) -> list[str]:
        return [f"SET SESSION query_max_run_time = '{timeout}s'"] if timeout is not None else []


class Databricks(Words):
    """Text is compared by its bytes, whatever the collation of the column."""

    label = "Databricks"

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if type_name == "double":
            return sa.case((func.isnan(column), sa.null()), else_=column)
        return super().comparable(column, type_name, kind)

    def is_finite(self, value: Element, type_name: str) -> Element:
        return func.abs(value) != sa.literal_column("double('infinity')") if type_name == "double" else ALWAYS

    def like(self, text: Element, pattern: str) -> Element:
        return text.like(sa.literal(pattern.replace("\\", "\\\\")))

    def key(self, value: Element, kind: Kind) -> Element:
        return value.collate("UTF8_BINARY") if kind in (Kind.TEXT, Kind.OTHER) else value

    def prefix(self, text: Element, length: int) -> Element:
        return func.left(text, length)

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"SET STATEMENT_TIMEOUT = {timeout}"] if timeout is not None else []
        return [*limit, "SET TIME ZONE 'UTC'"]
