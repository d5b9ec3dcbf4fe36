"""Ctrl-C in the very moment in which a temporary file or folder is made: nothing is left of it."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from idbits.engines.duckdb.connection import Connection
from idbits.progress import SILENT
from idbits.temporary import temporary_folder
from idbits.whole_file import whole_file


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
        Connection(None, None, SILENT)
    assert list(stopped.iterdir()) == []


def test_only_the_owner_sees_them_while_they_are_written(tmp_path: Path) -> None:
    with whole_file(tmp_path / "answer.json") as draft, temporary_folder() as folder:
        assert (draft.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (tmp_path / "answer.json").exists()
    assert not folder.exists()
