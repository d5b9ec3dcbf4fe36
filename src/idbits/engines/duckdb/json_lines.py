"""JSON lines in DuckDB: each member of the objects is a column, with the type of all its values."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path

import pyarrow

from idbits.engines.duckdb.connection import DuckDBConnection, literal
from idbits.engines.duckdb.sources import DuckDBSource, frame_source, numbered_cells, path_list
from idbits.engines.sources.encoding import UTF8, open_unpacked, shown_path, text_lines
from idbits.engines.sources.foreign import as_array
from idbits.errors import DataError
from idbits.values.decimals import number_text

__all__ = ["json_source"]

_COLUMNS_AT_ONCE = 200
_LARGE_FILE = 1 << 24
_LARGE_OBJECT = 1 << 16
_EXACT_DIGITS = 15
_OBJECTS = "maximum_object_size=67108864"


def json_source(connection: DuckDBConnection, paths: Sequence[Path]) -> DuckDBSource:
    """Open JSON lines (or arrays of objects); numbers and booleans keep their types, everything else is text."""
    unpacked = [_unpacked(path, connection) for path in paths]
    if any(map(_has_huge_lines, unpacked)):
        try:
            return _read_in_python(connection, _lines(unpacked))
        except (ValueError, AttributeError) as error:
            raise DataError(
                f"{shown_path(paths[0])} is not in JSON lines format: each line must be one JSON object"
            ) from error
    files = f"{path_list(unpacked)}, compression='uncompressed', {_OBJECTS}"
    table = connection.new_name("json")
    try:
        connection.run(f"CREATE TEMP TABLE {table} AS SELECT json FROM read_json_objects({files})", "reading")
        names = _names(connection, table)
    except Exception as error:
        raise DataError(
            f"{shown_path(paths[0])} is not in JSON lines format: each line must be one JSON object"
        ) from error
    _check_count(connection, table, unpacked, paths[0])
    (long,) = connection.counts(
        f"SELECT count(*) FROM {table} WHERE regexp_matches(CAST(json AS VARCHAR), '[0-9]{{16}}')"
    )
    if long:
        return _read_in_python(
            connection, (text for (text,) in connection.rows(f"SELECT CAST(json AS VARCHAR) FROM {table}"))
        )
    cells = [f"json_extract(json, {literal(_pointer(name))})" for name in names]
    kinds = _kinds(connection, table, cells)
    selected = [
        f"{_typed(cell, kind)} AS f{index}" for index, (cell, kind) in enumerate(zip(cells, kinds, strict=True))
    ]
    view = connection.new_name("members")
    connection.run(f"CREATE TEMP VIEW {view} AS SELECT {', '.join(selected)} FROM {table}")
    return DuckDBSource(view, dict(zip(names, kinds, strict=True)), numbered_cells(names))


def _read_in_python(connection: DuckDBConnection, texts: Iterable[str]) -> DuckDBSource:
    """Read objects one by one if they are very long or contain long numbers, which DuckDB would round."""
    columns: dict[str, list[object]] = {}
    for number, text in enumerate(texts):
        members = json.loads(text, parse_float=_float)
        for name in [name for name in members if name not in columns]:
            columns[name] = [None] * number
        for name, column in columns.items():
            value = members.get(name)
            column.append(json.dumps(value) if isinstance(value, list | dict) else value)
    return frame_source(connection, pyarrow.table([as_array(c) for c in columns.values()], names=list(columns)))


def _float(digits: str) -> float | str:
    return number_text(Decimal(digits)) if len(digits) > _EXACT_DIGITS else float(digits)


def _lines(paths: Sequence[Path]) -> Iterator[str]:
    return (line for path in paths for line in text_lines(path, UTF8) if line.strip())


def _has_huge_lines(path: Path) -> bool:
    """Whether an object is so large that thousands of them, which DuckDB loads at once, fill the memory."""
    size = path.stat().st_size
    if size < _LARGE_FILE:
        return False
    with path.open("rb") as file:
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 22), b""))
    return size > _LARGE_OBJECT * max(1, lines)


def _check_count(connection: DuckDBConnection, table: str, files: Sequence[Path], named: Path) -> None:
    """Raise an error if DuckDB returns a different number of objects than there are lines."""
    lines = [_objects_by_line(file) for file in files]
    (objects,) = connection.counts(f"SELECT count(*) FROM {table}")
    if None not in lines and objects != sum(filter(None, lines)):
        raise DataError(
            f"{shown_path(named)} cannot be read completely: some objects are lost, probably because they are too long"
        )


def _objects_by_line(path: Path) -> int | None:
    """Return the number of lines if each is one object; None for an array or objects that span lines."""
    number = 0
    with path.open("rb") as file:
        for line in file:
            text = line.strip(b"\xef\xbb\xbf \t\r\n")
            if text and not (text.startswith(b"{") and text.endswith(b"}")):
                return None
            number += bool(text)
    return number


def _unpacked(path: Path, connection: DuckDBConnection) -> Path:
    with open_unpacked(path) as (packing, stream):
        if packing == "none":
            return path
        target = connection.folder / connection.new_name("unpacked")
        with target.open("wb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)
    return target


def _names(connection: DuckDBConnection, table: str) -> list[str]:
    """Return the members of all objects, in the order in which they first appear."""
    (wrong,) = connection.counts(f"SELECT count(*) FROM {table} WHERE json_type(json) <> 'OBJECT'")
    if wrong:
        raise DataError("a line is not a JSON object")
    rows = connection.rows(
        f"SELECT name FROM (SELECT unnest(json_keys(json)) AS name, row_number() OVER () AS line, "
        f"generate_subscripts(json_keys(json), 1) AS place FROM {table}) GROUP BY name ORDER BY min(line), min(place)"
    )
    names = [name for (name,) in rows]
    if not names:
        raise DataError("the objects have no members")
    return names


def _kinds(connection: DuckDBConnection, table: str, cells: Sequence[str]) -> list[str]:
    listings: list[list[str] | None] = []
    for start in range(0, len(cells), _COLUMNS_AT_ONCE):
        lists = ", ".join(f"list(DISTINCT json_type({cell}))" for cell in cells[start : start + _COLUMNS_AT_ONCE])
        listings.extend(connection.rows(f"SELECT {lists} FROM {table}")[0])
    kinds = []
    for listing in listings:
        types = {json_type for json_type in listing or [] if json_type != "NULL"}
        if types and types <= {"UBIGINT", "BIGINT"}:
            kinds.append("HUGEINT")
        elif types and types <= {"UBIGINT", "BIGINT", "DOUBLE"}:
            kinds.append("DOUBLE")
        else:
            kinds.append("BOOLEAN" if types == {"BOOLEAN"} else "VARCHAR")
    return kinds


def _typed(cell: str, kind: str) -> str:
    # The text of a JSON value: strings without quotes, null as null.
    text = f"({cell} ->> '$')"
    return text if kind == "VARCHAR" else f"CAST({text} AS {kind})"


def _pointer(name: str) -> str:
    """Return the JSON pointer to a member."""
    return "/" + name.replace("~", "~0").replace("/", "~1")
