"""Checks the records of decisions: their chain, their signatures, and the files they are about.

What the file alone cannot show is a record removed from its end, or a chain that somebody wrote anew without
signatures. A reference noted elsewhere, and the public keys of those who may decide, show that, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from idbits.errors import InputError
from idbits.studies.decide.decision_file import DecisionLines
from idbits.studies.decide.evidence import data_state, file_state
from idbits.studies.decide.result import (
    CheckedRecord,
    DecisionProblem,
    DecisionRecord,
    FileState,
    SignatureState,
)

__all__ = ["check_lines", "checked_signature", "parse_reference"]


def parse_reference(text: str) -> tuple[int, str]:
    """Return number and hash of a record that was noted elsewhere."""
    if re.fullmatch(r"[0-9]{1,9}:[0-9a-f]{64}", text) is None:
        raise InputError("--noted must be NUMBER:HASH, as idbits decide prints it")
    number, _, noted_hash = text.partition(":")
    return int(number), noted_hash


def check_lines(
    lines: DecisionLines,
    folder: Path,
    *,
    public_keys: Collection[str] = (),
    noted: Sequence[tuple[int, str]] = (),
    with_data: bool = True,
) -> tuple[tuple[CheckedRecord, ...], tuple[DecisionProblem, ...]]:
    """Return all records with the state of their signatures and files, and everything that is wrong.

    Without ``with_data`` the measured tables are not read again.
    """
    problems = list(lines.problems)
    checked = []
    for number, record in lines.records:
        each = _checked_record(record, folder, with_data=with_data)
        problems += _problems_of(each, number, public_keys)
        checked.append(each)
    hashes = {record.sequence: record.hash for _, record in lines.records}
    for number, noted_hash in noted:
        if hashes.get(number) != noted_hash:
            what = "is not the one that was noted" if number in hashes else "was noted, and is no longer there"
            problems.append(DecisionProblem(None, f"record {number} {what}"))
    if not lines.records and not problems:
        problems.append(DecisionProblem(None, "the file has no records"))
    return tuple(checked), tuple(problems)


def _problems_of(each: CheckedRecord, number: int, public_keys: Collection[str]) -> list[DecisionProblem]:
    problems = []
    if each.signature is SignatureState.WRONG:
        problems.append(DecisionProblem(number, "has a wrong signature"))
    elif public_keys and each.record.public_key not in public_keys:
        signed = "is not signed" if each.record.public_key is None else "is signed with another key"
        problems.append(DecisionProblem(number, signed))
    for kind, state in each.files.items():
        if state is FileState.CHANGED:
            verb = "have" if kind == "data" else "has"
            problems.append(DecisionProblem(number, f"the {kind} {verb} changed since the decision"))
    return problems


def _checked_record(record: DecisionRecord, folder: Path, *, with_data: bool) -> CheckedRecord:
    data = record.data
    states = {"report": file_state(record.report, folder)}
    if with_data:
        states["data"] = data_state(data.source, data.sha256, [folder, Path.cwd()])[0]
    named = {"plan": record.plan, "receipt": record.receipt}
    states |= {kind: file_state(file, folder) for kind, file in named.items() if file is not None}
    return CheckedRecord(record, checked_signature(record), states)


def checked_signature(record: DecisionRecord) -> SignatureState:
    """Return what checking the signature of a record shows."""
    if record.public_key is None or record.signature is None:
        return SignatureState.NONE
    try:
        from idbits.signing import DECISION, verifies
    except ImportError:
        return SignatureState.NOT_CHECKED
    is_valid = verifies(record.public_key, record.signed_text, record.signature, DECISION)
    return SignatureState.VALID if is_valid else SignatureState.WRONG
