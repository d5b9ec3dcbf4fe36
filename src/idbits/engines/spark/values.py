"""Values in Spark's functions: how a column's values are compared and transformed.

Every function returns the same value with and without ANSI mode, and in any time zone.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from idbits.values.attributes import Kind, Transform
from idbits.values.readings import COUNT_PATTERN, NUMBER_PATTERN

__all__ = [
    "as_text", "coarser_date", "coarser_integer", "comparable", "count_of", "has_pattern", "is_number", "kind_of",
    "number_of", "trimmed", "whole_text",
]  # fmt: skip

_KINDS = {
    "string": Kind.TEXT, "varchar": Kind.TEXT, "char": Kind.TEXT,
    "tinyint": Kind.INTEGER, "smallint": Kind.INTEGER, "int": Kind.INTEGER, "bigint": Kind.INTEGER,
    "float": Kind.NUMBER, "double": Kind.NUMBER, "boolean": Kind.BOOLEAN, "date": Kind.DATE,
    "timestamp": Kind.TIMESTAMP, "timestamp_ntz": Kind.TIMESTAMP,
}  # fmt: skip
# Spark's type for unsigned 64-bit integers.
_UNSIGNED = "decimal(20,0)"
_SMALL_INTEGERS = ("tinyint", "smallint", "int")
_NESTED = ("array", "struct", "map")
# Spark's default format would merge timestamps of the same millisecond.
_JSON = {
    "ignoreNullFields": "false", "timeZone": "UTC", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}  # fmt: skip


def kind_of(spark_type: str) -> Kind:
    """Return the kind of a Spark type.

    >>> kind_of("decimal(10,2)"), kind_of("timestamp_ntz"), kind_of("array<int>")
    (<Kind.NUMBER: 'number'>, <Kind.TIMESTAMP: 'timestamp'>, <Kind.OTHER: 'other'>)
    """
    if spark_type == _UNSIGNED:
        return Kind.INTEGER
    if spark_type.startswith("decimal"):
        return Kind.NUMBER
    return _KINDS.get(spark_type.split("(")[0].split(" ")[0], Kind.OTHER)


def comparable(column: Column, spark_type: str) -> Column:
    """Return a column's value for comparison: NaN is null, -0 is 0, timestamps are in UTC, rare types are text."""
    if spark_type in ("float", "double"):
        # Spark's grouping treats -0 as 0 and returns either.
        return F.when(F.isnan(column), None).otherwise(column + F.lit(0.0).cast(spark_type))
    if spark_type == "timestamp":
        epoch = F.lit("1970-01-01 00:00:00").cast("timestamp_ntz")
        return F.timestamp_add("MICROSECOND", F.unix_micros(column), epoch)
    if spark_type.startswith("string collate"):
        return F.collate(column, "UTF8_BINARY")
    if spark_type == "binary":
        return _text_of_bytes(column)
    if spark_type.startswith(_NESTED):
        return F.to_json(column, _JSON)
    if kind_of(spark_type) is Kind.OTHER or spark_type.startswith(("varchar", "char")):
        return column.cast("string")
    return column


def _text_of_bytes(column: Column) -> Column:
    """Return bytes as DuckDB writes them, so that their texts sort equally: printable bytes are unchanged."""

    def written(pair: Column) -> Column:
        code = F.conv(pair, 16, 10).cast("int")
        plain = code.between(ord(" "), ord("~")) & ~code.isin([ord(mark) for mark in "\"'\\"])
        return F.when(plain, F.char(code)).otherwise(F.concat(F.lit(r"\x"), pair))

    return F.array_join(F.transform(F.regexp_extract_all(F.hex(column), F.lit("(..)"), 1), written), "")


def as_text(value: Column, kind: Kind) -> Column:
    """Return the text for sorting values; for numbers that are not whole this needs Python."""
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        return _text_of_time(value, kind)
    return value if kind in (Kind.TEXT, Kind.OTHER) else value.cast("string")


def _text_of_time(value: Column, kind: Kind) -> Column:
    """Return a date or timestamp as DuckDB writes it; Spark writes years before 1 and after 9999 differently."""
    year = F.year(value)
    before = year < 1
    number = F.when(before, 1 - year).otherwise(year).cast("string")
    digits = F.when(F.length(number) < 4, F.lpad(number, 4, "0")).otherwise(number)
    rest = [F.lpad(part.cast("string"), 2, "0") for part in (F.month(value), F.dayofmonth(value))]
    day = F.concat(F.concat_ws("-", digits, *rest), F.when(before, " (BC)").otherwise(""))
    written = day if kind is Kind.DATE else F.concat_ws(" ", day, F.substring_index(value.cast("string"), " ", -1))
    return F.when(value.isNotNull(), written)


def whole_text(pattern: str) -> str:
    """Return a pattern of ``values/readings.py`` or ``values/dates.py`` for whole texts."""
    return rf"\A(?:{pattern})\z"


def has_pattern(text: Column, pattern: str) -> Column:
    """Return whether a whole text matches a pattern."""
    return text.rlike(whole_text(pattern))


def trimmed(text: Column) -> Column:
    """Return a text without leading and trailing spaces."""
    return F.regexp_replace(text, r"\A\s+|\s+\z", "")


def number_of(text: Column) -> Column:
    """Return a text that matches the pattern of a number in double precision; null for others."""
    return F.when(has_pattern(text, NUMBER_PATTERN), trimmed(text).try_cast("double"))


def is_number(value: Column, kind: Kind) -> Column:
    """Return whether a value is a finite number; never null."""
    number = number_of(value) if kind is Kind.TEXT else value.cast("double")
    return F.coalesce(F.abs(number) < F.lit(float("inf")), F.lit(False))


def count_of(value: Column, kind: Kind) -> Column:
    """Return the number of people in a cell of the count column; null if it is not a whole number of at least 0."""
    if kind is Kind.TEXT:
        whole = F.regexp_extract(value, whole_text(COUNT_PATTERN), 1)
        return F.when(whole != "", whole.try_cast("bigint"))
    fits = value >= 0
    if kind is Kind.NUMBER:
        fits = fits & is_number(value, kind) & (value % 1 == 0)
    return F.when(fits, value.try_cast("bigint"))


def coarser_date(value: Column, name: str) -> Column:
    """Return the year, the month of the year, or the first day of the quarter, month or week (Monday)."""
    day = value.cast("date")
    if name == "year":
        return F.year(day)
    if name == "monthofyear":
        return F.month(day)
    return day if name == "day" else F.trunc(day, name)


def coarser_integer(value: Column, transform: Transform, spark_type: str) -> Column:
    """Return the band, the rounded number or the capped number of a whole number, for a whole width."""
    assert transform.argument is not None
    exact = "bigint" if spark_type in _SMALL_INTEGERS else "decimal(38,0)"
    v, w = value.cast(exact), F.lit(int(transform.argument)).cast(exact)
    if transform.name == "cap":
        return F.when(v > w, w).otherwise(v)
    if transform.name == "band":
        return (v - F.pmod(v, w)).cast(exact)
    moved = F.abs(v) * 2 + w
    # A multiple of twice the width: halving it is exact, even in Spark's division in double precision.
    rounded = ((moved - F.pmod(moved, w * 2)) / 2).cast(exact)
    return F.when(v < 0, -rounded).otherwise(rounded)
