"""Values in DuckDB's SQL: how a column's values are compared and transformed.

Transforms run on the dictionary of a column (its distinct values), never on its rows.
"""

from __future__ import annotations

import re

from idbits.engines.duckdb.connection import literal
from idbits.values.attributes import Kind, Transform
from idbits.values.readings import COUNT_PATTERN, NUMBER_PATTERN
from idbits.values.value_shapes import WHOLE_NUMBER

__all__ = [
    "comparable", "count_of", "has_pattern", "is_number", "kind_of", "text_of", "transformed", "whole_microseconds",
    "whole_number", "with_point", "zoned_type",
]  # fmt: skip

_INTEGERS = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
    "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
}  # fmt: skip
_FRACTIONS = re.compile(r"\b(?:FLOAT|DOUBLE)\b")
_TEXTS = re.compile(r"\b(?:VARCHAR|BLOB|ENUM|JSON|BIT)\b")


def kind_of(duckdb_type: str) -> Kind:
    """Return the kind of a DuckDB type.

    >>> kind_of("DECIMAL(10,2)"), kind_of("TIMESTAMP WITH TIME ZONE")
    (<Kind.NUMBER: 'number'>, <Kind.TIMESTAMP: 'timestamp'>)
    """
    if duckdb_type.endswith("]") or ("(" in duckdb_type and not duckdb_type.startswith(("DECIMAL", "ENUM"))):
        return Kind.OTHER
    if duckdb_type == "VARCHAR" or duckdb_type.startswith("ENUM"):
        return Kind.TEXT
    if duckdb_type in _INTEGERS:
        return Kind.INTEGER
    if duckdb_type in ("FLOAT", "DOUBLE") or duckdb_type.startswith("DECIMAL"):
        return Kind.NUMBER
    if duckdb_type.startswith("TIMESTAMP"):
        return Kind.TIMESTAMP
    return {"BOOLEAN": Kind.BOOLEAN, "DATE": Kind.DATE}.get(duckdb_type, Kind.OTHER)


def comparable(column: str, duckdb_type: str) -> str:
    """Return the SQL of a column's value for comparison: NaN is null, -0 is 0, rare types are text."""
    if duckdb_type in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isnan({column}) THEN NULL WHEN {column} = 0 THEN 0 ELSE {column} END"
    if zoned_type(duckdb_type):
        return f"timezone('UTC', {column})"
    if kind_of(duckdb_type) is Kind.OTHER or duckdb_type.startswith("ENUM"):
        text = f"CAST({column} AS VARCHAR)"
        return _plain_parts(text) if _has_only_numbers(duckdb_type) else text
    return column


def _has_only_numbers(duckdb_type: str) -> bool:
    """Whether a list or a struct has fractions, such as coordinates, and no part whose text could look like one."""
    return _FRACTIONS.search(duckdb_type) is not None and _TEXTS.search(duckdb_type) is None


def _plain_parts(text: str) -> str:
    """Return the SQL of the text of a list or a struct in which a part that is -0 is 0, and one that is NaN is null."""
    for part, plain in ((r"-0\.0", "0.0"), ("-?nan", "NULL")):
        pattern, replacement = rf"([\[{{ =]){part}([],}}=])", rf"\1{plain}\2"
        text = f"regexp_replace({text}, {literal(pattern)}, {literal(replacement)}, 'g')"
    return text


def zoned_type(duckdb_type: str) -> bool:
    """Whether a type has instants, whose days depend on the time zone."""
    return duckdb_type in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")


def whole_microseconds(value: str) -> str:
    """Return the SQL of a timestamp in nanoseconds without its last digits, which DuckDB would round up."""
    nanoseconds = f"epoch_ns({value})"
    return f"make_timestamp(({nanoseconds} - ({nanoseconds} % 1000 + 1000) % 1000) // 1000)"


def has_pattern(value: str, pattern: str) -> str:
    """Return the SQL condition that a whole text matches a pattern."""
    return f"regexp_full_match({value}, {literal(pattern)})"


def with_point(value: str) -> str:
    """Return the SQL that replaces the decimal comma of a text number with a point."""
    return f"replace({value}, ',', '.')"


def is_number(value: str, kind: Kind) -> str:
    """Return the SQL condition that a value is a number."""
    if kind is Kind.TEXT:
        return f"({has_pattern(value, NUMBER_PATTERN)} AND isfinite(TRY_CAST({value} AS DOUBLE)))"
    return f"isfinite(CAST({value} AS DOUBLE))"


def whole_number(text: str) -> str:
    """Return the SQL of a text read as a whole number; null if it is not one."""
    return f"TRY_CAST(regexp_extract({text}, {literal('^' + WHOLE_NUMBER + '$')}, 1) AS BIGINT)"


def text_of(value: str, kind: Kind) -> str:
    """Return the SQL of a text for sorting values."""
    return value if kind is Kind.TEXT else f"CAST({value} AS VARCHAR)"


def count_of(column: str, kind: Kind) -> str:
    """Return the SQL of a cell of the count column; null if it is not a whole number of at least 0."""
    if kind is Kind.TEXT:
        whole = f"regexp_extract({column}, {literal('^' + COUNT_PATTERN + '$')}, 1)"
        return f"TRY_CAST(nullif({whole}, '') AS BIGINT)"
    if kind is Kind.INTEGER:
        return f"CASE WHEN {column} >= 0 THEN TRY_CAST({column} AS BIGINT) END"
    # Compared in its own type: a decimal with a tiny fraction is not a whole number.
    fits = f"isfinite(CAST({column} AS DOUBLE)) AND {column} >= 0 AND {column} = trunc({column})"
    return f"CASE WHEN {fits} THEN TRY_CAST({column} AS BIGINT) END"


def transformed(value: str, transform: Transform) -> str:
    """Return the SQL of a transform of values that already have the right type (whole numbers, dates)."""
    if transform.name == "prefix":
        assert transform.argument is not None
        return f"left(CAST({value} AS VARCHAR), {int(transform.argument)})"
    if transform.wants_dates:
        return {"year": f"year({value})", "monthofyear": f"month({value})", "day": f"CAST({value} AS DATE)"}.get(
            transform.name, f"CAST(date_trunc('{transform.name}', {value}) AS DATE)"
        )
    assert transform.argument is not None
    return _on_integers(f"CAST({value} AS HUGEINT)", transform.name, int(transform.argument))


def _on_integers(v: str, name: str, w: int) -> str:
    if name == "cap":
        # least() ignores nulls, but a null age is not 90.
        return f"CASE WHEN {v} IS NULL THEN NULL ELSE least({v}, {w}) END"
    if name == "band":
        return f"({v} - ((({v} % {w}) + {w}) % {w}))"
    return f"(sign({v}) * ((2 * abs({v}) + {w}) // {2 * w}) * {w})"
