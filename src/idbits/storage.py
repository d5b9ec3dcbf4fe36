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
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from idbits.errors import InputError
from idbits.file_guard import check_write, note_written

try:
    fcntl: Any = import_module("fcntl")
except ImportError:  # Windows: no locks, so folders of killed processes are not removed.
    fcntl = None

__all__ = ["TemporaryFolder", "expand_home", "lock_file", "temporary_folder", "unused_path", "whole_file"]

PREFIX = "idbits-"
_OWNER = ".idbits-owner"
_TIDIED: set[str] = set()
_LOCK_POLL_SECONDS = 0.02


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
    """Lock a new file in a folder; it is renamed after locking, so that the final name is always locked."""
    draft = folder / f"{_OWNER}-draft"
    try:
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return None
    if _is_locked_now(descriptor):
        draft.rename(folder / _OWNER)
        return descriptor
    # A file system without locks: the folder stays if its process is killed.
    os.close(descriptor)
    draft.unlink()
    return None


def _is_locked_now(descriptor: int) -> bool:
    """Try to lock a file; return whether that succeeded."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def lock_file(descriptor: int, path: Path, *, seconds: float) -> None:
    """Lock an open file until it is closed; wait for other processes, but not longer than some seconds.

    Where there are no locks (Windows), two processes can write at the same time.
    """
    if fcntl is None:
        return
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise InputError(f'another process is writing to "{path}"; try again when it has ended') from None
            time.sleep(_LOCK_POLL_SECONDS)
        except OSError as error:
            raise InputError(f'"{path}" cannot be locked: {error.strerror}; move it to another disk') from error
        else:
            return


def _remove_abandoned(parent: Path) -> None:
    """Remove this user's folders of dead processes, once per process."""
    if fcntl is None or str(parent) in _TIDIED:
        return
    _TIDIED.add(str(parent))
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(folder: Path) -> None:
    if folder.lstat().st_uid != os.getuid():
        return
    # A folder without an owner file is new or not ours. A folder inside may belong to a living child process.
    descriptor = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW)
    try:
        if _is_locked_now(descriptor) and not any(map(_is_alive, folder.iterdir())):
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)


def _is_alive(folder: Path) -> bool:
    try:
        descriptor = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return not _is_locked_now(descriptor)
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
            # Only the owner could read the draft; now it gets the permissions of any new file.
            mask = os.umask(0)
            os.umask(mask)
            draft.chmod(0o666 & ~mask)
        check_write(path)
        draft.replace(path)
        note_written(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or 'the disk rejects it'}") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
