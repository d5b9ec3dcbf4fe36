"""The feed of a repository: its audit log with the entries, page by page, so that others can follow it.

A follower computes every hash of the log and every digest of an entry itself. So the server cannot leave out, change or
reorder anything without breaking the chain, and cannot rewrite what the follower has read before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import sqlalchemy as sa

from idbits.errors import InputError, RepositoryError
from idbits.repository.audit_log import START, Line, head, lines, row_digest
from idbits.repository.entries import find_by_lines
from idbits.repository.foreign_entries import REFERENCE, ForeignEntry, read_foreign_entry
from idbits.repository.schema import entries, retractions

__all__ = [
    "BEGINNING",
    "Cursor",
    "FeedError",
    "FeedPage",
    "ForeignRetraction",
    "check_page",
    "feed_page",
    "rewritten_error",
]

_MOST_CHARACTERS = 2 * 1024 * 1024
_ENTRY, _RETRACTION = "entry:", "retraction:"


class FeedError(RepositoryError):
    """Another repository sent something that contradicts its log, or what it sent before."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a feed was read: the number and the hash of the last line."""

    sequence: int
    hash: str


BEGINNING = Cursor(0, START)


def feed_page(connection: sa.Connection, after: int, limit: int) -> dict[str, Any]:
    """Return lines of the log after a line, the entries and retractions that they are about, and the head of the log.

    A page ends early if its entries are long. Retracted entries have no figures; changed ones are left out.
    """
    length = sa.select(entries.c.sequence, sa.func.length(entries.c.statement)).where(entries.c.sequence > after)
    sizes = {
        int(sequence): int(size)
        for sequence, size in connection.execute(length.order_by(entries.c.sequence).limit(limit))
    }
    page: list[Line] = []
    total = 0
    for line in lines(connection, after=after, limit=limit):
        total += sizes.get(line.sequence, 0)
        if page and total > _MOST_CHARACTERS:
            break
        page.append(line)
    between = (page[0].sequence, page[-1].sequence) if page else (0, 0)
    found = find_by_lines(connection, *between)
    withdrawn = sa.select(retractions).where(retractions.c.sequence.between(*between))
    sequence, hash_ = head(connection)
    return {
        "lines": [line.to_dict() for line in page],
        "entries": [entry.to_dict() for entry in found],
        "retractions": [
            {name: row[name] for name in ("ref", "reason", "by", "at")}
            for row in connection.execute(withdrawn).mappings()
        ],
        "head": {"sequence": sequence, "hash": hash_},
    }


@dataclass(frozen=True, slots=True)
class ForeignRetraction:
    """A retraction in another repository."""

    ref: str
    reason: str


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A page of a feed that agrees with its log.

    Attributes:
        events: the entries and retractions, in the order of the log; entries whose figures are withheld are left out.
        cursors: the line before each of the events, then the last line.
        withheld: the references of the entries that are left out; the log must have their retractions.
        hashes: the hash of each line.
        head: the number of the last line that the repository says its log has.
    """

    events: tuple[ForeignEntry | ForeignRetraction, ...]
    cursors: tuple[Cursor, ...]
    withheld: tuple[str, ...]
    hashes: Mapping[int, str]
    head: int

    @property
    def end(self) -> Cursor:
        """The last line of the page."""
        return self.cursors[-1]

    def first(self, number: int) -> FeedPage:
        """Return the page up to the line before some event."""
        return replace(self, events=self.events[:number], cursors=self.cursors[: number + 1])

    def rest(self, number: int) -> FeedPage:
        """Return the page without its first events."""
        return replace(self, events=self.events[number:], cursors=self.cursors[number:])

    @property
    def is_last(self) -> bool:
        """Whether the log ends with this page."""
        return self.end.sequence >= self.head


def check_page(data: object, after: Cursor) -> FeedPage:
    """Return a page that another repository sent; raise an error if it does not continue what was read before."""
    try:
        return _checked(data, after)
    except (TypeError, ValueError, RecursionError) as error:
        # Texts that are not valid Unicode, numbers that are not JSON: they have no digest.
        raise FeedError("the repository sent data that are not valid JSON in UTF-8") from error


def _checked(data: object, after: Cursor) -> FeedPage:
    if not isinstance(data, Mapping):
        raise FeedError("the repository sent data that is not a feed")
    last = _read_head(data.get("head"))
    chain = [_read_line(line) for line in _list(data, "lines")]
    _check_chain(chain, after, last)
    try:
        sent = {entry.sequence: entry for entry in map(read_foreign_entry, _list(data, "entries"))}
    except InputError as error:
        raise FeedError(f"the repository sent data that is not an entry: {error}") from error
    withdrawn = {}
    for row in _list(data, "retractions"):
        if (
            not isinstance(row, Mapping)
            or not all(isinstance(row.get(name), str) for name in ("ref", "reason"))
            or REFERENCE.fullmatch(row["ref"]) is None
        ):
            raise FeedError("the repository sent data that is not a retraction")
        withdrawn[row["ref"]] = row
    events: list[ForeignEntry | ForeignRetraction] = []
    cursors: list[Cursor] = []
    withheld: list[str] = []
    before = after
    for line in chain:
        event = _event(line, sent, withdrawn)
        if event is not None:
            events.append(event)
            cursors.append(before)
        elif line.subject.startswith(_ENTRY):
            withheld.append(line.subject.removeprefix(_ENTRY))
        before = Cursor(line.sequence, line.hash)
    if sent or withdrawn:
        raise FeedError("the repository sent entries that are not in its log")
    hashes = {line.sequence: line.hash for line in chain}
    return FeedPage(tuple(events), (*cursors, before), tuple(withheld), hashes, last.sequence)


def rewritten_error(sequence: int) -> FeedError:
    """Return the error for a log whose line with a number is not the one that was read before."""
    return FeedError(f"the log of the repository was rewritten: line {sequence:,} is not the one that was read before")


def _check_chain(chain: list[Line], after: Cursor, last: Cursor) -> None:
    previous = after
    for line in chain:
        if line.sequence != previous.sequence + 1 or line.hash != line.expected_hash():
            raise FeedError("the hashes of the repository's log are wrong")
        if line.previous != previous.hash:
            raise rewritten_error(previous.sequence)
        previous = Cursor(line.sequence, line.hash)
    if last.sequence < previous.sequence:
        raise FeedError(
            f"the log of the repository was cut off: it ends at line {last.sequence:,}, and line "
            f"{previous.sequence:,} was read before"
        )
    if last.sequence == previous.sequence and last.hash != previous.hash:
        raise rewritten_error(previous.sequence)
    if not chain and last.sequence > after.sequence:
        raise FeedError("the repository did not send the lines that its log has")


def _event(
    line: Line, sent: dict[int, ForeignEntry], withdrawn: dict[str, Mapping[str, str]]
) -> ForeignEntry | ForeignRetraction | None:
    """Return what a line of the log is about, after comparing it with the digest in the line."""
    if line.subject.startswith(_ENTRY):
        entry = sent.pop(line.sequence, None)
        if entry is None or f"{_ENTRY}{entry.ref}" != line.subject:
            raise FeedError(f"the repository did not send the entry in line {line.sequence:,} of its log")
        if entry.retraction is not None:
            # Its figures are withheld, so it cannot be compared; the line of its retraction says the rest.
            return None
        try:
            digest = entry.digest()
        except InputError as error:
            raise FeedError(f"the repository sent data that is not an entry: {error}") from error
        if digest != line.digest:
            raise FeedError(f"the repository sent an entry that differs from line {line.sequence:,} of its log")
        return entry
    if line.subject.startswith(_RETRACTION):
        row = withdrawn.pop(line.subject.removeprefix(_RETRACTION), None)
        if row is None or row_digest(row) != line.digest:
            raise FeedError(f"the repository sent a retraction that differs from line {line.sequence:,} of its log")
        return ForeignRetraction(row["ref"], row["reason"][:500])
    return None


def _list(data: Mapping[str, Any], name: str) -> list[Any]:
    value = data.get(name)
    if not isinstance(value, list):
        raise FeedError("the repository sent data that is not a feed")
    return value


def _read_head(data: object) -> Cursor:
    if not isinstance(data, Mapping) or not _is_number(data.get("sequence")) or not isinstance(data.get("hash"), str):
        raise FeedError("the repository sent data that is not a feed")
    return Cursor(data["sequence"], data["hash"])


def _read_line(data: object) -> Line:
    names = {field.name for field in fields(Line)}
    if (
        not isinstance(data, Mapping)
        or set(data) != names
        or not _is_number(data["sequence"])
        or not all(isinstance(data[name], str) and len(data[name]) < 2000 for name in names - {"sequence"})
    ):
        raise FeedError("the repository sent data that is not a line of a log")
    return Line(**data)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
