"""Opening: from what a user names as a source to a table of the engine that can count it."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from idbits.engines.base import OpenOptions, Table
from idbits.errors import DataError, InputError

__all__ = ["open_table"]


def open_table(source: Any, options: OpenOptions | None = None, *, beside: Table | None = None) -> Table:
    """Open a path, a glob of paths, a frame or a list of paths.

    A table opened ``beside`` another shares its engine, so that the two can be matched there.
    """
    from idbits.engines.duckdb import DuckDBTable
    from idbits.engines.duckdb.connection import Connection
    from idbits.engines.duckdb.sources import frame_source, parquet_source, text_source

    options = options or OpenOptions()
    paths = _paths(source)
    shared = beside.connection if isinstance(beside, DuckDBTable) else None
    connection = shared or Connection(options.memory, options.threads, options.progress)
    try:
        if paths is None:
            opened = frame_source(connection, source)
        elif _are_parquet(paths):
            opened = parquet_source(connection, paths)
        else:
            opened = text_source(paths, options)
        return DuckDBTable(connection, opened, options)
    except BaseException:
        if shared is None:
            connection.close()
        raise


def _paths(source: Any) -> list[Path] | None:
    if isinstance(source, str | os.PathLike):
        return _existing(os.fspath(source))
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        return [path for item in source for path in _existing(os.fspath(item))]
    return None


def _existing(name: str) -> list[Path]:
    path = Path(name)
    try:
        if path.is_dir():
            raise InputError(f'"{name}" is a folder; name the files in it, for example "{name.rstrip("/")}/*.parquet"')
        if path.exists():
            return [path]
        found = sorted(map(Path, glob.glob(name, recursive=True)))  # noqa: PTH207 (absolute patterns, too)
    except (OSError, ValueError) as error:
        raise InputError(f'"{name}" cannot be opened') from error
    files = [item for item in found if item.is_file()]
    if not files:
        raise InputError(f'there is no file "{name}"')
    return files


def _are_parquet(paths: Sequence[Path]) -> bool:
    magic = {path: _first_bytes(path) for path in paths}
    parquet = [path for path, first in magic.items() if first == b"PAR1"]
    if parquet and len(parquet) < len(paths):
        raise DataError("some of the files are Parquet and some are not; measure them one by one")
    return bool(parquet)


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            first = file.read(4)
    except OSError as error:
        raise DataError(f'"{path}" cannot be read: {error.strerror}') from error
    if not first:
        raise DataError(f'"{path}" is empty')
    return first
