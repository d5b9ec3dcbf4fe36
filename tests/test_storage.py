"""Temporary files and folders: nothing is left of them, after Ctrl-C in the very moment in which they are made, and
after a process was killed.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from idbits import file_locks, storage
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.progress import SILENT
from idbits.storage import TemporaryFolder, temporary_folder, whole_file


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    signals = [KeyboardInterrupt()]

    def interrupted(make: Callable[..., Any]) -> Callable[..., Any]:
        def made_and_stopped(*words: Any, **more: Any) -> Any:
            made = make(*words, **more)
            if signals:
                raise signals.pop()
            return made

        return made_and_stopped

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "open", interrupted(os.open))
    monkeypatch.setattr(os, "mkdir", interrupted(os.mkdir))
    return tmp_path


def test_a_draft(stopped: Path) -> None:
    with pytest.raises(KeyboardInterrupt), whole_file(stopped / "answer.json"):
        pass
    assert list(stopped.iterdir()) == []


def test_a_folder(stopped: Path) -> None:
    with pytest.raises(KeyboardInterrupt), temporary_folder():
        pass
    assert list(stopped.iterdir()) == []


def test_the_folder_of_an_engine(stopped: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        DuckDBConnection(None, None, SILENT)
    assert list(stopped.iterdir()) == []


def test_only_the_owner_sees_them_while_they_are_written(tmp_path: Path) -> None:
    with whole_file(tmp_path / "answer.json") as draft, temporary_folder() as folder:
        assert (draft.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (tmp_path / "answer.json").exists()
    assert not folder.exists()


COMMAND = [sys.executable, "-m", "idbits", "measure"]


def waiting(folder: Path) -> subprocess.Popen[bytes]:
    """Start a command that has put data into a temporary folder, and waits for more."""
    process = subprocess.Popen(
        [*COMMAND, "-", "--qid", "zip", "--quiet"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    assert process.stdin is not None
    process.stdin.write(b"zip\n" + b"secret\n" * 500_000)
    process.stdin.flush()
    end = time.monotonic() + 60
    while not any(path.stat().st_size for path in folder.glob("idbits-*/standard-input")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)
    return process


def measure(folder: Path, table: Path) -> None:
    command = [*COMMAND, str(table), "--qid", "zip", "--quiet"]
    subprocess.run(command, env=os.environ | {"TMPDIR": str(folder)}, check=True, stdout=subprocess.DEVNULL, timeout=60)


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    folder, table = tmp_path / "tmp", tmp_path / "people.csv"
    folder.mkdir()
    table.write_text("zip\n1\n")
    process = waiting(folder)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert len(list(folder.glob("idbits-*/standard-input"))) == 1
    measure(folder, table)
    assert list(folder.iterdir()) == []


def test_the_folder_of_a_living_process_stays(tmp_path: Path) -> None:
    folder, table = tmp_path / "tmp", tmp_path / "people.csv"
    folder.mkdir()
    table.write_text("zip\n1\n")
    process = waiting(folder)
    (own,) = folder.iterdir()
    measure(folder, table)
    assert list(folder.iterdir()) == [own]
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert b"Every row in the table (500,000)" in out
    assert list(folder.iterdir()) == []


def test_what_others_have_made_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(storage, "_TIDIED", set())
    without_owner = tmp_path / "idbits-mine"
    without_owner.mkdir()
    (without_owner / "data.csv").write_text("mine")
    other_name = tmp_path / "other"
    other_name.mkdir()
    (other_name / ".idbits-owner").touch()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".idbits-owner").touch()
    (tmp_path / "idbits-link").symlink_to(elsewhere)
    linked_owner = tmp_path / "idbits-linked"
    linked_owner.mkdir()
    (linked_owner / ".idbits-owner").symlink_to(elsewhere / ".idbits-owner")
    (tmp_path / "idbits-file").write_text("mine")
    abandoned = tmp_path / "idbits-abandoned"
    abandoned.mkdir()
    (abandoned / ".idbits-owner").touch()
    (abandoned / "spilled").write_text("x")
    expected = {path for path in tmp_path.rglob("*") if abandoned not in (path, path.parent)}
    if os.getuid() == 0:
        foreign = tmp_path / "idbits-foreign"
        foreign.mkdir()
        (foreign / ".idbits-owner").touch()
        os.chown(foreign, 12345, 12345)
        expected |= {foreign, foreign / ".idbits-owner"}
    with temporary_folder():
        assert not abandoned.exists()
    assert set(tmp_path.rglob("*")) == expected


def test_a_child_that_outlives_its_parent_keeps_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    parent = tmp_path / "idbits-work-1"
    parent.mkdir()
    (parent / ".idbits-owner").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(parent))
    child = TemporaryFolder()
    child.make()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for expected in (True, False):
        monkeypatch.setattr(storage, "_TIDIED", set())
        with temporary_folder():
            assert parent.exists() is expected
        child.remove()


def test_a_file_system_without_locks_is_no_hindrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(file_locks.fcntl, "flock", flock)
    with temporary_folder() as folder:
        assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
