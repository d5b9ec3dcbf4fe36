"""What a decision is about: the report, the data it measured, and the treatment; each read once and hashed."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from idbits.engines.open import is_database
from idbits.engines.sources.files import find_files, sha256_of
from idbits.errors import IdbitsError, InputError
from idbits.storage import expand_home
from idbits.studies.decide.result import DecidedData, FileState, NamedFile
from idbits.studies.shared.documents import SavedFile, read_saved_file
from idbits.studies.shared.plans import read_plan
from idbits.studies.shared.serialisation import UncheckedData

__all__ = ["DecisionEvidence", "data_state", "file_state", "read_evidence"]


@dataclass(frozen=True, slots=True)
class DecisionEvidence:
    """The files of a decision, and what the report says."""

    report: NamedFile
    data: DecidedData
    plan: NamedFile | None
    receipt: NamedFile | None
    facts: UncheckedData
    notes: tuple[str, ...]


def read_evidence(report: Path, plan: Path | None, receipt: Path | None) -> DecisionEvidence:
    """Read a report and its treatment; refuse what is not one, and a treatment of other data."""
    folder = report.absolute().parent
    saved = _saved(report, "report", "idbits report TABLE -o report.json writes one")
    facts, origin = _facts(saved.data, report), saved.data["origin"]
    data = _decided_data(saved.data.get("source"), origin, folder)
    notes = []
    if data.state is FileState.CHANGED:
        notes.append("the data have changed since the report was written; the decision is about the earlier data")
    planned = read_plan(plan) if plan is not None else None
    treated = _saved(receipt, "apply", "idbits apply writes a receipt") if receipt is not None else None
    if treated is not None and receipt is not None:
        notes += _check_receipt(treated.data, receipt, data.sha256)
        if planned is not None and treated.data.get("plan") != planned.to_dict():
            raise InputError(f'"{receipt}" is the receipt of another plan than "{plan}"')
    return DecisionEvidence(
        NamedFile(_path_from(report, folder), saved.sha256),
        data,
        NamedFile(_path_from(plan, folder), sha256_of([plan]) or "") if plan is not None else None,
        NamedFile(_path_from(receipt, folder), treated.sha256) if treated is not None and receipt is not None else None,
        facts,
        tuple(notes),
    )


def _saved(path: Path, command: str, hint: str) -> SavedFile:
    saved = read_saved_file(path, how=hint)
    if saved.data["command"] != command:
        called = "report" if command == "report" else "receipt"
        raise InputError(f'"{path}" is an answer of idbits {saved.data["command"][:40]}, not a {called}; {hint}')
    return saved


def _facts(data: UncheckedData, path: Path) -> UncheckedData:
    """Return what a report says, in counts: never a value of the table."""
    measurement, verdict, origin = (data.get(key) for key in ("measurement", "verdict", "origin"))
    if not all(isinstance(part, dict) for part in (measurement, verdict, origin)):
        raise InputError(f'"{path}" is not a complete report; write it again with idbits report')
    assert isinstance(measurement, dict)
    assert isinstance(verdict, dict)
    facts = {key: measurement.get(key) for key in ("qid", "n_rows", "n_people", "singletons")}
    facts |= {"verdict": verdict.get("title"), "verdict_level": verdict.get("level")}
    qid = facts["qid"]
    counts = [facts[key] for key in ("n_rows", "n_people", "singletons")]
    if (
        not isinstance(qid, list)
        or not all(isinstance(name, str) for name in qid)
        or not all(isinstance(number, int | float) and not isinstance(number, bool) for number in counts)
        or not all(isinstance(number, int) for number in counts[:2])
        or not all(isinstance(facts[key], str) for key in ("verdict", "verdict_level"))
    ):
        raise InputError(f'"{path}" is not a complete report; write it again with idbits report')
    return {**facts, "qid": tuple(qid)}


def _decided_data(source: object, origin: UncheckedData, folder: Path) -> DecidedData:
    sha256, files = origin.get("sha256"), origin.get("files")
    if not isinstance(source, str | None) or not isinstance(sha256, str | None) or type(files) is not int:
        raise InputError("the report does not say which data it is about; write it again with idbits report")
    state, found = data_state(source, sha256, [Path.cwd(), folder])
    shown = _path_from(found, folder) if found is not None else source
    return DecidedData(shown, sha256, files, state)


def _check_receipt(data: UncheckedData, path: Path, measured: str | None) -> list[str]:
    """Refuse a receipt about other data than the report: its source or its treated file must have been measured."""
    hashes = [part.get("sha256") for part in (data.get("source"), data.get("output")) if isinstance(part, dict)]
    if measured is None or hashes[:1] in ([], [None]):
        return ["the data have no hash, so nobody can tell whether the receipt is about the same data"]
    if measured not in hashes:
        raise InputError(f'"{path}" is the receipt of other data than those of the report')
    return []


def _path_from(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.absolute(), folder)).as_posix()
    except ValueError:  # Another drive of Windows.
        return path.absolute().as_posix()


def data_state(source: str | None, sha256: str | None, folders: Iterable[Path]) -> tuple[FileState, Path | None]:
    """Return whether the files of a table are still the same, and their path: the same files first, then others."""
    if sha256 is None or source is None or source == "-" or is_database(source):
        return FileState.NO_HASH, None
    changed = None
    for folder in folders:
        path = folder / expand_home(source)
        found = _hash_of(path)
        if found == sha256:
            return FileState.SAME, path
        changed = path if found is not None and changed is None else changed
    return (FileState.CHANGED, changed) if changed is not None else (FileState.MISSING, None)


def _hash_of(path: Path) -> str | None:
    """Return the hash of the files at a path; None if there are none."""
    is_there = path.is_file() or path.is_dir() or bool(glob.glob(str(path), recursive=True))  # noqa: PTH207
    try:
        return sha256_of(find_files(path, path.parent)) if is_there and not path.is_fifo() else None
    except IdbitsError:
        return None


def file_state(named: NamedFile, folder: Path) -> FileState:
    """Return whether a file is still the same."""
    path = folder / named.file
    if not path.is_file():
        return FileState.MISSING
    return FileState.SAME if _hash_of(path) == named.sha256 else FileState.CHANGED
