"""Draws rows by hash with DuckDB: always the same ones, whatever the order in which they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow
from numpy.typing import NDArray

from idbits.engines.backends.sampling import MOST_DRAWN, TableSample
from idbits.engines.base import numbers_of
from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.dictionary import Dictionary
from idbits.values.attributes import Kind
from idbits.values.plain import canonical
from idbits.values.profile import Profile
from idbits.values.sampled import profile_of_sample

if TYPE_CHECKING:
    from idbits.engines.duckdb.loading import LoadedView

__all__ = ["draw_one_in", "drawn_value", "hashed_rows", "read_sample", "rising_pairs", "row_hash"]

_HASHED_COLUMNS = 8
_FAST_COLUMNS = 4
_HASHED_FIRST = {Kind.TIMESTAMP: 0, Kind.NUMBER: 1, Kind.DATE: 2, Kind.INTEGER: 3}
# So that hardly ever more than the most rows are drawn, and some have to be given up.
_AIM = MOST_DRAWN * 9 // 10
_MOST_CELLS = 1_000_000
_FEWEST_ROWS = 100
# Rows of more frequent values say no more about what a column determines.
_MOST_ROWS_PER_VALUE = 1_000


def draw_one_in(n_rows: int, n_columns: int) -> int:
    """Return the m of which one row is drawn: fewer rows of wide tables."""
    aim = max(_FEWEST_ROWS, min(_AIM, _MOST_CELLS // max(1, n_columns)))
    return 1 + max(0, n_rows - 1) // aim


def row_hash(cells: Mapping[str, Kind]) -> str:
    """Return the SQL of the hash of a row, by some of its columns: numbers and times are hashed faster than texts."""
    ranked = sorted(cells, key=lambda cell: _HASHED_FIRST.get(cells[cell], len(_HASHED_FIRST)))
    fast = [cell for cell in ranked if cells[cell] in _HASHED_FIRST][:_FAST_COLUMNS]
    others = [cell for cell in cells if cells[cell] not in _HASHED_FIRST]
    number = 1 if fast else _HASHED_COLUMNS
    return f"hash({', '.join([*fast, *others[:: 1 + max(0, len(others) - 1) // number]])})"


def read_sample(
    connection: DuckDBConnection, query: str, names: Sequence[str], kinds: Mapping[str, Kind], n_rows: int
) -> TableSample:
    """Describe the rows of a query with the columns row (a hash) and s0, s1, ..."""
    # In the order of their hashes, rows are the same on every run.
    rows = connection.arrow(f"SELECT * FROM ({query}) ORDER BY row LIMIT {MOST_DRAWN}", "looking at some rows")
    codes = np.zeros((len(rows), len(names)), np.uint64)
    profiles = {}
    for index, name in enumerate(names):
        encoded = rows.column(f"s{index}").combine_chunks().dictionary_encode(null_encoding="encode")
        codes[:, index] = numbers = numbers_of(encoded.indices)
        profiles[name] = _profile(
            encoded.dictionary, np.bincount(numbers, minlength=len(encoded.dictionary)), kinds[name]
        )
    return TableSample(n_rows, len(rows), profiles, codes)


def _profile(distinct: pyarrow.Array, counts: NDArray[np.int64], kind: Kind) -> Profile:
    """Describe distinct values, which may contain null, with the number of rows of each."""
    present = numbers_of(distinct.is_valid().cast("uint8")).astype(np.bool_)

    def first_values(number: int) -> list[object]:
        # One more, because null may be among the first.
        first = distinct[: number + 1]
        try:
            cells = first.to_pylist()
        except (OverflowError, ValueError):
            # Python has no such dates or times.
            cells = first.cast(pyarrow.string()).to_pylist()
        return [canonical(value) for value in cells if value is not None][:number]

    return profile_of_sample(first_values, counts[present], int(counts[~present].sum()), kind)


def drawn_value(cell: str, duckdb_type: str) -> str:
    """Return the SQL of a value that Arrow hands over quickly and with all its digits."""
    value = values.comparable(cell, duckdb_type)
    if duckdb_type in ("HUGEINT", "UHUGEINT"):
        return f"CAST({value} AS VARCHAR)"
    return f"CAST({value} AS TIMESTAMP)" if values.kind_of(duckdb_type) is Kind.TIMESTAMP else value


def hashed_rows(
    connection: DuckDBConnection, relation: str, by: tuple[str, Dictionary], cells: Sequence[str]
) -> NDArray[np.uint64]:
    """Return the hashes of all rows of some values of a column that repeat."""
    cell, dictionary = by
    drawn = connection.new_name("drawn")
    repeated = f"FROM {dictionary.values} WHERE raw IS NOT NULL AND n BETWEEN 2 AND {_MOST_ROWS_PER_VALUE}"
    (n_rows,) = connection.counts(f"SELECT coalesce(sum(n), 0) {repeated}")
    # A first cut by hash, so that few values are sorted.
    few = f"SELECT raw, n, hash(raw) AS place {repeated} AND hash(raw) % {1 + n_rows // (4 * MOST_DRAWN)} = 0"
    running = f"SELECT raw, sum(n) OVER (ORDER BY place, raw ROWS UNBOUNDED PRECEDING) AS running FROM ({few})"
    connection.run(f"CREATE TEMP TABLE {drawn} AS SELECT raw FROM ({running}) WHERE running <= {MOST_DRAWN}")
    hashes = ", ".join(f"hash({name}) AS h{index}" for index, name in enumerate((cell, *cells)))
    rows = connection.arrow(f"SELECT {hashes} FROM {relation} t SEMI JOIN {drawn} d ON t.{cell} = d.raw")
    connection.run(f"DROP TABLE {drawn}")
    return (
        np.stack([numbers_of(column) for column in rows.columns], axis=1)
        if len(rows)
        else np.zeros((0, len(cells) + 1), np.uint64)
    )


def rising_pairs(
    connection: DuckDBConnection, view: LoadedView, columns: Sequence[str], kind: Kind
) -> list[tuple[int, int]]:
    """Compare neighbouring rows in columns of one kind.

    Threads may read pieces of a file in another order, which few pairs show.
    """
    if len(columns) == 1 and not view.knows_rows:
        cell = view.cells[columns[0]]
        placed, before = f"SELECT 0 AS col, {cell} AS value FROM ({view.query(columns)})", "OVER ()"
    else:
        placed, before = view.stacked(columns, "row"), "OVER (PARTITION BY col ORDER BY row)"
    number = values.whole_number(values.text_of("value", kind))
    pairs = f"SELECT col, n, lag(n) {before} AS p FROM (SELECT *, {number} AS n FROM ({placed}))"
    counted = connection.rows(f"SELECT col, count(*) FILTER (n >= p), count(p) FROM ({pairs}) GROUP BY col")
    found = {int(column): (int(rising), int(n_pairs)) for column, rising, n_pairs in counted}
    return [found.get(column, (0, 0)) for column in range(len(columns))]
