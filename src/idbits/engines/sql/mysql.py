"""The words of MySQL and MariaDB."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy import func
from sqlalchemy.dialects import mysql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from idbits.engines.sql.words import Element, Words
from idbits.values.attributes import Kind

__all__ = ["MariaDB", "MySQL"]

_SHORT = 255
_BINARY = ("bit", "geometry", "point", "polygon")
# Exact numbers have 65 digits, 30 of them decimals.
_FITS = (
    r"\s*[+-]?([0-9]{1,34}(\.[0-9]{0,30})?|\.[0-9]{1,30}"
    r"|[0-9]{1,17}(\.[0-9]{0,17})?[eE]([+-]?(0?[0-9]|1[0-2])|\+?1[0-7])|[0-9](\.[0-9]{0,17})?[eE]\+?([12][0-9]|3[0-3]))\s*"
)
_LARGEST = "1.7976931348623157e308"


class _Utf8(GenericFunction[str]):
    """CONVERT(text USING utf8mb4)."""

    name = "idbits_utf8"
    inherit_cache = True


@compiles(_Utf8)
def _utf8(element: _Utf8, compiler: sa.sql.compiler.SQLCompiler, **kw: object) -> str:
    return f"CONVERT({compiler.process(element.clauses, **kw)} USING utf8mb4)"


class MySQL(Words):
    """Text is compared as its bytes in UTF-8: a collation would merge a, A, "a " and e-acute."""

    label = "MySQL"
    exact_type = mysql.DECIMAL(65, 30)
    text_type = sa.CHAR()
    group_reference = "${}"

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if kind is Kind.TEXT:
            return _Utf8(column).collate("utf8mb4_bin")
        if type_name in ("float", "double"):
            # 0 and -0 are one number.
            double = self.as_double(column)
            return sa.case((double == 0, sa.literal_column("0e0")), else_=double)
        if kind is Kind.BOOLEAN:
            return sa.cast(column, mysql.INTEGER(unsigned=True))
        if kind is Kind.OTHER:
            binary = (
                "blob" in type_name or "binary" in type_name or type_name in ("bit", "geometry", "point", "polygon")
            )
            return _Utf8(func.hex(column) if binary else sa.cast(column, sa.CHAR())).collate("utf8mb4_bin")
        return column

    def key(self, value: Element, kind: Kind) -> Element:
        if kind not in (Kind.TEXT, Kind.OTHER):
            return value
        # Sorting looks at the first bytes only (max_sort_length): a long text is told apart by its digest, which is
        # made longer than any text that stands for itself.
        data = sa.cast(value, sa.BINARY())
        digest = sa.cast(func.rpad(func.sha2(data, 256), _SHORT + 1, "#"), sa.BINARY())
        return sa.case((func.octet_length(data) <= _SHORT, data), else_=digest)

    def shown(self, value: Element, kind: Kind) -> Element | None:
        return func.min(sa.cast(value, sa.BINARY())) if kind in (Kind.TEXT, Kind.OTHER) else None

    def readable(self, shown: Element) -> Element:
        return _Utf8(shown).collate("utf8mb4_bin")

    def as_text(self, value: Element) -> Element:
        return _Utf8(sa.cast(value, sa.CHAR())).collate("utf8mb4_bin")

    def prefix(self, text: Element, length: int) -> Element:
        return func.left(text, length)

    def like(self, text: Element, pattern: str) -> Element:
        return text.like(sa.literal(pattern).collate("utf8mb4_bin"), escape="")

    def trimmed(self, text: Element) -> Element:
        return func.trim(text)

    def matches(self, text: Element, pattern: str) -> Element:
        return text.op("REGEXP", is_comparison=True)(sa.literal(_anchored(pattern)))

    def number_of(self, text: Element) -> Element:
        # A number beyond what double precision holds is none on any engine.
        finite = func.abs(self.as_double(text)) < sa.literal_column(_LARGEST)
        return sa.case((finite, sa.cast(func.trim(text), mysql.DECIMAL(65, 30))))

    def too_long(self, text: Element) -> Element:
        return sa.not_(self.matches(text, _FITS))

    def date_of(self, text: Element, pattern: str, groups: Sequence[int]) -> Element:
        parts = [func.regexp_replace(text, _anchored(pattern), self.group_reference.format(group)) for group in groups]
        year, month, day = (sa.cast(part, mysql.INTEGER(unsigned=True)) for part in parts)
        # Whether there is such a day is not left to STR_TO_DATE, which knows a 29 February 1985.
        valid = sa.and_(self.matches(text, pattern), self.is_day(year, month, day))
        return sa.case((valid, func.str_to_date(func.concat_ws("-", *parts), "%Y-%m-%d", type_=sa.Date())))

    def count_of(self, text: Element, pattern: str) -> Element:
        digits = func.regexp_replace(text, _anchored(pattern), self.group_reference.format(1))
        return sa.case((self.matches(text, pattern), sa.cast(digits, mysql.DECIMAL(65, 0))))

    def exact(self, value: Element, type_name: str) -> Element:
        if type_name == "float":
            value = sa.cast(value, mysql.FLOAT(asdecimal=False))  # of which the shortest text has fewer digits
        written = sa.cast(value, sa.CHAR()) if type_name in ("float", "double") else value
        return sa.cast(written, mysql.DECIMAL(65, 30))

    def inexact(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        return self.too_long(self.as_text(value))

    def as_double(self, value: Element) -> Element:
        return sa.cast(value, mysql.DOUBLE(asdecimal=False))

    def integer(self, value: Element, type_name: str) -> Element:
        return sa.cast(value, mysql.DECIMAL(65, 0)) if "big" in type_name else value

    def day(self, value: Element) -> Element:
        return func.date(value, type_=sa.Date())

    def year(self, value: Element) -> Element:
        return func.year(value)

    def month_of_year(self, value: Element) -> Element:
        return func.month(value)

    def truncated(self, value: Element, unit: str) -> Element:
        if unit == "week":
            return func.subdate(func.date(value), func.weekday(value), type_=sa.Date())
        first = func.month(value) if unit == "month" else func.quarter(value) * 3 - 2
        written = func.concat(func.lpad(func.year(value), 4, "0"), "-", func.lpad(first, 2, "0"), "-01")
        return sa.cast(written, sa.Date())

    def compared_text(self, text: Element, operator: str, other: Element) -> Element:
        return sa.cast(text, sa.BINARY()).op(operator, is_comparison=True)(sa.cast(other, sa.BINARY()))

    def moment(self, value: datetime) -> Element:
        return sa.cast(sa.literal(value.isoformat(sep=" ")), mysql.DATETIME(fsp=6))

    def compared_number(self, value: Element, type_name: str, operator: str, number: Decimal | int) -> Element:
        if type_name in ("float", "double"):
            return value.op(operator, is_comparison=True)(self.as_double(sa.literal(str(number))))
        return value.op(operator, is_comparison=True)(self.decimal(number))

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"SET SESSION max_execution_time = {timeout * 1000}"] if timeout is not None else []
        return [*self._session(), *limit, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"]

    def _session(self) -> list[str]:
        return [
            "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            "SET SESSION time_zone = '+00:00'",
        ]


class MariaDB(MySQL):
    """As MySQL, with the regular expressions of PCRE."""

    label = "MariaDB"
    group_reference = r"\{}"

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"SET SESSION max_statement_time = {timeout}"] if timeout is not None else []
        return [*self._session(), *limit, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"]


def _anchored(pattern: str) -> str:
    # $ would also stand before a line end that closes the text.
    return r"\A(?:" + re.sub(r"\\s", r"[ \\t\\n\\r\\f\\x0b]", pattern) + r")\z"
