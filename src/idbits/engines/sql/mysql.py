"""MySQL and MariaDB: how their values are compared, and which functions a query may call.

These databases do not document the effects of functions in their catalog. So this module lists those that return the
same value for the same arguments (or the same moment) and do nothing else; all others are refused, except stored
functions that are declared to behave so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import func
from sqlalchemy.dialects import mysql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from idbits.engines.sql.dialect import Element, SqlDialect, require_single_statements
from idbits.engines.sql.one_select import OneSelect
from idbits.engines.sql.tokens import RULES, LexicalRules, TokenKind, tokenize
from idbits.errors import InputError
from idbits.values.attributes import Kind
from idbits.values.dates import CLOCK_PATTERNS, DateForm
from idbits.values.zones import FAR, FOLD_YEARS, Zone

if TYPE_CHECKING:
    from idbits.engines.sql.connection import DatabaseConnection

__all__ = ["MariaDB", "MySQL"]

_SHORT = 255
_BINARY = ("bit", "geometry", "point", "polygon")
# Exact numbers have 65 digits, 30 of them decimals.
_FITS = (
    r"\s*[+-]?([0-9]{1,34}(\.[0-9]{0,30})?|\.[0-9]{1,30}"
    r"|[0-9]{1,17}(\.[0-9]{0,17})?[eE]([+-]?(0?[0-9]|1[0-2])|\+?1[0-7])|[0-9](\.[0-9]{0,17})?[eE]\+?([12][0-9]|3[0-3]))\s*"
)
_DAY = 86_400
_DAYS_TO_1970 = 719_528
_FOLD = 146_097 * FOLD_YEARS // 400 * _DAY
_LARGEST = "1.7976931348623157e308"
_WORDS = """
ALL AND ANY AS BETWEEN BINARY BY CASE DISTINCT DIV DUAL ELSE EXCEPT EXISTS FROM GROUP HAVING IN INDEX INTERSECT
INTERVAL IS JOIN KEY LIKE LIMIT MINUS MOD NOT OFFSET ON OR ORDER OVER PARTITION REGEXP RLIKE SELECT SET SOME
STRAIGHT_JOIN THEN UNION USING VALUES WHEN WHERE WITH XOR ROW BIT CHAR CHARACTER DATE DATETIME DEC DECIMAL DOUBLE
FIXED FLOAT INT INTEGER NCHAR NUMERIC NVARCHAR REAL SIGNED TIME TIMESTAMP UNSIGNED VARBINARY VARCHAR YEAR
"""
_FUNCTIONS = """
ABS ACOS ADDDATE ADDTIME ADD_MONTHS ASCII ASIN ATAN ATAN2 AVG BIN BIT_AND BIT_COUNT BIT_LENGTH BIT_OR BIT_XOR CAST
CEIL CEILING CHARACTER_LENGTH CHARSET CHAR_LENGTH CHR COALESCE COERCIBILITY COLLATION CONCAT CONCAT_WS CONV CONVERT
CONVERT_TZ COS COT COUNT CRC32 CRC32C CUME_DIST CURDATE CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER
CURTIME DATABASE DATEDIFF DATE_ADD DATE_FORMAT DATE_SUB DAY DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR DEGREES DENSE_RANK
ELT EXP EXPORT_SET EXTRACT FIELD FIND_IN_SET FIRST_VALUE FLOOR FORMAT FROM_BASE64 FROM_DAYS FROM_UNIXTIME GREATEST
GROUP_CONCAT GROUPING HEX HOUR IF IFNULL INET6_ATON INET6_NTOA INET_ATON INET_NTOA INSERT INSTR ISNULL IS_IPV4 IS_IPV6
JSON_ARRAY JSON_ARRAYAGG JSON_COMPACT JSON_CONTAINS JSON_CONTAINS_PATH JSON_DEPTH JSON_DETAILED JSON_EQUALS
JSON_EXISTS JSON_EXTRACT JSON_KEYS JSON_LENGTH JSON_LOOSE JSON_NORMALIZE JSON_OBJECT JSON_OBJECTAGG JSON_OVERLAPS
JSON_PRETTY JSON_QUERY JSON_QUOTE JSON_SEARCH JSON_TABLE JSON_TYPE JSON_UNQUOTE JSON_VALID JSON_VALUE LAG LAST_DAY
LAST_VALUE LCASE LEAD LEAST LEFT LENGTH LENGTHB LN LOCALTIME LOCALTIMESTAMP LOCATE LOG LOG10 LOG2 LOWER LPAD LTRIM
MAKEDATE MAKETIME MAKE_SET MATCH MAX MD5 MEDIAN MICROSECOND MID MIN MINUTE MONTH MONTHNAME NATURAL_SORT_KEY NOW
NTH_VALUE NTILE NULLIF NVL NVL2 OCT OCTET_LENGTH ORD PERCENTILE_CONT PERCENTILE_DISC PERCENT_RANK PERIOD_ADD
PERIOD_DIFF PI POSITION POW POWER QUARTER QUOTE RADIANS RANK REGEXP_INSTR REGEXP_LIKE REGEXP_REPLACE REGEXP_SUBSTR
REPEAT REPLACE REVERSE RIGHT ROUND ROW_NUMBER RPAD RTRIM SCHEMA SECOND SEC_TO_TIME SHA SHA1 SHA2 SIGN SIN SOUNDEX
SPACE SQRT STD STDDEV STDDEV_POP STDDEV_SAMP STRCMP STR_TO_DATE SUBDATE SUBSTR SUBSTRING SUBSTRING_INDEX SUBTIME SUM
TAN TIMEDIFF TIMESTAMPADD TIMESTAMPDIFF TIME_FORMAT TIME_TO_SEC TO_BASE64 TO_CHAR TO_DAYS TO_SECONDS TRIM TRUNCATE
UCASE UNHEX UNIX_TIMESTAMP UPPER USER UTC_DATE UTC_TIME UTC_TIMESTAMP VARIANCE VAR_POP VAR_SAMP VERSION WEEK WEEKDAY
WEEKOFYEAR WEIGHT_STRING YEARWEEK
"""
_HARMLESS = frozenset(_FUNCTIONS.split())
_LANGUAGE = frozenset(_WORDS.split())
_MODE = sa.text("SELECT @@SESSION.sql_mode")
_ROUTINES = sa.text(
    "SELECT routine_name, is_deterministic = 'YES' AND sql_data_access <> 'MODIFIES SQL DATA' "
    "FROM information_schema.routines WHERE routine_type = 'FUNCTION' AND lower(routine_name) IN :names"
).bindparams(sa.bindparam("names", expanding=True))
_VIEWS = sa.text(
    "SELECT view_definition FROM information_schema.views WHERE lower(table_name) IN :names AND view_definition <> ''"
).bindparams(sa.bindparam("names", expanding=True))


class _Utf8(GenericFunction[str]):
    """CONVERT(text USING utf8mb4)."""

    name = "idbits_utf8"
    inherit_cache = True


@compiles(_Utf8)
def _utf8(element: _Utf8, compiler: sa.sql.compiler.SQLCompiler, **kw: object) -> str:
    return f"CONVERT({compiler.process(element.clauses, **kw)} USING utf8mb4)"


class _OrderedConcat(GenericFunction[str]):
    """GROUP_CONCAT(text ORDER BY text SEPARATOR ',')."""

    name = "idbits_ordered_concat"
    inherit_cache = True


@compiles(_OrderedConcat)
def _ordered_concat(element: _OrderedConcat, compiler: sa.sql.compiler.SQLCompiler, **kw: object) -> str:
    text = compiler.process(element.clauses, **kw)
    return f"GROUP_CONCAT({text} ORDER BY {text} SEPARATOR ',')"


class MySQL(SqlDialect):
    """Text is compared as its bytes in UTF-8: a collation would merge a, A, "a " and e-acute."""

    label = "MySQL"
    exact_type = mysql.DECIMAL(65, 30)
    text_type = sa.CHAR()
    group_reference = "${}"
    # Beyond group_concat_max_len, and beyond max_allowed_packet.
    cuts_lists = True

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:
        if kind is Kind.TEXT:
            return _Utf8(column).collate("utf8mb4_bin")
        if type_name in ("float", "double"):
            # 0 and -0 are the same number.
            double = self.as_double(column)
            return sa.case((double == 0, sa.literal_column("0e0")), else_=double)
        if kind is Kind.BOOLEAN:
            return sa.cast(column, mysql.INTEGER(unsigned=True))
        if kind is Kind.OTHER:
            binary = "blob" in type_name or "binary" in type_name or type_name in _BINARY
            return _Utf8(func.hex(column) if binary else sa.cast(column, sa.CHAR())).collate("utf8mb4_bin")
        return column

    def key(self, value: Element, kind: Kind) -> Element:
        if kind not in (Kind.TEXT, Kind.OTHER):
            return value
        # Sorting only compares the first bytes (max_sort_length): long texts are compared by digest, which is
        # made longer than any text that is compared directly.
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
        # A number outside the range of double precision is not a number on any engine.
        finite = func.abs(self.as_double(text)) < sa.literal_column(_LARGEST)
        return sa.case((finite, sa.cast(func.trim(text), mysql.DECIMAL(65, 30))))

    def too_long(self, text: Element) -> Element:
        return sa.not_(self.matches(text, _FITS))

    def replaced(self, text: Element, pattern: str, sign: str) -> Element:
        return func.regexp_replace(text, pattern, sign)

    def digits(self, text: Element) -> Element:
        return sa.cast(text, mysql.INTEGER())

    def lowered(self, text: Element) -> Element:
        return func.lower(text)

    def _part(self, text: Element, pattern: str) -> Callable[[int], Element]:
        return lambda group: func.regexp_replace(text, _anchored(pattern), self.group_reference.format(group))

    def date_of(self, text: Element, form: DateForm, order: str) -> Element:
        year, month, day = self.calendar_numbers(form, order, self._part(text, form.pattern))
        # STR_TO_DATE accepts days that do not exist, such as 29 February 1985, so we check the day.
        valid = sa.and_(self.matches(text, form.pattern), self.is_day(year, month, day))
        written = func.concat_ws("-", func.lpad(year, 4, "0"), month, day)
        return sa.case((valid, func.str_to_date(written, "%Y-%m-%d", type_=sa.Date())))

    def moved_day(self, day: Element, text: Element, zone: Zone, *, is_far: bool) -> Element:
        seconds = sa.case(
            *(
                (self.matches(text, pattern), self.clock_seconds(self._part(text, pattern)))
                for pattern in CLOCK_PATTERNS
            )
        )
        since_1970 = (func.to_days(day) - _DAYS_TO_1970) * _DAY + seconds
        days = func.floor((seconds + _offset(since_1970, zone, is_far=is_far)) / _DAY)
        local = func.adddate(day, days, type_=sa.Date())
        return sa.case((seconds.is_(sa.null()), day), else_=self.within_calendar(local))

    def has_instants(self, type_name: str) -> bool:
        return type_name == "timestamp"

    def local_time(self, instant: Element, zone: Zone, *, is_far: bool) -> Element:
        first: Element = sa.literal_column("CAST('1970-01-01' AS DATETIME)")
        second: Element = sa.literal_column("SECOND")
        offset = _offset(func.timestampdiff(second, first, instant), zone, is_far=is_far)
        return func.timestampadd(second, offset, instant)

    def count_of(self, text: Element, pattern: str) -> Element:
        digits = func.regexp_replace(text, _anchored(pattern), self.group_reference.format(1))
        return sa.case((self.matches(text, pattern), sa.cast(digits, mysql.DECIMAL(65, 0))))

    def exact(self, value: Element, type_name: str) -> Element:
        if type_name == "float":
            value = sa.cast(value, mysql.FLOAT(asdecimal=False))  # their shortest text has fewer digits
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

    def ordered_list(self, item: Element) -> Element:
        return _OrderedConcat(item)

    def list_settings(self) -> list[str]:
        return ["SET SESSION group_concat_max_len = 4294967295"]

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"SET SESSION max_execution_time = {timeout * 1000}"] if timeout is not None else []
        return [*self._session(), *limit, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"]

    def _session(self) -> list[str]:
        return [
            "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            "SET SESSION time_zone = '+00:00'",
        ]

    def lexical_rules(self, connection: DatabaseConnection) -> LexicalRules:
        # Two session modes change how a query is split, and no query can change the mode.
        modes = str(connection.row(_MODE)[0]).upper().split(",")
        rules = RULES["mysql"]
        ansi = "ANSI_QUOTES" in modes
        backslash = "itself" if "NO_BACKSLASH_ESCAPES" in modes else "escape"
        return LexicalRules(
            "'" if ansi else rules.text_quotes,
            {"`": "`", '"': '"'} if ansi else rules.name_quotes,
            backslash,
            hash_comments=True,
            blank_after_dashes=True,
            text_prefixes=dict.fromkeys(rules.text_prefixes, backslash),
            operators=rules.operators,
        )

    def check_query(self, connection: DatabaseConnection, query: OneSelect) -> None:
        require_single_statements(connection)
        _check_with_views(connection, [query])

    def check_view(self, connection: DatabaseConnection, schema: str | None, table: str) -> None:  # noqa: ARG002
        _check_with_views(connection, _views(connection, {table.lower()}))


class MariaDB(MySQL):
    """Like MySQL, with PCRE regular expressions."""

    label = "MariaDB"
    group_reference = r"\{}"

    def session(self, timeout: int | None) -> list[str]:
        limit = [f"SET SESSION max_statement_time = {timeout}"] if timeout is not None else []
        return [*self._session(), *limit, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"]


def _offset(since_1970: Element, zone: Zone, *, is_far: bool) -> Element:
    """Return the offset of a zone at an instant, which is in seconds since 1970."""
    offsets = zone.offset_changes(is_far=is_far)
    if not offsets.changes:
        return sa.literal_column(str(offsets.first))
    compared = since_1970
    if is_far:
        beyond = since_1970 - _since_1970(FAR)
        compared = sa.case(
            (beyond >= _FOLD, since_1970 - func.floor(beyond / _FOLD) * _FOLD),
            else_=since_1970,
        )
    starts: list[Element] = [sa.literal_column(str(_since_1970(start))) for start, _ in offsets.changes]
    seconds: list[Element] = [
        sa.literal_column(str(offset)) for offset in (offsets.first, *(offset for _, offset in offsets.changes))
    ]
    return sa.cast(func.elt(func.interval(compared, *starts) + 1, *seconds), mysql.INTEGER())


def _since_1970(instant: datetime) -> int:
    return round((instant - datetime(1970, 1, 1)).total_seconds())


def _anchored(pattern: str) -> str:
    # $ would also match before a final line break.
    return r"\A(?:" + re.sub(r"\\s", r"[ \\t\\n\\r\\f\\x0b]", pattern) + r")\z"


def _check_with_views(connection: DatabaseConnection, queries: list[OneSelect]) -> None:
    """Raise an error if a query, or a view that it names, calls a function that may do more than compute."""
    seen: set[str] = set()
    pending = list(queries)
    while pending:
        current = pending.pop()
        _check_calls(connection, current)
        names = {token.value.lower() for token in current.names} - seen
        seen |= names
        pending += _views(connection, names)


def _views(connection: DatabaseConnection, names: Iterable[str]) -> list[OneSelect]:
    """Return the definitions of views, as far as the role may see them (SHOW VIEW)."""
    wanted = sorted(names)
    definitions = connection.rows(_VIEWS.bindparams(names=wanted)) if wanted else []
    # The server writes definitions with backquotes in every mode.
    return [OneSelect(tuple(tokenize(str(text), RULES["mysql"])), str(text), None) for (text,) in definitions]


def _check_calls(connection: DatabaseConnection, query: OneSelect) -> None:
    names = sorted({token.value.lower() for token in query.calls})
    stored = connection.rows(_ROUTINES.bindparams(names=names)) if names else []
    # A space or a schema before the parenthesis means a stored function rather than a built-in one;
    # if several schemas have it, each must be harmless.
    declared: dict[str, bool] = {}
    for name, harmless in stored:
        declared[name.lower()] = declared.get(name.lower(), True) and bool(harmless)
    for token in query.calls:
        known = token.kind is TokenKind.NAME and token.value.upper() in _HARMLESS | _LANGUAGE
        if not declared.get(token.value.lower(), known):
            raise InputError(
                f'the query calls the function "{token.value}", which may do more than compute; declare a stored '
                "function as DETERMINISTIC and without MODIFIES SQL DATA"
            )
