"""Entries, the signed statements in a repository: read them after verification, and retract them.

Implements: SPEC section 6; S2 7.1.3 (QID, population and KL distance, in a shared vocabulary).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from idbits.canonical import canonical, digest, parse_canonical
from idbits.errors import EntryNotFoundError, InputError, NotAllowedError, RepositoryError
from idbits.repository.audit_log import insert_logged
from idbits.repository.conditions import make_condition
from idbits.repository.database import timestamp
from idbits.repository.schema import accounts, audit, entries, retractions
from idbits.repository.statements import (
    Cell,
    Statement,
    population_text,
    read_statement,
)
from idbits.signing import verifies

__all__ = [
    "IMPORTED", "STATUSES", "Entry", "EntryKeys", "Listing", "Receipt", "changed_error", "find_by_lines",
    "find_entries", "find_entry", "find_newest", "parse_signed", "population_key", "qid_key",
    "reference", "retract",
]  # fmt: skip

STATUSES = ("current", "superseded", "retracted")
IMPORTED = "import from "
"""The beginning of the action, in the audit log, of an entry that was published elsewhere; then follows the source."""

# Only the last few long texts are cached: distributions of thousands of cells would fill the memory.
_LONG_TEXT, _SHORT_REMEMBERED, _LONG_REMEMBERED = 8192, 4096, 8


@dataclass(frozen=True, slots=True)
class Receipt:
    """A publisher's proof of publication: the entry's line in the audit log, and the hash of that line."""

    ref: str
    sequence: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A published entry whose signature has been verified.

    Attributes:
        ref: the entry's reference: the first 16 hexadecimal digits of the SHA-256 of the signed text.
        statement: the statement that the publisher signed. Do not show the figures of a retracted entry.
        publisher: the account that published it.
        published_at: the time of publication, UTC, ISO 8601.
        status: ``"current"``, ``"superseded"`` or ``"retracted"``.
        superseded_by: the reference of the entry that replaces it.
        reason: why it was retracted.
        signature: the Ed25519 signature of the canonical statement, base64.
        public_key: the public key that verifies the signature, base64.
        sequence: the entry's line in the audit log.
        imported_from: the repository or file that the entry was imported from; None if it was published here.
    """

    ref: str
    statement: Statement
    publisher: str
    published_at: str
    status: str = "current"
    superseded_by: str | None = None
    reason: str | None = None
    signature: str = ""
    public_key: str = ""
    sequence: int = 0
    imported_from: str | None = None

    @property
    def is_retracted(self) -> bool:
        """Whether the entry was retracted, so that its figures must not be shown."""
        return self.status == "retracted"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The published cells; empty without a distribution."""
        return self.statement.distribution.cells if self.statement.distribution is not None else ()

    @property
    def is_whole(self) -> bool:
        """Whether the complete distribution is published, with no value left out."""
        published = self.statement.distribution
        return published is not None and not published.rest_people

    def drawn_from(self) -> dict[str, Any]:
        """Return keyword arguments for ``idbits.predict.uniqueness`` and the other predictions.

        They give the distribution if it is complete, or kappa otherwise.
        """
        statement = self.statement
        if self.is_retracted:
            raise RepositoryError(f"entry {self.ref} was retracted")
        where = population_text(statement.population)
        label = f"{', '.join(statement.qid)} in {where} (entry {self.ref} of {statement.holder}, {statement.date})"
        if self.is_whole:
            shares = [cell.people / statement.n_people for cell in self.cells]
            return {"probabilities": shares, "values": statement.n_values, "label": label}
        return {"values": statement.n_values, "kappa": statement.kappa_nats, "label": label}

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain data, without figures if it is retracted."""
        statement = self.statement.to_dict()
        data: dict[str, object] = {
            "ref": self.ref,
            "status": self.status,
            "publisher": self.publisher,
            "published_at": self.published_at,
            "superseded_by": self.superseded_by,
            "reason": self.reason,
            "sequence": self.sequence,
            "public_key": self.public_key,
            "imported_from": self.imported_from,
        }
        if self.is_retracted:
            kept = ("qid", "population", "holder", "date", "supersedes")
            return {**data, "signature": None, "statement": {key: statement[key] for key in kept}}
        return {**data, "signature": self.signature, "k_hat": self.statement.k_hat, "statement": statement}


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries that match a search.

    Attributes:
        entries: the entries whose signatures verify, newest first.
        unverified: the references of entries that were changed after signing and are not shown.
    """

    entries: tuple[Entry, ...]
    unverified: tuple[str, ...] = ()


def reference(statement: str) -> str:
    """Return the reference of an entry, computed from the signed text."""
    return digest(statement)[:16]


def qid_key(qid: Iterable[str]) -> str:
    """Return a text that is the same for equal quasi-identifiers."""
    return canonical(sorted(qid))


def population_key(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a text that is the same for equal populations."""
    return canonical(sorted(make_condition(name, value) for name, value in pairs))


class EntryKeys(NamedTuple):
    """The columns of an entry that are computed from the signed text."""

    ref: str
    qid: str
    population: str
    supersedes: str | None
    holder: str


def _parse_uncached(text: str) -> tuple[Statement, EntryKeys]:
    statement = read_statement(parse_canonical(text))
    qid, population = qid_key(statement.qid), population_key(statement.population)
    return statement, EntryKeys(reference(text), qid, population, statement.supersedes, statement.holder)


_parse_short = lru_cache(maxsize=_SHORT_REMEMBERED)(_parse_uncached)
_parse_long = lru_cache(maxsize=_LONG_REMEMBERED)(_parse_uncached)


def parse_signed(text: str) -> tuple[Statement, EntryKeys]:
    """Return the statement in a canonical text and the columns computed from it.

    Results are cached, so that a text parsed on publication is not parsed again on reading.
    """
    return (_parse_short if len(text) <= _LONG_TEXT else _parse_long)(text)


def retract(connection: sa.Connection, ref: str, reason: str, *, by: str, holder: str | None) -> None:
    """Retract an entry: it stays in the log, but its figures are no longer shown.

    Args:
        connection: a writing connection.
        ref: the reference of the entry.
        reason: why it is retracted, one line.
        by: the name of the account that retracts it.
        holder: the data holder whose entries the account may retract; None for any holder.
    """
    entry = find_entry(connection, ref)
    if holder is not None and entry.statement.holder != holder:
        raise NotAllowedError("only the entry's data holder or an admin can retract it")
    if not 1 <= len(reason) <= 500 or not reason.isprintable():
        raise InputError("the reason must be one line of 1 to 500 characters")
    if entry.is_retracted:
        raise InputError("this entry is already retracted")
    row = {"ref": ref, "reason": reason, "by": by, "at": timestamp()}
    insert_logged(connection, retractions, row, actor=by, action="retract", subject=f"retraction:{ref}")


# The columns of the query below, accessed by name.
_Row = sa.Row[tuple[object, ...]]


def _query() -> sa.Select[tuple[object, ...]]:
    newer = entries.alias("newer")
    same = {"supersedes": entries.c.ref} | {name: entries.c[name] for name in ("holder", "qid", "population")}
    joined = (
        entries.outerjoin(retractions, entries.c.ref == retractions.c.ref)
        # An imported entry can name one of another holder that was not here to compare it with; that has no effect.
        .outerjoin(newer, sa.and_(*(newer.c[name] == column for name, column in same.items())))
        .outerjoin(accounts, accounts.c.name == entries.c.publisher)
        .outerjoin(audit, audit.c.sequence == entries.c.sequence)
    )
    return sa.select(
        *entries.c,
        retractions.c.reason.label("reason"),
        newer.c.ref.label("superseded_by"),
        accounts.c.public_key.label("publisher_key"),
        accounts.c.stands_for.label("publisher_holder"),
        audit.c.action.label("action"),
    ).select_from(joined)


def _entry(row: _Row) -> Entry | None:
    """Return a row as an entry; None if it differs from what its publisher signed with the account's key."""
    if not verifies(row.public_key, row.statement, row.signature):
        return None
    try:
        statement, keys = parse_signed(row.statement)
    except InputError:
        return None
    if keys != (row.ref, row.qid, row.population, row.supersedes, row.holder):
        return None
    if (row.publisher_key, row.publisher_holder) != (row.public_key, row.holder):
        return None
    status = "retracted" if row.reason is not None else "superseded" if row.superseded_by is not None else "current"
    return Entry(
        ref=row.ref,
        statement=statement,
        publisher=row.publisher,
        published_at=row.published_at,
        status=status,
        superseded_by=row.superseded_by,
        reason=row.reason,
        signature=row.signature,
        public_key=row.public_key,
        sequence=row.sequence,
        imported_from=row.action.removeprefix(IMPORTED) if str(row.action).startswith(IMPORTED) else None,
    )


def find_entry(connection: sa.Connection, ref: str) -> Entry:
    """Return the entry with a reference."""
    row = connection.execute(_query().where(entries.c.ref == ref)).first()
    if row is None:
        raise EntryNotFoundError("no entry has this reference")
    entry = _entry(row)
    if entry is None:
        raise RepositoryError(f"entry {row.ref} differs from what its publisher signed; it is not shown")
    return entry


def find_by_lines(connection: sa.Connection, first: int, last: int) -> list[Entry]:
    """Return the entries whose lines in the log are in a range, oldest first; changed ones are left out."""
    query = _query().where(entries.c.sequence.between(first, last)).order_by(entries.c.sequence)
    return [entry for entry in map(_entry, connection.execute(query)) if entry is not None]


def changed_error(ref: str) -> RepositoryError:
    """Return the error for an entry that the rules need and that differs from what its publisher signed."""
    return RepositoryError(
        f"entry {ref} was changed after signing, so nothing can be published that is compared with it; "
        "run idbits repository verify"
    )


def find_entries(
    connection: sa.Connection,
    *,
    qids: Sequence[str] | None = None,
    populations: Sequence[str] | None = None,
    holder: str | None = None,
    day: str | None = None,
    text: str | None = None,
    status: Sequence[str] = ("current",),
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Return the matching entries, newest first."""
    query = _query()
    if qids is not None:
        query = query.where(entries.c.qid.in_(qids))
    if populations is not None:
        query = query.where(entries.c.population.in_(populations))
    if holder is not None:
        query = query.where(entries.c.holder == holder)
    if day is not None:
        # In canonical JSON, quotes within a text are escaped, so this can only be the key.
        query = query.where(entries.c.statement.contains(f'"date":"{day}"', autoescape=True))
    for word in (text or "").split():
        columns = (entries.c.qid, entries.c.population, entries.c.holder)
        query = query.where(sa.or_(*(column.icontains(word, autoescape=True) for column in columns)))
    query = query.where(sa.or_(*(_has_status(name) for name in status)))
    rows = connection.execute(query.order_by(entries.c.sequence.desc()).limit(limit).offset(offset)).all()
    read = [(row.ref, _entry(row)) for row in rows]
    return Listing(
        tuple(entry for _, entry in read if entry is not None), tuple(ref for ref, entry in read if entry is None)
    )


def find_newest(connection: sa.Connection, lines: Sequence[int], limit: int) -> list[Entry]:
    """Return the first current entries among some line numbers of the log, in the order of the line numbers."""
    found: list[_Row] = []
    for start in range(0, len(lines), limit):
        query = _query().where(entries.c.sequence.in_(lines[start : start + limit]), _has_status("current"))
        found += connection.execute(query.order_by(entries.c.sequence.desc())).all()
        if len(found) >= limit:
            break
    return [entry for entry in map(_entry, found[:limit]) if entry is not None]


def _has_status(name: str) -> sa.ColumnElement[bool]:
    superseded = sa.literal_column("newer.ref").is_not(None)
    retracted = retractions.c.ref.is_not(None)
    return {"current": ~superseded & ~retracted, "superseded": superseded & ~retracted, "retracted": retracted}[name]
