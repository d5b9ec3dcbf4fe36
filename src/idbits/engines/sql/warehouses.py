"""Databases that cannot be run here: SQL Server, Oracle, Snowflake, BigQuery, Trino and Databricks.

They count columns as they are, filter, and coarsen columns with date, integer or decimal types. Reading text as numbers
or dates is refused.

We do not query their catalogs, and some accept several statements at once. So a query is allowed only if all its
clauses and functions are in the lists here.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, NoReturn

import sqlalchemy as sa
from sqlalchemy import func
from sqlalchemy.dialects import oracle
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.sql.functions import GenericFunction

from idbits.engines.sql.dialect import ALWAYS, NEVER, Element, OrderedTexts, SqlDialect
from idbits.engines.sql.tokens import TokenKind
from idbits.errors import InputError
from idbits.values.attributes import Kind

if TYPE_CHECKING:
    from idbits.engines.sql.connection import DatabaseConnection
    from idbits.engines.sql.one_select import OneSelect

__all__ = ["BigQuery", "Databricks", "Oracle", "SQLServer", "Snowflake", "Trino", "check_clauses"]

_CLAUSES_TEXT = """
Select From Where Group Having Qualify Order Ordered Limit Offset Fetch LimitOptions With CTE Subquery Join Table
TableAlias Union Intersect Except Distinct Window WindowSpec Alias Column Identifier Star Literal Null Boolean
DataType DataTypeParam Paren Tuple Var Interval Not Is In Between Like ILike Neg Add Sub Mul Div IntDiv Mod DPipe
SafeDPipe EQ NEQ LT LTE GT GTE NullSafeEQ NullSafeNEQ Case If And Or Xor Cast TryCast Exists Any All Escape National
AtTimeZone Collate Filter WithinGroup Rollup Cube GroupingSets WeekStart Convert
"""
_FUNCTIONS_TEXT = """
ABS ADD_MONTHS APPROX_COUNT_DISTINCT APPROX_DISTINCT ASCII AVG CAST CEIL CEILING CHAR CHARINDEX CHAR_LENGTH CHR
COALESCE CONCAT CONCAT_WS CONVERT COUNT COUNTIF COUNT_BIG COUNT_IF CUME_DIST CURRENT_DATE CURRENT_TIMESTAMP DATE
DATEADD DATEDIFF DATEFROMPARTS DATENAME DATEPART DATETIME DATETIME_TRUNC DATE_ADD DATE_DIFF DATE_FORMAT DATE_PART
DATE_SUB DATE_TRUNC DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR DAY_OF_WEEK DAY_OF_YEAR DECODE DENSE_RANK EOMONTH EXP EXTRACT
FIRST_VALUE FLOOR FORMAT FORMAT_DATE FROM_UNIXTIME GETDATE GREATEST GROUPING HOUR IF IFF IFNULL IIF INITCAP INSTR
ISNULL LAG LAST_DAY LAST_VALUE LEAD LEAST LEFT LEN LENGTH LN LOCATE LOG LOG10 LOWER LPAD LTRIM MAX MD5 MEDIAN MIN
MINUTE MOD MONTH MONTHS_BETWEEN NOW NTH_VALUE NTILE NULLIF NVL NVL2 PARSE_DATE PATINDEX PERCENTILE_CONT
PERCENTILE_DISC PERCENT_RANK POSITION POW POWER QUARTER RANK REGEXP_CONTAINS REGEXP_COUNT REGEXP_EXTRACT REGEXP_INSTR
REGEXP_LIKE REGEXP_REPLACE REGEXP_SUBSTR REPEAT REPLACE REPLICATE REVERSE RIGHT ROUND ROW_NUMBER RPAD RTRIM SAFE_CAST
SECOND SHA1 SHA256 SHA2 SIGN SPLIT_PART SQRT STARTS_WITH STDDEV STDDEV_POP STDDEV_SAMP STRPOS STUFF SUBSTR SUBSTRING
SUM TIMESTAMP TO_CHAR TO_DATE TO_HEX TO_NUMBER TO_TIMESTAMP TRANSLATE TRIM TRUNC TRY_CAST TRY_CONVERT TRY_TO_DATE
TRY_TO_NUMBER TYPEOF UCASE UPPER VARIANCE VAR_POP VAR_SAMP WEEK WEEKDAY WEEKOFYEAR YEAR
"""
_LANGUAGE_TEXT = """
ALL AND ANY AS BETWEEN BY CASE CUBE DISTINCT ELSE EXCEPT EXISTS FILTER FROM GROUP HAVING IN INTERSECT JOIN LIKE LIMIT
MINUS NOT ON OR ORDER OVER PARTITION QUALIFY ROLLUP SELECT SETS SOME THEN TOP UNION USING WHEN WHERE WITH BIGNUMERIC
BINARY CHAR CHARACTER DATETIME2 DECIMAL FLOAT NCHAR NUMBER NUMERIC NVARCHAR NVARCHAR2 STRING TEXT TIME VARBINARY
VARCHAR VARCHAR2 VARYING
"""
_CLAUSES, _FUNCTIONS, _LANGUAGE = (frozenset(text.split()) for text in (_CLAUSES_TEXT, _FUNCTIONS_TEXT, _LANGUAGE_TEXT))
_MOST_PARTS = 3


class _OrderedArray(GenericFunction[str]):
    """ARRAY_JOIN(ARRAY_AGG(text ORDER BY text), ',')."""

    name = "idbits_ordered_array"
    inherit_cache = True


@compiles(_OrderedArray)
def _ordered_array(element: _OrderedArray, compiler: sa.sql.compiler.SQLCompiler, **kw: object) -> str:
    text = compiler.process(element.clauses, **kw)
    return f"array_join(array_agg({text} ORDER BY {text}), ',')"


class Warehouse(SqlDialect):
    """A database whose queries are checked only by their text."""

    knows_instants = False

    def check_query(self, connection: DatabaseConnection, query: OneSelect) -> None:  # noqa: ARG002
        check_clauses(query)


class SQLServer(Warehouse):
    """Text is compared as bytes in a binary collation; an appended character makes trailing spaces count."""

    label = "SQL Server"
    text_type = sa.Unicode(4000)

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if kind is Kind.OTHER and "binary" in type_name:
            return func.convert(sa.literal_column("VARCHAR(MAX)"), column, 1)
        if kind is Kind.OTHER:
            return sa.cast(column, sa.Unicode(4000))
        return column

    def key(self, value: Element, kind: Kind) -> Element:
        # Even in a binary collation, a and "a " are equal: an appended mark distinguishes them.
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

    def ordered_list(self, item: Element) -> Element:
        # Without the cast a list of more than 8,000 bytes is an error.
        text = sa.cast(item, sa.Unicode())
        return func.string_agg(text, sa.literal_column("','")).within_group(text)

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"SET LOCK_TIMEOUT {timeout * 1000}"] if timeout is not None else []
        return [*limit, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"]


class Oracle(Warehouse):
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


class Snowflake(Warehouse):
    """Text is compared by its bytes, without a collation."""

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

    def ordered_list(self, item: Element) -> Element:
        return func.listagg(item, sa.literal_column("','")).within_group(item)

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {timeout}"] if timeout is not None else []
        return [*limit, "ALTER SESSION SET TIMEZONE = 'UTC'"]


class BigQuery(Warehouse):
    """Text is compared by code points; the collation of a column is ignored."""

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

    def ordered_list(self, item: Element) -> Element:
        return OrderedTexts(item)


class Trino(Warehouse):
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

    def ordered_list(self, item: Element) -> Element:
        return _OrderedArray(item)

    def session(self, timeout: int | None) -> list[str]:
        return [f"SET SESSION query_max_run_time = '{timeout}s'"] if timeout is not None else []


class Databricks(Warehouse):
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

    def ordered_list(self, item: Element) -> Element:
        return func.array_join(func.array_sort(func.collect_list(item)), sa.literal_column("','"))

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"SET STATEMENT_TIMEOUT = {timeout}"] if timeout is not None else []
        return [*limit, "SET TIME ZONE 'UTC'"]


def check_clauses(query: OneSelect) -> None:
    """Raise an error if a query has a clause or calls a function that is not known to be harmless."""
    from sqlglot import exp

    for token in query.calls:
        if token.kind is not TokenKind.NAME or token.value.upper() not in _FUNCTIONS | _LANGUAGE:
            _refuse(f'the function "{token.value}"')
    positions = {token.start: position for position, token in enumerate(query.tokens)}
    for token in query.calls:
        # A function in a schema or a package may be user-defined.
        if query.tokens[positions[token.start] - 1].written == ".":
            _refuse(f'the function "{token.value}"')
    for node in query.tree.walk():
        # Functions were checked by their written names, which no version of sqlglot changes.
        if type(node).__name__ not in _CLAUSES and not isinstance(node, exp.Func):
            _refuse("a clause")
        if isinstance(node, exp.Anonymous) and node.name.upper() not in _FUNCTIONS:
            _refuse(f'the function "{node.name}"')
        if isinstance(node, exp.Table) and (
            len(node.parts) > _MOST_PARTS or any("/" in str(part.name) or ":" in str(part.name) for part in node.parts)
        ):
            _refuse("a table of another server or a file")
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
            _refuse("a function as a table")


def _refuse(what: str) -> NoReturn:
    raise InputError(
        f"the query uses {what} that idbits does not know to be read-only; create a view and name it instead"
    )
