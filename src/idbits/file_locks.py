"""Locks on open files: one process at a time, on every system.

POSIX has ``flock``; Windows locks bytes of a file. A lock ends with its process. A system that has neither gets a file
beside the locked one, which a killed process leaves behind.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from idbits.errors import InputError

__all__ = ["BINARY", "exclusive", "has_locks", "try_lock"]


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


fcntl: Any = _imported("fcntl")
msvcrt: Any = None if fcntl is not None else _imported("msvcrt")

BINARY: int = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags for ``os.open``: Windows would otherwise change the line ends of what is written."""

# Others can still read a file whose locked byte is beyond its end. Windows takes offsets of 31 bits everywhere.
_LOCKED_BYTE = 2**31 - 2
_POLL_SECONDS = 0.02


def has_locks() -> bool:
    """Return whether this system can lock an open file."""
    return fcntl is not None or msvcrt is not None


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it, or there are no locks."""
    if not has_locks():
        return False
    try:
        _lock(descriptor)
    except OSError:
        return False
    return True


@contextmanager
def exclusive(descriptor: int, path: Path, *, seconds: float) -> Iterator[None]:
    """Lock an open file for a block; wait for other processes, but not longer than some seconds."""
    beside = path.with_name(f"{path.name}.lock")
    end = time.monotonic() + seconds
    while True:
        try:
            _lock(descriptor) if has_locks() else _create(beside)
        except (BlockingIOError, FileExistsError, PermissionError) as error:
            if time.monotonic() > end:
                left = f'; if it was killed, delete "{beside}"' if isinstance(error, FileExistsError) else ""
                raise InputError(f'another process is writing to "{path}"; try again when it has ended{left}') from None
            time.sleep(_POLL_SECONDS)
        except OSError as error:
            raise InputError(f'"{path}" cannot be locked: {error.strerror}; move it to another disk') from error
        else:
            break
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            _unlock(descriptor) if has_locks() else beside.unlink()


def _lock(descriptor: int) -> None:
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        _change_byte_lock(descriptor, msvcrt.LK_NBLCK)


def _unlock(descriptor: int) -> None:
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    else:
        _change_byte_lock(descriptor, msvcrt.LK_UNLCK)


def _change_byte_lock(descriptor: int, mode: int) -> None:
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, mode, 1)
    finally:
        os.lseek(descriptor, position, os.SEEK_SET)


def _create(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
