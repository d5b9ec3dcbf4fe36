"""Record a decision about a report, list the records, check them: the study behind ``idbits decide``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from idbits._version import __version__
from idbits.errors import InputError
from idbits.file_guard import guarded_files, note_read, note_written, will_write
from idbits.storage import expand_home
from idbits.studies.decide.decision_file import FILE_NAME, append_record, read_lines
from idbits.studies.decide.evidence import read_evidence
from idbits.studies.decide.result import (
    DECISIONS,
    DecisionCheck,
    DecisionLog,
    DecisionRecord,
    RecordedDecision,
    SignatureState,
)
from idbits.studies.decide.verification import check_lines, checked_signature, parse_reference
from idbits.studies.shared.serialisation import UncheckedData
from idbits.wording import near_names

if TYPE_CHECKING:
    from idbits.signing import SigningKey

__all__ = ["LONGEST_NAME", "LONGEST_REASON", "decide", "find_decision", "list_decisions", "verify_decisions"]

FilePath = str | os.PathLike[str]

LONGEST_NAME = 200
LONGEST_REASON = 5_000
_NO_SIGNATURES = "signatures need the package cryptography; install it with pip install 'idbits[web]'"


@guarded_files()
def decide(
    report: FilePath,
    decision: str,
    *,
    by: str,
    why: str,
    key: FilePath | None = None,
    plan: FilePath | None = None,
    receipt: FilePath | None = None,
) -> RecordedDecision:
    """Record a decision about a report in ``decisions.jsonl`` beside it.

    The record has hashes of the report, the data, the plan and the receipt, and the hash of the record before. It has
    no values of the table.

    Args:
        report: the JSON of ``idbits report``.
        decision: ``"approve"``, ``"approve-with-treatment"`` or ``"refuse"``.
        by: who decides.
        why: the reason.
        key: the file of a signing key, as ``idbits repository keygen`` makes it; without it the record is not signed.
        plan: the plan of the treatment, from ``idbits advise``.
        receipt: the receipt of the treatment, from ``idbits apply``.

    Returns:
        A RecordedDecision: ``record``, and the ``file`` it was added to.
    """
    if decision not in DECISIONS:
        hint = near_names(decision, DECISIONS) or f"; choose {', '.join(DECISIONS)}"
        raise InputError(f'"{decision}" is not a decision{hint} (--decision)')
    by, why = _checked_text(by, "--by", LONGEST_NAME), _checked_text(why, "--why", LONGEST_REASON)
    path = Path(expand_home(report))
    evidence = read_evidence(path, _path(plan), _path(receipt))
    signing_key = _signing_key(Path(expand_home(key))) if key is not None else None
    notes = list(evidence.notes)
    if decision == "approve-with-treatment" and plan is None and receipt is None:
        notes.append("the record does not say which treatment was approved; name it with --plan or --receipt")
    file = path.absolute().parent / FILE_NAME if path.is_absolute() else path.parent / FILE_NAME
    will_write(file, "the file of decisions")

    def make(sequence: int, previous: str) -> DecisionRecord:
        unsigned = {
            "sequence": sequence, "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "decision": decision,
            "by": by, "why": why, "report": evidence.report, "data": evidence.data, "plan": evidence.plan,
            "receipt": evidence.receipt, **evidence.facts, "version": __version__, "previous": previous,
        }  # fmt: skip
        if signing_key is None:
            return DecisionRecord(**unsigned)
        from idbits.signing import DECISION

        unsigned["public_key"] = signing_key.public_key
        text = DecisionRecord(**unsigned).signed_text
        return DecisionRecord(**unsigned, signature=signing_key.sign(text, DECISION))

    record = append_record(file, make)
    note_written(file)
    return RecordedDecision(file=str(file), record=record, notes=tuple(notes))


def list_decisions(place: FilePath = ".") -> DecisionLog:
    """Return the recorded decisions, oldest first.

    Args:
        place: ``decisions.jsonl``, a folder that has one, or a report beside one.
    """
    file = _file_at(place)
    lines = read_lines(file)
    notes = (
        [f"{len(lines.problems)} of its lines are damaged; idbits decide --verify shows them"] if lines.problems else []
    )
    return DecisionLog(file=str(file), records=tuple(record for _, record in lines.records), notes=tuple(notes))


def verify_decisions(
    place: FilePath = ".", *, public_key: Sequence[str] = (), noted: Sequence[str] = ()
) -> DecisionCheck:
    """Check recorded decisions: their chain, their signatures, and the files that are still there.

    Args:
        place: ``decisions.jsonl``, a folder that has one, or a report beside one.
        public_key: the public keys, or their files, of those who may decide; every record must be signed with one.
        noted: references, ``NUMBER:HASH``, of records that must still be there.

    Returns:
        A DecisionCheck: ``verified``, ``problems`` and the state of each record.
    """
    references = [parse_reference(text) for text in noted]
    file = _file_at(place)
    keys = {_public_key(text) for text in public_key}
    checked, problems = check_lines(read_lines(file), file.parent, public_keys=keys, noted=references)
    return DecisionCheck(file=str(file), problems=problems, checked=checked)


def find_decision(
    place: FilePath, *, sha256: str | None, source: str | None, facts: UncheckedData, number: int | None = None
) -> DecisionRecord:
    """Return the last decision about some data and what a report says of them; refuse records that were changed.

    Args:
        place: ``decisions.jsonl``, a folder that has one, or a report beside one.
        sha256: the hash of the data; None if they have none, which then must have the same name.
        source: the name of the table.
        facts: ``qid``, ``n_rows``, ``n_people`` and ``singletons`` of the report.
        number: the number of the record; None for the last one.
    """
    file = _file_at(place)
    lines = read_lines(file)
    checked = [checked_signature(record) for _, record in lines.records]
    if lines.problems or any(state is SignatureState.WRONG for state in checked):
        raise InputError(f'the decisions in "{file}" are not as they were recorded; idbits decide --verify shows why')
    for _, record in reversed(lines.records):
        is_same = record.data.sha256 == sha256 if sha256 is not None else record.data.source == source
        is_wanted = number is None or record.sequence == number
        if is_same and is_wanted and all(getattr(record, name) == value for name, value in facts.items()):
            return record
    raise InputError(f'"{file}" has no decision about these data and columns; record one with idbits decide')


def _file_at(place: FilePath) -> Path:
    path = Path(expand_home(place))
    file = path / FILE_NAME if path.is_dir() else path if path.suffix == ".jsonl" else path.parent / FILE_NAME
    note_read(file)
    return file


def _path(path: FilePath | None) -> Path | None:
    return Path(expand_home(path)) if path is not None else None


def _checked_text(text: str, option: str, longest: int) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"the text of {option} is not valid Unicode") from None
    if not text.strip():
        raise InputError(f"a decision needs a text for {option}")
    if len(text) > longest:
        raise InputError(f"the text of {option} has {len(text):,} characters; at most {longest:,} are possible")
    return text.strip()


def _signing_key(path: Path) -> SigningKey:
    try:
        from idbits.signing import SigningKey
    except ImportError:
        raise InputError(_NO_SIGNATURES) from None
    return SigningKey.read(path)


def _public_key(text: str) -> str:
    """Return a public key, given itself or by its file."""
    try:
        from idbits.signing import is_public_key
    except ImportError:
        raise InputError(_NO_SIGNATURES) from None
    path = Path(expand_home(text)) if len(text) < 4096 else None
    if path is not None and path.is_file():
        note_read(path)
        text = path.read_text(encoding="ascii", errors="replace").strip()
    if not is_public_key(text):
        raise InputError("--public-key must be a public key or its file, as idbits repository keygen makes it")
    return text
