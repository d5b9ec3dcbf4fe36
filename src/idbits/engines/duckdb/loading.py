"""Loading: from an opened source to the view that everything is counted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from idbits.engines import where
from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import Connection
from idbits.engines.duckdb.dictionary import decimal_comma
from idbits.engines.duckdb.filter import Cells, compile_filter
from idbits.engines.duckdb.reading import read_text
from idbits.engines.duckdb.sources import Source
from idbits.errors import DataError
from idbits.values.attributes import Kind
from idbits.wording import counted

__all__ = ["Loaded", "load_view"]

_MAX_PEOPLE = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Loaded:
    """A view with columns c0, c1, ... (``cells`` says which is which).

    Counted tables have a column weight, and filtered ones in order a column number (the row's in the source).
    ``unfiltered`` is the query of the same columns for all rows, with ``kept`` for those that the filter keeps.
    ``columns`` are the queries of one column each (and of the weight).
    """

    view: str
    cells: dict[str, str]
    columns: dict[str, str]
    unfiltered: str
    notes: tuple[str, ...]


def load_view(
    connection: Connection,
    source: Source,
    columns: Sequence[str],
    condition: where.Where | None,
    count: str | None,
    in_order: bool = False,
) -> Loaded:
    """Make the view on the columns, filtered; text files are read into a table first."""
    connection.run(f"SET preserve_insertion_order = {str(in_order).lower()}")
    relation = source.relation
    notes: list[str] = []
    if source.parts:
        wanted = {*columns, *([count] if count else [])}
        wanted |= {column.name for column in where.columns_of(condition)} if condition else set()
        relation, notes = read_text(connection, source.parts, [name for name in source.types if name in wanted])
    if any(duckdb_type in ("FLOAT", "DOUBLE") for duckdb_type in source.types.values()):
        # The statistics of Parquet files leave NaN out, and DuckDB would conclude from them that there is none.
        connection.run("SET disabled_optimizers = 'statistics_propagation'")
    commas = _check_numbers(connection, relation, condition, source.cells) if condition is not None else set()
    cells = {name: f"c{position}" for position, name in enumerate(columns)}
    selected = [
        f"{values.comparable(source.cells[name], source.types[name])} AS {cell}" for name, cell in cells.items()
    ]
    if count is not None:
        selected.append(f"{values.count_of(source.cells[count], values.kind_of(source.types[count]))} AS weight")
    if in_order and condition is not None:
        relation = f"(SELECT *, row_number() OVER () AS idbits_number FROM {relation})"
        selected.append("idbits_number AS number")
    view = connection.new_name("table")
    kept = compile_filter(condition, Cells(source.cells, source.types, commas)) if condition is not None else "true"
    filtered = f" WHERE {kept}" if condition is not None else ""
    connection.run(
        f"CREATE TEMP VIEW {view} AS SELECT {', '.join(selected) or '1 AS nothing'} FROM {relation}{filtered}"
    )
    if count is not None:
        _check_counts(connection, view, count)
    unfiltered = f"SELECT {', '.join([*selected, f'coalesce({kept}, false) AS kept'])} FROM {relation}"
    # DuckDB plans all columns of a view for each question: thousands of them cost more than the rows.
    further = selected[len(cells) :]
    single = {
        name: f"SELECT {', '.join([value, *further])} FROM {relation}{filtered}"
        for name, value in zip(cells, selected, strict=False)
    }
    return Loaded(view, cells, single, unfiltered, tuple(notes))


def _check_numbers(connection: Connection, relation: str, condition: where.Where, cells: Mapping[str, str]) -> set[str]:
    """Check that what the filter compares with numbers are numbers; return the columns with a decimal comma."""
    commas = set()
    for column in sorted(where.columns_of(condition), key=lambda column: column.name):
        if not column.as_number:
            continue
        cell = cells[column.name]
        if decimal_comma(connection, relation, cell):
            commas.add(column.name)
            continue
        unfit = f"{cell} IS NOT NULL AND NOT coalesce({values.is_number(cell, Kind.TEXT)}, false)"
        (rows,) = connection.one(f"SELECT count(*) FROM {relation} WHERE {unfit}", "filtering")
        if rows:
            raise DataError(
                f'column "{column.name}" holds {counted(rows, "value")} that cannot be read as a number, '
                "but the filter compares it with one"
            )
    return commas


def _check_counts(connection: Connection, view: str, count: str) -> None:
    bad, people = connection.one(f"SELECT count(*) FILTER (weight IS NULL), coalesce(sum(weight), 0) FROM {view}")
    if bad:
        raise DataError(
            f'the count column "{count}" has {counted(bad, "row")} without a whole number of zero or more '
            "(an empty cell is none)"
        )
    if people > _MAX_PEOPLE:
        raise DataError(f'the count column "{count}" adds up to more than 2^63 people')
