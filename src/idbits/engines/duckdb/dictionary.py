"""Dictionaries: the distinct values of a column with their counts and codes (small integers).

A column is counted once. Everything that depends only on values (reading text as dates, coarsening, the most frequent
values) is then done on its distinct values, and rows are only joined with codes.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow

from idbits.engines.duckdb import dates, values
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.text_dates import TextDates, most_frequent_shape, read_text_dates
from idbits.errors import DataError
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.date_readings import require_dates, zone_note
from idbits.values.decimals import coarser_number, number_text
from idbits.values.readings import COMMA_NUMBER_PATTERN, SURE_COMMA_PATTERN, has_decimal_comma
from idbits.values.zones import FAR, Zone
from idbits.wording import counted

__all__ = [
    "ColumnTimes", "Dictionary", "column_dictionary", "decimal_comma", "transformed_dictionary",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The values of an attribute.

    Attributes:
        codes: table (raw, code): the value in the column, and the code of the attribute's value.
        values: table (value, other, people, code): one row per value; ``other`` marks the values merged by ``top``.
            For a column it also has the number of rows (n): in counted tables a row may have no people.
        size: the number of values.
        null_people: the number of people with null.
    """

    codes: str
    values: str
    size: int
    null_people: int


@dataclass(frozen=True, slots=True)
class ColumnTimes:
    """What the times of a column are.

    Attributes:
        zone: the zone of instants, whose days depend on it; None for other times.
        have_nanoseconds: whether they are finer than microseconds.
    """

    zone: Zone | None = None
    have_nanoseconds: bool = False


def column_dictionary(connection: DuckDBConnection, relation: str, value: str, weight: str, label: str) -> Dictionary:
    """Count the values of a column."""
    table = connection.new_name("dictionary")
    # Codes follow the arbitrary order of the count: they only express equality.
    connection.run(
        f"CREATE TEMP TABLE {table} AS SELECT raw, raw AS value, false AS other, people, n, "
        f"CAST(row_number() OVER () - 1 AS UBIGINT) AS code "
        f"FROM (SELECT {value} AS raw, {weight} AS people, count(*) AS n FROM {relation} GROUP BY raw)",
        label,
    )
    return _described(connection, table, table)


def transformed_dictionary(
    connection: DuckDBConnection,
    column: Dictionary,
    attribute: Attribute,
    times: ColumnTimes,
    options: OpenOptions,
    known_dates: dict[str, TextDates],
) -> tuple[Dictionary, list[str]]:
    """Coarsen the values of a column; return the dictionary and notes on decisions.

    ``known_dates`` has the columns already read as dates; this column is added.
    """
    notes: list[str] = []
    staged = f"SELECT raw, people, n, value, false AS other FROM {column.values}"
    for index, (transform, kind) in enumerate(attribute.steps()):
        if kind is Kind.TEXT and transform.wants_dates:
            texts = column.values if index == 0 else f"({staged})"
            read = known_dates.get(attribute.column) if index == 0 else None
            if read is None:
                read = _text_dates(connection, texts, index, attribute, options)
            if index == 0:
                known_dates[attribute.column] = read
            _must_be_dates(connection, texts, read, attribute, transform)
            staged = _dated(staged, column, read, index)
            notes += read.reading.notes
        elif kind is Kind.TIMESTAMP and transform.wants_dates:
            staged, more = _local_times(connection, staged, attribute, times, options.zone)
            notes += more
        elif transform.wants_numbers:
            if _decimal_comma(connection, staged, kind):
                notes.append(f'column "{attribute.column}" was read as numbers with a decimal comma')
                staged = _step(staged, values.with_point("value"))
            _must_be_numbers(connection, staged, attribute, kind)
        if transform.name == "top":
            staged = _top(staged, transform, kind)
        elif transform.wants_numbers and transform.result_kind(kind) is not Kind.INTEGER:
            staged = _exactly(connection, staged, transform)
        else:
            staged = _step(staged, values.transformed("value", transform))
    return _stored(connection, staged), notes


def _step(staged: str, value: str) -> str:
    return f"SELECT raw, people, n, {value} AS value, other FROM ({staged})"


def _exactly(connection: DuckDBConnection, staged: str, transform: Transform) -> str:
    """Coarsen numbers in exact decimal arithmetic, value by value; the results are texts."""
    source = f"SELECT DISTINCT CAST(value AS VARCHAR) AS text FROM ({staged}) WHERE value IS NOT NULL"
    texts = [text for (text,) in connection.rows(source)]
    results = [number_text(coarser_number(text, transform)) for text in texts]
    frame, table = connection.new_name("numbers"), connection.new_name("coarser")
    connection.raw.register(frame, pyarrow.table({"text": pyarrow.array(texts, pyarrow.string()), "result": results}))
    connection.run(f"CREATE TEMP TABLE {table} AS SELECT text, CAST(result AS VARCHAR) AS result FROM {frame}")
    connection.raw.unregister(frame)
    return (
        f"SELECT raw, people, n, result AS value, other FROM ({staged}) s "
        f"LEFT JOIN {table} c ON CAST(s.value AS VARCHAR) = c.text"
    )


def _top(staged: str, transform: Transform, kind: Kind) -> str:
    assert transform.argument is not None
    ranked = (
        f"SELECT value, row_number() OVER (ORDER BY sum(people) DESC, {values.text_of('value', kind)}) AS rank "
        f"FROM ({staged}) WHERE value IS NOT NULL GROUP BY value"
    )
    kept = f"rank IS NULL OR rank <= {int(transform.argument)}"
    return (
        f"SELECT raw, people, n, CASE WHEN {kept} THEN value END AS value, NOT ({kept}) AS other "
        f"FROM ({staged}) LEFT JOIN ({ranked}) USING (value)"
    )


def _stored(connection: DuckDBConnection, staged: str) -> Dictionary:
    stage, table, codes = (connection.new_name(what) for what in ("stage", "values", "codes"))
    connection.run(f"CREATE TEMP TABLE {stage} AS {staged}")
    connection.run(
        f"CREATE TEMP TABLE {table} AS SELECT *, CAST(row_number() OVER () - 1 AS UBIGINT) AS code "
        f"FROM (SELECT value, other, sum(people) AS people FROM {stage} GROUP BY value, other)"
    )
    connection.run(
        f"CREATE TEMP TABLE {codes} AS SELECT raw, code FROM {stage} s JOIN {table} v "
        "ON s.value IS NOT DISTINCT FROM v.value AND s.other = v.other"
    )
    connection.run(f"DROP TABLE {stage}")
    return _described(connection, codes, table)


def _described(connection: DuckDBConnection, codes: str, table: str) -> Dictionary:
    size, nulls = connection.counts(
        f"SELECT count(*), coalesce(sum(people) FILTER (value IS NULL AND NOT other), 0) FROM {table}"
    )
    return Dictionary(codes, table, size, nulls)


def _decimal_comma(connection: DuckDBConnection, staged: str, kind: Kind) -> bool:
    return kind is Kind.TEXT and decimal_comma(connection, f"({staged})", "value", "n")


def decimal_comma(connection: DuckDBConnection, relation: str, value: str, weight: str = "1") -> bool:
    """Whether the numbers in a text column have a decimal comma."""
    conditions = (
        f"NOT {values.is_number(value, Kind.TEXT)}",
        f"NOT {values.has_pattern(value, COMMA_NUMBER_PATTERN)}",
        values.has_pattern(value, SURE_COMMA_PATTERN),
    )
    counts = ", ".join(f"coalesce(sum({weight}) FILTER ({condition}), 0)" for condition in conditions)
    return has_decimal_comma(*connection.counts(f"SELECT {counts} FROM {relation}"))


def _must_be_numbers(connection: DuckDBConnection, staged: str, attribute: Attribute, kind: Kind) -> None:
    if kind is Kind.INTEGER:
        return
    unfit = f"value IS NOT NULL AND NOT coalesce({values.is_number('value', kind)}, false)"
    (rows,) = connection.counts(f"SELECT coalesce(sum(n) FILTER ({unfit}), 0) FROM ({staged})")
    if rows:
        raise DataError(
            f'column "{attribute.column}" has {counted(rows, "value")} that cannot be read as a number, '
            f'so "{attribute.name}" cannot be computed'
        )


def _text_dates(
    connection: DuckDBConnection, texts: str, index: int, attribute: Attribute, options: OpenOptions
) -> TextDates:
    """Read texts as dates, by the codes of a column or by the texts that another transform made of it."""
    if index == 0:
        return read_text_dates(connection, texts, "code", attribute.column, options)
    distinct = f"(SELECT value, value AS text, sum(n) AS n FROM {texts} GROUP BY value)"
    return read_text_dates(connection, distinct, "text", attribute.column, options)


def _dated(staged: str, column: Dictionary, read: TextDates, index: int) -> str:
    if index == 0:
        rows = f"{column.values} JOIN {read.table} USING (code)"
    else:
        rows = f"({staged}) s JOIN {read.table} d ON s.value IS NOT DISTINCT FROM d.text"
    return f"SELECT raw, people, n, day AS value, false AS other FROM {rows}"


def _must_be_dates(
    connection: DuckDBConnection, texts: str, read: TextDates, attribute: Attribute, transform: Transform
) -> None:
    require_dates(
        read.reading,
        attribute,
        transform,
        lambda forms: most_frequent_shape(connection, texts, read.reading.order, forms),
    )


def _local_times(
    connection: DuckDBConnection, staged: str, attribute: Attribute, times: ColumnTimes, zone: Zone | None
) -> tuple[str, list[str]]:
    """Return the times of a column in their zone, and notes."""
    if times.have_nanoseconds:
        staged = _step(staged, values.whole_microseconds("value"))
    if times.zone is None:
        return staged, []
    chosen = zone or times.zone
    notes = [zone_note(attribute.column)] if zone is None and chosen.is_utc else []
    far = f"TIMESTAMP '{FAR.isoformat(sep=' ')}'"
    (is_far,) = connection.counts(f"SELECT count(*) FROM ({staged}) WHERE value >= {far}")
    return _step(staged, dates.in_zone("value", chosen, is_far=bool(is_far))), notes
