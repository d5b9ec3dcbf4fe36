"""What a query may hold in the databases that cannot be run here: known clauses and known functions, nothing else.

Their catalogs are not asked, and some of them take several statements at once. So a query is allowed only if each
clause of it is in one list here and each function in another.
"""

from __future__ import annotations

from typing import NoReturn

from idbits.engines.sql.one_select import OneSelect
from idbits.engines.sql.tokens import TokenKind
from idbits.errors import InputError

__all__ = ["check_query"]

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


def check_query(query: OneSelect) -> None:
    """Raise where a query has a clause or calls a function that is not known to be harmless."""
    from sqlglot import exp

    for token in query.calls:
        if token.kind is not TokenKind.NAME or token.value.upper() not in _FUNCTIONS | _LANGUAGE:
            _refuse(f'the function "{token.value}"')
    places = {token.start: place for place, token in enumerate(query.tokens)}
    for token in query.calls:
        # A function of a schema or a package may be anybody's.
        if query.tokens[places[token.start] - 1].written == ".":
            _refuse(f'the function "{token.value}"')
    for node in query.tree.walk():
        # Functions were looked up by the names that are written, which no version of sqlglot changes.
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
        f"the query uses {what} that idbits does not know as one that only reads; make a view of it and name that"
    )
