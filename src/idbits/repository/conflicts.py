"""Conflicts between this repository and others: entries that are held back until an admin decides.

A conflict and the decision on it are records, so the audit log covers both. The figures of an entry that is held back
are not shown: together with the entries here, they may reveal a small group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from idbits.errors import EntryNotFoundError, InputError, RepositoryError
from idbits.repository.audit_log import latest_record, read_records, write_record
from idbits.repository.entries import Entry, parse_signed
from idbits.repository.foreign_entries import ForeignEntry
from idbits.studies.shared.restoring import rebuilt

__all__ = [
    "OURS", "THEIRS", "Conflict", "ConflictKind", "check_reason", "conflict_from", "end_conflict", "find_conflict",
    "find_conflicts", "held_entry", "record_conflict", "record_resolution", "settle_conflict", "withdraw_conflict",
]  # fmt: skip

OURS, THEIRS = "ours", "theirs"
_CONFLICT, _RESOLUTION = "conflict", "conflict resolution"


class ConflictKind:
    """Why an entry of another repository is held back, or why a decision is needed on one of ours."""

    RULE = "rule"
    REPLACED = "replaced"
    VOCABULARY = "vocabulary"
    UNSIGNED = "unsigned"
    DIFFERS = "differs"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """An entry that this repository and another one disagree about.

    Attributes:
        ref: the reference of the entry.
        kind: ``"rule"``: together with the entries here, it breaks a rule of small groups; ``"replaced"``: it
            supersedes an entry that another one here supersedes; ``"vocabulary"``: it uses a name that means something
            else here; ``"unsigned"``: it uses a name that is not in the vocabulary here, and its publisher did not sign
            what kind of values that has; ``"differs"``: its holder published other figures here, of the same people on
            the same day; ``"retracted"``: it is retracted there, and not here.
        rule: the rule that refuses it, for the kind ``"rule"``.
        why: the disagreement in one sentence.
        source: the repository or file that the entry came from.
        ours: the reference of the entry here that it disagrees with, if there is one.
        holder, qid, population, date: what the entry is about.
        seen_at: the time when the conflict was found, UTC.
        kept: ``"ours"`` or ``"theirs"``, if it was decided; None for an open conflict.
        reason, decided_by, decided_at: why, by whom and when it was decided.
    """

    ref: str
    kind: str
    rule: str | None
    why: str
    source: str
    ours: str | None
    holder: str
    qid: tuple[str, ...]
    population: tuple[tuple[str, str], ...]
    date: str
    seen_at: str
    kept: str | None = None
    reason: str | None = None
    decided_by: str | None = None
    decided_at: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether it still needs a decision."""
        return self.kept is None

    def to_dict(self) -> dict[str, Any]:
        """Return the conflict as plain data, without figures."""
        names = ("ref", "kind", "rule", "why", "source", "ours", "holder", "date", "seen_at", "kept", "reason",
                 "decided_by", "decided_at")  # fmt: skip
        data: dict[str, Any] = {name: getattr(self, name) for name in names}
        return data | {"qid": list(self.qid), "population": dict(self.population)}


def record_conflict(
    connection: sa.Connection,
    about: ForeignEntry | Entry,
    kind: str,
    why: str,
    *,
    source: str,
    by: str,
    rule: str | None = None,
    ours: str | None = None,
) -> bool:
    """Record a conflict, and keep an entry that is held back; return False if the same conflict is known already."""
    known = find_conflict(connection, about.ref)
    if known is not None and known.kind == kind:
        return False
    held: dict[str, object] = {}
    if isinstance(about, ForeignEntry):
        statement, _ = parse_signed(about.text)
        held = {"statement": about.text, "signature": about.signature, "public_key": about.public_key}
    else:
        statement = about.statement
    body = {
        "ref": about.ref, "kind": kind, "rule": rule, "why": why, "source": source, "ours": ours,
        "holder": statement.holder, "qid": list(statement.qid), "population": dict(statement.population),
        "date": statement.date, **held,
    }  # fmt: skip
    write_record(connection, _CONFLICT, about.ref, body, by=by)
    return True


def withdraw_conflict(connection: sa.Connection, ref: str, *, source: str, by: str) -> bool:
    """Remove the open conflict about an entry that is held back, because its repository has retracted the entry.

    Retractions are not signed, so that of another server ends nothing. Files are imported by hand, under any name.
    """
    known = find_conflict(connection, ref)
    if known is None or not known.is_open or known.kind == ConflictKind.RETRACTED:
        return False
    if known.source != source and any("://" in each for each in (known.source, source)):
        return False
    end_conflict(connection, ref, by=by)
    return True


def settle_conflict(connection: sa.Connection, ref: str, *, by: str, is_retracted: bool) -> None:
    """End the open conflict about an entry that was published or retracted here meanwhile, as there it was."""
    known = find_conflict(connection, ref)
    if known is not None and known.is_open and (known.kind == ConflictKind.RETRACTED) == is_retracted:
        end_conflict(connection, ref, by=by)


def end_conflict(connection: sa.Connection, ref: str, *, by: str) -> None:
    """Remove the conflict about an entry, about which there is nothing left to decide."""
    write_record(connection, _CONFLICT, ref, None, by=by)


def record_resolution(connection: sa.Connection, conflict: Conflict, keep: str, reason: str, *, by: str) -> Conflict:
    """Record the decision on an open conflict."""
    body = {"ref": conflict.ref, "kind": conflict.kind, "kept": keep, "reason": reason}
    write_record(connection, _RESOLUTION, conflict.ref, body, by=by)
    decided = find_conflict(connection, conflict.ref)
    assert decided is not None
    return decided


def find_conflicts(connection: sa.Connection, *, decided: bool = False) -> list[Conflict]:
    """Return the open conflicts, oldest first; ``decided`` includes those that were decided."""
    resolutions = {str(record["ref"]): record for record in read_records(connection, _RESOLUTION)}
    found = [_conflict(record, resolutions.get(str(record["ref"]))) for record in read_records(connection, _CONFLICT)]
    return [conflict for conflict in found if decided or conflict.is_open]


def find_conflict(connection: sa.Connection, ref: str) -> Conflict | None:
    """Return the conflict about an entry; None if there is none."""
    record = latest_record(connection, _CONFLICT, ref)
    return _conflict(record, latest_record(connection, _RESOLUTION, ref)) if record is not None else None


def held_entry(connection: sa.Connection, ref: str) -> tuple[str, str, str]:
    """Return the text, the signature and the public key of an entry that is held back."""
    record = latest_record(connection, _CONFLICT, ref)
    if record is None or "statement" not in record:
        raise EntryNotFoundError("no entry with this reference is held back")
    return str(record["statement"]), str(record["signature"]), str(record["public_key"])


def _conflict(record: Mapping[str, Any], resolution: Mapping[str, Any] | None) -> Conflict:
    names = ("ref", "kind", "rule", "why", "source", "ours", "holder", "date")
    conflict = Conflict(
        **{name: record[name] for name in names},
        qid=tuple(record["qid"]),
        population=tuple(record["population"].items()),
        seen_at=record["recorded_at"],
    )
    # A conflict that was found later than a decision on the same entry is another one, and still open.
    if resolution is None or resolution["sequence"] < record["sequence"]:
        return conflict
    return replace(
        conflict,
        kept=resolution["kept"],
        reason=resolution["reason"],
        decided_by=resolution["recorded_by"],
        decided_at=resolution["recorded_at"],
    )


def conflict_from(data: object) -> Conflict:
    """Return a conflict from plain data that another program sent."""
    try:
        texts = dict(data)  # type: ignore[call-overload]
        return rebuilt(Conflict, texts | {"population": list(texts["population"].items())})
    except (TypeError, ValueError, KeyError, AttributeError):
        raise RepositoryError("the repository sent data that is not a conflict") from None


def check_reason(reason: str) -> None:
    """Refuse a reason that is not one line of text."""
    if not 1 <= len(reason) <= 500 or not reason.isprintable() or reason != reason.strip():
        raise InputError("the reason must be one line of 1 to 500 characters")
