"""Temporary files and folders that are gone whatever happens: their names are known before they are made."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["temporary_folder", "unused_path", "unused_temporary_path"]


def unused_path(folder: Path, prefix: str) -> Path:
    """Return the path of a file or folder that nobody has made."""
    return folder / f"{prefix}{secrets.token_hex(6)}"


def unused_temporary_path() -> Path:
    """Return such a path where the system keeps temporary files."""
    return unused_path(Path(tempfile.gettempdir()), "idbits-")


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder for the time of a block; a signal in the middle of making it leaves nothing behind either."""
    folder = unused_temporary_path()
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
