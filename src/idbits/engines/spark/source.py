"""The source of a table: a Spark frame, or Parquet at any path that Spark can read."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import cast

import pyarrow
import pyarrow.ipc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.base import OpenOptions
from idbits.engines.spark import values
from idbits.engines.spark.session import ClusterSession
from idbits.errors import DataError, InputError
from idbits.file_guard import note_read
from idbits.storage import expand_home
from idbits.values.attributes import Kind
from idbits.values.zones import UTC_ZONE, Zone, find_zone

__all__ = ["FileSource", "SparkSource", "check_paths", "frame_source", "has_few_bytes", "path_source"]

FilePath = str | os.PathLike[str]
FileSource = FilePath | Sequence[FilePath]

_OTHER_FILES = re.compile(
    r"\.(csv|tsv|txt|json|jsonl|ndjson|xlsx|xlsm|xlsb|ods|sav|zsav|por|sas7bdat|xpt|dta|db|sqlite|feather|arrow|ipc|zip)"
    r"(\.(gz|zst|zstd|bz2))?$",
    re.IGNORECASE,
)
# The distance between Spark's row numbers of one partition and the next.
_PART_ROWS = 1 << 33
_FEW_BYTES = 8_000_000
_OF_FILES = ("delimiter", "encoding", "header_row", "sheet", "table", "query")


@dataclass(frozen=True)
class SparkSource:
    """A frame with columns c0, c1, ..., because names may contain any character and differ only in case.

    Attributes:
        names: the column names of the source.
        types: Spark's name of each column's type.
        zone_names: returns the time zone of each column that has one.
    """

    frame: DataFrame
    names: tuple[str, ...]
    types: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())
    zone_names: Callable[[], Mapping[str, str]] = dict

    @cached_property
    def _zones(self) -> Mapping[str, str]:
        return self.zone_names()

    def has_instants(self, name: str) -> bool:
        """Whether the days of a column's times depend on the time zone."""
        return self.type_of(name) == "timestamp"

    def zone_of(self, name: str) -> Zone:
        """Return the time zone of a column of instants: UTC if it is not known."""
        return find_zone(self._zones.get(name, "UTC")) or UTC_ZONE

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each column."""
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each column."""
        return {name: values.kind_of(spark_type) for name, spark_type in zip(self.names, self.types, strict=True)}

    def type_of(self, name: str) -> str:
        """Return Spark's name of a column's type."""
        return self.types[self.positions[name]]

    def value(self, name: str) -> Column:
        """Return a column's value for comparison."""
        return values.comparable(F.col(f"c{self.positions[name]}"), self.type_of(name))


def frame_source(source: object, *, in_order: bool = False) -> SparkSource:
    """Open a Spark frame; ``in_order`` adds the position of each row (the columns file and place)."""
    if type(source).__module__.startswith("pyspark.sql.connect"):
        raise InputError("Spark Connect frames are not supported; use a classic Spark session")
    frame = cast("DataFrame", source.to_spark() if hasattr(source, "to_spark") else source)
    if getattr(frame, "isStreaming", False):
        raise InputError("the frame is a stream, which never ends; measure a table")
    names = list(frame.columns)
    if not names:
        raise InputError("the table has no columns")
    repeated = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
    if repeated:
        raise DataError(f'the frame has more than one column named "{min(repeated)}"; rename them')
    types = tuple(column.dataType.simpleString() for column in frame.schema.fields)
    cells = [f"c{index}" for index in range(len(names))]
    if not in_order:
        return SparkSource(frame.toDF(*cells), tuple(names), types)
    part, row = F.spark_partition_id().cast("string"), F.monotonically_increasing_id() % F.lit(_PART_ROWS)
    placed = frame.toDF(*cells).withColumns({"file": part, "place": row})
    return SparkSource(placed, tuple(names), types)


def path_source(session: ClusterSession, source: FileSource, *, in_order: bool = False) -> SparkSource:
    """Open Parquet files; several are combined by column name."""

    def open_files() -> SparkSource:
        frame = session.spark.read.option("mergeSchema", "true").parquet(*_paths(source))
        opened = replace(frame_source(frame), zone_names=lambda: session.run(lambda: _parquet_zones(session, frame)))
        if not in_order:
            return opened
        renamed = {f"c{index}": frame[_quoted(name)] for index, name in enumerate(opened.names)}
        placed = frame.select(
            *(column.alias(name) for name, column in renamed.items()),
            frame["_metadata.file_path"].alias("file"),
            frame["_metadata.row_index"].alias("place"),
        )
        return replace(opened, frame=placed)

    return session.run(open_files, "opening")


def _parquet_zones(session: ClusterSession, frame: DataFrame) -> dict[str, str]:
    """Return the time zones of columns, which Spark does not read; UTC for a column whose files differ."""
    context = session.context
    jvm, settings = context._jvm, context._jsc.hadoopConfiguration()  # noqa: SLF001
    assert jvm is not None
    zones: dict[str, str] = {}
    for file in frame.inputFiles():
        path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(file))
        opened = jvm.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(path, settings)
        reader = jvm.org.apache.parquet.hadoop.ParquetFileReader.open(opened)
        try:
            written = reader.getFileMetaData().getKeyValueMetaData().get("ARROW:schema")
        finally:
            reader.close()
        for name, zone in _zones_in_file(written, frame.columns).items():
            zones[name] = zone if zones.get(name, zone) == zone else "UTC"
    return zones


def _zones_in_file(written: str | None, names: Sequence[str]) -> dict[str, str]:
    zones = dict.fromkeys(names, "UTC")
    if written is not None:
        schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(base64.b64decode(written)))
        zones |= {column.name: column.type.tz for column in schema if getattr(column.type, "tz", None) is not None}
    return zones


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _paths(source: FileSource) -> list[str]:
    return [expand_home(item) for item in ([source] if isinstance(source, str | os.PathLike) else source)]


def has_few_bytes(source: FileSource) -> bool:
    """Whether the files are on this machine and so small that Spark is done soon after it has started."""
    total = 0
    for path in _paths(source):
        place = Path(path.removeprefix("file://"))
        files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
        total += sum(file.stat().st_size for file in files) if files else _FEW_BYTES + 1
    return total <= _FEW_BYTES


def check_paths(source: FileSource, options: OpenOptions) -> None:
    """Refuse sources that Spark does not read, before it is started."""
    paths = _paths(source)
    for path in paths:
        note_read(path.removeprefix("file://"))
    if "-" in paths:
        raise InputError("Spark cannot read standard input; name a Parquet file or folder")
    if not all(paths):
        raise InputError("the file name is empty; name a file to read")
    if any(_OTHER_FILES.search(path) for path in paths):
        raise InputError(
            "--engine spark reads Parquet (and Spark frames in Python); leave out --engine for "
            "other files, or convert them to Parquet first"
        )
    given = [name for name in _OF_FILES if getattr(options, name) is not None]
    given += ["null"] if options.null else []
    given += [] if options.header else ["no-header"]
    if given:
        raise InputError(f"--{given[0].replace('_', '-')} cannot be used with --engine spark, which reads Parquet")
