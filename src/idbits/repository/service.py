"""The repository, used by the JSON interface, the pages and the commands. Thread-safe and synchronous."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from idbits.errors import InputError, NotAllowedError
from idbits.repository import acceptance, accounts, audit_log, entries, following
from idbits.repository.accounts import Account
from idbits.repository.audit_log import Line, last_record, read_records, write_record
from idbits.repository.conflicts import Conflict, find_conflicts, settle_conflict
from idbits.repository.database import Database, sqlite_path
from idbits.repository.entries import Entry, Listing, Receipt
from idbits.repository.entry_verification import verify_block
from idbits.repository.feeds import feed_page
from idbits.repository.followed_keys import write_permission
from idbits.repository.following import Followed
from idbits.repository.foreign_retractions import ask_about_retraction
from idbits.repository.importing import EntryOrigin, find_origin
from idbits.repository.intake import Intake
from idbits.repository.inventory import (
    HolderTable,
    Match,
    Questions,
    match_inventories,
    read_holder_table,
    read_questions,
)
from idbits.repository.loading import collector_paused, counts_after
from idbits.repository.queries import QueryAnswer, answer_query
from idbits.repository.resolving import resolve_conflict
from idbits.repository.schema import create_file, migrate
from idbits.repository.search_index import SearchIndex
from idbits.repository.small_groups import PublishedCounts
from idbits.repository.statements import population_pairs, qid_names
from idbits.repository.verification import Problem, find_problems
from idbits.repository.verified_blocks import VerifiedBlocks, complete_blocks
from idbits.repository.vocabulary import BUILT_IN, Concept, Vocabulary, name_key, read_concept

__all__ = ["DEFAULT_FLOOR", "Repository"]

DEFAULT_FLOOR = 100
_MOST_LISTED = 1000
_WRITTEN_EVERY = 50

Pairs = Mapping[str, str]


class Repository:
    """An open repository of KL distances.

    Methods accept any name or alias of an attribute and resolve it in the vocabulary.
    """

    def __init__(self, database: Database, floor: int = DEFAULT_FLOOR, *, create: bool = True) -> None:
        if floor < 2:
            raise InputError("the floor of a repository must be at least 2 people")
        self.database = database
        self.floor = floor
        migrate(database, create=create)
        self._published = self._new_counts()
        self._remembered = VerifiedBlocks(database)
        self._seen, self._is_stale = 0, False
        self._index = SearchIndex()
        self._words: tuple[int, Vocabulary] = (0, Vocabulary(BUILT_IN))

    @classmethod
    def open(cls, database: str | None = None, *, floor: int = DEFAULT_FLOOR, create: bool = True) -> Repository:
        """Open a repository.

        Args:
            database: a SQLite file, ``sqlite:///...`` or ``postgresql://...``; None for the user's data folder.
            floor: the smallest population that may be published, in people.
            create: whether to create a repository if there is none; an existing file must already be a repository.
        """
        path = sqlite_path(database)
        if path is not None and create and not path.exists():
            create_file(path)
        opened = Database(database, create=False)
        try:
            return cls(opened, floor, create=create and path is None)
        except BaseException:
            opened.close()
            raise

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # Who may do what

    def authenticate(self, key: str) -> Account | None:
        """Return the account that has an API key; None for a wrong or revoked key."""
        with self.database.reading() as connection:
            return accounts.find_by_key(connection, key)

    def add_account(
        self, name: str, role: str, *, by: str, public_key: str | None = None, holder: str | None = None
    ) -> str:
        """Add a reader, publisher or admin and return the API key, which cannot be shown again."""
        with self.database.writing() as connection:
            return accounts.add_account(connection, name, role, by=by, public_key=public_key, holder=holder)

    def trust(self, name: str, public_key: str, holder: str, *, by: str) -> None:
        """Add a publisher of another repository, whose entries can be imported; it gets no API key."""
        self.add_account(name, "publisher", by=by, public_key=public_key, holder=holder)

    def revoke(self, name: str, *, by: str) -> None:
        """Revoke an account's API key; its published entries stay."""
        with self.database.writing() as connection:
            accounts.revoke(connection, name, by=by)

    def accounts(self) -> list[Account]:
        """Return all accounts."""
        with self.database.reading() as connection:
            return accounts.all_accounts(connection)

    # The vocabulary

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary, including added concepts and aliases."""
        with self.database.reading() as connection:
            return self._vocabulary(connection)

    def _vocabulary(self, connection: sa.Connection) -> Vocabulary:
        last = last_record(connection, "concept")
        known, words = self._words
        if known != last:
            added = read_records(connection, "concept", every=True)
            words = Vocabulary([*BUILT_IN, *map(read_concept, added)])
            self._words = (last, words)
        return words

    def extend_vocabulary(self, concept: Mapping[str, Any], *, by: str) -> Concept:
        """Add a concept, or more aliases for an existing one; the meaning of a name never changes."""
        new = read_concept(concept)
        with self.database.writing() as connection:
            conflict = self._vocabulary(connection).conflicts(new)
            if conflict is not None:
                raise InputError(f'"{conflict}" already has another meaning in the vocabulary; choose another name')
            write_record(connection, "concept", new.name, new.to_dict(), by=by)
        return new

    # Entries

    def publish(self, statement: str, signature: str, public_key: str, *, by: str | None = None) -> Receipt:
        """Publish a signed statement.

        Args:
            statement: the canonical text of the statement.
            signature: its Ed25519 signature, base64.
            public_key: the public key of the account that publishes.
            by: the account that has signed in; it must be the account with this public key.
        """
        with self.database.writing() as connection:
            account = accounts.find_by_public_key(connection, public_key)
            if account is None or not accounts.may(account.role, "publisher"):
                raise NotAllowedError("no publisher has this public key")
            if by is not None and account.name != by:
                raise NotAllowedError("the entry is signed with the key of another publisher")
            self._catch_up(connection)
            words, rules = self._vocabulary(connection), (self._published, self._remembered)
            receipt = acceptance.publish(connection, statement, signature, account, words, *rules)
            settle_conflict(connection, receipt.ref, by=account.name, is_retracted=False)
            ask_about_retraction(connection, receipt.ref, by=account.name)
        self._remembered.write()
        return receipt

    def verify_ahead(self) -> None:
        """Verify the signatures of stored entries before somebody publishes, and remember that they were verified."""
        with self.database.reading() as connection:
            blocks = complete_blocks(connection)
        for block in blocks:
            # One short transaction per block, on one processor: others read and publish meanwhile.
            with self.database.reading() as connection:
                verify_block(connection, block, self._remembered)
            if block % _WRITTEN_EVERY == 0:
                self._remembered.write()
        self._remembered.write()

    def read_ahead(self) -> None:
        """Read what queries search, before somebody asks: the first query would otherwise wait for it."""
        with self.database.reading() as connection:
            self._index.read_ahead(connection)

    @contextmanager
    def intake(self, *, dry_run: bool = False) -> Iterator[Intake]:
        """Provide a connection to add several entries on, all or none of them; ``dry_run`` undoes them at the end."""

        def published() -> PublishedCounts:
            self._catch_up(connection)
            return self._published

        before = 0
        try:
            with self.database.writing() as connection:
                before = audit_log.head(connection)[0]
                yield Intake(connection, lambda: self._vocabulary(connection), published, self._remembered)
                if dry_run:
                    connection.rollback()
                    self._forget_after(before)
        except BaseException:
            self._forget_after(before)
            raise

    def _forget_after(self, sequence: int) -> None:
        """Note that no line after this one was written, so that what was read from such lines must be read again."""
        self._is_stale |= self._seen > sequence
        if self._words[0] > sequence:
            self._words = (0, Vocabulary(BUILT_IN))

    def _new_counts(self) -> PublishedCounts:
        return PublishedCounts(self.floor)

    def _catch_up(self, connection: sa.Connection) -> None:
        """Add all entries published since the last call; the writing connection serves as the lock."""
        if self._is_stale:
            # The counts may include entries that were not added after all.
            self._published, self._seen, self._is_stale = self._new_counts(), 0, False
        with collector_paused():
            for some, are_verified in counts_after(connection, self._seen, self._remembered):
                for sequence, counts in some:
                    self._published.add(counts, None if are_verified else sequence)
                    self._seen = sequence

    def retract(self, ref: str, reason: str, *, by: str, holder: str | None = None) -> Entry:
        """Retract an entry; ``holder`` is the holder whose entries the account may retract, None for any."""
        with self.database.writing() as connection:
            entries.retract(connection, ref, reason, by=by, holder=holder)
            settle_conflict(connection, ref, by=by, is_retracted=True)
            return entries.find_entry(connection, ref)

    def entry(self, ref: str) -> Entry:
        """Return the entry with a reference, after verifying its signature."""
        with self.database.reading() as connection:
            return entries.find_entry(connection, ref)

    def entries(
        self,
        qid: Sequence[str] | None = None,
        population: Pairs | None = None,
        *,
        holder: str | None = None,
        text: str | None = None,
        status: Sequence[str] = ("current",),
        limit: int = 100,
        offset: int = 0,
    ) -> Listing:
        """Return the matching entries, newest first; changed entries are listed by reference only."""
        if not status or not set(status) <= set(entries.STATUSES):
            raise InputError(f"the status must be one of {', '.join(entries.STATUSES)}")
        if not 1 <= limit <= _MOST_LISTED or not 0 <= offset < 10**9:
            raise InputError(f"the limit must be 1 to {_MOST_LISTED:,} entries, and the offset 0 or more")
        if any("\0" in name for name in (holder, text) if name is not None):
            raise InputError("search text must not contain the character NUL")
        with self.database.reading() as connection:
            words = self._vocabulary(connection)
            return entries.find_entries(
                connection,
                qids=[entries.qid_key(qid_names(list(qid), words))] if qid else None,
                populations=[entries.population_key(population_pairs(population, words))] if population else None,
                holder=holder,
                text=text,
                status=status,
                limit=limit,
                offset=offset,
            )

    def query(self, qid: Sequence[str], population: Pairs, size: int | None = None) -> QueryAnswer:
        """Return what is known about a quasi-identifier in a population: exact entries, their spread, bounds."""
        with self.database.reading() as connection:
            words = self._vocabulary(connection)
            names, pairs = qid_names(list(qid), words), population_pairs(population, words)
            return answer_query(connection, self._index, names, pairs, size)

    def origin(self, ref: str) -> EntryOrigin | None:
        """Return where an imported entry was published first; None for one that was published here."""
        with self.database.reading() as connection:
            entry = entries.find_entry(connection, ref)
            return find_origin(connection, ref, entry.sequence) if entry.imported_from is not None else None

    # Conflicts with other repositories

    def conflicts(self, *, decided: bool = False) -> list[Conflict]:
        """Return the open conflicts with other repositories, oldest first; ``decided`` includes decided ones."""
        with self.database.reading() as connection:
            return find_conflicts(connection, decided=decided)

    def resolve(self, ref: str, keep: str, reason: str, *, by: str) -> Conflict:
        """Decide an open conflict: keep ``"ours"`` or ``"theirs"``, with the reason."""
        with self.intake() as intake:
            return resolve_conflict(intake, ref, keep, reason, by=by)

    # Following other repositories

    def feed(self, after: int = 0, limit: int = 100) -> dict[str, Any]:
        """Return a page of the feed that other repositories follow: lines of the log with their entries."""
        with self.database.reading() as connection:
            return feed_page(connection, after, limit)

    def follow(self, url: str, *, by: str, key_file: str | None = None, insecure: bool = False) -> Followed:
        """Follow a repository; ``key_file`` names the file with the API key for it."""
        with self.database.writing() as connection:
            followed = following.follow(connection, url, by=by, key_file=key_file, insecure=insecure)
            if key_file is not None:
                write_permission(followed.url, key_file)
            return followed

    def unfollow(self, url: str, *, by: str) -> None:
        """Stop following a repository; its entries stay."""
        with self.database.writing() as connection:
            following.unfollow(connection, url, by=by)

    def followed(self) -> list[Followed]:
        """Return the repositories that this one follows."""
        with self.database.reading() as connection:
            return following.followed_repositories(connection)

    # Decisions

    def decide(self, *, ref: str, decision: str, by: str, why: str, recorded_by: str) -> int:
        """Record a decision based on an entry, with who decided and why. Return its line number in the log."""
        for what, text in (("decision", decision), ("by", by), ("why", why)):
            if not 1 <= len(text) <= 1000 or text != text.strip() or "\0" in text:
                raise InputError(f'"{what}" must be a text of 1 to 1,000 characters, without spaces around it')
        with self.database.writing() as connection:
            entries.find_entry(connection, ref)
            body = {"ref": ref, "decision": decision, "by": by, "why": why}
            return write_record(connection, "decision", ref, body, by=recorded_by)

    def decisions(self, ref: str | None = None) -> list[dict[str, Any]]:
        """Return the decisions on an entry, or all, oldest first."""
        with self.database.reading() as connection:
            decisions = read_records(connection, "decision", every=True)
        return [decision for decision in decisions if ref is None or decision["ref"] == ref]

    # Inventories

    def record_table(self, data: Mapping[str, Any], *, by: str, holder: str | None = None) -> HolderTable:
        """Record a table that a holder has; ``holder`` is the holder that the account may act for, None for any."""
        with self.database.writing() as connection:
            table = read_holder_table(data, self._vocabulary(connection))
            if holder is not None and table.holder != holder:
                raise NotAllowedError("this account may not act for this data holder")
            name = f"{name_key(table.holder)}\n{name_key(table.name)}"
            write_record(connection, "table", name, table.to_dict(), by=by)
        return table

    def record_questionnaire(self, data: Mapping[str, Any], *, by: str) -> Questions:
        """Record a questionnaire and its questions."""
        with self.database.writing() as connection:
            questions = read_questions(data, self._vocabulary(connection))
            name = f"{name_key(questions.where)}\n{name_key(questions.name)}"
            write_record(connection, "questionnaire", name, questions.to_dict(), by=by)
        return questions

    def tables(self) -> list[HolderTable]:
        """Return the recorded tables of all holders."""
        with self.database.reading() as connection:
            words = self._vocabulary(connection)
            return [read_holder_table(record, words) for record in read_records(connection, "table")]

    def questionnaires(self) -> list[Questions]:
        """Return the recorded questionnaires."""
        with self.database.reading() as connection:
            words = self._vocabulary(connection)
            return [read_questions(record, words) for record in read_records(connection, "questionnaire")]

    def matches(self, *, published: bool = False) -> list[Match]:
        """Return quasi-identifiers worth publishing, most exposed first; ``published`` includes published ones."""
        matches = []
        for match in match_inventories(self.tables(), self.questionnaires()):
            known = self.entries(match.qid, dict(match.population)).entries
            if published or not known:
                matches.append(replace(match, published=tuple(entry.ref for entry in known)))
        return matches

    # The audit log

    def audit(self, *, after: int = 0, limit: int = 100) -> list[Line]:
        """Return lines of the audit log, oldest first."""
        with self.database.reading() as connection:
            return list(audit_log.lines(connection, after=after, limit=limit))

    def head(self) -> tuple[int, str]:
        """Return the number and the hash of the log's last line."""
        with self.database.reading() as connection:
            return audit_log.head(connection)

    def verify(self, head: tuple[int, str] | None = None) -> list[Problem]:
        """Return all problems found in the log, the rows and the signatures; empty if there are none."""
        with self.database.reading() as connection:
            return list(find_problems(connection, head))
