"""Entries of other repositories are added here, with their signatures, or held back, or refused.

Only entries of publishers that an admin added here, with their keys, are added. The rules of small groups apply to all
entries together, so an entry that may be published there may be held back here. Nothing is decided silently: whatever
is not added is in the summary.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from idbits.errors import InputError, NotAllowedError, RefusedError, RepositoryError
from idbits.repository import acceptance, accounts
from idbits.repository.audit_log import read_record, write_record
from idbits.repository.conflicts import (
    Conflict,
    ConflictKind,
    end_conflict,
    find_conflict,
    record_conflict,
    withdraw_conflict,
)
from idbits.repository.entries import find_entry, parse_signed
from idbits.repository.foreign_entries import ForeignEntry
from idbits.repository.foreign_retractions import ask_about_retraction, remember_retraction
from idbits.repository.intake import Intake
from idbits.repository.other_figures import OtherFiguresError
from idbits.repository.schema import entries, records
from idbits.repository.statements import Statement, concept_names, missing_concepts
from idbits.repository.vocabulary import Concept, Vocabulary, name_key

__all__ = ["EntryOrigin", "ImportSummary", "Importer", "Refusal", "UntrustedKey", "check_source", "find_origin"]

_IMPORT = "import"
_MOST_REFUSALS = 1000
_MOST_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that was not imported: where it is, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class UntrustedKey:
    """A key of another repository that no publisher has here, and the number of entries that were left out."""

    public_key: str
    holder: str
    entries: int


@dataclass(slots=True, kw_only=True)
class ImportSummary:
    """What became of the entries of another repository.

    Attributes:
        source: the repository or file.
        dry_run: whether nothing was changed.
        added: the references of the added entries.
        already_there: the number of entries that were here before.
        conflicts: new conflicts, which need a decision.
        held_before: the number of entries about which there was a conflict before.
        refused: what is not valid, and why; at most the first 1,000.
        refused_number: the number of all refusals.
        untrusted: the keys that no publisher has here.
        left_out: the references of entries with such keys, in the last batch only.
        taken: the number of entries of the last batch that were read; others must wait for the next transaction.
        withheld: the number of entries that are retracted there and were never here.
        withdrawn: the number of open conflicts that ended because the entry was retracted there.
        concepts: the names that were added to the vocabulary.
    """

    source: str
    dry_run: bool = False
    added: list[str] = field(default_factory=list)
    already_there: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    held_before: int = 0
    refused: list[Refusal] = field(default_factory=list)
    refused_number: int = 0
    untrusted: dict[str, UntrustedKey] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    taken: int = 0
    withheld: int = 0
    withdrawn: int = 0
    concepts: list[str] = field(default_factory=list)

    @property
    def needs_attention(self) -> bool:
        """Whether something was refused or needs a decision."""
        return bool(self.conflicts or self.refused_number)

    def refuse(self, where: str, why: str) -> None:
        """Note something that is not valid."""
        self.refused_number += 1
        if len(self.refused) < _MOST_REFUSALS:
            self.refused.append(Refusal(where, why))

    def leave_out(self, public_key: str, holder: str, number: int = 1) -> None:
        """Note entries whose key no publisher has here."""
        known = self.untrusted.get(public_key)
        number += known.entries if known is not None else 0
        self.untrusted[public_key] = UntrustedKey(public_key, known.holder if known is not None else holder, number)

    def include(self, other: ImportSummary) -> None:
        """Add the outcome of more entries."""
        for name in ("added", "conflicts", "concepts"):
            getattr(self, name).extend(getattr(other, name))
        for name in ("already_there", "held_before", "withheld", "withdrawn", "refused_number"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refused.extend(other.refused[: _MOST_REFUSALS - len(self.refused)])
        for key in other.untrusted.values():
            self.leave_out(key.public_key, key.holder, key.entries)


class Importer:
    """Adds entries of one other repository.

    Args:
        source: the name of the other repository or file, in the audit log.
        by: the account that imports.
        concepts: the vocabulary of the other repository.
    """

    def __init__(self, source: str, *, by: str, concepts: Iterable[Concept] = ()) -> None:
        check_source(source)
        self.source = source
        self._by = by
        self._theirs = {name_key(concept.name): concept for concept in concepts}
        self._known_there: set[str] = set()

    def take(self, batch: Sequence[ForeignEntry], intake: Intake) -> ImportSummary:
        """Add entries in their order, and record where they come from.

        It stops after some seconds: meanwhile nobody else can publish. ``taken`` says where to go on.
        """
        summary, began = ImportSummary(source=self.source), time.monotonic()
        for entry in batch:
            if summary.taken and time.monotonic() - began > _MOST_SECONDS:
                break
            summary.taken += 1
            if entry.retraction is not None:
                self.retracted_there(entry.ref, entry.retraction, intake, summary)
            else:
                self._take_one(entry, intake, summary)
        added = set(summary.added)
        origins = [
            {"ref": entry.ref, "publisher": entry.publisher, "published_at": entry.published_at}
            for entry in batch
            if entry.ref in added
        ]
        if origins:
            body = {"source": self.source, "entries": origins}
            write_record(intake.connection, _IMPORT, self.source, body, by=self._by)
        return summary

    def _take_one(self, entry: ForeignEntry, intake: Intake, summary: ImportSummary) -> None:
        connection = intake.connection
        if self._is_known(entry, connection, summary):
            return
        try:
            statement, _ = parse_signed(entry.text)
            account = accounts.find_by_public_key(connection, entry.public_key)
            if account is None or not accounts.may(account.role, "publisher"):
                summary.leave_out(entry.public_key, statement.holder)
                summary.left_out.add(entry.ref)
                return
            # Before anything else: an entry with a wrong signature must not even be held back.
            acceptance.check_author(entry.text, entry.signature, account, statement)
            conflict = self._vocabulary_conflict(statement, intake.vocabulary())
            if conflict is not None:
                self._hold(entry, intake, summary, *conflict)
                return
            missing = missing_concepts(statement, intake.vocabulary())
            signed = entry.text, entry.signature, account
            receipt = intake.take_over(
                *signed, source=self.source, by=self._by, adding=missing, known_there=self._known_there
            )
        except RefusedError as error:
            self._hold(entry, intake, summary, ConflictKind.RULE, str(error), rule=error.rule)
        except (acceptance.AlreadyReplacedError, OtherFiguresError) as error:
            self._hold(entry, intake, summary, *_disagreement(error), ours=error.ref)
        except (InputError, NotAllowedError) as error:
            summary.refuse(entry.ref, str(error))
        else:
            assert receipt is not None
            summary.added.append(receipt.ref)
            summary.concepts.extend(concept.name for concept in missing)
            if find_conflict(connection, entry.ref) is not None:
                end_conflict(connection, entry.ref, by=self._by)
            if ask_about_retraction(connection, entry.ref, by=self._by):
                self._note_conflict(entry.ref, intake, summary)

    def _is_known(self, entry: ForeignEntry, connection: sa.Connection, summary: ImportSummary) -> bool:
        """Return whether an entry is here, or held back, and note it."""
        known = connection.execute(sa.select(entries.c.statement).where(entries.c.ref == entry.ref)).scalar()
        held = find_conflict(connection, entry.ref) if known is None else None
        if known is not None and known != entry.text:
            summary.refuse(entry.ref, "another entry already has this reference")
        elif known is not None:
            summary.already_there += 1
            self._known_there.add(entry.ref)
        elif held is not None and not self._may_be_wrong(held):
            summary.held_before += 1
        else:
            return False
        return True

    def _may_be_wrong(self, held: Conflict) -> bool:
        """Return whether an entry may be added now.

        Its name was added here, an unsigned vocabulary was wrong, or ours with other figures was retracted.
        """
        by_vocabulary = held.kind == ConflictKind.VOCABULARY and held.source != self.source
        return held.is_open and (by_vocabulary or held.kind in (ConflictKind.UNSIGNED, ConflictKind.DIFFERS))

    def _hold(
        self,
        entry: ForeignEntry,
        intake: Intake,
        summary: ImportSummary,
        kind: str,
        why: str,
        *,
        rule: str | None = None,
        ours: str | None = None,
    ) -> None:
        connection, source = intake.connection, self.source
        if record_conflict(connection, entry, kind, why, source=source, by=self._by, rule=rule, ours=ours):
            self._note_conflict(entry.ref, intake, summary)
        else:
            summary.held_before += 1

    def retracted_there(self, ref: str, reason: str, intake: Intake, summary: ImportSummary) -> None:
        """Note that the other repository has retracted an entry; if we have it, an admin must decide."""
        connection = intake.connection
        if connection.execute(sa.select(entries.c.ref).where(entries.c.ref == ref)).scalar() is None:
            if withdraw_conflict(connection, ref, source=self.source, by=self._by):
                summary.withdrawn += 1
            else:
                summary.withheld += 1
                remember_retraction(connection, ref, reason, source=self.source, by=self._by)
            return
        try:
            ours = find_entry(connection, ref)
        except RepositoryError as error:
            summary.refuse(ref, str(error))
            return
        if ours.is_retracted:
            summary.already_there += 1
            return
        why = f"it was retracted there: {reason}"
        if record_conflict(connection, ours, ConflictKind.RETRACTED, why, source=self.source, by=self._by, ours=ref):
            self._note_conflict(ref, intake, summary)
        else:
            summary.held_before += 1

    @staticmethod
    def _note_conflict(ref: str, intake: Intake, summary: ImportSummary) -> None:
        conflict = find_conflict(intake.connection, ref)
        assert conflict is not None
        summary.conflicts.append(conflict)

    def _vocabulary_conflict(self, statement: Statement, vocabulary: Vocabulary) -> tuple[str, str] | None:
        """Return the kind of a conflict about the names in a statement, and why it is one; None if there is none."""
        signed = dict(statement.kinds)
        for name in concept_names(statement.qid, statement.population):
            ours, theirs, kind = vocabulary.concept(name), self._theirs.get(name_key(name)), signed.get(name)
            if ours is not None:
                meaning = (name, kind) if kind is not None else (theirs.name, theirs.kind) if theirs else None
                if meaning is not None and (ours.name, ours.kind) != meaning:
                    return ConflictKind.VOCABULARY, f'"{name}" has another meaning in the vocabulary here'
            elif kind is None and theirs is None:
                raise InputError("it uses an attribute that is in neither vocabulary")
            elif kind is None and theirs is not None:
                return ConflictKind.UNSIGNED, (
                    f'"{name}" is not in the vocabulary here, and nobody signed what kind of values it has; the other '
                    f"repository says {theirs.kind}"
                )
        return None


def _disagreement(error: acceptance.AlreadyReplacedError | OtherFiguresError) -> tuple[str, str]:
    """Return the kind of a conflict with an entry of the same holder here, and why it is one."""
    if isinstance(error, OtherFiguresError):
        return ConflictKind.DIFFERS, str(error)
    return ConflictKind.REPLACED, f"entry {error.ref} here already supersedes the same entry"


@dataclass(frozen=True, slots=True)
class EntryOrigin:
    """Where an imported entry was published: the account and the time there, as its repository states them."""

    source: str
    publisher: str
    published_at: str


def find_origin(connection: sa.Connection, ref: str, sequence: int) -> EntryOrigin | None:
    """Return the origin of an imported entry with a line number; None for one that was published here."""
    query = sa.select(sa.func.min(records.c.sequence)).where(records.c.kind == _IMPORT, records.c.sequence > sequence)
    line = connection.execute(query).scalar()
    record = read_record(connection, line) if line is not None else None
    for origin in record["entries"] if record is not None else ():
        if record is not None and origin["ref"] == ref:
            return EntryOrigin(record["source"], origin["publisher"], origin["published_at"])
    return None


def check_source(source: str) -> None:
    """Refuse a name of a source that is not one line of text."""
    if not 1 <= len(source) <= 300 or not source.isprintable() or source != source.strip():
        raise InputError("the name of the source must be one line of 1 to 300 characters")
