"""Locks: two processes never hold the same one, whichever kind of lock the system has.

Windows cannot be run here. Its module ``msvcrt`` is replaced by a stand-in that locks bytes with POSIX's ``lockf``, in
separate processes: that tries which bytes are locked, and that they are released, not Windows itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from idbits import file_locks, storage
from idbits.errors import InputError
from idbits.file_locks import exclusive, try_lock
from idbits.storage import temporary_folder

PARTS = {
    "flock": "",
    "msvcrt": """
import fcntl
from types import SimpleNamespace
def locking(descriptor, mode, length):
    fcntl.lockf(descriptor, fcntl.LOCK_UN if mode == 0 else fcntl.LOCK_EX | fcntl.LOCK_NB, length, 0, 1)
file_locks.fcntl, file_locks.msvcrt = None, SimpleNamespace(LK_UNLCK=0, LK_NBLCK=2, locking=locking)
""",
    "neither": "file_locks.fcntl = file_locks.msvcrt = None\n",
}
ADDING = """
import os, sys, time
from pathlib import Path
from idbits import file_locks
{part}
path = Path(sys.argv[1])
sys.stdin.read()
for _ in range(60):
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | file_locks.BINARY, 0o600)
    with file_locks.exclusive(descriptor, path, seconds=30):
        number = int(os.pread(descriptor, 10, 0) or b"0")
        time.sleep(0.002)
        os.pwrite(descriptor, str(number + 1).encode(), 0)
    os.close(descriptor)
"""


def added_by_two(file: Path, part: str) -> bytes:
    """Let two processes add 1 to a number 60 times each, and return it."""
    command = [sys.executable, "-c", ADDING.format(part=part), str(file)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    time.sleep(0.5)
    for process in processes:
        # Both wait for the end of their input, so that they begin together.
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    for process in processes:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
    return file.read_bytes()


@pytest.mark.process
@pytest.mark.parametrize("part", PARTS)
def test_two_processes_take_turns(tmp_path: Path, part: str) -> None:
    file = tmp_path / "number"
    assert added_by_two(file, PARTS[part]) == b"120"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.process
def test_without_a_lock_additions_are_lost(tmp_path: Path) -> None:
    """The test above can fail."""
    assert added_by_two(tmp_path / "number", PARTS["neither"] + "file_locks._create = lambda path: None\n") != b"120"


class StandIn:
    """A ``msvcrt`` that remembers which bytes are locked, and may refuse."""

    LK_UNLCK, LK_NBLCK = 0, 2

    def __init__(self, error: OSError | None = None) -> None:
        self.error, self.calls = error, list[tuple[int, int, int]]()

    def locking(self, descriptor: int, mode: int, length: int) -> None:
        self.calls.append((mode, os.lseek(descriptor, 0, os.SEEK_CUR), length))
        if self.error is not None:
            raise self.error


@pytest.fixture
def file(tmp_path: Path) -> Any:
    path = tmp_path / "decisions.jsonl"
    path.write_bytes(b"a line\n")
    descriptor = os.open(path, os.O_RDWR)
    os.lseek(descriptor, 3, os.SEEK_SET)
    yield SimpleNamespace(path=path, descriptor=descriptor)
    os.close(descriptor)


def use(monkeypatch: pytest.MonkeyPatch, *, msvcrt: Any) -> None:
    monkeypatch.setattr(file_locks, "fcntl", None)
    monkeypatch.setattr(file_locks, "msvcrt", msvcrt)


def test_a_byte_beyond_the_end_is_locked_and_the_place_stays(monkeypatch: pytest.MonkeyPatch, file: Any) -> None:
    module = StandIn()
    use(monkeypatch, msvcrt=module)
    with exclusive(file.descriptor, file.path, seconds=1):
        assert os.lseek(file.descriptor, 0, os.SEEK_CUR) == 3
    byte = 2**31 - 2
    assert module.calls == [(StandIn.LK_NBLCK, byte, 1), (StandIn.LK_UNLCK, byte, 1)]


@pytest.mark.parametrize("error", [PermissionError(13, "locked"), BlockingIOError(11, "locked")])
def test_a_file_that_stays_locked(monkeypatch: pytest.MonkeyPatch, file: Any, error: OSError) -> None:
    use(monkeypatch, msvcrt=StandIn(error))
    assert not try_lock(file.descriptor)
    with (
        pytest.raises(InputError, match=r"another process is writing to .*; try again when it has ended$"),
        exclusive(file.descriptor, file.path, seconds=0.05),
    ):
        pass


def test_a_disk_without_locks(monkeypatch: pytest.MonkeyPatch, file: Any) -> None:
    use(monkeypatch, msvcrt=StandIn(OSError(22, "Invalid argument")))
    with pytest.raises(InputError, match="move it to another disk"), exclusive(file.descriptor, file.path, seconds=1):
        pass


def test_the_file_of_a_killed_process_is_named(monkeypatch: pytest.MonkeyPatch, file: Any) -> None:
    use(monkeypatch, msvcrt=None)
    assert not try_lock(file.descriptor)
    beside = file.path.with_name("decisions.jsonl.lock")
    beside.touch()
    with (
        pytest.raises(InputError, match=r'delete ".*decisions.jsonl.lock"'),
        exclusive(file.descriptor, file.path, seconds=0.05),
    ):
        pass
    assert beside.exists()
    beside.unlink()
    with exclusive(file.descriptor, file.path, seconds=1):
        assert beside.exists()
    assert not beside.exists()


def test_folders_where_open_files_keep_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: an owner's file has its name before it is locked, so a new folder is not yet abandoned."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(storage, "_RENAMES_OPEN_FILES", False)
    monkeypatch.delattr(os, "getuid")
    monkeypatch.delattr(os, "O_NOFOLLOW")
    new, old, linked = (tmp_path / f"idbits-{name}" for name in ("new", "old", "linked"))
    for folder in (new, old, linked):
        folder.mkdir()
    (new / ".idbits-owner").touch()
    (old / ".idbits-owner").touch()
    (linked / ".idbits-owner").symlink_to(old / ".idbits-owner")
    past = time.time() - 120
    for folder in (old, linked):
        os.utime(folder, (past, past))
    monkeypatch.setattr(storage, "_TIDIED", set())
    with temporary_folder() as folder:
        assert [path.name for path in folder.iterdir()] == [".idbits-owner"]
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([folder.name, "idbits-linked", "idbits-new"])
    assert not folder.exists()
