"""Writes a treated copy of a table with DuckDB: values are replaced by dictionary, rows are sorted on disk if need be.

A column whose values change gets a table (raw, code, label): labels are computed once per distinct value. Codes are the
ranks of labels, so that rows sort by numbers. Columns that stay as they are, are grouped and sorted by their cells.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import duckdb
import numpy as np
import pyarrow

from idbits.counts import Integers, Value
from idbits.engines.backends.treating import MixedCells, ReleaseRequest, TreatedColumn, TreatmentRequest
from idbits.engines.base import numbers_of
from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import identifier, literal
from idbits.engines.duckdb.label_tables import (
    label_table,
    mixed_tables,
    pseudonym_table,
    released_texts,
    require_new_texts,
)
from idbits.engines.duckdb.loading import LoadedView
from idbits.engines.duckdb.sources import DuckDBSource
from idbits.errors import IdbitsError
from idbits.values.attributes import Attribute, Kind
from idbits.values.readings import NUMBER_PATTERN
from idbits.values.released_labels import FORMULA_STARTS, LabelWords, formula_safe

if TYPE_CHECKING:
    from idbits.engines.duckdb.table import DuckDBTable

__all__ = ["DuckDBTreatedRows", "DuckDBTreating"]

_ERRNO = re.compile(r'"errno":"(\d+)"')
_APOSTROPHE = literal("'")
_TEXTUAL = (Kind.TEXT, Kind.OTHER)


@dataclass(frozen=True, slots=True)
class _WrittenColumn:
    """How a column is grouped, written and sorted.

    Attributes:
        join: the table of its labels (raw, code, label), if its values change.
        key: the SQL that groups people; None if all people have the same value.
        cell: the SQL of what is written.
        order: the SQL that rows are sorted by; None if all rows have the same value.
    """

    join: str | None
    key: str | None
    cell: str
    order: str | None


class DuckDBTreatedRows:
    """A treated table; groups are numbered in the order of their values."""

    def __init__(
        self, table: DuckDBTable, treatment: TreatmentRequest, types: Mapping[str, str], view: LoadedView
    ) -> None:
        self._table = table
        self._connection = table.connection
        self._treatment = treatment
        self._types = types
        self._positions = {name: index for index, name in enumerate(view.cells)}
        self._cells_as_read = view.cells_as_read
        self._mixed_joins: list[str] = []
        mixed = treatment.mixed
        self._columns = (
            {column.column: self._written(column) for column in treatment.columns}
            if mixed is None
            else self._written_mixed(mixed)
        )
        self._keys = [(column, written.key) for column, written in self._columns.items() if written.key is not None]
        self._groups = self._count_groups()
        self.group_sizes = self._integers(f"SELECT people FROM {self._groups} ORDER BY number", "people")

    def _written(self, column: TreatedColumn) -> _WrittenColumn:
        position = self._positions[column.column]
        if column.is_given_up:
            blank = self._treatment.words.blank
            blank = formula_safe(blank) if self._treatment.is_text_file else blank
            self._require_new_blank(column.column)
            return _WrittenColumn(None, None, literal(blank), None)
        if column.is_untouched:
            cell = self._untouched(column.column, is_grouped=True)
            return _WrittenColumn(None, cell, cell, self._order(cell, column.column))
        join = label_table(self._table, column, self._treatment, self._types[column.column])
        by_code = self._treatment.is_text_file or join.type == "VARCHAR"
        label = f"k{position}.label"
        return _WrittenColumn(join.name, f"k{position}.code", label, f"k{position}.code" if by_code else label)

    def _written_mixed(self, mixed: MixedCells) -> dict[str, _WrittenColumn]:
        """Join the rows with what is written for them; rows that are left out have no partner."""
        numbers, cells = mixed_tables(self._table, mixed, is_text_file=self._treatment.is_text_file)
        written, same = {}, []
        for index, (attribute, table) in enumerate(zip(mixed.attributes, numbers, strict=True)):
            column, position = attribute.column, self._positions[attribute.column]
            self._mixed_joins.append(f"JOIN {table} n{position} ON t.c{position} IS NOT DISTINCT FROM n{position}.raw")
            same.append(f"m.x{index} = n{position}.number")
            if mixed.texts[column] is None:
                cell = self._untouched(column, is_grouped=True)
                written[column] = _WrittenColumn(None, cell, cell, self._order(cell, column))
            else:
                written[column] = _WrittenColumn(None, f"m.g{index}", f"m.l{index}", f"m.g{index}")
        self._mixed_joins.append(f"JOIN {cells} m ON {' AND '.join(same)}")
        return written

    def _require_new_blank(self, column: str) -> None:
        blank = self._treatment.words.blank
        plain = self._table.dictionary(Attribute(column, self._table.columns[column]))
        require_new_texts(self._table, plain, column, [blank], f'"{blank}" is', "another text with --blank")

    def _untouched(self, column: str, *, is_grouped: bool = False) -> str:
        """Return the SQL of a cell that stays as it is; groups do not distinguish what the file does not."""
        position = self._positions[column]
        # NaN and null are one group, so they are written alike.
        is_float = is_grouped and self._types[column] in ("FLOAT", "DOUBLE")
        return self._as_written(f"t.c{position}" if is_float else f"t.r{position}", column, is_grouped=is_grouped)

    def _as_written(self, cell: str, column: str, *, is_grouped: bool) -> str:
        duckdb_type = self._types[column]
        if not self._treatment.is_text_file:
            return cell
        cell = cell if duckdb_type == "VARCHAR" else f"CAST({cell} AS VARCHAR)"
        if self._treatment.protects_cells and values.kind_of(duckdb_type) in _TEXTUAL:
            cell = f"CASE WHEN {_is_formula(cell)} THEN concat({_APOSTROPHE}, {cell}) ELSE {cell} END"
        return f"nullif({cell}, '')" if is_grouped else cell

    def _order(self, cell: str, column: str) -> str:
        # Lists and structures have an order, too, but not the same one in each version.
        is_other = values.kind_of(self._types[column]) is Kind.OTHER
        return f"CAST({cell} AS VARCHAR)" if is_other and not self._treatment.is_text_file else cell

    def _rows(self, extra: str = "", source: str | None = None) -> str:
        """Return the SQL after FROM: rows t with their cells, joined with the tables of labels."""
        joins = list(self._mixed_joins)
        for column, written in self._columns.items():
            if written.join is not None:
                position = self._positions[column]
                joins.append(f"JOIN {written.join} k{position} ON t.c{position} IS NOT DISTINCT FROM k{position}.raw")
        return " ".join([f"({source or self._cells_as_read}) t", *joins, extra])

    def _count_groups(self) -> str:
        name = self._connection.new_name("groups")
        keys = [f"{key} AS g{index}" for index, (_, key) in enumerate(self._keys)]
        order = ", ".join(f"g{index} NULLS FIRST" for index in range(len(keys)))
        number = f"row_number() OVER (ORDER BY {order}) - 1" if keys else "0"
        counted = f"SELECT {', '.join([*keys, 'count(*) AS people'])} FROM {self._rows()}"
        grouped = f"{counted} GROUP BY ALL" if keys else counted
        self._connection.run(f"CREATE TEMP TABLE {name} AS SELECT {number} AS number, * FROM ({grouped})")
        return name

    def group_codes(self, column: str) -> Integers:
        """Return the code of each group's value: the rank of its label, or of its cell if that stays as it is."""
        written = self._columns[column]
        if written.key is None:
            return np.zeros(len(self.group_sizes), np.int64)
        index = [name for name, _ in self._keys].index(column)
        code = f"g{index}" if written.join is not None else f"dense_rank() OVER (ORDER BY g{index} NULLS FIRST) - 1"
        return self._integers(f"SELECT number, {code} AS code FROM {self._groups} ORDER BY number", "code")

    def value_codes(self, column: str) -> tuple[Integers, Integers]:
        """Return the code of what replaces each value, and its people."""
        written = self._columns[column]
        plain = self._table.dictionary(Attribute(column, self._table.columns[column]))
        if written.join is not None:
            rows = f"SELECT v.code AS raw_code, k.code, v.people FROM {plain.values} v JOIN {written.join} k "
            rows += "ON v.raw IS NOT DISTINCT FROM k.raw"
        elif written.key is None:
            rows = f"SELECT code AS raw_code, 0 AS code, people FROM {plain.values}"
        else:
            cell = self._as_written("raw", column, is_grouped=True)
            rank = f"dense_rank() OVER (ORDER BY {cell} NULLS FIRST) - 1"
            rows = f"SELECT code AS raw_code, {rank} AS code, people FROM {plain.values}"
        table = self._connection.arrow(
            f"SELECT CAST(code AS BIGINT) AS code, CAST(people AS BIGINT) AS n FROM ({rows}) ORDER BY raw_code"
        )
        return numbers_of(table.column("code")), numbers_of(table.column("n"))

    def group_cells(self, column: str) -> tuple[Integers, Integers, Integers]:
        """Count people by group and value of another column."""
        dictionary = self._table.dictionary(Attribute(column, self._table.columns[column]))
        position = self._positions[column]
        same = [f"{key} IS NOT DISTINCT FROM w.g{index}" for index, (_, key) in enumerate(self._keys)] or ["true"]
        rows = self._rows(
            f"JOIN {dictionary.codes} s ON t.c{position} IS NOT DISTINCT FROM s.raw "
            f"JOIN {self._groups} w ON {' AND '.join(same)}"
        )
        table = self._connection.arrow(
            f"SELECT CAST(w.number AS BIGINT) AS number, CAST(s.code AS BIGINT) AS code, count(*) AS n FROM {rows} "
            "GROUP BY 1, 2 ORDER BY 1, 2"
        )
        number, code, people = (numbers_of(table.column(name)).astype(np.int64) for name in ("number", "code", "n"))
        return number, code, people

    def cell_texts(self, column: str) -> list[Value]:
        """Return the text of each code of another column as it is written to the file."""
        dictionary = self._table.dictionary(Attribute(column, self._table.columns[column]))
        cell = self._as_written("raw", column, is_grouped=True)
        rows = self._connection.rows(f"SELECT CAST({cell} AS VARCHAR) FROM {dictionary.values} ORDER BY code")
        return [text for (text,) in rows]

    def _integers(self, sql: str, name: str) -> Integers:
        return self._connection.column(sql, name).astype(np.int64, copy=False)

    def recoded_values(self, column: str) -> Iterator[tuple[Value, Value]]:
        """Yield the texts of a column with the texts that replace them, in the order of the former."""
        written = self._columns[column]
        plain = self._table.dictionary(Attribute(column, self._table.columns[column]))
        raw, label = "CAST(raw AS VARCHAR) AS raw", "CAST(label AS VARCHAR) AS label"
        if written.join is None:
            label = f"{written.cell} AS label" if written.key is None else "CAST(raw AS VARCHAR) AS label"
        yield from self._connection.rows(
            f"SELECT {raw}, {label} FROM {written.join or plain.codes} ORDER BY 1 NULLS FIRST"
        )

    def formula_cells(self, columns: Sequence[str]) -> int:
        """Count the cells of untouched columns that a spreadsheet would take for formulas."""
        textual = [name for name in columns if values.kind_of(self._types[name]) in _TEXTUAL]
        found = 0
        for name in (name for name in textual if name in self._columns):
            dictionary = self._table.dictionary(Attribute(name, self._table.columns[name]))
            value = f"CASE WHEN {_is_formula('CAST(value AS VARCHAR)')} THEN n ELSE 0 END"
            found += self._connection.counts(f"SELECT coalesce(sum({value}), 0) FROM {dictionary.values}")[0]
        cells = [f"CAST(t.r{self._positions[name]} AS VARCHAR)" for name in textual if name not in self._columns]
        counts = ", ".join(f"count(*) FILTER ({_is_formula(cell)})" for cell in cells)
        sql = f"SELECT {counts} FROM ({self._cells_as_read}) t"
        return found + (sum(self._connection.counts(sql)) if cells else 0)

    def write(self, file: Path, release: ReleaseRequest) -> None:
        """Write the rows, sorted on disk if they do not fit in memory."""
        pseudonyms = {name: self._pseudonyms(name, function) for name, function in release.pseudonyms.items()}
        cells, orders = [], []
        # A line without any character would not be a row.
        shown = "coalesce({}, '')" if self._treatment.is_text_file and len(release.columns) == 1 else "{}"
        for name in release.columns:
            cell, order = self._cell_and_order(name, is_pseudonym=name in pseudonyms)
            cells.append(f"{shown.format(cell)} AS {identifier(self._header(name))}")
            orders += [f"{order} NULLS FIRST"] if order is not None else []
        # Joins do not keep the order of rows.
        numbered = f"SELECT *, row_number() OVER () AS source_row FROM ({self._cells_as_read})"
        more = " ".join([*pseudonyms.values(), self._without(release.withheld)])
        rows = self._rows(more, None if release.is_sorted else numbered)
        orders = orders if release.is_sorted else ["t.source_row"]
        sorting = f" ORDER BY {', '.join(orders)}" if orders else ""
        form = (
            "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"'"
            if self._treatment.is_text_file
            else "FORMAT parquet"
        )
        statement = f"COPY (SELECT {', '.join(cells)} FROM {rows}{sorting}) TO {literal(str(file.absolute()))}"
        with _disk_errors(file):
            self._connection.run(f"{statement} ({form}, USE_TMP_FILE false)", "writing")

    def _cell_and_order(self, name: str, *, is_pseudonym: bool) -> tuple[str, str | None]:
        """Return the SQL of what is written in a column, and of what rows are sorted by."""
        if is_pseudonym:
            label = f"p{self._positions[name]}.label"
            return label, label
        if name in self._columns:
            return self._columns[name].cell, self._columns[name].order
        cell = self._untouched(name)
        return cell, self._order(cell, name)

    def _header(self, name: str) -> str:
        return formula_safe(name) if self._treatment.is_text_file else name

    def _pseudonyms(self, name: str, function: Callable[[str], str]) -> str:
        position = self._positions[name]
        table = pseudonym_table(self._table, name, function)
        return f"JOIN {table} p{position} ON t.c{position} IS NOT DISTINCT FROM p{position}.raw"

    def _without(self, withheld: Integers) -> str:
        """Return the join that leaves out the rows of some groups."""
        if not len(withheld):
            return ""
        if not self._keys:
            return "WHERE false"
        frame, table = self._connection.new_name("numbers"), self._connection.new_name("withheld")
        self._connection.raw.register(frame, pyarrow.table({"number": pyarrow.array(withheld)}))
        self._connection.run(
            f"CREATE TEMP TABLE {table} AS SELECT g.* FROM {self._groups} g JOIN {frame} USING (number)"
        )
        self._connection.raw.unregister(frame)
        same = " AND ".join(f"{key} IS NOT DISTINCT FROM w.g{index}" for index, (_, key) in enumerate(self._keys))
        return f"ANTI JOIN {table} w ON {same}"


class DuckDBTreating:
    """The capability of a table whose rows DuckDB can write."""

    _source: DuckDBSource

    @property
    def loaded(self) -> LoadedView:
        """The view of the loaded columns."""
        raise NotImplementedError

    def treated_rows(self, treatment: TreatmentRequest) -> DuckDBTreatedRows:
        """Prepare the treatment of a loaded table: labels of coarser values, and group sizes."""
        return DuckDBTreatedRows(cast("DuckDBTable", self), treatment, self._source.types, self.loaded)

    def released_texts(self, view: Attribute, words: LabelWords) -> list[Value]:
        """Return the text that is written for each code of a view."""
        return released_texts(cast("DuckDBTable", self), view, words)


def _is_formula(cell: str) -> str:
    """Return the SQL condition that a spreadsheet would take the text of a cell for a formula."""
    starts = ", ".join(literal(start) for start in FORMULA_STARTS)
    return f"left({cell}, 1) IN ({starts}) AND NOT {values.has_pattern(cell, NUMBER_PATTERN)}"


@contextmanager
def _disk_errors(file: Path) -> Iterator[None]:
    """Raise an OSError if the file itself cannot be written: a full disk is not an error of the engine."""
    try:
        yield
    except IdbitsError as error:
        message = str(error.__cause__)
        if not isinstance(error.__cause__, duckdb.IOException) or file.name not in message:
            raise
        number = _ERRNO.search(message)
        known = [code for code in errno.errorcode if os.strerror(code) in message]
        code = int(number[1]) if number is not None else known[0] if known else errno.EIO
        raise OSError(code, os.strerror(code)) from error
