"""Files on the disk: temporary ones are gone whatever happens, lasting ones appear when they are whole or not at all.

The names of temporary files and folders are known before they are made.

A process that is killed cannot remove its folder; the next one does. In each folder lies a file that its process keeps
locked for as long as it lives. A lock ends with its process, also across containers, and no process number is reused.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from idbits.errors import InputError
from idbits.file_guard import check_write, note_written

try:
    fcntl: Any = import_module("fcntl")
except ImportError:  # Windows: nothing is locked there, and nothing that others left is removed.
    fcntl = None

__all__ = ["TemporaryFolder", "temporary_folder", "unused_path", "whole_file"]

PREFIX = "idbits-"
_OWNER = ".idbits-owner"
_TIDIED: set[str] = set()


def unused_path(folder: Path, prefix: str) -> Path:
    """Return the path of a file or folder that nobody has made."""
    return folder / f"{prefix}{secrets.token_hex(6)}"


class TemporaryFolder:
    """A folder where the system keeps temporary files, for its owner alone; ``path`` is known before it is made."""

    def __init__(self, prefix: str = PREFIX) -> None:
        self.path = unused_path(Path(tempfile.gettempdir()), prefix)
        self._lock: int | None = None

    def make(self) -> None:
        """Make the folder, and remove those of processes that were killed."""
        _remove_abandoned(self.path.parent)
        self.path.mkdir(mode=0o700)
        self._lock = _lock_new_folder(self.path)

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@contextmanager
def temporary_folder(prefix: str = PREFIX) -> Iterator[Path]:
    """Make a folder for the time of a block; a signal in the middle of making it leaves nothing behind either."""
    folder = TemporaryFolder(prefix)
    try:
        folder.make()
        yield folder.path
    finally:
        folder.remove()


def _lock_new_folder(folder: Path) -> int | None:
    """Lock a new file in a folder; it gets its name when it is locked, so that under this name it always is."""
    draft = folder / f"{_OWNER}-draft"
    try:
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return None
    if _is_locked_now(descriptor):
        draft.rename(folder / _OWNER)
        return descriptor
    # A file system without locks: the folder then stays if its process is killed.
    os.close(descriptor)
    draft.unlink()
    return None


def _is_locked_now(descriptor: int) -> bool:
    """Lock a file, unless somebody else has."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_abandoned(parent: Path) -> None:
    """Remove this user's folders whose process is dead, once in the life of a process."""
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
    # A folder without an owner's file is being made, or is not ours. One in it may belong to a child that still lives.
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
def whole_file(path: Path) -> Iterator[Path]:
    """Give a draft beside a file: when it is written it takes the file's place, and whatever goes wrong removes it."""
    check_write(path)
    draft = unused_path(path.absolute().parent, f".{path.name}.")
    try:
        draft.touch(mode=0o600, exist_ok=False)
        yield draft
        # While it was written only the owner could read it; give it the rights any new file has.
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
