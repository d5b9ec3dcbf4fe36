"""Entries in the database: publishing, retracting, reading. Whatever is read is verified first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from idbits.errors import EntryNotFoundError, InputError, NotAllowedError, RefusedError, RepositoryError
from idbits.repository import audit
from idbits.repository.accounts import Account
from idbits.repository.canonical import canonical, digest, parse_canonical
from idbits.repository.conditions import condition
from idbits.repository.migrations import now
from idbits.repository.model import Entry, Receipt, Statement
from idbits.repository.schema import accounts, entries, retractions
from idbits.repository.signing import verifies
from idbits.repository.small_groups import Published, Rule
from idbits.repository.solving import gives_sizes_away
from idbits.repository.statements import check_statement, counts_of, read_statement
from idbits.repository.vocabulary import Vocabulary

__all__ = [
    "STATUSES",
    "Listing",
    "entries_after",
    "find_entries",
    "find_entry",
    "population_key",
    "publish",
    "qid_key",
    "reference",
    "retract",
]

STATUSES = ("current", "superseded", "retracted")
# Distributions of thousands of cells would fill the memory.
_MOST_REMEMBERED = 8192
_SENTENCES = {
    Rule.FLOOR: "the population has fewer people than this repository's floor",
    Rule.CELL: "the distribution has cells of too few people, or the entropy gives their sizes away",
    Rule.DIFFERENCE: "the difference to published entries isolates too few people",
    Rule.REMAINDER: "together with published entries it leaves too few people over",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries that were found.

    Attributes:
        entries: those whose signature verifies, newest first.
        unverified: references of those that have been changed since they were signed; they are not shown.
    """

    entries: tuple[Entry, ...]
    unverified: tuple[str, ...] = ()


def reference(statement: str) -> str:
    """Return the reference of an entry: it follows from what was signed."""
    return digest(statement)[:16]


def qid_key(qid: Iterable[str]) -> str:
    """Return the text that equal quasi-identifiers share."""
    return canonical(sorted(qid))


def population_key(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the text that equal populations share."""
    return canonical(sorted(condition(name, value) for name, value in pairs))


def publish(
    connection: sa.Connection,
    text: str,
    signature: str,
    account: Account,
    vocabulary: Vocabulary,
    published: Published,
) -> Receipt:
    """Publish a signed statement; the same one again gives the same receipt."""
    if account.public_key is None or not verifies(account.public_key, text, signature):
        raise NotAllowedError("the signature does not verify with the public key of this account")
    said = read_statement(parse_canonical(text))
    check_statement(said, vocabulary)
    if said.holder != account.holder:
        raise NotAllowedError("this account does not publish in the name of this data holder")
    ref = reference(text)
    known = connection.execute(sa.select(entries).where(entries.c.ref == ref)).first()
    if known is not None:
        if known.statement != text or known.publisher != account.name:
            raise RepositoryError("another entry has this reference")
        if find_entry(connection, ref).is_retracted:
            raise InputError("this very entry was retracted")
        return _receipt(connection, ref, known.sequence)
    _check_superseded(connection, said)
    rest = said.distribution.rest_people if said.distribution is not None else 0
    rule = published.refuses(counts_of(said), rest)
    if rule is None and gives_sizes_away(said, published.least_cell):
        rule = Rule.CELL
    if rule is not None:
        raise RefusedError(rule, f"refused by the rule {rule}: {_SENTENCES[rule]}")
    row = {
        "ref": ref,
        "statement": text,
        "signature": signature,
        "public_key": account.public_key,
        "publisher": account.name,
        "published_at": now(),
        "qid": qid_key(said.qid),
        "population": population_key(said.population),
        "supersedes": said.supersedes,
        "holder": said.holder,
    }
    line = audit.append(
        connection, actor=account.name, action="publish", subject=f"entry:{ref}", digest_=audit.row_digest(row)
    )
    connection.execute(entries.insert().values(sequence=line.sequence, **row))
    return Receipt(ref, line.sequence, line.hash)


def _receipt(connection: sa.Connection, ref: str, sequence: int) -> Receipt:
    line = next(iter(audit.lines(connection, after=sequence - 1, limit=1)))
    return Receipt(ref, line.sequence, line.hash)


def _check_superseded(connection: sa.Connection, said: Statement) -> None:
    if said.supersedes is None:
        return
    old = find_entry(connection, said.supersedes)
    before = old.statement
    if before.holder != said.holder:
        raise NotAllowedError("only entries of the same data holder can be superseded")
    if qid_key(before.qid) != qid_key(said.qid) or population_key(before.population) != population_key(said.population):
        raise InputError("an entry supersedes one of the same quasi-identifier and population")
    if old.status != "current":
        raise InputError(f"the entry to supersede is {old.status} already")


def retract(connection: sa.Connection, ref: str, reason: str, *, by: str, holder: str | None) -> None:
    """Retract an entry: it stays in the log, and its figures are no longer shown.

    Args:
        connection: a writing connection.
        ref: the entry.
        reason: why, one line.
        by: who does it.
        holder: whose entries they may retract; None for anybody's.
    """
    entry = find_entry(connection, ref)
    if holder is not None and entry.statement.holder != holder:
        raise NotAllowedError("only the entry's data holder or an admin can retract it")
    if not 1 <= len(reason) <= 500 or not reason.isprintable():
        raise InputError("say why, in one line of at most 500 characters")
    if entry.is_retracted:
        raise InputError("this entry was retracted already")
    row = {"ref": ref, "reason": reason, "by": by, "at": now()}
    line = audit.append(
        connection, actor=by, action="retract", subject=f"retraction:{ref}", digest_=audit.row_digest(row)
    )
    connection.execute(retractions.insert().values(sequence=line.sequence, **row))


def _query() -> sa.Select[Any]:
    newer = entries.alias("newer")
    joined = (
        entries.outerjoin(retractions, entries.c.ref == retractions.c.ref)
        .outerjoin(newer, newer.c.supersedes == entries.c.ref)
        .outerjoin(accounts, accounts.c.name == entries.c.publisher)
    )
    return sa.select(
        *entries.c,
        retractions.c.reason.label("reason"),
        newer.c.ref.label("superseded_by"),
        accounts.c.public_key.label("publisher_key"),
        accounts.c.stands_for.label("publisher_holder"),
    ).select_from(joined)


def _verified(public_key: str, text: str, signature: str) -> tuple[Statement, tuple[str | None, ...]] | None:
    """Return a signed statement and the columns that follow from it; None where the signature does not verify.

    The answer for the very same key, text and signature is remembered, unless it is long: it cannot change.
    """
    return (_remembered if len(text) <= _MOST_REMEMBERED else _read)(public_key, text, signature)


def _read(public_key: str, text: str, signature: str) -> tuple[Statement, tuple[str | None, ...]] | None:
    if not verifies(public_key, text, signature):
        return None
    try:
        said = read_statement(parse_canonical(text))
    except InputError:
        return None
    columns = (reference(text), qid_key(said.qid), population_key(said.population), said.supersedes, said.holder)
    return said, columns


_remembered = lru_cache(maxsize=4096)(_read)


def _entry(row: Any) -> Entry | None:
    """Return a row as an entry; None where it is not what its publisher signed, with the key of that account."""
    found = _verified(row.public_key, row.statement, row.signature)
    if found is None or found[1] != (row.ref, row.qid, row.population, row.supersedes, row.holder):
        return None
    if (row.publisher_key, row.publisher_holder) != (row.public_key, row.holder):
        return None
    said = found[0]
    status = "retracted" if row.reason is not None else "superseded" if row.superseded_by is not None else "current"
    return Entry(
        ref=row.ref,
        statement=said,
        publisher=row.publisher,
        published_at=row.published_at,
        status=status,
        superseded_by=row.superseded_by,
        reason=row.reason,
        signature=row.signature,
        public_key=row.public_key,
        sequence=row.sequence,
    )


def find_entry(connection: sa.Connection, ref: str) -> Entry:
    """Return the entry with a reference."""
    row = connection.execute(_query().where(entries.c.ref == ref)).first()
    if row is None:
        raise EntryNotFoundError("no entry has this reference")
    entry = _entry(row)
    if entry is None:
        raise RepositoryError(f"entry {row.ref} is not what its publisher signed; it is not shown")
    return entry


def entries_after(connection: sa.Connection, sequence: int) -> Iterator[Entry]:
    """Yield the entries that were published after a line of the log, oldest first."""
    for row in connection.execute(_query().where(entries.c.sequence > sequence).order_by(entries.c.sequence)):
        entry = _entry(row)
        if entry is None:
            raise RepositoryError(f"entry {row.ref} was changed; nothing is published until that is cleared up")
        yield entry


def find_entries(
    connection: sa.Connection,
    *,
    qids: Sequence[str] | None = None,
    populations: Sequence[str] | None = None,
    holder: str | None = None,
    text: str | None = None,
    status: Sequence[str] = ("current",),
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Return the entries that fit, newest first."""
    query = _query()
    if qids is not None:
        query = query.where(entries.c.qid.in_(qids))
    if populations is not None:
        query = query.where(entries.c.population.in_(populations))
    if holder is not None:
        query = query.where(entries.c.holder == holder)
    for word in (text or "").split():
        fits = [c.icontains(word, autoescape=True) for c in (entries.c.qid, entries.c.population, entries.c.holder)]
        query = query.where(sa.or_(*fits))
    superseded = sa.literal_column("newer.ref").is_not(None)
    retracted = retractions.c.ref.is_not(None)
    wanted = {
        "current": ~superseded & ~retracted,
        "superseded": superseded & ~retracted,
        "retracted": retracted,
    }
    query = query.where(sa.or_(*(wanted[one] for one in status)))
    rows = connection.execute(query.order_by(entries.c.sequence.desc()).limit(limit).offset(offset)).all()
    found = [(row.ref, _entry(row)) for row in rows]
    return Listing(
        tuple(entry for _, entry in found if entry is not None), tuple(ref for ref, entry in found if entry is None)
    )
