"""The files that a path, a glob, a folder or standard input names, and the format of each."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeGuard

from idbits.engines.sources.encoding import STANDARD_INPUT, open_unpacked, reason, shown_path
from idbits.engines.sources.not_tables import describe_other_file
from idbits.errors import DataError, InputError
from idbits.file_guard import note_read, note_standard_input
from idbits.storage import expand_home

__all__ = [
    "ADDRESSES", "NO_ADDRESS", "PACKED_SUFFIXES", "TABLE_SUFFIXES", "FileSource", "Format", "Stamp", "find_files",
    "format_of", "is_file_source", "sha256_of", "stamps",
]  # fmt: skip

ADDRESSES = (
    "http", "https", "ftp", "ftps", "sftp", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "hdfs", "file",
)  # fmt: skip
NO_ADDRESS = "idbits does not download files; download it first, or name a file or a database"
_BLOCK = 1 << 20
_MOST_NAMES = 10_000


class Format(StrEnum):
    """The format of a file."""

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
TABLE_SUFFIXES = (
    ".csv", ".tsv", ".txt", ".tab", ".parquet", ".jsonl", ".ndjson", ".json", ".arrow", ".feather", ".ipc",
    ".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt", ".dta", ".sqlite",
    ".sqlite3", ".db",
)  # fmt: skip
"""How the names of tables end."""
PACKED_SUFFIXES = (".gz", ".zst", ".zstd")
Stamp = tuple[Path, int, int]
"""A file with its size and modification time."""
FilePath = str | os.PathLike[str]
FileSource = FilePath | Sequence[FilePath]
"""A path, a glob of paths, a folder or ``-``; or several of them."""


def is_file_source(source: object) -> TypeGuard[FileSource]:
    """Whether a source names files (and is not a frame)."""
    if isinstance(source, str | os.PathLike):
        return True
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(i, str | os.PathLike) for i in source)


def find_files(source: FileSource, spool: Path) -> list[Path]:
    """Return the files that a source names; standard input and pipes are copied to the folder ``spool``."""
    items = [source] if isinstance(source, str | os.PathLike) else source
    return [path for item in items for path in _files(os.fspath(item), spool)]


def _files(name: str, spool: Path) -> list[Path]:
    name = expand_home(name)
    if name == "-":
        return [_copied_input(spool)]
    if not name:
        raise InputError("the file name is empty; name a file to read")
    if "://" in name:
        raise InputError(NO_ADDRESS)
    path = Path(name)
    _check_name(path)
    if re.match("[A-Za-z][A-Za-z0-9+.-]+:/", name) and not path.exists():
        # Not repeated: a mistyped address may contain a password.
        raise InputError("this file does not exist; write the address of a database as postgresql://host/database")
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
        raise InputError(f"{name} cannot be opened: {reason(error)}") from error
    files = [path for path in matches if path.is_file()]
    return _noted(files) if files else _refuse_missing(name)


def _refuse_missing(name: str) -> NoReturn:
    """Say that a file does not exist: which part of its path is missing, or the nearest name in its folder."""
    path = Path(name)
    if re.search(r"[*?[]", name):
        raise InputError(f"no file matches {name}; check the pattern and the folder")
    missing = next((folder for folder in reversed(path.parents) if not folder.is_dir()), None)
    if missing is not None:
        raise InputError(
            f"{name} does not exist: there is no folder {missing}{_nearest(missing) or '; check the path'}"
        )
    if path.is_symlink():
        raise InputError(f"{name} is a link to a file that does not exist; restore that file or name another")
    raise InputError(f"{name} does not exist{_nearest(path) or '; check the name and the folder'}")


def _nearest(path: Path) -> str:
    """Return the end of a sentence that offers the nearest name in the same folder, if one is near."""
    try:
        with os.scandir(path.parent) as entries:
            names = {entry.name.casefold(): entry.name for entry in islice(entries, _MOST_NAMES)}
    except OSError:
        return ""
    # Compared without the endings: otherwise every other .csv would be near.
    stems: dict[str, list[str]] = {}
    for name in names:
        stems.setdefault(name.partition(".")[0], []).append(name)
    wanted = path.name.casefold()
    stem = get_close_matches(wanted.partition(".")[0], [stem for stem in stems if stem], n=1)
    near = get_close_matches(wanted, stems[stem[0]], n=1, cutoff=0) if stem else []
    return f"; did you mean {path.with_name(names[near[0]])}?" if near else ""


def _files_in(folder: Path) -> list[Path]:
    """Return the files below a folder, without hidden files and job markers such as _SUCCESS."""

    def hidden(path: Path) -> bool:
        return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)

    files = sorted(path for path in folder.rglob("*") if path.is_file() and not hidden(path))
    if not files:
        raise InputError(f"the folder {folder} contains no files; name a file or another folder")
    return _noted(files)


def _noted(files: list[Path]) -> list[Path]:
    for file in files:
        _check_name(file)
        note_read(file)
    return files


def _check_name(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = path.name.encode(errors="backslashreplace").decode()
        raise InputError(f"the file name {shown} is not UTF-8; rename the file") from None


def _copied_input(spool: Path) -> Path:
    if sys.stdin is None:
        raise InputError("standard input is closed; name a file instead of -")
    note_standard_input()
    return _copied(sys.stdin.buffer, spool)


def _copied_pipe(path: Path, spool: Path) -> Path:
    with path.open("rb") as stream:
        return _copied(stream, spool)


def _copied(stream: BinaryIO, spool: Path) -> Path:
    target = spool / STANDARD_INPUT
    try:
        with target.open("wb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)
    except OSError as error:
        raise DataError(f"standard input cannot be copied to the temporary folder: {reason(error)}") from error
    return target


def format_of(paths: Iterable[Path]) -> Format:
    """Return the format that all files have."""
    formats = {path: _format(path) for path in paths}
    kinds = sorted(set(formats.values()))
    if len(kinds) > 1:
        raise DataError(f"the files have different formats ({', '.join(kinds)}); measure one format at a time")
    return kinds[0]


def _format(path: Path) -> Format:
    with open_unpacked(path) as (packing, stream):
        first = stream.read(512)
    if not first:
        raise DataError(f"{shown_path(path)} is empty")
    other = describe_other_file(path, first, is_packed=packing != "none")
    if other is not None:
        raise DataError(f"{shown_path(path)} {other}")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED_SUFFIXES:
        suffixes.pop()
    for magic, kind in _MAGIC:
        if first.startswith(magic):
            if packing != "none":
                raise DataError(f"{shown_path(path)} is a compressed {kind} file; decompress it first")
            return kind
    by_suffix = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if by_suffix is not None:
        return by_suffix
    return Format.JSON_LINES if first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else Format.TEXT


def stamps(paths: Iterable[Path]) -> list[Stamp]:
    """Return the size and modification time of files, to notice later whether one has changed."""
    statuses = ((path, path.stat()) for path in paths)
    return [(path, status.st_size, status.st_mtime_ns) for path, status in statuses]


def sha256_of(files: Sequence[Path]) -> str | None:
    """Return the SHA-256 of a file's bytes; for several files, the hash of their hashes, one per line, in order.

    It shows later which data a report is about.

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
        raise DataError(f"{shown_path(path)} cannot be read again to compute its hash: {reason(error)}") from error
    return digest.hexdigest()
