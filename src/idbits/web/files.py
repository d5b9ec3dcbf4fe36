"""The files that the page Measure offers: those in the folders that the server was started with."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from idbits.engines.sources.files import PACKED_SUFFIXES, TABLE_SUFFIXES
from idbits.errors import InputError

__all__ = ["FileEntry", "Folder", "FolderListing", "OfferedFolders", "usual_folders"]

_ARCHIVE = ".zip"
_MOST_LISTED = 500
# One sentence for all reasons, so that it does not reveal which other files exist.
_REFUSED = "this file or folder is not among those that idbits was started with"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file or folder in a listing; ``path`` is relative to the root, with slashes."""

    name: str
    path: str
    is_folder: bool
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class FolderListing:
    """The contents of a folder.

    Attributes:
        parents: the folders above it, from the root down, with name and path.
        others: the number of files that are not tables.
        more: the number of entries left out because there are too many.
    """

    path: str
    parents: tuple[tuple[str, str], ...]
    entries: tuple[FileEntry, ...]
    others: int
    more: int


@dataclass(frozen=True, slots=True)
class Folder:
    """An offered folder."""

    number: int
    name: str
    path: Path


def usual_folders(here: Path, home: Path) -> tuple[Path, ...]:
    """Return the folders to offer if none were named: the current one, and where people keep their files."""
    others = (home / name for name in ("Desktop", "Documents", "Downloads"))
    current = here.resolve()
    return (here, *(folder for folder in others if folder.is_dir() and not folder.resolve().is_relative_to(current)))


class OfferedFolders:
    """All offered folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        paths = []
        for folder in folders:
            try:
                paths.append(folder.resolve(strict=True))
            except (OSError, RuntimeError) as error:
                raise InputError(f'the folder "{folder}" cannot be opened (--folder)') from error
            if not paths[-1].is_dir():
                raise InputError(f'"{folder}" is not a folder (--folder)')
        self.folders = tuple(Folder(n, path.name or str(path), path) for n, path in enumerate(dict.fromkeys(paths)))

    def folder(self, root: str) -> Folder:
        """Return the folder with a number."""
        for folder in self.folders:
            if str(folder.number) == root:
                return folder
        raise InputError(_REFUSED)

    def resolve(self, root: str, relative: str) -> Path:
        """Return a file or folder below the root; everything else is refused.

        Links are followed first, so that none leads out of the folder.
        """
        base = self.folder(root).path
        pure = PurePosixPath(relative)
        odd = "\0" in relative or "\\" in relative or pure.is_absolute()
        if odd or any(part.startswith(".") for part in pure.parts):
            raise InputError(_REFUSED)
        try:
            path = base.joinpath(*pure.parts).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise InputError(_REFUSED) from None
        if not _is_below(path, base):
            raise InputError(_REFUSED)
        return path

    def file(self, root: str, relative: str) -> Path:
        """Return a regular file; pipes and devices are refused."""
        path = self.resolve(root, relative)
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(_REFUSED)
        return path

    def listing(self, root: str, relative: str) -> FolderListing:
        """Return the contents of a folder: folders first, then tables, by name."""
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
            entry = self._entry(base, folder, name, str(inside / name))
            if entry is not None:
                entries.append(entry)
            elif not name.startswith("."):
                others += 1
        entries.sort(key=lambda entry: not entry.is_folder)
        parents = [
            (inside.parts[depth - 1] if depth else "", "/".join(inside.parts[:depth]))
            for depth in range(len(inside.parts) + 1)
        ]
        return FolderListing(
            "/".join(inside.parts), tuple(parents), tuple(entries[:_MOST_LISTED]), others,
            max(0, len(entries) - _MOST_LISTED),
        )  # fmt: skip

    @staticmethod
    def _entry(base: Path, folder: Path, name: str, path: str) -> FileEntry | None:
        """Return an entry; None if it is hidden, not a table, or a link out of the folder."""
        if name.startswith(".") or "\\" in name:
            return None
        try:
            name.encode("utf-8")
            target = (folder / name).resolve(strict=True)
            status = target.stat()
        except (OSError, RuntimeError, ValueError):
            return None
        if not _is_below(target, base):
            return None
        if stat.S_ISDIR(status.st_mode):
            return FileEntry(name, path, is_folder=True)
        if not stat.S_ISREG(status.st_mode) or not _is_table(name):
            return None
        return FileEntry(name, path, is_folder=False, bytes=status.st_size)


def _is_below(path: Path, base: Path) -> bool:
    """Whether a path, with all links followed, is below a folder and not in a hidden one."""
    return path.is_relative_to(base) and not any(part.startswith(".") for part in path.relative_to(base).parts)


def _is_table(name: str) -> bool:
    suffixes = [suffix.lower() for suffix in PurePosixPath(name).suffixes]
    if suffixes and suffixes[-1] in PACKED_SUFFIXES:
        suffixes.pop()
    return bool(suffixes) and suffixes[-1] in (*TABLE_SUFFIXES, _ARCHIVE)
