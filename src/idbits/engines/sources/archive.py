"""Zip archives: the table inside is unpacked to the temporary folder and then opened like any file.

Nothing is written under the path that an archive declares, and no more than the archive declares.
"""

from __future__ import annotations

import contextlib
import lzma
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from idbits.engines.sources.encoding import reason, shown_path, unpacked_path
from idbits.engines.sources.files import PACKED_SUFFIXES, TABLE_SUFFIXES
from idbits.engines.sources.not_tables import is_plain_archive
from idbits.engines.sources.rewrite import no_room
from idbits.errors import DataError, EngineError, IdbitsError, InputError
from idbits.progress import Count, Progress
from idbits.wording import listed_names

__all__ = ["UnpackedFiles", "unpack_archives"]

_CHUNK = 1 << 20
_MOST_LISTED = 12
# A table of equal rows shrinks 500-fold; what shrinks more, and is large, only fills the disk.
_MOST_RATIO, _LEAST_LARGE = 600, 10_000_000
_IGNORED_FOLDER = "__MACOSX"
# Files beside a table that often describe it.
_OFTEN_DESCRIPTIONS = (".txt", ".json")
_DESCRIPTION = re.compile("read_?me|licen[cs]e|copying|notice|changelog|metadata|datapackage|schema|codebook", re.I)
_BY_HAND = "unpack it and name the file with the table"


@dataclass(slots=True)
class UnpackedFiles:
    """Files to read, with the tables of archives unpacked.

    Attributes:
        tables: what the archives contain, if there are any.
        table: the table that the user named, unless it was found in an archive.
    """

    paths: list[Path]
    table: str | None
    notes: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)


def unpack_archives(paths: Sequence[Path], folder: Path, table: str | None, progress: Progress) -> UnpackedFiles:
    """Return the files, with each zip archive replaced by the table in it; ``table`` is its name, if given."""
    unpacked = UnpackedFiles([], table)
    for path in paths:
        if not is_plain_archive(path):
            unpacked.paths.append(path)
            continue
        with _readable(path), zipfile.ZipFile(path) as archive:
            files = _visible_files(archive)
            chosen = _choose(files, table, path)
            target = unpacked_path(folder, len(unpacked.paths), path, _safe_name(chosen))
            _unpack(archive, chosen, path, target, progress)
        unpacked.paths.append(target)
        unpacked.tables.append(chosen.filename)
        if table is not None and _is_named(chosen, table):
            unpacked.table = None
        elif len(files) > 1:
            unpacked.notes.append(
                f'{shown_path(path)} contains {len(files):,} files; we read "{chosen.filename}" (choose with --table)'
            )
    return unpacked


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say in one sentence what is wrong with an archive."""
    try:
        yield
    except IdbitsError:
        raise
    except NotImplementedError as error:
        raise DataError(f"{shown_path(path)} is compressed in a way idbits does not read; {_BY_HAND}") from error
    except OSError as error:
        raise DataError(f"{shown_path(path)} cannot be read: {reason(error)}") from error
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, LookupError, RuntimeError) as error:
        raise DataError(f"{shown_path(path)} is a damaged zip archive; copy or download it again") from error


def _visible_files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files of an archive without folders, links, hidden files and those of macOS."""

    def is_hidden(info: zipfile.ZipInfo) -> bool:
        parts = _inner_path(info).parts
        return any((part.startswith(".") and part not in (".", "..")) or part == _IGNORED_FOLDER for part in parts)

    return [
        info
        for info in archive.infolist()
        if not info.is_dir() and not stat.S_ISLNK(info.external_attr >> 16) and not is_hidden(info)
    ]


def _inner_path(info: zipfile.ZipInfo) -> PurePosixPath:
    return PurePosixPath(info.filename.replace("\\", "/"))


def _choose(files: Sequence[zipfile.ZipInfo], table: str | None, path: Path) -> zipfile.ZipInfo:
    """Return the file to read: the one with the name given, or the only table."""
    if table is not None:
        named = [info for info in files if info.filename == table] or [info for info in files if _is_named(info, table)]
        if len(named) == 1:
            return named[0]
    tables = _tables(files)
    if table is not None and len(tables) != 1:
        raise InputError(f'no table named "{table}" in {shown_path(path)}{_listed(tables or files)}')
    if not tables:
        choose = "; name one of its files with --table" if files else ""
        raise DataError(f"{shown_path(path)} is a zip archive without a table{choose}{_listed(files)}")
    if len(tables) > 1:
        raise InputError(f"{shown_path(path)} contains {len(tables):,} tables; name one with --table{_listed(tables)}")
    return tables[0]


def _listed(files: Sequence[zipfile.ZipInfo]) -> str:
    return listed_names([info.filename for info in files], most=_MOST_LISTED)


def _is_named(info: zipfile.ZipInfo, name: str) -> bool:
    return name in (info.filename, _inner_path(info).name)


def _tables(files: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the files that are tables by their names, or the only file."""
    known = [info for info in files if _suffix(info) in TABLE_SUFFIXES and not _is_description(info)]
    sure = [info for info in known if _suffix(info) not in _OFTEN_DESCRIPTIONS]
    others = [info for info in files if not _is_description(info)]
    return sure or known or (others if len(others) == 1 else [])


def _suffix(info: zipfile.ZipInfo) -> str:
    suffixes = [suffix.lower() for suffix in _inner_path(info).suffixes]
    if suffixes and suffixes[-1] in PACKED_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _is_description(info: zipfile.ZipInfo) -> bool:
    inner = _inner_path(info)
    has_suffix = _suffix(info) in ("", ".md", *_OFTEN_DESCRIPTIONS)
    return has_suffix and _DESCRIPTION.fullmatch(inner.name.partition(".")[0]) is not None


def _safe_name(info: zipfile.ZipInfo) -> str:
    """Return the last part of a file's path, without characters that a folder may reject."""
    name = "".join(character for character in _inner_path(info).name if character.isprintable())[-100:]
    return name if name.strip(". ") else "table"


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, target: Path, progress: Progress) -> None:
    """Write a file of an archive to ``target``, unless it is encrypted or too large."""
    shown, size = shown_path(path), info.file_size
    if info.flag_bits & 1:
        raise DataError(f"{shown} is encrypted; {_BY_HAND}")
    if size > max(_LEAST_LARGE, _MOST_RATIO * info.compress_size):
        raise DataError(
            f"{shown} would be more than {_MOST_RATIO} times as large when unpacked, which no table is; if you trust "
            "it, unpack it yourself"
        )
    target.parent.mkdir(parents=True)
    if size > shutil.disk_usage(target.parent).free:
        raise EngineError(
            f"{shown} needs {size // 10**6:,} MB when unpacked, more than is free in the temporary folder; free space "
            "there or name another folder with TMPDIR"
        )
    count = Count(max(1, size))
    with progress.step("unpacking", count), archive.open(info) as stream, target.open("wb") as file:
        while chunk := stream.read(_CHUNK):
            try:
                file.write(chunk)
            except OSError as error:
                raise no_room(error) from error
            count.done += len(chunk)
