"""The folder of ``idbits demo``: it replaces files of an earlier run, and nothing that somebody else has put there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from idbits.errors import InputError
from idbits.file_guard import will_write
from idbits.storage import whole_file

__all__ = ["DemoFolder"]

_LIST = ".idbits-demo.json"


class DemoFolder:
    """A folder with a list of the digests of what was written there: a file with another digest is somebody else's."""

    def __init__(self, folder: Path, names: tuple[str, ...]) -> None:
        """Make the folder; refuse one in which a file of these names was not written by an earlier run."""
        self.folder = folder
        self._list = folder / _LIST
        for name in names:
            will_write(folder / name, f"{name} of --folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._written = self._read_list()
            foreign = [name for name in names if (folder / name).exists() and not self._is_own(name)]
        except OSError as error:
            raise InputError(f'"{folder}" cannot be written: {error.strerror}') from error
        if foreign:
            raise InputError(
                f'"{folder / foreign[0]}" is there already and is not from an earlier demo; move it away, or name '
                "another folder (--folder)"
            )

    def write(self, name: str, write: Callable[[Path], object]) -> Path:
        """Write a file; it is listed before it is in its place, so that whatever stops the work leaves no stranger."""
        path = self.folder / name
        with whole_file(path) as draft:
            write(draft)
            self._written[name] = [*self._written.get(name, []), _digest(draft)]
            self._write_list()
        self._written[name] = self._written[name][-1:]
        self._write_list()
        return path

    def _is_own(self, name: str) -> bool:
        path = self.folder / name
        return path.is_file() and name in self._written and _digest(path) in self._written[name]

    def _read_list(self) -> dict[str, list[str]]:
        try:
            found = json.loads(self._list.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError, RecursionError):
            return {}
        listed = found.get("sha256") if isinstance(found, dict) else None
        if not isinstance(listed, dict) or not all(isinstance(digests, list) for digests in listed.values()):
            return {}
        return listed

    def _write_list(self) -> None:
        about = "written by idbits demo; a file with another digest is never replaced"
        with whole_file(self._list) as draft:
            draft.write_text(json.dumps({"about": about, "sha256": self._written}, indent=1) + "\n", encoding="utf-8")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
