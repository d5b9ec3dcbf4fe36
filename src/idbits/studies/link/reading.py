"""How the second table is read: like the first for what concerns values, by options of its own for all else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from idbits.engines.base import Source, Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError
from idbits.reading import OPTIONS, SECOND_OPTIONS, Names, OpenOptions, Reading, open_options

__all__ = ["PairedReading", "open_second", "paired_options"]


class PairedReading(Reading, total=False):
    """How two tables are read: the options of ``Reading`` are those of the first.

    The second one shares dates, time zone, nulls, memory, threads, timeout and engine, unless its own are given.

    Attributes:
        where_b: a filter of the second table.
        count_b: its column with the number of people per row.
        dates_b: the order of its dates in text.
        delimiter_b: its column separator, if it is a text file.
        encoding_b: its encoding, if it is a text file.
        null_b: texts that mean null in it.
        header_b: whether it begins with column names.
        header_row_b: the number of its row with the column names.
        sheet_b: its sheet, if it is a workbook.
        table_b: its table, if it is a database, a SQLite file or a zip archive.
        query_b: a SELECT or the name of a view to use instead of a table of a database.
    """

    where_b: str | None
    count_b: str | None
    dates_b: str | None
    delimiter_b: str | None
    encoding_b: str | None
    null_b: Names
    header_b: bool
    header_row_b: int | None
    sheet_b: str | None
    table_b: str | None
    query_b: str | None


def paired_options(reading: PairedReading) -> tuple[OpenOptions, OpenOptions]:
    """Return the options of the first and of the second table.

    >>> first, second = paired_options({"dates": "dmy", "where": "age > 5", "count_b": "n"})
    >>> second.dates, second.where, second.count
    ('dmy', None, 'n')
    """
    given = cast("Mapping[str, Any]", reading)
    own = {name: given[f"{name}_b"] for name in SECOND_OPTIONS if given.get(f"{name}_b") not in (None, ())}
    rest = {name: value for name, value in given.items() if name.removesuffix("_b") == name}
    unknown = [name for name in given if name not in rest and name.removesuffix("_b") not in SECOND_OPTIONS]
    if unknown:
        raise TypeError(f"no option named {min(unknown)!r}")
    first = open_options(cast("Reading", rest))
    second = open_options(cast("Reading", own))
    alike = {name: getattr(first, name) for name, option in OPTIONS.items() if option.is_shared and name not in own}
    return first, replace(second, **alike, progress=first.progress)


def open_second(source: Source, options: OpenOptions, first: Table) -> Table:
    """Open the second table; an error about a column says which table lacks it."""
    try:
        return open_table(source, options, beside=first)
    except ColumnNotFoundError as error:
        error.args = (f"in the second table, {error}",)
        raise
