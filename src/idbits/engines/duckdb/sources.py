"""Makes Parquet files, text files and frames available to DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow

from idbits.engines.base import OpenOptions, TableColumns
from idbits.engines.duckdb.connection import DuckDBConnection, identifier, literal
from idbits.engines.duckdb.frames import arrow_table, countable
from idbits.engines.duckdb.values import zoned_type
from idbits.engines.sources.dialect import Dialect, read_dialect
from idbits.engines.sources.encoding import shown_path
from idbits.engines.sources.files import Stamp
from idbits.engines.sources.missed_delimiter import MissedDelimiter, find_missed_delimiter
from idbits.errors import DataError, InputError
from idbits.values.attributes import Kind
from idbits.values.zones import UTC_ZONE, Zone, find_zone

__all__ = ["DuckDBSource", "TextPart", "frame_source", "numbered_cells", "parquet_source", "path_list", "text_source"]


_USUAL_ROW = 1 << 23


@dataclass(slots=True)
class DuckDBSource:
    """A relation in SQL with the DuckDB types of its columns.

    Attributes:
        relation: the SQL after FROM.
        types: column -> DuckDB type, in order.
        cells: column -> its name in the relation, because DuckDB ignores case in names.
        parts: text files, grouped by dialect; they are read into a table once.
        notes: decisions made while opening.
        stamps: the state of the files when they were opened.
        zone_names: returns the time zone of each column that has one.
    """

    relation: str
    types: dict[str, str]
    cells: dict[str, str]
    parts: list[TextPart] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stamps: list[Stamp] = field(default_factory=list)
    zone_names: Callable[[], Mapping[str, str]] = dict

    def zone_of(self, column: str) -> Zone | None:
        """Return the time zone of a column of instants (UTC if it is not known), and None for other columns."""
        if not zoned_type(self.types[column]):
            return None
        return find_zone(self.zone_names().get(column, "UTC")) or UTC_ZONE

    def check_unchanged(self) -> None:
        """Raise an error if a file changed since it was opened."""
        for path, size, changed in self.stamps:
            try:
                status = path.stat()
                same = (status.st_size, status.st_mtime_ns) == (size, changed)
            except OSError:
                same = False
            if not same:
                raise DataError(f"{path} changed while it was read; try again when nothing writes to it")

    def describe_columns(self, kinds: Mapping[str, Kind]) -> TableColumns:
        """Return the columns with what an error about a missing one says."""
        path = self.stamps[0][0] if len(self.stamps) == 1 else None
        return TableColumns(
            kinds,
            Path(shown_path(path)).name if path is not None else "",
            may_be_data=any(part.dialect.doubtful or part.dialect.like_rows for part in self.parts),
            suspicion=self._suspicion,
        )

    def _suspicion(self) -> str:
        missed = self.parts[0].missed_delimiter() if self.parts else None
        if missed is not None:
            return f"; {missed.sentence}"
        row = self.parts[0].dialect.suspect_row if self.parts else None
        return "" if row is None else f"; row {row:,} may contain the column names (add --header-row {row})"


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text files that share a dialect."""

    paths: tuple[Path, ...]
    dialect: Dialect
    nulls: tuple[str, ...]
    encoding_given: bool
    cells: dict[str, str] = field(hash=False, compare=False)
    longest_row: int = 0

    def missed_delimiter(self) -> MissedDelimiter | None:
        """Return what the first file looks like if it was read with the wrong delimiter."""
        return find_missed_delimiter(self.paths[0], self.dialect)

    def relation(self, *extra: str) -> str:
        """Return the read_csv call; every column is text and compared as text."""
        columns = ", ".join(f"{self.cells[name]}: 'VARCHAR'" for name in self.dialect.names)
        options = [
            path_list(self.paths),
            "auto_detect=false",
            f"delim={literal(self.dialect.delimiter)}",
            "quote='\"'",
            "escape='\"'",
            f"header={str(self.dialect.reads_header).lower()}",
            f"skip={self.dialect.lead.lines if self.dialect.lead is not None else 0}",
            f"compression='{self.dialect.packing}'",
            f"nullstr=[{', '.join(literal(null) for null in ('', *self.nulls))}]",
            f"max_line_size={max(_USUAL_ROW, self.longest_row + 2)}",
            "hive_partitioning=false",
            f"columns={{{columns}}}",
            *extra,
        ]
        return f"read_csv({', '.join(options)})"


def parquet_source(connection: DuckDBConnection, paths: Sequence[Path]) -> DuckDBSource:
    """Open Parquet files; several are combined by column name."""
    try:
        return _parquet_source(connection, paths)
    except DataError:
        _name_damaged(connection, paths)
        raise


def _parquet_source(connection: DuckDBConnection, paths: Sequence[Path]) -> DuckDBSource:
    if len(paths) > 1:
        _same_numbers(connection, paths)
    union = ", union_by_name=true" if len(paths) > 1 else ""
    files = f"{path_list(paths)}{union}"
    relation = f"read_parquet({files}, hive_partitioning=false)"
    described = _described(connection, relation)
    folders = {part.split("=")[0] for path in paths for part in path.parts[:-1] if "=" in part}
    # Folders such as year=2005 are columns of a data lake, but never replace a column of the files.
    if len(paths) > 1 and folders and not folders & {name for name, _ in described}:
        relation = f"read_parquet({files}, hive_partitioning=true)"
        described = _described(connection, relation)
    names = _parquet_names(paths[0], [name for name, _ in described]) if len(paths) == 1 else [n for n, _ in described]
    types = {name: kind for name, (_, kind) in zip(names, described, strict=True)}
    cells = {name: identifier(cell) for name, (cell, _) in zip(names, described, strict=True)}
    return DuckDBSource(relation, types, cells, zone_names=lambda: _parquet_zones(paths))


def _parquet_zones(paths: Sequence[Path]) -> dict[str, str]:
    """Return the time zones of columns, which DuckDB does not know; UTC for a column whose files differ."""
    import pyarrow.parquet

    zones: dict[str, str] = {}
    for path in paths:
        for name, zone in zones_of_schema(pyarrow.parquet.read_schema(path)).items():
            zones[name] = zone if zones.get(name, zone) == zone else "UTC"
    return zones


def zones_of_schema(schema: pyarrow.Schema) -> dict[str, str]:
    """Return the time zone of each column of an Arrow schema that has one; Parquet files without one say UTC."""
    zoned = (column for column in schema if pyarrow.types.is_timestamp(column.type) and column.type.tz is not None)
    return {str(column.name): column.type.tz for column in zoned}


def _name_damaged(connection: DuckDBConnection, paths: Sequence[Path]) -> None:
    """Raise an error that names the first damaged file, if there is one."""
    for path in paths:
        try:
            connection.rows(f"SELECT count(*) FROM parquet_file_metadata({path_list([path])})", "opening")
        except DataError:
            raise DataError(f"{shown_path(path)} cannot be read as Parquet: it is damaged or incomplete") from None


def _same_numbers(connection: DuckDBConnection, paths: Sequence[Path]) -> None:
    """Refuse whole numbers in one file and floats in another: large numbers would lose digits."""
    rows = connection.rows(
        f"SELECT name, bool_or(type IN ('FLOAT', 'DOUBLE')) AND bool_or(type IN ('INT32', 'INT64')) "
        f"FROM parquet_schema({path_list(paths)}) WHERE type IS NOT NULL GROUP BY name ORDER BY name",
        "opening",
    )
    mixed = [name for name, both in rows if both]
    if mixed:
        raise DataError(
            f'column "{mixed[0]}" has whole numbers in some files and decimals in others; convert them to one type'
        )


def _parquet_names(path: Path, described: list[str]) -> list[str]:
    """Return the names as written in the file; DuckDB numbers names that differ only in case."""
    if len({name.casefold() for name in described}) == len(described) and not any("_1" in name for name in described):
        return described
    import pyarrow.parquet

    return list(pyarrow.parquet.read_schema(path).names)


def text_source(paths: Sequence[Path], options: OpenOptions) -> DuckDBSource:
    """Open text files; adjacent files with the same dialect form one part, which preserves their order."""
    groups: list[tuple[Dialect, list[Path]]] = []
    for path in paths:
        dialect = read_dialect(
            path,
            delimiter=options.delimiter,
            header=options.header,
            encoding=options.encoding,
            header_row=options.header_row,
        )
        if groups and groups[-1][0] == dialect:
            groups[-1][1].append(path)
        else:
            groups.append((dialect, [path]))
    given = options.encoding is not None
    names = groups[0][0].names
    cells = numbered_cells(names)
    parts = [TextPart(tuple(members), dialect, options.null, given, cells) for dialect, members in groups]
    for part in parts[1:]:
        if set(part.dialect.names) != set(names):
            raise DataError(
                f"{shown_path(part.paths[0])} does not have the same columns as {shown_path(parts[0].paths[0])}"
            )
    doubtful = [part.dialect for part in parts if part.dialect.doubtful]
    nameless = options.header and not all(part.dialect.header for part in parts)
    notes = ["the file begins with an empty line: its columns are named column1, column2, ..."] if nameless else []
    notes += dict.fromkeys(note for part in parts for note in part.dialect.header_notes)
    rivals = {part.dialect.rival for part in parts} - {""}
    if rivals:
        taken, other = parts[0].dialect.delimiter, min(rivals)
        notes.append(
            f"columns may be separated by {taken!r} or {other!r}; we assumed {taken!r} (change with --delimiter)"
        )
    missed = parts[0].missed_delimiter()
    if missed is not None and missed.in_header:
        notes.append(missed.sentence)
    if doubtful:
        row = doubtful[0].header_row
        which, otherwise = ("the first row", "") if row is None else (f"row {row}", f", otherwise --header-row {row}")
        notes.append(f"{which} may contain data instead of column names; if so, add --no-header{otherwise}")
    return DuckDBSource("", dict.fromkeys(names, "VARCHAR"), cells, parts, notes)


def numbered_cells(names: Sequence[str]) -> dict[str, str]:
    """Return names that are distinct for DuckDB, which ignores case."""
    return {name: f"f{index}" for index, name in enumerate(names)}


def frame_source(connection: DuckDBConnection, frame: object) -> DuckDBSource:
    """Open a pandas, polars or pyarrow frame, or any object with an Arrow stream."""
    table = arrow_table(frame)
    if not table.column_names:
        raise InputError("the table has no columns")
    names = [str(name) for name in table.column_names]
    repeated = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
    if repeated:
        raise DataError(f'the frame has more than one column named "{min(repeated)}"; rename them')
    cells = numbered_cells(names)
    relation = connection.new_name("frame")
    try:
        connection.raw.register(relation, countable(table.rename_columns(list(cells.values()))))
    except duckdb.Error as error:
        raise DataError("a column of the frame has a type that cannot be counted; convert it to text") from error
    described = _described(connection, relation)
    types = {name: kind for name, (_, kind) in zip(names, described, strict=True)}
    return DuckDBSource(relation, types, cells, zone_names=lambda: zones_of_schema(table.schema))


def _described(connection: DuckDBConnection, relation: str) -> list[tuple[str, str]]:
    """Return the columns of a relation with their types, in order."""
    # Without this setting DuckDB may list more than 2,048 columns in any order.
    connection.run("SET preserve_insertion_order = true")
    try:
        rows = connection.rows(f"DESCRIBE SELECT * FROM {relation}", "opening")
    finally:
        connection.run(f"SET preserve_insertion_order = {str(connection.in_order).lower()}")
    return [(name, duckdb_type) for name, duckdb_type, *_ in rows]


def path_list(paths: Sequence[Path]) -> str:
    """Return files as a SQL list."""
    return "[" + ", ".join(literal(_escaped(path)) for path in paths) + "]"


def _escaped(path: Path) -> str:
    # These are existing files, neither patterns nor in the home folder: DuckDB must not expand them again.
    name = str(path.absolute()) if str(path).startswith("~") else str(path)
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)
