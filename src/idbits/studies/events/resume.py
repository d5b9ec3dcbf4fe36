"""A folder in which a long count can be stopped and carried on: the events as codes, and each finished month.

Each file has a digest of its content, its name and the question: one that was changed, or that comes from the folder of
another question, is refused. (Whoever can write the folder can also make new digests: keep it as you keep the data.)
Where a cluster counts, its points stay there, and only the finished months are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from idbits.counts import Spectrum
from idbits.engines.base import Table
from idbits.engines.sources.files import find_files, is_file_source, stamps
from idbits.engines.spark import SparkTable
from idbits.errors import EngineError, InputError
from idbits.file_guard import will_write
from idbits.kernels.events import Trajectories
from idbits.studies.events.loading import Loaded

__all__ = ["Kept"]

_ARRAYS = ("points", "starts", "days", "labels")
# The format of the folder, not the version of idbits: later versions carry on what earlier ones began.
_FORMAT = "digests"
_WITHOUT_DIGESTS = "0.1.0"
_NUMBERS = ("records", "nobody", "no_time", "unread_time")


class Kept:
    """What a folder keeps of one question; it holds codes and counts, and no value of the table."""

    def __init__(self, folder: str | os.PathLike[str], source: Any, question: dict[str, Any]) -> None:
        if not is_file_source(source) or source == "-":
            raise InputError("only a count of files can be carried on later (--resume)")
        self._folder = Path(folder)
        will_write(self._folder, "--resume")
        self._about = self._folder / "events.json"
        self._source = source
        self._fingerprint = ""
        self._question = question

    def begin(self, table: Table) -> None:
        """Make sure that the folder is this question's: the same words, of files that have not changed since."""
        if isinstance(table, SparkTable):
            seen = [(path, size, str(changed)) for path, size, changed in table.file_stamps()]
        else:
            seen = [(str(path), size, str(at)) for path, size, at in stamps(find_files(self._source, self._folder))]
        fingerprint = self._fingerprint = _fingerprint([_FORMAT, seen, self._question])
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark = self._folder / "question"
            if not mark.exists():
                if any(self._folder.iterdir()):
                    raise InputError(f'"{self._folder}" holds something else; name an empty or new folder (--resume)')
                _write(mark, fingerprint.encode())
            elif mark.read_bytes() == _fingerprint([_WITHOUT_DIGESTS, seen, self._question]).encode():
                # Nothing shows whether its files are as they were written: they are counted again.
                for path in (self._about, *self._folder.glob("days-*.json")):
                    path.unlink(missing_ok=True)
                _write(mark, fingerprint.encode())
            elif mark.read_bytes() != fingerprint.encode():
                if self._about.exists() or any(self._folder.glob("days-*.json")):
                    raise InputError(
                        f'"{self._folder}" belongs to another question or file; name another folder (--resume)'
                    )
                # The other question failed or was stopped before anything of it was kept.
                _write(mark, fingerprint.encode())
        except OSError as error:
            raise InputError(f'"{self._folder}" cannot be used: {error.strerror} (--resume)') from error

    def load(self) -> Loaded | None:
        """Return the events, if they were read to the end before."""
        if not self._about.exists():
            return None
        with self._whole():
            told = self._read(self._about)
            for name in _ARRAYS:
                if self._digest(f"{name}.npy", self._folder / f"{name}.npy") != told["sha256"][name]:
                    raise ValueError(name)
            arrays = [np.load(self._folder / f"{name}.npy") for name in _ARRAYS]
            made = replace(
                Trajectories.of(*arrays),
                excluded_people=told["excluded_people"],
                excluded_events=told["excluded_events"],
            )
            return Loaded(made, notes=tuple(told["notes"]), **{name: told[name] for name in _NUMBERS})

    def save(self, loaded: Loaded, notes: Sequence[str]) -> None:
        """Keep the events; the file that says so comes last."""
        made = loaded.trajectories
        digests = {}
        for name in _ARRAYS:
            draft = self._folder / f"{name}.draft.npy"
            with self._room():
                np.save(draft, getattr(made, name))
                digests[name] = self._digest(f"{name}.npy", draft)
                draft.replace(self._folder / f"{name}.npy")
        told: dict[str, Any] = {name: getattr(loaded, name) for name in _NUMBERS} | {
            "notes": [*notes],
            "excluded_people": made.excluded_people,
            "excluded_events": made.excluded_events,
            "sha256": digests,
        }
        with self._room():
            self._write(self._about, told)

    def spectra(self, first: int, last: int) -> dict[int, Spectrum] | None:
        """Return the spectra of the days from ``first`` to ``last``, if they were counted before."""
        path = self._path(first, last)
        if not path.exists():
            return None
        with self._whole():
            return {int(day): Spectrum.of(map(tuple, pairs)) for day, pairs in self._read(path).items()}

    def save_spectra(self, first: int, last: int, spectra: dict[int, Spectrum]) -> None:
        """Keep the spectra of these days."""
        told = {str(day): spectrum.pairs() for day, spectrum in spectra.items()}
        with self._room():
            self._write(self._path(first, last), told)

    def _write(self, path: Path, told: Mapping[str, Any]) -> None:
        """Write an object in one line, and its digest in the next."""
        line = json.dumps(told)
        _write(path, f"{line}\n{self._digest(path.name, line)}\n".encode())

    def _read(self, path: Path) -> dict[str, Any]:
        line, _, digest = path.read_text(encoding="utf-8").partition("\n")
        if digest != f"{self._digest(path.name, line)}\n":
            raise ValueError(path.name)
        found: dict[str, Any] = json.loads(line)
        return found

    def _digest(self, name: str, content: str | Path) -> str:
        """Return the digest of a file's content under its name, for this question."""
        if isinstance(content, str):
            inner = hashlib.sha256(content.encode()).hexdigest()
        else:
            with content.open("rb") as file:
                inner = hashlib.file_digest(file, "sha256").hexdigest()
        return hashlib.sha256(f"{self._fingerprint}\n{name}\n{inner}".encode()).hexdigest()

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Say it when a file cannot be written."""
        try:
            yield
        except OSError as error:
            raise EngineError(
                f'"{self._folder}" cannot be written; what is in it stays good, so make room and carry on (--resume)'
            ) from error

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Say it when a file is not what was written: damaged, or changed by somebody."""
        try:
            yield
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            raise InputError(
                f'what "{self._folder}" keeps is damaged or was changed; remove the folder, and count again (--resume)'
            ) from error

    def _path(self, first: int, last: int) -> Path:
        return self._folder / f"days-{first}-{last}.json"


def _fingerprint(told: Sequence[Any]) -> str:
    """Return a digest of a question: no more than that is kept, as its filter may hold values."""
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_bytes(content)
    draft.replace(path)
