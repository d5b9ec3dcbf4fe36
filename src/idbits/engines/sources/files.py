"""Files: from a path, a glob, a folder or standard input to the files meant, and what each of them is."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, TypeGuard

from idbits.engines.sources.encoding import open_unpacked, reason
from idbits.errors import DataError, InputError
from idbits.file_guard import note_read, note_standard_input

__all__ = [
    "ADDRESSES", "NO_ADDRESS", "FileSource", "Format", "Stamp", "find_files", "format_of", "is_file_source",
    "sha256_of", "stamps",
]  # fmt: skip

ADDRESSES = (
    "http", "https", "ftp", "ftps", "sftp", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "hdfs", "file",
)  # fmt: skip
NO_ADDRESS = "idbits does not fetch addresses; name a file or a database"
_BLOCK = 1 << 20


class Format(StrEnum):
    """What a file is."""

    TEXT = "text"
    PARQUET = "Parquet"
    JSON_LINES = "JSON lines"
    ARROW = "Arrow"
    EXCEL = "Excel"
    SPSS = "SPSS"
    SAS = "SAS"
    STATA = "Stata"
    SQLITE = "SQLite"


_MAGIC = (
    (b"PAR1", Format.PARQUET),
    (b"ARROW1", Format.ARROW),
    (b"FEA1", Format.ARROW),
    (b"\xff\xff\xff\xff", Format.ARROW),
    (b"SQLite format 3\x00", Format.SQLITE),
    (b"$FL2", Format.SPSS),
    (b"$FL3", Format.SPSS),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Format.EXCEL),
    (b"<stata_dta>", Format.STATA),
    (b"HEADER RECORD*******LIBRARY HEADER RECORD", Format.SAS),
    (b"HEADER RECORD*******LIBV8", Format.SAS),
)
_SUFFIXES = {
    ".xlsx": Format.EXCEL, ".xlsm": Format.EXCEL, ".xlsb": Format.EXCEL, ".ods": Format.EXCEL,
    ".sas7bdat": Format.SAS, ".xpt": Format.SAS, ".dta": Format.STATA, ".por": Format.SPSS, ".sav": Format.SPSS,
    ".zsav": Format.SPSS, ".jsonl": Format.JSON_LINES, ".ndjson": Format.JSON_LINES, ".json": Format.JSON_LINES,
}  # fmt: skip
_PACKED = (".gz", ".zst", ".zstd")
Stamp = tuple[Path, int, int]
"""A file with its size and time of change."""
FilePath = str | os.PathLike[str]
FileSource = FilePath | Sequence[FilePath]
"""A path, a glob of paths, a folder or ``-``; or several of them."""


def is_file_source(source: object) -> TypeGuard[FileSource]:
    """Whether a source names files (and is not a frame)."""
    if isinstance(source, str | os.PathLike):
        return True
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(i, str | os.PathLike) for i in source)


def find_files(source: FileSource, spool: Path) -> list[Path]:
    """Return the files that a source names; what can be read only once is copied to the folder ``spool``."""
    items = [source] if isinstance(source, str | os.PathLike) else source
    return [path for item in items for path in _files(os.fspath(item), spool)]


def _files(name: str, spool: Path) -> list[Path]:
    if name == "-":
        return [_copied_input(spool)]
    if not name:
        raise InputError("name a file to open")
    if "://" in name:
        raise InputError(NO_ADDRESS)
    path = Path(name)
    _check_name(path)
    if re.match("[A-Za-z][A-Za-z0-9+.-]+:/", name) and not path.exists():
        # Not repeated: a mistyped address may hold a password.
        raise InputError("there is no such file; the address of a database is written postgresql://host/database")
    try:
        note_read(path)
        if path.is_dir():
            return _files_in(path)
        if path.exists():
            return [_copied_pipe(path, spool) if stat.S_ISFIFO(path.stat().st_mode) else path]
        matches = sorted(map(Path, glob.glob(name, recursive=True)))  # noqa: PTH207 (absolute patterns, too)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f'"{name}" cannot be opened: {reason(error)}') from error
    return _noted([path for path in matches if path.is_file()], f'there is no file "{name}"')


def _files_in(folder: Path) -> list[Path]:
    """Return the files below a folder; hidden ones and those that jobs leave behind (_SUCCESS) do not count."""

    def hidden(path: Path) -> bool:
        return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)

    files = sorted(path for path in folder.rglob("*") if path.is_file() and not hidden(path))
    return _noted(files, f'there is no file in the folder "{folder}"')


def _noted(files: list[Path], missing: str) -> list[Path]:
    if not files:
        raise InputError(missing)
    for file in files:
        _check_name(file)
        note_read(file)
    return files


def _check_name(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = path.name.encode(errors="backslashreplace").decode()
        raise InputError(f'the name of the file "{shown}" is not UTF-8; rename it') from None


def _copied_input(spool: Path) -> Path:
    if sys.stdin is None:
        raise InputError("standard input is closed; name a file instead of -")
    note_standard_input()
    return _copied(sys.stdin.buffer, spool)


def _copied_pipe(path: Path, spool: Path) -> Path:
    with path.open("rb") as stream:
        return _copied(stream, spool)


def _copied(stream: BinaryIO, spool: Path) -> Path:
    target = spool / "standard-input"
    try:
        with target.open("wb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)
    except OSError as error:
        raise DataError(f"standard input cannot be copied to the temporary folder: {reason(error)}") from error
    return target


def format_of(paths: Iterable[Path]) -> Format:
    """Return what the files are, all of them."""
    formats = {path: _format(path) for path in paths}
    kinds = sorted(set(formats.values()))
    if len(kinds) > 1:
        raise DataError(f"the files are of different formats ({', '.join(kinds)}); measure them one by one")
    return kinds[0]


def _format(path: Path) -> Format:
    with open_unpacked(path) as (packing, stream):
        first = stream.read(512)
    if not first:
        raise DataError(f'"{path}" is empty')
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    for magic, kind in _MAGIC:
        if first.startswith(magic):
            if packing != "none":
                raise DataError(f'"{path}" is a packed {kind} file; unpack it first')
            return kind
    by_suffix = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if by_suffix is not None:
        return by_suffix
    if first.startswith(b"PK\x03\x04"):
        raise DataError(f'"{path}" is a zip archive; unpack it first')
    return Format.JSON_LINES if first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else Format.TEXT


def stamps(paths: Iterable[Path]) -> list[Stamp]:
    """Return size and time of change of files, to see later whether they are still the same."""
    statuses = ((path, path.stat()) for path in paths)
    return [(path, status.st_size, status.st_mtime_ns) for path, status in statuses]


def sha256_of(files: Sequence[Path]) -> str | None:
    """Return the SHA-256 of a file's bytes; for several files, the hash of their hashes, one per line, in order.

    With it a page and the data it is about can be matched later.

    >>> sha256_of([]) is None
    True
    """
    digests = [_sha256_of_file(path) for path in files]
    if len(digests) <= 1:
        return digests[0] if digests else None
    return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()


def _sha256_of_file(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise DataError(f'"{path}" cannot be read again for its hash: {reason(error)}') from error
    return digest.hexdigest()
