"""The file ``decisions.jsonl``: one record per line, each with the hash of the one before.

A line is added under a lock, at once or not at all. No line is ever changed.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from idbits.canonical import LATER, is_later_schema, parse_canonical
from idbits.errors import InputError
from idbits.file_locks import BINARY, exclusive
from idbits.studies.decide.result import (
    DECISIONS,
    RECORD_SCHEMA,
    START,
    DecidedData,
    DecisionProblem,
    DecisionRecord,
    FileState,
    NamedFile,
)

__all__ = ["FILE_NAME", "DecisionLines", "append_record", "read_lines"]

FILE_NAME = "decisions.jsonl"
_LARGEST = 200 * 1000**2
_WAIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class DecisionLines:
    """The records of a file that could be read, each with the number of its line, and what is wrong with the lines."""

    records: tuple[tuple[int, DecisionRecord], ...]
    problems: tuple[DecisionProblem, ...]


def read_lines(path: Path) -> DecisionLines:
    """Read all lines and check their chain."""
    try:
        with path.open("rb") as file:
            _check_regular(file.fileno(), path)
            return _parse(file.read())
    except FileNotFoundError:
        raise InputError(f'there is no file "{path}"; idbits decide REPORT.json --decision ... writes one') from None
    except OSError as error:
        raise InputError(f'"{path}" cannot be opened: {error.strerror}') from error


def _check_regular(descriptor: int, path: Path) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f'"{path}" is not a file')
    if status.st_size > _LARGEST:
        raise InputError(f'"{path}" is too large for a file of decisions')


def _parse(content: bytes) -> DecisionLines:
    lines = content.split(b"\n")
    unfinished = lines.pop()
    records: list[tuple[int, DecisionRecord]] = []
    problems: list[DecisionProblem] = []
    # The hash that the next record must contain; None after a line without a readable hash.
    previous: str | None = START
    for number, line in enumerate(lines, start=1):
        try:
            record, stored_hash = _record(line)
        except InputError as error:
            problems.append(DecisionProblem(number, str(error)))
            previous = None
            continue
        if record.hash != stored_hash:
            problems.append(DecisionProblem(number, "was changed after it was written: its hash is wrong"))
        if previous is not None and record.previous != previous:
            before = "the beginning" if number == 1 else f"line {number - 1}"
            problems.append(
                DecisionProblem(number, f"does not follow {before}: a line was removed, added, moved or changed")
            )
        elif record.sequence != number:
            problems.append(DecisionProblem(number, f"has the number {record.sequence}: lines were removed or added"))
        records.append((number, record))
        previous = stored_hash
    if unfinished:
        problems.append(
            DecisionProblem(len(lines) + 1, "is incomplete, perhaps because writing was interrupted: remove it")
        )
    return DecisionLines(tuple(records), tuple(problems))


def _record(line: bytes) -> tuple[DecisionRecord, str]:
    """Return the record of a line and the hash that the line states."""
    try:
        # Git and editors may have changed the line ends; the hash is about the record.
        data = parse_canonical(line.decode("utf-8").removesuffix("\r"))
    except (InputError, UnicodeDecodeError):
        raise InputError("is not a record as idbits writes it") from None
    expected = {*(field.name for field in fields(DecisionRecord)), "hash"}
    if isinstance(data, dict) and is_later_schema(data.get("schema"), RECORD_SCHEMA):
        raise InputError(LATER)
    if not isinstance(data, dict) or set(data) != expected or data["schema"] != RECORD_SCHEMA:
        raise InputError(f"is not a record of a decision (schema {RECORD_SCHEMA})")
    stored_hash = data.pop("hash")
    try:
        record = _checked(data)
    except (KeyError, TypeError, ValueError):
        raise InputError("has a value that idbits does not write") from None
    return record, str(stored_hash)


def _checked(data: Mapping[str, object]) -> DecisionRecord:
    texts = ("at", "decision", "by", "why", "verdict", "verdict_level", "version", "previous", "schema")
    wholes = ("sequence", "n_rows", "n_people")
    qid, singletons = data["qid"], data["singletons"]
    if (
        not all(isinstance(data[key], str) for key in texts)
        or not all(type(data[key]) is int for key in wholes)
        or not all(data[key] is None or isinstance(data[key], str) for key in ("public_key", "signature"))
        or (data["public_key"] is None) != (data["signature"] is None)
        or data["decision"] not in DECISIONS
        or not isinstance(qid, list)
        or not all(isinstance(name, str) for name in qid)
        or type(singletons) not in (int, float)
    ):
        raise ValueError
    named = {key: _named(data[key]) if data[key] is not None else None for key in ("plan", "receipt")}
    parts = {"report": _named(data["report"]), "data": _decided_data(data["data"]), "qid": tuple(qid), **named}
    return DecisionRecord(**{**data, **parts})  # type: ignore[arg-type]


def _named(data: object) -> NamedFile:
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        raise ValueError
    return NamedFile(**data)


def _decided_data(data: object) -> DecidedData:
    if not isinstance(data, dict):
        raise TypeError
    made = DecidedData(**{**data, "state": FileState(data["state"])})
    if type(made.files) is not int or not all(isinstance(text, str | None) for text in (made.source, made.sha256)):
        raise ValueError
    return made


def append_record(path: Path, make: Callable[[int, str], DecisionRecord]) -> DecisionRecord:
    """Add a record, made from its number and the hash of the one before; refuse if the file is damaged."""
    with _opened(path) as descriptor, exclusive(descriptor, path, seconds=_WAIT_SECONDS):
        _check_regular(descriptor, path)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            file.seek(0)
            content = file.read()
        lines = _parse(content)
        if lines.problems:
            first = lines.problems[0]
            raise InputError(
                f'"{path}" is damaged, so nothing is added to it: line {first.line} {first.problem} '
                "(idbits decide --verify)"
            )
        previous = lines.records[-1][1].hash if lines.records else START
        record = make(len(lines.records) + 1, previous)
        _append(descriptor, record.to_line().encode("utf-8"), len(content))
    return record


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    is_new = not path.exists()
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o666)
    except OSError as error:
        raise InputError(f'"{path}" cannot be written: {error.strerror}') from error
    try:
        yield descriptor
        if is_new:
            _sync_folder(path.absolute().parent)
    except OSError as error:
        raise InputError(f'"{path}" cannot be written: {error.strerror}; no decision was recorded') from error
    finally:
        os.close(descriptor)


def _append(descriptor: int, line: bytes, size: int) -> None:
    """Write a line to the end and to the disk; on any error or Ctrl-C, the file becomes what it was."""
    try:
        written = 0
        while written < len(line):
            written += os.write(descriptor, line[written:])
        os.fsync(descriptor)
    except BaseException:
        # A file that can only grow keeps the incomplete line, which the next reader reports.
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, size)
            os.fsync(descriptor)
        raise


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
