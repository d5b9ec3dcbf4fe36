"""A folder that lets a long count be stopped and resumed: the events as codes, and each finished month.

Each file has a digest of its content, its name and the question. A file that was changed, or that comes from the folder
of another question, is rejected. (Anyone who can write to the folder can also make new digests, so protect it as you
protect the data.) If a cluster does the counting, its points stay there and only the finished months are saved.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NotRequired, TypedDict, cast

import numpy as np

from idbits.counts import Spectrum
from idbits.engines.backends.points import EventCounts, FileStamp
from idbits.engines.sources.files import is_file_source
from idbits.errors import EngineError, InputError
from idbits.file_guard import will_write
from idbits.kernels.events import Trajectories
from idbits.storage import expand_home

__all__ = ["Checkpoint"]

_ARRAYS = ("points", "starts", "days", "labels")
# The format of the folder, not the version of idbits: later versions resume counts of earlier ones.
_FORMAT = "digests"
_WITHOUT_DIGESTS = "0.1.0"
_ONLY_FILES = "only counts of files can be resumed; save the table to a file first (--resume)"


class _SavedEvents(TypedDict):
    """The content of ``events.json``; the keys must not change, because earlier versions wrote them."""

    records: int
    nobody: int
    no_time: int
    unread_time: int
    notes: list[str]
    excluded_people: int
    excluded_events: int
    step: NotRequired[str]
    sha256: dict[str, str]


class Checkpoint:
    """The saved state of one question in a folder: codes and counts, but no value of the table."""

    def __init__(self, folder: str | os.PathLike[str], source: object, question: Mapping[str, object]) -> None:
        if not is_file_source(source) or source == "-":
            raise InputError(_ONLY_FILES)
        self._folder = Path(expand_home(folder))
        will_write(self._folder, "--resume")
        self._about = self._folder / "events.json"
        self._fingerprint = ""
        self._question = question

    def begin(self, files: Sequence[FileStamp]) -> None:
        """Make sure that the folder belongs to this question, and that the files have not changed since."""
        if not files:
            raise InputError(_ONLY_FILES)
        fingerprint = self._fingerprint = _fingerprint([_FORMAT, files, self._question])
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark = self._folder / "question"
            if not mark.exists():
                if any(self._folder.iterdir()):
                    raise InputError(f'"{self._folder}" is not empty; name an empty or new folder (--resume)')
                _write(mark, fingerprint.encode())
            elif mark.read_bytes() == _fingerprint([_WITHOUT_DIGESTS, files, self._question]).encode():
                # Without digests we cannot tell whether the files were changed, so we count again.
                for path in (self._about, *self._folder.glob("days-*.json")):
                    path.unlink(missing_ok=True)
                _write(mark, fingerprint.encode())
            elif mark.read_bytes() != fingerprint.encode():
                if self._about.exists() or any(self._folder.glob("days-*.json")):
                    raise InputError(
                        f'"{self._folder}" belongs to another question or file; name another folder (--resume)'
                    )
                # The other question failed or was stopped before anything was saved.
                _write(mark, fingerprint.encode())
        except OSError as error:
            raise InputError(f'"{self._folder}" cannot be used: {error.strerror} (--resume)') from error

    def load(self, step: str) -> tuple[Trajectories, EventCounts] | None:
        """Return the events, if an earlier run read all of them; ``step`` is the time step if it did not save one."""
        if not self._about.exists():
            return None
        with self._must_be_whole():
            saved = cast("_SavedEvents", self._read_json(self._about))
            for name in _ARRAYS:
                if self._digest(f"{name}.npy", self._folder / f"{name}.npy") != saved["sha256"][name]:
                    raise ValueError(name)
            arrays = [np.load(self._folder / f"{name}.npy") for name in _ARRAYS]
            people, events = saved["excluded_people"], saved["excluded_events"]
            trajectories = replace(Trajectories.of(*arrays), excluded_people=people, excluded_events=events)
            counts = EventCounts(
                records=saved["records"],
                without_person=saved["nobody"],
                without_time=saved["no_time"],
                unreadable_time=saved["unread_time"],
                excluded_people=people,
                excluded_events=events,
                step=saved.get("step", step),
                notes=tuple(saved["notes"]),
            )
            return trajectories, counts

    def save(self, trajectories: Trajectories, counts: EventCounts, notes: Sequence[str]) -> None:
        """Save the events; the file that marks them as complete is written last."""
        digests = {}
        for name in _ARRAYS:
            draft = self._folder / f"{name}.draft.npy"
            with self._must_have_room():
                np.save(draft, getattr(trajectories, name))
                digests[name] = self._digest(f"{name}.npy", draft)
                draft.replace(self._folder / f"{name}.npy")
        saved: _SavedEvents = {
            "records": counts.records,
            "nobody": counts.without_person,
            "no_time": counts.without_time,
            "unread_time": counts.unreadable_time,
            "notes": [*notes],
            "excluded_people": counts.excluded_people,
            "excluded_events": counts.excluded_events,
            "step": counts.step,
            "sha256": digests,
        }
        self._write_json(self._about, saved)

    def spectra(self, first: int, last: int) -> dict[int, Spectrum] | None:
        """Return the spectra of the days from ``first`` to ``last``, if an earlier run counted them."""
        path = self._path(first, last)
        if not path.exists():
            return None
        with self._must_be_whole():
            saved = cast("dict[str, list[list[int]]]", self._read_json(path))
            return {int(day): Spectrum.of((size, sets) for size, sets in pairs) for day, pairs in saved.items()}

    def save_spectra(self, first: int, last: int, spectra: Mapping[int, Spectrum]) -> None:
        """Save the spectra of these days."""
        saved = {str(day): spectrum.pairs() for day, spectrum in spectra.items()}
        self._write_json(self._path(first, last), saved)

    def _write_json(self, path: Path, data: Mapping[str, object]) -> None:
        """Write an object on one line and its digest on the next."""
        line = json.dumps(data)
        with self._must_have_room():
            _write(path, f"{line}\n{self._digest(path.name, line)}\n".encode())

    def _read_json(self, path: Path) -> object:
        line, _, digest = path.read_text(encoding="utf-8").partition("\n")
        if digest != f"{self._digest(path.name, line)}\n":
            raise ValueError(path.name)
        data: object = json.loads(line)
        return data

    def _digest(self, name: str, content: str | Path) -> str:
        """Return a digest of a file's content, its name and this question."""
        if isinstance(content, str):
            inner = hashlib.sha256(content.encode()).hexdigest()
        else:
            with content.open("rb") as file:
                inner = hashlib.file_digest(file, "sha256").hexdigest()
        return hashlib.sha256(f"{self._fingerprint}\n{name}\n{inner}".encode()).hexdigest()

    @contextmanager
    def _must_have_room(self) -> Iterator[None]:
        """Turn a failure to write into an error that explains what to do."""
        try:
            yield
        except OSError as error:
            raise EngineError(
                f'"{self._folder}" cannot be written; its content is intact: free some space and run again (--resume)'
            ) from error

    @contextmanager
    def _must_be_whole(self) -> Iterator[None]:
        """Turn a damaged or changed file into an error that explains what to do."""
        try:
            yield
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            raise InputError(
                f'the content of "{self._folder}" is damaged or was changed; remove the folder and run again (--resume)'
            ) from error

    def _path(self, first: int, last: int) -> Path:
        return self._folder / f"days-{first}-{last}.json"


def _fingerprint(question: Sequence[object]) -> str:
    """Return a digest of a question. We save only the digest, because a filter may contain values."""
    return hashlib.sha256(json.dumps(question, sort_keys=True, default=str).encode()).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Write a file completely or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_bytes(content)
    draft.replace(path)
