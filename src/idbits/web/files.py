"""The files that the page Measure offers: those in the folders that the server was started with, and no others."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from idbits.errors import InputError

__all__ = ["TABLES", "FileEntry", "Folder", "Listing", "Roots"]

TABLES = (
    ".csv", ".tsv", ".txt", ".tab", ".parquet", ".jsonl", ".ndjson", ".json", ".arrow", ".feather", ".ipc",
    ".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt", ".dta", ".sqlite",
    ".sqlite3", ".db",
)  # fmt: skip
_PACKED = (".gz", ".zst", ".zstd")
_MOST_LISTED = 500
# One sentence for all reasons: which files there are outside is nobody's business.
_REFUSED = "there is no such file or folder among those that this server offers"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file or folder in a listing; ``path`` is relative to the root, with slashes."""

    name: str
    path: str
    is_folder: bool
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder holds.

    Attributes:
        parents: the folders above it, from the root down: name and path.
        others: how many files are no tables.
        more: how many are left out because there are too many.
    """

    path: str
    parents: tuple[tuple[str, str], ...]
    entries: tuple[FileEntry, ...]
    others: int
    more: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that is offered."""

    number: int
    name: str
    path: Path


class Roots:
    """The folders that are offered."""

    def __init__(self, folders: Sequence[Path]) -> None:
        found = []
        for folder in folders:
            try:
                found.append(folder.resolve(strict=True))
            except (OSError, RuntimeError) as error:
                raise InputError(f'the folder "{folder}" cannot be opened (--folder)') from error
            if not found[-1].is_dir():
                raise InputError(f'"{folder}" is no folder (--folder)')
        self.folders = tuple(Folder(n, path.name or str(path), path) for n, path in enumerate(dict.fromkeys(found)))

    def folder(self, root: str) -> Folder:
        """Return the folder of a number."""
        for folder in self.folders:
            if str(folder.number) == root:
                return folder
        raise InputError(_REFUSED)

    def resolve(self, root: str, relative: str) -> Path:
        """Return the file or folder that is meant; whatever does not lie below the root is refused.

        Links are followed first: one that leads out of the folder leads nowhere.
        """
        base = self.folder(root).path
        pure = PurePosixPath(relative)
        odd = "\0" in relative or "\\" in relative or pure.is_absolute()
        if odd or any(part.startswith(".") for part in pure.parts):
            raise InputError(_REFUSED)
        try:
            found = base.joinpath(*pure.parts).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise InputError(_REFUSED) from None
        if not found.is_relative_to(base) or any(part.startswith(".") for part in found.relative_to(base).parts):
            raise InputError(_REFUSED)
        return found

    def file(self, root: str, relative: str) -> Path:
        """Return a file; pipes and devices are none."""
        found = self.resolve(root, relative)
        if not stat.S_ISREG(found.stat().st_mode):
            raise InputError(_REFUSED)
        return found

    def listing(self, root: str, relative: str) -> Listing:
        """Return what a folder holds: folders first, then tables, by name."""
        folder = self.resolve(root, relative)
        if not folder.is_dir():
            raise InputError(_REFUSED)
        base = self.folder(root).path
        inside = PurePosixPath(relative)
        entries, others = [], 0
        try:
            names = sorted((item.name for item in folder.iterdir()), key=lambda name: (name.casefold(), name))
        except OSError as error:
            raise InputError(f"this folder cannot be opened: {error.strerror}") from error
        for name in names:
            kind = self._entry(base, folder, name, str(inside / name))
            if kind is not None:
                entries.append(kind)
            elif not name.startswith("."):
                others += 1
        entries.sort(key=lambda entry: not entry.is_folder)
        parents = [("" if not done else done[-1], "/".join(done)) for done in _beginnings(inside.parts)]
        return Listing(
            "/".join(inside.parts), tuple(parents), tuple(entries[:_MOST_LISTED]), others,
            max(0, len(entries) - _MOST_LISTED),
        )  # fmt: skip

    @staticmethod
    def _entry(base: Path, folder: Path, name: str, path: str) -> FileEntry | None:
        """Return an entry, or None for what is not offered: hidden, no table, or a link that leads out."""
        if name.startswith(".") or "\\" in name:
            return None
        try:
            name.encode("utf-8")
            found = (folder / name).resolve(strict=True)
            status = found.stat()
        except (OSError, RuntimeError, ValueError):
            return None
        if not found.is_relative_to(base) or any(part.startswith(".") for part in found.relative_to(base).parts):
            return None
        if stat.S_ISDIR(status.st_mode):
            return FileEntry(name, path, is_folder=True)
        if not stat.S_ISREG(status.st_mode) or not _is_table(name):
            return None
        return FileEntry(name, path, is_folder=False, bytes=status.st_size)


def _is_table(name: str) -> bool:
    suffixes = [suffix.lower() for suffix in PurePosixPath(name).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return bool(suffixes) and suffixes[-1] in TABLES


def _beginnings(parts: Sequence[str]) -> list[list[str]]:
    return [list(parts[:length]) for length in range(len(parts) + 1)]
