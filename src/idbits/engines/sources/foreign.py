"""Reads files of other programs as Arrow tables: Excel, SPSS, SAS, Stata, SQLite, Arrow and Feather.

The extra ``files`` installs the readers; the standard library reads SQLite.
"""

from __future__ import annotations

import math
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Protocol

import pyarrow

from idbits.engines.sources.encoding import shown_path
from idbits.engines.sources.files import Format
from idbits.engines.sources.sheet_size import TooLarge
from idbits.engines.sources.workbook import read_workbook
from idbits.engines.sources.workbook_size import workbook_size
from idbits.errors import DataError, EngineError, IdbitsError, InputError
from idbits.values.labels import plain_label
from idbits.wording import counted, listed_names

__all__ = ["as_array", "check_room", "read_foreign"]

_BATCH_ROWS = 50_000
_EXACT = 2**53
_USUAL_MEMORY = 4 * 10**9
"""The limit if the system does not say how much memory there is."""
# Memory per cell between file and table, as measured; a text takes four times its length in addition.
_CELL_BYTES = 110
# Numbers of transport files have eight bytes, those of portable files at least two, mostly more.
_BYTES_FROM = {".xpt": _CELL_BYTES // 8, ".por": _CELL_BYTES // 4}

ForeignTable = tuple["pyarrow.Table", list[str]]
"""An Arrow table and notes on how it was read."""


class _SurveyFacts(Protocol):
    """What an SPSS, SAS or Stata file declares about itself, as pyreadstat returns it."""

    number_rows: int | None
    column_names: Sequence[str]
    variable_value_labels: Mapping[str, Mapping[object, str]]
    readstat_variable_types: Mapping[str, str]
    variable_storage_width: Mapping[str, int]


class _SurveyFileReader(Protocol):
    def __call__(
        self, path: str, *, output_format: str = "pandas", metadataonly: bool = False
    ) -> tuple[Mapping[str, Sequence[object]], _SurveyFacts]: ...


def read_foreign(
    path: Path,
    kind: Format,
    *,
    sheet: str | None = None,
    header_row: int | None = None,
    table: str | None = None,
    memory: int | None = None,
) -> ForeignTable:
    """Read a file of another program within the memory limit."""
    most = _most_memory(memory)
    readers: dict[Format, Callable[[], ForeignTable]] = {
        Format.ARROW: lambda: (_arrow(path, most), []),
        Format.EXCEL: lambda: read_workbook(_needed("fastexcel", "Excel"), path, sheet, header_row),
        Format.SQLITE: lambda: _sqlite(path, table, most),
    }
    try:
        return readers.get(kind, lambda: _survey(path, kind))()
    except IdbitsError:
        raise
    except MemoryError as error:
        raise DataError(
            f"{shown_path(path)} cannot be read as {kind}: it is damaged, or needs more memory than there is"
        ) from error
    except Exception as error:  # the readers raise any error, some with cell values in the message
        raise DataError(f"{shown_path(path)} cannot be read as {kind}: it is damaged or incomplete") from error


def check_room(paths: Sequence[Path], kind: Format, memory: int | None) -> None:
    """Refuse files that together need more memory than allowed, before any of them is opened."""
    most = left = _most_memory(memory)
    for path in paths:
        try:
            if kind is Format.EXCEL:
                size = workbook_size(path, left)
                left -= size.memory if size is not None else 0
            elif kind in (Format.SPSS, Format.SAS, Format.STATA):
                left -= _survey_bytes(path, kind)
        except TooLarge:
            left = -1
        except IdbitsError:
            raise
        except Exception as error:  # the readers raise any error, some with cell values in the message
            # No other reader opens it, because that reader might find more data in it than we can check.
            raise DataError(f"{shown_path(path)} cannot be read as {kind}: it is damaged or incomplete") from error
        if left < 0:
            raise _too_large(path, most)


def _most_memory(memory: int | None) -> int:
    """Return the memory limit in bytes: the option, or most of the machine's memory."""
    if memory is not None:
        return memory
    if sys.platform == "win32":
        return _USUAL_MEMORY
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 8 // 10
    except (AttributeError, ValueError, OSError):
        return _USUAL_MEMORY


def _too_large(path: Path, most: int) -> EngineError:
    """Return the error about a file that needs more memory than allowed."""
    return EngineError(
        f"reading {shown_path(path)} needs more than the {most // 10**6:,} MB of memory allowed; allow more with "
        "--memory, or save it as CSV or Parquet first"
    )


def _survey_bytes(path: Path, kind: Format) -> int:
    _, facts = _survey_reader(path, kind)(str(path), metadataonly=True)
    rows = facts.number_rows
    if rows is None:
        return path.stat().st_size * _BYTES_FROM.get(path.suffix.lower(), _CELL_BYTES // 8)
    types, widths = facts.readstat_variable_types, facts.variable_storage_width
    a_row = sum(_CELL_BYTES + (4 * int(widths.get(name, 0)) if types[name] == "string" else 0) for name in types)
    return int(rows) * a_row


def _needed(module: str, kind: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise InputError(f"support for {kind} files is not installed; run pip install 'idbits[files]'") from None


def _arrow(path: Path, most: int) -> pyarrow.Table:
    from pyarrow import feather, ipc

    with path.open("rb") as file:
        first = file.read(4)
    if first == b"\xff\xff\xff\xff":
        with pyarrow.memory_map(str(path)) as source:
            table = _joined(iter(ipc.open_stream(source)), path, most)
    elif first == b"FEA1":
        table = feather.read_table(path, memory_map=True)
    else:
        with pyarrow.memory_map(str(path)) as source:
            reader = ipc.open_file(source)
            batches = (reader.get_batch(index) for index in range(reader.num_record_batches))
            table = _joined(batches, path, most, reader.schema)
    # Offsets in a damaged file point anywhere; following them unchecked would crash.
    table.validate(full=True)
    return table


def _joined(
    batches: Iterator[pyarrow.RecordBatch], path: Path, most: int, schema: pyarrow.Schema | None = None
) -> pyarrow.Table:
    """Return batches as a table; compressed ones become many times as large."""
    read, before = [], pyarrow.total_allocated_bytes()
    for batch in batches:
        read.append(batch)
        # Uncompressed data stays in the file and takes no memory.
        if pyarrow.total_allocated_bytes() - before > most:
            raise _too_large(path, most)
    return pyarrow.Table.from_batches(read, schema)


def _survey_reader(path: Path, kind: Format) -> _SurveyFileReader:
    pyreadstat = _needed("pyreadstat", kind)
    readers = {
        ".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat",
        ".xpt": "read_xport",
    }  # fmt: skip
    default = {Format.SPSS: "read_sav", Format.STATA: "read_dta", Format.SAS: "read_xport"}[kind]
    reader: _SurveyFileReader = getattr(pyreadstat, readers.get(path.suffix.lower(), default))
    return reader


def _survey(path: Path, kind: Format) -> ForeignTable:
    cells, facts = _survey_reader(path, kind)(str(path), output_format="dict")
    lengths = {len(column) for column in cells.values()}
    if len(lengths) > 1 or (facts.number_rows is not None and lengths - {facts.number_rows}):
        raise DataError(f"{shown_path(path)} cannot be read completely: it has fewer or more rows than it declares")
    arrays, labelled = [], []
    for name in facts.column_names:
        labels = facts.variable_value_labels.get(name, {})
        # Labels replace codes only if no two values merge: groups of people must stay the same.
        others = {plain_label(value) for value in cells[name] if value not in labels}
        labels_shown = set(labels.values())
        distinct = len(labels_shown) == len(labels) and not labels_shown & others
        if labels and distinct and all(text.strip() for text in labels_shown):
            labelled.append(name)
            values = [labels.get(value, value) for value in cells[name]]
        else:
            values = list(cells[name])
        # Survey files have no null texts: they write an empty text for a missing value.
        arrays.append(as_array([None if value == "" else value for value in values]))
    notes = [f"{counted(len(labelled), 'column')}: value labels are shown instead of codes"] if labelled else []
    return pyarrow.table(arrays, names=list(facts.column_names)), notes


def _sqlite(path: Path, table: str | None, most: int) -> ForeignTable:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        names = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite^_%' ESCAPE '^' ORDER BY name"
            )
        ]
        if table is None and len(names) != 1:
            raise InputError(f"name a table with --table{listed_names(names)}")
        chosen = table if table is not None else names[0]
        if chosen not in names:
            raise InputError(f'no table named "{chosen}"{listed_names(names)}')
        cursor = connection.execute('SELECT * FROM "' + chosen.replace('"', '""') + '"')
        columns: list[list[object]] = [[] for _ in cursor.description]
        size = 0
        while rows := cursor.fetchmany(_BATCH_ROWS):
            # A view can produce endless rows.
            size += len(rows) * len(columns) * _CELL_BYTES
            size += 4 * sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes))
            if size > most:
                raise _too_large(path, most)
            for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
                column.extend(cells)
        return pyarrow.table([as_array(c) for c in columns], names=[d[0] for d in cursor.description]), []
    finally:
        connection.close()


def as_array(values: Sequence[object]) -> pyarrow.Array:
    """Return values as an Arrow array of their common type, or as texts if they have none."""
    cleaned = [None if isinstance(value, float) and math.isnan(value) else value for value in values]
    types = {type(value) for value in cleaned if value is not None}
    try:
        exact = all(abs(value) <= _EXACT for value in cleaned if type(value) is int)
        if types <= {int, float} and float in types and exact:
            return pyarrow.array(cleaned, pyarrow.float64())
        if len(types) <= 1:
            return pyarrow.array(cleaned)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
        pass
    texts = [value.hex() if isinstance(value, bytes) else plain_label(value) for value in cleaned]
    return pyarrow.array(texts, pyarrow.string())
