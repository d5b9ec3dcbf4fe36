"""The audit log: everything that happens to a repository, each line with the hash of the line before it.

Every row of every table is in the log with its digest. Whoever changes, adds or removes a row, or a line of the log,
leaves something that does not fit; only who rewrites everything from there on does not, and against that helps a hash
of the log that is kept elsewhere (a receipt).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa

from idbits.errors import InputError
from idbits.repository import schema
from idbits.repository.canonical import canonical, digest, parse_canonical
from idbits.repository.integrity import Problem, database_problems
from idbits.repository.migrations import now
from idbits.repository.signing import verifies
from idbits.repository.statements import read_statement

__all__ = ["START", "Line", "Problem", "append", "head", "lines", "problems", "row_digest"]

START = "0" * 64

# The column that names a row, for each table; the log calls it "entry:..." and so on.
_SUBJECTS: tuple[tuple[str, sa.Table, str], ...] = (
    ("entry", schema.entries, "ref"),
    ("retraction", schema.retractions, "ref"),
    ("account", schema.accounts, "name"),
    ("revocation", schema.revocations, "name"),
    ("record", schema.records, "sequence"),
)
# Columns that are not part of what was logged: they follow from the rest, and are checked against it.
_DERIVED = {"sequence", "holder"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log."""

    sequence: int
    at: str
    actor: str
    action: str
    subject: str
    digest: str
    previous: str
    hash: str

    def expected_hash(self) -> str:
        """Return the hash that the line must have."""
        said = [self.sequence, self.at, self.actor, self.action, self.subject, self.digest, self.previous]
        return digest(canonical(said))

    def to_dict(self) -> dict[str, Any]:
        """Return the line as plain data."""
        return asdict(self)


def row_digest(row: Mapping[str, Any]) -> str:
    """Return the digest of a row, as the log keeps it."""
    return digest(canonical({name: value for name, value in row.items() if name not in _DERIVED}))


def head(connection: sa.Connection) -> tuple[int, str]:
    """Return the number and the hash of the last line."""
    table = schema.audit
    found = connection.execute(sa.select(table.c.sequence, table.c.hash).order_by(table.c.sequence.desc()).limit(1))
    last = found.first()
    return (int(last.sequence), str(last.hash)) if last is not None else (0, START)


def append(connection: sa.Connection, *, actor: str, action: str, subject: str, digest_: str) -> Line:
    """Write the next line; only a writing connection may."""
    sequence, previous = head(connection)
    draft = Line(sequence + 1, now(), actor, action, subject, digest_, previous, "")
    line = replace(draft, hash=draft.expected_hash())
    connection.execute(schema.audit.insert().values(**asdict(line)))
    return line


def lines(connection: sa.Connection, *, after: int = 0, limit: int | None = None) -> Iterator[Line]:
    """Yield the lines of the log in their order."""
    table = schema.audit
    query = sa.select(table).where(table.c.sequence > after).order_by(table.c.sequence)
    for row in connection.execute(query.limit(limit) if limit is not None else query):
        yield Line(**row._mapping)  # noqa: SLF001 (the public name of SQLAlchemy for a row as a mapping)


def problems(connection: sa.Connection, kept_head: tuple[int, str] | None = None) -> Iterator[Problem]:
    """Yield all that does not fit: in the chain, between log and rows, in signatures, with a hash kept elsewhere.

    In a database that is damaged, what its tables seem to hold says nothing: then that is all that is said.
    """
    damaged = False
    for problem in database_problems(connection):
        damaged = True
        yield problem
    if not damaged:
        yield from _log_problems(connection, kept_head)


def _log_problems(connection: sa.Connection, kept_head: tuple[int, str] | None) -> Iterator[Problem]:
    logged: dict[str, Line] = {}
    previous, number, seen_kept = START, 0, kept_head is None
    for line in lines(connection):
        number += 1
        if line.sequence != number:
            yield Problem(f"line {line.sequence}", f"line {number} should stand here")
            number = line.sequence
        if not _is_plain(line.to_dict()) or line.previous != previous or line.hash != line.expected_hash():
            yield Problem(f"line {line.sequence}", "the chain of hashes is broken")
        if line.subject in logged:
            yield Problem(f"line {line.sequence}", f"{line.subject} is logged twice")
        logged[line.subject] = line
        seen_kept |= (line.sequence, line.hash) == kept_head
        previous = line.hash
    if not seen_kept:
        yield Problem("log", "the hash that was kept elsewhere is not in the log")
    yield from _row_problems(connection, logged)


def _row_problems(connection: sa.Connection, logged: dict[str, Line]) -> Iterator[Problem]:
    left = set(logged)
    keys = {row.name: row.public_key for row in connection.execute(sa.select(schema.accounts))}
    for kind, table, name in _SUBJECTS:
        for found in connection.execute(sa.select(table)):
            row = dict(found._mapping)  # noqa: SLF001
            subject = f"{kind}:{row[name]}"
            line = logged.get(subject)
            left.discard(subject)
            if line is None:
                yield Problem(subject, "it is not in the log")
            elif line.sequence != row["sequence"] or not _is_plain(row) or line.digest != row_digest(row):
                yield Problem(subject, "it is not what was logged")
            if kind == "entry" and _is_plain(row):
                yield from _entry_problems(subject, row, keys)
    yield from (Problem(subject, "it is in the log, but no longer there") for subject in sorted(left))


def _is_plain(row: Mapping[str, Any]) -> bool:
    """Whether a row holds text and numbers. SQLite keeps bytes in a column of texts, where no text is equal to them."""
    return all(value is None or isinstance(value, (str, int)) for value in row.values())


def _entry_problems(subject: str, row: Mapping[str, Any], keys: Mapping[str, str | None]) -> Iterator[Problem]:
    if not verifies(row["public_key"], row["statement"], row["signature"]):
        yield Problem(subject, "the signature does not verify")
    if keys.get(row["publisher"]) != row["public_key"]:
        yield Problem(subject, "it is signed with a key that is not its publisher's")
    try:
        said = read_statement(parse_canonical(row["statement"]))
    except InputError:
        yield Problem(subject, "what was signed is no statement")
        return
    if row["holder"] != said.holder:
        yield Problem(subject, "the column that it is found by does not say what was signed")
