"""Reads the distinct texts of a column as dates: how they are written is counted first, then they are read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idbits.engines.duckdb import dates
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.values import has_pattern
from idbits.reading import OpenOptions
from idbits.values.date_readings import DateReading, FormCount, choose_reading, order_pairs
from idbits.values.dates import DATE_FORMS, DATE_ORDERS, DateForm
from idbits.values.shapes import cut_shape
from idbits.values.zones import FAR, Zone

__all__ = ["TextDates", "most_frequent_shape", "read_text_dates"]


@dataclass(frozen=True, slots=True)
class TextDates:
    """Texts read as dates: a table (key, day), and how they were read."""

    table: str
    reading: DateReading


def read_text_dates(connection: DuckDBConnection, texts: str, key: str, column: str, options: OpenOptions) -> TextDates:
    """Read the texts of a relation (key, n, value); ``n`` is how many rows have the text."""
    forms, others = _forms_of(connection, texts)
    present = [form for form, _, _ in forms]
    orders = [order for order in DATE_ORDERS if any(order in form.orders for form in present)]
    read = _read_table(connection, texts, key, present, orders)
    try:
        if options.zone is not None and any(zoned for _, _, zoned in forms):
            read = _in_zone(connection, read, orders, options.zone)
        counts = _counts(connection, read, forms)
        if others:
            counts.append(FormCount(None, others))
        reading = choose_reading(counts, column, options.dates, zone=options.zone)
        table = connection.new_name("dates")
        day = reading.order if reading.order in orders else "CAST(NULL AS DATE)"
        connection.run(f"CREATE TEMP TABLE {table} AS SELECT {key}, {day} AS day FROM {read}")
    finally:
        connection.run(f"DROP TABLE {read}")
    return TextDates(table, reading)


def _forms_of(connection: DuckDBConnection, texts: str) -> tuple[list[tuple[DateForm, int, int]], int]:
    """Return the forms that occur, with their values and those with a time zone, and the values without a form."""
    zoned = f"CASE WHEN form IS NOT NULL AND {dates.has_zone('value')} THEN n ELSE 0 END"
    rows = connection.rows(
        f"SELECT form, sum(n), sum({zoned}) FROM (SELECT n, value, {dates.form_number('value')} AS form FROM {texts} "
        "WHERE value IS NOT NULL) GROUP BY form ORDER BY form"
    )
    forms = [(DATE_FORMS[number], int(values), int(zones)) for number, values, zones in rows if number is not None]
    return forms, sum(int(values) for number, values, _ in rows if number is None)


def _read_table(
    connection: DuckDBConnection, texts: str, key: str, forms: Sequence[DateForm], orders: Sequence[str]
) -> str:
    """Read each text in every order that may be meant: most of the work, and every view of the column needs it."""
    columns = [f"{dates.date_of(forms, order)} AS {order}" for order in orders]
    for order in DATE_ORDERS:
        cases = [
            f"WHEN {dates.number_of(form)} THEN {has_pattern('value', form.possible[order])}"
            for form in forms
            if order in form.possible
        ]
        columns.append(f"{'CASE form ' + ' '.join(cases) + ' END' if cases else 'false'} AS possible_{order}")
    table = connection.new_name("read")
    parts = dates.parts_relation(texts, f"{key}, n, value", forms)
    connection.run(f"CREATE TEMP TABLE {table} AS SELECT {key}, n, value, form, {', '.join(columns)} FROM ({parts})")
    return table


def _in_zone(connection: DuckDBConnection, read: str, orders: Sequence[str], zone: Zone) -> str:
    """Return the table with the days of times that have a time zone moved to another one."""
    latest = f"greatest({', '.join([*orders, orders[0]])})"
    (is_far,) = connection.counts(f"SELECT count(*) FROM {read} WHERE {latest} >= DATE '{FAR.year - 1}-12-30'")
    utc = ", ".join(f"CAST({order} AS TIMESTAMP) + to_seconds(shift) AS utc_{order}" for order in orders)
    moved = []
    for order in orders:
        local = f"CAST({dates.in_zone(f'utc_{order}', zone, is_far=bool(is_far))} AS DATE)"
        inside = f"CASE WHEN {local} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {local} END"
        moved.append(f"CASE WHEN shift IS NULL THEN {order} ELSE {inside} END AS {order}")
    table = connection.new_name("read")
    shifted = f"SELECT *, {dates.seconds_to_utc('value')} AS shift FROM {read} WHERE form IS NOT NULL"
    connection.run(
        f"CREATE TEMP TABLE {table} AS SELECT * REPLACE ({', '.join(moved)}) FROM (SELECT *, {utc} FROM ({shifted})) "
        f"UNION ALL BY NAME SELECT * FROM {read} WHERE form IS NULL"
    )
    connection.run(f"DROP TABLE {read}")
    return table


def _counts(connection: DuckDBConnection, read: str, forms: Sequence[tuple[DateForm, int, int]]) -> list[FormCount]:
    conditions = [
        f"form = {dates.number_of(form)} AND ({condition})"
        for form, _, _ in forms
        for condition in (
            *(f"{order} IS NOT NULL" for order in form.orders),
            *(f"{one} <> {other}" for one, other in order_pairs(form)),
            " OR ".join(f"{order} IS NOT NULL" for order in form.orders),
            *(f"possible_{order}" for order in form.possible),
        )
    ]
    sums = ", ".join(f"coalesce(sum(n) FILTER ({condition}), 0)" for condition in conditions)
    numbers = iter(connection.counts(f"SELECT {sums} FROM {read}") if conditions else ())
    return [FormCount.of(form, values, zoned, numbers) for form, values, zoned in forms]


def most_frequent_shape(connection: DuckDBConnection, texts: str, order: str, forms: Sequence[DateForm]) -> str | None:
    """Return the most frequent shape of the texts that are not dates of some forms."""
    parts = dates.parts_relation(texts, "n, value", forms)
    rows = connection.rows(
        f"SELECT {dates.shape('value')} AS shape FROM ({parts}) "
        f"WHERE value IS NOT NULL AND {dates.date_of(forms, order)} IS NULL "
        "GROUP BY shape ORDER BY sum(n) DESC, shape LIMIT 1"
    )
    return cut_shape(rows[0][0]) if rows else None
