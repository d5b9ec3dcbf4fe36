"""Decisions about reports: one record, all records of a folder, and what checking them showed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from idbits.canonical import canonical, digest
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, Serialisable, plain_object

__all__ = [
    "DECISIONS", "START", "CheckedRecord", "DecidedData", "DecisionCheck", "DecisionLog", "DecisionProblem",
    "DecisionRecord", "FileState", "NamedFile", "RecordedDecision", "SignatureState",
]  # fmt: skip

DECISIONS = {
    "approve": "Approved",
    "approve-with-treatment": "Approved with treatment",
    "refuse": "Refused",
}
"""What can be decided, and how it is shown."""
RECORD_SCHEMA = "idbits-decision/1"
START = "0" * 64
"""What the first record has instead of the hash of the one before."""


class FileState(StrEnum):
    """Whether a file is still the one that was decided on."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"
    NO_HASH = "no hash"


class SignatureState(StrEnum):
    """What checking a signature showed."""

    VALID = "valid"
    WRONG = "wrong"
    NONE = "none"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file by its path, relative to the folder of the records, and the SHA-256 of its bytes."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class DecidedData:
    """The data that a report is about.

    Attributes:
        source: the table as the report names it, relative to the folder of the records if its files were found.
        sha256: the hash in the report; for several files, the hash of their hashes; None for databases and frames.
        files: the number of files.
        state: whether the files still had this hash when the decision was recorded.
    """

    source: str | None
    sha256: str | None
    files: int
    state: FileState


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord(Serialisable):
    """One decision, as it is recorded.

    Attributes:
        sequence: the number of the record, from 1.
        at: when it was recorded by the clock of the machine, UTC.
        report: the JSON of the report.
        plan, receipt: the treatment that was decided on, if any.
        qid, n_rows, n_people, singletons, verdict, verdict_level: what the report says.
        public_key, signature: who signed it; None without a signature.
        previous: the hash of the record before.
    """

    sequence: int
    at: str
    decision: str
    by: str
    why: str
    report: NamedFile
    data: DecidedData
    plan: NamedFile | None
    receipt: NamedFile | None
    qid: tuple[str, ...]
    n_rows: int
    n_people: int
    singletons: int | float
    verdict: str
    verdict_level: str
    version: str
    previous: str
    schema: str = RECORD_SCHEMA
    public_key: str | None = None
    signature: str | None = None

    @property
    def title(self) -> str:
        """What was decided, in words."""
        return DECISIONS[self.decision]

    @property
    def hash(self) -> str:
        """The hash of the record with its signature, which the next record contains."""
        return digest(canonical(plain_object(self)))

    @property
    def signed_text(self) -> str:
        """The text that the signature is of: the record without it."""
        data = plain_object(self)
        del data["signature"]
        return canonical(data)

    @property
    def reference(self) -> str:
        """Number and hash, to note elsewhere."""
        return f"{self.sequence}:{self.hash}"

    def to_dict(self) -> JsonObject:
        """Return the record as its line has it, with its hash."""
        return {**plain_object(self), "hash": self.hash}

    def to_line(self) -> str:
        """Return the line of the record."""
        return f"{canonical(self.to_dict())}\n"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RecordedDecision(Answer):
    """A decision that was recorded, and the file it was written to."""

    command: ClassVar[str] = "decide"
    action: ClassVar[str] = "decide"
    _main_table: ClassVar[str] = "records"
    _times: ClassVar = {"at": "instant"}
    _in_repr: ClassVar = ("decision", "file")
    json_keys: ClassVar = ("action", "file", "record", "notes")

    file: str
    record: DecisionRecord
    notes: tuple[str, ...] = ()

    @property
    def decision(self) -> str:
        """What was decided."""
        return self.record.decision

    @property
    def records(self) -> tuple[DecisionRecord, ...]:
        """The record, as the only one."""
        return (self.record,)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DecisionLog(Answer):
    """All records of a file, oldest first."""

    command: ClassVar[str] = "decide"
    action: ClassVar[str] = "list"
    _main_table: ClassVar[str] = "records"
    _times: ClassVar = {"at": "instant"}
    _row_class: ClassVar = DecisionRecord
    _in_repr: ClassVar = ("file", "n_records")
    json_keys: ClassVar = ("action", "file", "records", "notes")

    file: str
    records: tuple[DecisionRecord, ...]
    notes: tuple[str, ...] = ()

    @property
    def n_records(self) -> int:
        """The number of records."""
        return len(self.records)


@dataclass(frozen=True, slots=True)
class DecisionProblem:
    """Something that is wrong, and the number of its line; None if it is not about one line."""

    line: int | None
    problem: str


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """A record with the state of its signature and of its files, by what they are: report, data, plan, receipt."""

    record: DecisionRecord
    signature: SignatureState
    files: dict[str, FileState]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DecisionCheck(Answer):
    """What checking the records showed.

    Attributes:
        problems: everything that is wrong.
        signatures_unchecked: the number of signatures that could not be checked, because a package is missing.
    """

    command: ClassVar[str] = "decide"
    action: ClassVar[str] = "verify"
    _main_table: ClassVar[str] = "checked"
    _times: ClassVar = {"record_at": "instant"}
    _row_class: ClassVar = CheckedRecord
    _in_repr: ClassVar = ("file", "verified", "head")
    json_keys: ClassVar = ("action", "file", "verified", "problems", "records=checked", "head", "notes")

    file: str
    problems: tuple[DecisionProblem, ...]
    checked: tuple[CheckedRecord, ...]
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> tuple[CheckedRecord, ...]:
        """The records, each with the state of its signature and of its files."""
        return self.checked

    @property
    def signatures_unchecked(self) -> int:
        """The number of signatures that could not be checked."""
        return sum(each.signature is SignatureState.NOT_CHECKED for each in self.checked)

    @property
    def verified(self) -> bool:
        """Whether all was checked and nothing is wrong."""
        return not self.problems and not self.signatures_unchecked

    @property
    def head(self) -> str | None:
        """Number and hash of the last record, to note elsewhere."""
        return self.checked[-1].record.reference if self.checked else None

    @property
    def exit_code(self) -> int:
        """0 if the records are verified, 1 if something is wrong, 3 if something could not be checked."""
        return 1 if self.problems else 0 if self.verified else 3
