"""Text files with thousands of columns and few rows: their cells are stored under each other, in one table.

DuckDB reserves room for 2,048 rows of each column of a table, and plans all of its columns for each query. With 100,000
columns both take more than the rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import pyarrow

from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.loading import LoadedView, irregular_dialect, note_short_rows
from idbits.engines.duckdb.sources import DuckDBSource
from idbits.engines.sources.rewrite import EvenRows
from idbits.reading import OpenOptions

__all__ = ["StackedView", "can_be_stacked", "load_stacked"]

_FEWEST_COLUMNS = 2_000
# A cell takes at least one byte, so this also limits the number of cells.
_MOST_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class StackedView(LoadedView):
    """A view of cells that are stored under each other; ``numbers`` has the number of each column there."""

    knows_rows: ClassVar[bool] = True

    numbers: Mapping[str, int] = field(default_factory=dict)

    def query(self, columns: Iterable[str]) -> str:
        """Return the query of some of the columns side by side."""
        numbers = {self.cells[name]: self.numbers[name] for name in columns}
        if len(numbers) == 1:
            ((cell, number),) = numbers.items()
            return f"SELECT value AS {cell} FROM {self.source} WHERE col = {number}"
        values = ", ".join(f"any_value(value) FILTER (col = {number}) AS {cell}" for cell, number in numbers.items())
        chosen = ", ".join(map(str, numbers.values()))
        # Every row has a cell of every column, if only a null one.
        return f"SELECT {values} FROM {self.source} WHERE col IN ({chosen}) GROUP BY row"

    def stacked(self, columns: Sequence[str], also: Literal["", "row", "weight"] = "") -> str:
        """Return the query of neighbouring columns under each other."""
        first, last = (self.numbers[columns[index]] for index in (0, -1))
        if also == "weight" or last - first != len(columns) - 1:
            raise AssertionError("cells under each other are those of neighbouring columns without weights")
        kept = "row, " if also else ""
        return f"SELECT {kept}value, col - {first} AS col FROM {self.source} WHERE col BETWEEN {first} AND {last}"


def can_be_stacked(source: DuckDBSource, options: OpenOptions, n_columns: int, n_sampled: int) -> bool:
    """Whether cells can be stored under each other, and should be: all rows are counted, each as one person."""
    if not options.by_column or options.in_order or options.where is not None or options.count is not None:
        return False
    if not source.parts or n_sampled or n_columns < _FEWEST_COLUMNS:
        return False
    is_plain = all(part.dialect.packing == "none" for part in source.parts)
    return is_plain and sum(path.stat().st_size for part in source.parts for path in part.paths) <= _MOST_BYTES


def load_stacked(connection: DuckDBConnection, source: DuckDBSource, columns: Sequence[str]) -> StackedView:
    """Read all rows of text files, as irregular files are read."""
    texts: list[pyarrow.Array] = []
    notes: list[str] = []
    short = 0
    nulls = {"", *(null for part in source.parts for null in part.nulls)}
    with connection.progress.step("reading"):
        for part in source.parts:
            for path in part.paths:
                rows = EvenRows(path, irregular_dialect(part, path, notes), columns)
                texts.extend(
                    pyarrow.array([None if cell in nulls else cell for cell in row], pyarrow.string()) for row in rows
                )
                short += rows.short
    table = connection.new_name("cells")
    width = len(columns)
    numbers = {
        "row": pyarrow.array(np.repeat(np.arange(len(texts), dtype=np.int32), width)),
        "col": pyarrow.array(np.tile(np.arange(width, dtype=np.int32), len(texts))),
    }
    cells = pyarrow.table({**numbers, "value": pyarrow.chunked_array(texts, pyarrow.string())})
    frame = connection.new_name("frame")
    connection.raw.register(frame, cells)
    connection.run(f"CREATE TEMP TABLE {table} AS SELECT * FROM {frame}", "reading")
    connection.raw.unregister(frame)
    return StackedView(
        view=connection.new_name("table"),
        cells={name: f"c{index}" for index, name in enumerate(columns)},
        selected={},
        further=(),
        source=table,
        unfiltered="",
        notes=(*notes, *note_short_rows(short)),
        in_use=tuple(columns),
        numbers={name: index for index, name in enumerate(columns)},
    )
