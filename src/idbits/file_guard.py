"""Prevents a command from overwriting a file that it reads, or another of its outputs, whatever their names.

Code that opens a file registers it (``note_read``); code that will write one announces it (``will_write``). One guard
per command compares files by device and inode: links, other spellings of a path, names in another case and redirected
standard input are the same file. ``whole_file`` checks again just before it replaces a file.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from idbits.errors import InputError

__all__ = ["check_write", "guarded_files", "note_read", "note_standard_input", "note_written", "will_write"]

Identity = tuple[int, int]
"""Device and inode."""

# SQLite keeps recent changes in these files next to the database.
_BESIDE_SQLITE = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class _Output:
    """An output: a path, or a stream redirected to a file."""

    option: str
    path: Path | None
    stream: Identity | None = None

    @property
    def identity(self) -> Identity | None:
        return self.stream if self.path is None else _identity(self.path)

    def contains(self, path: Path) -> bool:
        """Whether a path is this one or inside it, ignoring case, because some file systems do."""
        return self.path is not None and _folded(path)[: len(_folded(self.path))] == _folded(self.path)


@dataclass(slots=True)
class _Guard:
    """The files of one command."""

    read: set[Identity] = field(default_factory=set)
    folders: list[Path] = field(default_factory=list)
    outputs: list[_Output] = field(default_factory=list)
    finished: set[Path] = field(default_factory=set)

    def note_read(self, path: Path) -> None:
        identity = _identity(path)
        if identity is None:
            return
        self.note_identity(identity)
        if path.is_dir():
            self.folders.append(path.resolve())
            for output in self._unfinished():
                if self._is_in_folder(output):
                    raise _refusal(output)

    def note_identity(self, identity: Identity) -> None:
        self.read.add(identity)
        for output in self._unfinished():
            if output.identity == identity:
                raise _refusal(output)

    def _unfinished(self) -> list[_Output]:
        """Return the outputs not yet written: a command may read its own finished outputs."""
        return [output for output in self.outputs if output.path not in self.finished]

    def will_write(self, new: _Output) -> None:
        if any(known.option == new.option and known.path == new.path for known in self.outputs):
            return
        for known in self.outputs:
            same = new.identity is not None and new.identity == known.identity
            if same or (new.path and known.contains(new.path)) or (known.path and new.contains(known.path)):
                raise InputError(f"{known.option} and {new.option} name the same file; choose two different files")
        if self._is_read(new):
            raise _refusal(new)
        self.outputs.append(new)

    def check_write(self, path: Path) -> None:
        output = next((known for known in self.outputs if known.path == path), _Output("", path))
        if self._is_read(output):
            raise _refusal(output)

    def _is_read(self, output: _Output) -> bool:
        return output.identity in self.read or self._is_in_folder(output)

    def _is_in_folder(self, output: _Output) -> bool:
        """Whether an existing file is in a folder that is read."""
        if output.path is None or output.identity is None:
            return False
        resolved = _resolved(output.path)
        return any(resolved != folder and resolved.is_relative_to(folder) for folder in self.folders)


_ACTIVE: ContextVar[_Guard | None] = ContextVar("idbits_file_guard", default=None)


@contextmanager
def guarded_files(*, streams: bool = False) -> Iterator[None]:
    """Guard the files of a command, or of a function that writes files; nested guards are one guard.

    With ``streams``, standard output and error are outputs, too, if they are redirected to files.
    """
    if _ACTIVE.get() is not None:
        yield
        return
    guard = _Guard()
    if streams:
        # Not compared with each other: both often go to the same log.
        named = [(1, "standard output"), (2, "standard error")]
        guard.outputs = [_Output(name, None, identity) for number, name in named if (identity := _stream(number))]
    token = _ACTIVE.set(guard)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def note_read(path: str | os.PathLike[str]) -> None:
    """Register a file or folder that is read, if it exists."""
    guard = _ACTIVE.get()
    if guard is None:
        return
    for end in ("", *_BESIDE_SQLITE):
        guard.note_read(Path(f"{os.fspath(path)}{end}"))


def note_standard_input() -> None:
    """Register standard input, which may be a file."""
    guard, identity = _ACTIVE.get(), _stream(0)
    if guard is not None and identity is not None:
        guard.note_identity(identity)


def will_write(path: str | os.PathLike[str], option: str) -> None:
    """Announce a file or folder that will be written, by the option that names it."""
    guard = _ACTIVE.get()
    if guard is not None and not _is_device(Path(path)):
        guard.will_write(_Output(option, Path(path)))


def check_write(path: Path) -> None:
    """Refuse to replace a file that was read."""
    guard = _ACTIVE.get()
    if guard is not None:
        guard.check_write(path)


def note_written(path: Path) -> None:
    """Register a finished output, which may be read from now on."""
    guard = _ACTIVE.get()
    if guard is not None:
        guard.finished.add(path)


def _refusal(output: _Output) -> InputError:
    if output.path is None:
        return InputError(f"{output.option} goes to a file that this command reads; redirect it to another file")
    option = f" ({output.option})" if output.option else ""
    return InputError(f"{output.path} is read by this command; write to another file{option}")


def _identity(path: Path) -> Identity | None:
    """Return device and inode of a regular file or a folder."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) else None


def _is_device(path: Path) -> bool:
    """Whether a path is a device, a pipe or the like, where nothing can be overwritten."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _stream(number: int) -> Identity | None:
    try:
        status = os.fstat(number)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _folded(path: Path) -> tuple[str, ...]:
    """Return the parts of a path, normalised as some file systems compare them."""
    return tuple(unicodedata.normalize("NFC", part).casefold() for part in _resolved(path).parts)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path.absolute()
