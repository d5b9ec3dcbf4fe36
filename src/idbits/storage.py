"""Files on disk: temporary files are always removed, and output files appear complete or not at all.

The names of temporary files and folders are chosen before they are created.

A killed process cannot remove its folder; the next process does. Each folder contains a file that its process keeps
locked. A lock ends with its process, even across containers, while process numbers can be reused.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from idbits.errors import InputError
from idbits.file_guard import check_write, note_written
from idbits.file_locks import BINARY, has_locks, try_lock

__all__ = ["TemporaryFolder", "expand_home", "temporary_folder", "unused_path", "whole_file"]

PREFIX = "idbits-"
_OWNER = ".idbits-owner"
_TIDIED: set[str] = set()
_RENAMES_OPEN_FILES = os.name != "nt"
_NEW_SECONDS = 60.0
"""How long a folder counts as new if its owner's file had its name before it was locked."""


def expand_home(path: str | os.PathLike[str]) -> str:
    """Return a path with ``~`` at its beginning replaced by the home folder, unless there is a file of that name.

    A shell does this only for arguments without quotes.

    >>> expand_home("data/~people.csv")
    'data/~people.csv'
    """
    name = os.fspath(path)
    return os.path.expanduser(name) if name.startswith("~") and not os.path.lexists(name) else name  # noqa: PTH111


def unused_path(folder: Path, prefix: str) -> Path:
    """Return the path of a file or folder that does not exist."""
    return folder / f"{prefix}{secrets.token_hex(6)}"


class TemporaryFolder:
    """A private folder in the system's temporary folder; ``path`` is known before it is created."""

    def __init__(self, prefix: str = PREFIX) -> None:
        self.path = unused_path(Path(tempfile.gettempdir()), prefix)
        self._lock: int | None = None

    def make(self) -> None:
        """Create the folder, and remove the folders of killed processes."""
        _remove_abandoned(self.path.parent)
        self.path.mkdir(mode=0o700)
        self._lock = _lock_new_folder(self.path)

    def remove(self) -> None:
        """Remove the folder and its content."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            # Windows removes no open file.
            shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def temporary_folder(prefix: str = PREFIX) -> Iterator[Path]:
    """Create a folder for a block; even a signal during its creation leaves nothing behind."""
    folder = TemporaryFolder(prefix)
    try:
        folder.make()
        yield folder.path
    finally:
        folder.remove()


def _lock_new_folder(folder: Path) -> int | None:
    """Lock a new file in a folder; it is renamed after locking, so that the final name is always locked.

    Windows cannot rename an open file: there, new folders are not taken for abandoned ones.
    """
    draft = folder / (f"{_OWNER}-draft" if _RENAMES_OPEN_FILES else _OWNER)
    try:
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | BINARY, 0o600)
    except OSError:
        return None
    if try_lock(descriptor):
        if _RENAMES_OPEN_FILES:
            draft.rename(folder / _OWNER)
        return descriptor
    # A file system without locks: the folder stays if its process is killed.
    os.close(descriptor)
    draft.unlink()
    return None


def _remove_abandoned(parent: Path) -> None:
    """Remove this user's folders of dead processes, once per process."""
    if not has_locks() or str(parent) in _TIDIED:
        return
    _TIDIED.add(str(parent))
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(folder: Path) -> None:
    # Windows has no numbers of users; there, each user has a folder for temporary files.
    if hasattr(os, "getuid") and folder.lstat().st_uid != os.getuid():
        return
    # A folder without an owner file is new or not ours. A folder inside may belong to a living child process.
    descriptor = _open_owner(folder)
    try:
        is_abandoned = try_lock(descriptor) and not _is_new(folder) and not any(map(_is_alive, folder.iterdir()))
        if is_abandoned:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
    if is_abandoned:
        # Windows removes no open file.
        shutil.rmtree(folder, ignore_errors=True)


def _open_owner(folder: Path) -> int:
    path = folder / _OWNER
    if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
        raise OSError(f"{path} is a link")
    return os.open(path, os.O_RDWR | BINARY | getattr(os, "O_NOFOLLOW", 0))


def _is_new(folder: Path) -> bool:
    return not _RENAMES_OPEN_FILES and time.time() - folder.stat().st_mtime < _NEW_SECONDS


def _is_alive(folder: Path) -> bool:
    try:
        descriptor = _open_owner(folder)
    except OSError:
        return False
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield a draft next to a file; it replaces the file when complete, and is removed on any error.

    If ``private``, only its owner can read the file.
    """
    check_write(path)
    draft = unused_path(path.absolute().parent, f".{path.name}.")
    try:
        draft.touch(mode=0o600, exist_ok=False)
        yield draft
        if not private:
            _give_usual_permissions(draft)
        check_write(path)
        draft.replace(path)
        note_written(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or 'the disk rejects it'}") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def is_private(path: Path) -> bool:
    """Return whether only this user can write a file and its folder."""
    if not hasattr(os, "getuid"):
        return True
    return all(
        status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o022
        for status in (path.stat(), path.parent.stat())
    )


def _give_usual_permissions(draft: Path) -> None:
    """Give a draft, which only its owner could read, the permissions of any new file."""
    if hasattr(os, "umask"):
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
