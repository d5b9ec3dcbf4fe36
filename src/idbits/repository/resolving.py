"""Decisions on conflicts with other repositories: keep ours, or take theirs if nothing forbids it."""

from __future__ import annotations

from idbits.errors import EntryNotFoundError, InputError, NotAllowedError
from idbits.repository import acceptance, accounts
from idbits.repository.conflicts import (
    OURS,
    THEIRS,
    Conflict,
    ConflictKind,
    check_reason,
    find_conflict,
    held_entry,
    record_resolution,
)
from idbits.repository.entries import parse_signed, retract
from idbits.repository.foreign_retractions import ask_about_retraction
from idbits.repository.intake import Intake
from idbits.repository.statements import concept_names, missing_concepts

__all__ = ["resolve_conflict"]


def resolve_conflict(intake: Intake, ref: str, keep: str, reason: str, *, by: str) -> Conflict:
    """Decide an open conflict.

    Args:
        intake: a writing connection.
        ref: the reference of the entry.
        keep: ``"ours"``: an entry that is held back stays out, and ours stays as it is. ``"theirs"``: our entry is
            retracted as theirs was, or their entry is added if the rules allow it now.
        reason: why, one line.
        by: the account that decides.
    """
    if keep not in (OURS, THEIRS):
        raise InputError('keep must be "ours" or "theirs"')
    check_reason(reason)
    conflict = find_conflict(intake.connection, ref)
    if conflict is None:
        raise EntryNotFoundError("there is no conflict about an entry with this reference")
    if not conflict.is_open:
        raise InputError("this conflict is already decided")
    if keep == THEIRS:
        _take_theirs(intake, conflict, reason, by=by)
    decided = record_resolution(intake.connection, conflict, keep, reason, by=by)
    if keep == THEIRS and conflict.kind != ConflictKind.RETRACTED:
        ask_about_retraction(intake.connection, ref, by=by)
    return decided


def _take_theirs(intake: Intake, conflict: Conflict, reason: str, *, by: str) -> None:
    if conflict.kind == ConflictKind.RETRACTED:
        retract(intake.connection, conflict.ref, reason, by=by, holder=None)
        return
    if conflict.kind == ConflictKind.VOCABULARY:
        raise InputError(
            "a name never changes its meaning, so this entry cannot be added; its data holder can publish it with "
            "another name"
        )
    text, signature, public_key = held_entry(intake.connection, conflict.ref)
    statement, _ = parse_signed(text)
    adding = missing_concepts(statement, intake.vocabulary())
    words = intake.vocabulary().with_concepts(adding)
    unknown = [name for name in concept_names(conflict.qid, conflict.population) if words.concept(name) is None]
    if unknown:
        raise InputError(
            f'"{unknown[0]}" is not in the vocabulary here; add it with idbits repository vocabulary --add, and decide '
            "again"
        )
    account = accounts.find_by_public_key(intake.connection, public_key)
    if account is None:
        raise NotAllowedError("the publisher of this entry is not trusted here any more")
    try:
        intake.take_over(text, signature, account, source=conflict.source, by=by, adding=adding)
    except acceptance.AlreadyReplacedError as error:
        raise InputError(
            f"entry {error.ref} here already supersedes the same entry; only the data holder can decide which is "
            f"right, by superseding {error.ref} and retracting the other"
        ) from error
