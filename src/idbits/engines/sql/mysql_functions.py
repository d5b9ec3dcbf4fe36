"""Which functions may a query call in MySQL and MariaDB? Built-in ones that only compute, and stored ones declared so.

These databases keep no list of what their functions do. So this is the list of those that give the same value for the
same arguments (or for the same moment) and do nothing else; whatever is not in it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from idbits.engines.sql.connection import Connection
from idbits.engines.sql.one_select import OneSelect
from idbits.engines.sql.tokens import RULES, LexicalRules, TokenKind, tokenize
from idbits.errors import InputError

__all__ = ["check_query", "check_view", "lexical_rules"]

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


def lexical_rules(connection: Connection) -> LexicalRules:
    """Return how the session cuts a query: two of its modes change that, and no query changes its mode."""
    modes = str(connection.one(_MODE)[0]).upper().split(",")
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


def check_query(connection: Connection, query: OneSelect) -> None:
    """Raise where a query calls what may do more than compute."""
    seen: set[str] = set()
    pending = [query]
    while pending:
        current = pending.pop()
        _check_calls(connection, current)
        names = {token.value.lower() for token in current.names} - seen
        seen |= names
        pending += _views(connection, names)


def check_view(connection: Connection, name: str) -> None:
    """Raise where a view calls what may do more than compute."""
    for view in _views(connection, {name.lower()}):
        check_query(connection, view)


def _views(connection: Connection, names: Iterable[str]) -> list[OneSelect]:
    """Return the definitions of views, as far as the role may see them (SHOW VIEW)."""
    wanted = sorted(names)
    found = connection.rows(_VIEWS.bindparams(names=wanted)) if wanted else []
    # The server writes definitions with backquotes, whatever the mode.
    return [OneSelect(tuple(tokenize(str(text), RULES["mysql"])), str(text), None) for (text,) in found]


def _check_calls(connection: Connection, query: OneSelect) -> None:
    names = sorted({token.value.lower() for token in query.calls})
    stored = connection.rows(_ROUTINES.bindparams(names=names)) if names else []
    # A name is a stored function rather than a built-in one where a blank or a schema stands before the parenthesis;
    # of several in different schemas, each has to be harmless.
    declared: dict[str, bool] = {}
    for name, harmless in stored:
        declared[name.lower()] = declared.get(name.lower(), True) and bool(harmless)
    for token in query.calls:
        known = token.kind is TokenKind.NAME and token.value.upper() in _HARMLESS | _LANGUAGE
        if not declared.get(token.value.lower(), known):
            raise InputError(
                f'the query calls the function "{token.value}", which may do more than compute; a stored function '
                "has to be declared DETERMINISTIC, and not MODIFIES SQL DATA"
            )
