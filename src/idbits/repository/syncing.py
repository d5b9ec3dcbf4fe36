"""Reads what is new in a followed repository, page by page.

Each page is checked and added in one transaction with the cursor, so an interruption loses at most one page, and
reading goes on where it stopped. What a server can make us download and store is limited.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from idbits.errors import InputError, RefusedError, RepositoryError
from idbits.progress import SILENT, Count, Progress
from idbits.repository import accounts
from idbits.repository.accounts import OWNER
from idbits.repository.audit_log import head
from idbits.repository.client import InvalidAnswerError, RemoteRepository
from idbits.repository.connecting import read_api_key
from idbits.repository.feeds import FeedError, FeedPage, ForeignRetraction, check_page, rewritten_error
from idbits.repository.followed_keys import require_permission
from idbits.repository.following import Followed, FollowedKey, find_followed, write_progress
from idbits.repository.foreign_entries import ForeignEntry
from idbits.repository.importing import Importer, ImportSummary
from idbits.repository.intake import Intake
from idbits.repository.service import Repository

__all__ = ["SyncOutcome", "sync"]

_LINES_AT_ONCE = 500
_MOST_LINES = 1_000_000
_MOST_WAITING_SECONDS = 3600
_MOST_KEYS = 1000
_MOST_WITHHELD = 10_000
_MOST_UNWRITTEN_LINES = 50_000


@dataclass(slots=True)
class SyncOutcome:
    """What was read from a followed repository.

    Attributes:
        url: its address.
        summary: what became of its entries.
        lines: the number of lines of its log that were read.
        is_complete: whether everything was read that was there when the reading began.
    """

    url: str
    summary: ImportSummary
    lines: int = 0
    is_complete: bool = True


def sync(repository: Repository, url: str, *, by: str = OWNER, progress: Progress = SILENT) -> SyncOutcome:
    """Add what is new in a followed repository.

    Raises a ``FeedError``, and records the problem, if the repository sends something that contradicts its log or what
    it sent before. What was read before that page stays.

    Args:
        repository: the repository on this machine.
        url: the address of the followed repository, as it was given to follow it.
        by: who is recorded as the one who adds the entries.
        progress: where progress is reported.
    """
    with repository.database.reading() as connection:
        followed = find_followed(connection, url)
        trusted = [key for key in followed.untrusted if accounts.find_by_public_key(connection, key) is not None]
    # A key in the environment is for another repository, and must not be sent to this one.
    key = None
    if followed.key_file is not None:
        require_permission(followed.url, followed.key_file)
        key = read_api_key(followed.key_file)
    reading = _Reading(repository, RemoteRepository(followed.url, key, insecure=followed.insecure), followed, by)
    reading.go_back(trusted)
    try:
        with progress.step(f"reading {followed.url}", reading.done):
            for page in reading.pages():
                reading.add(page)
    except FeedError as error:
        reading.record_problem(str(error))
        raise
    except RepositoryError:
        reading.write_progress()
        raise
    reading.write_progress()
    return reading.outcome


@dataclass
class _Reading:
    """One run of reading a followed repository."""

    repository: Repository
    remote: RemoteRepository
    followed: Followed
    by: str
    outcome: SyncOutcome = field(init=False)
    done: Count = field(init=False)
    _importer: Importer | None = None
    # A server must not keep us from the others by sending one line at a time, slowly.
    _waited: float = 0.0
    # What was read since the progress was written.
    _unwritten_lines: int = 0
    _has_unwritten_events: bool = False

    def __post_init__(self) -> None:
        self.outcome = SyncOutcome(self.followed.url, ImportSummary(source=self.followed.url))
        self.done = Count(1)
        self._read_before = self._began = self.followed.cursor

    def go_back(self, keys: list[str]) -> None:
        """Read again from the first entry with one of these keys, which were not trusted before."""
        if keys:
            first = min((self.followed.untrusted[key].before for key in keys), key=lambda cursor: cursor.sequence)
            # Keys that come first after that line are counted again.
            left = {
                key: each
                for key, each in self.followed.untrusted.items()
                if key not in keys and each.before.sequence < first.sequence
            }
            self.followed = replace(self.followed, cursor=first, untrusted=left)
            self._began = first

    def pages(self) -> Iterator[FeedPage]:
        """Yield the pages up to the line that was the last when the reading began."""
        target = None
        while True:
            page = check_page(self._feed(), self.followed.cursor)
            known = page.hashes.get(self._read_before.sequence)
            if known is not None and known != self._read_before.hash:
                raise rewritten_error(self._read_before.sequence)
            if target is None:
                target = page.head
                self.done.amount = max(1, target - self.followed.cursor.sequence)
            yield page
            self.outcome.lines += len(page.hashes)
            self.done.done = self.outcome.lines
            if self.followed.cursor.sequence >= target:
                return
            if self.outcome.lines >= _MOST_LINES or self._waited > _MOST_WAITING_SECONDS:
                self.outcome.is_complete = False
                return

    def _feed(self) -> object:
        began = time.monotonic()
        try:
            return self.remote.feed(self.followed.cursor.sequence, _LINES_AT_ONCE)
        except (InputError, RefusedError) as error:
            # Our request is not wrong, whatever the server says; other repositories can still be read.
            raise RepositoryError(str(error)) from error
        finally:
            self._waited += time.monotonic() - began

    def add(self, page: FeedPage) -> None:
        """Add the entries of a page, in one transaction or, if that takes long, in several."""
        withheld, importer = self._withheld(page), self._ready_importer(page)
        self._unwritten_lines += len(page.hashes)
        self._has_unwritten_events |= bool(page.events)
        is_new = bool(page.events) or self.followed.problem is not None
        self.followed = replace(self.followed, withheld=withheld)
        while is_new:
            number = self._add_some(page, importer)
            is_new, page = number < len(page.events), page.rest(number)
        self.followed = replace(self.followed, cursor=page.end)
        if self._unwritten_lines >= _MOST_UNWRITTEN_LINES:
            self.write_progress()

    def _add_some(self, page: FeedPage, importer: Importer) -> int:
        """Add the first entries of a page in one transaction, with the progress; return the number of events done."""
        with self.repository.intake() as intake:
            before = head(intake.connection)
            number, summary = self._take(page, importer, intake)
            done = page.first(number) if number < len(page.events) else page
            untrusted, was_wrong = self._untrusted(done, summary), self.followed.problem is not None
            followed = replace(self.followed, cursor=done.end, problem=None, untrusted=untrusted)
            is_written = was_wrong or head(intake.connection) != before
            if is_written:
                write_progress(intake.connection, followed, by=self.by)
        self.followed = followed
        self.outcome.summary.include(summary)
        if is_written:
            self._unwritten_lines, self._has_unwritten_events = 0, False
        return number

    def write_progress(self) -> None:
        """Record how far the repository was read, if something was read since.

        A page without anything new is not recorded by itself: a server could fill the disk with the records of short
        pages. And a repository that follows us back would read our record, write its own, and so on without end.
        """
        if self._has_unwritten_events or self._unwritten_lines >= _LINES_AT_ONCE:
            with self.repository.intake() as intake:
                write_progress(intake.connection, self.followed, by=self.by)
        self._unwritten_lines, self._has_unwritten_events = 0, False

    def _ready_importer(self, page: FeedPage) -> Importer:
        """Return the importer; it needs the vocabulary of the other repository when a page first has entries."""
        if self._importer is None and any(isinstance(event, ForeignEntry) for event in page.events):
            try:
                concepts = self.remote.vocabulary().concepts
            except (InputError, RefusedError, InvalidAnswerError) as error:
                raise FeedError("the repository sent a vocabulary that is not valid") from error
            self._importer = Importer(self.followed.url, by=self.by, concepts=concepts)
        return self._importer or Importer(self.followed.url, by=self.by)

    def _take(self, page: FeedPage, importer: Importer, intake: Intake) -> tuple[int, ImportSummary]:
        """Add entries, and note retractions, in the order of the log; return the number of events done."""
        summary, number = ImportSummary(source=self.followed.url), 0
        while number < len(page.events):
            event = page.events[number]
            if isinstance(event, ForeignRetraction):
                importer.retracted_there(event.ref, event.reason, intake, summary)
                number += 1
                continue
            batch = _leading_entries(page.events[number:])
            taken = importer.take(batch, intake)
            summary.include(taken)
            summary.left_out |= taken.left_out
            number += taken.taken
            if taken.taken < len(batch):
                break
        return number, summary

    def _withheld(self, page: FeedPage) -> dict[str, int]:
        """Return the entries left out as retracted whose retraction must still come; refuse a page without it."""
        withheld = dict(self.followed.withheld)
        for ref in page.withheld[: _MOST_WITHHELD - len(withheld)]:
            withheld[ref] = page.head
        for event in page.events:
            if not isinstance(event, ForeignEntry):
                withheld.pop(event.ref, None)
        for ref, line in withheld.items():
            if page.is_last or line <= page.end.sequence:
                raise FeedError(
                    f"the repository left out entry {ref} as retracted, but its log has no retraction; to read it from "
                    f"the beginning, unfollow it and follow it again"
                )
        return withheld

    def _untrusted(self, page: FeedPage, summary: ImportSummary) -> dict[str, FollowedKey]:
        """Return the keys that are not trusted here, with the line before the first entry of each."""
        keys = dict(self.followed.untrusted)
        for event, before in zip(page.events, page.cursors, strict=False):
            if not isinstance(event, ForeignEntry) or event.ref not in summary.left_out:
                continue
            known = keys.get(event.public_key)
            if known is None:
                if len(keys) < _MOST_KEYS:
                    holder = summary.untrusted[event.public_key].holder
                    keys[event.public_key] = FollowedKey(holder, 1, before)
            elif known.before.sequence >= self._began.sequence or event.sequence > self._read_before.sequence:
                # After going back, the entries of other keys are read again, but were counted before.
                keys[event.public_key] = replace(known, entries=known.entries + 1)
        return keys

    def record_problem(self, problem: str) -> None:
        """Record what contradicts the log of the repository, once."""
        if self.followed.problem != problem:
            with self.repository.intake() as intake:
                write_progress(intake.connection, replace(self.followed, problem=problem), by=self.by)


def _leading_entries(events: Sequence[ForeignEntry | ForeignRetraction]) -> list[ForeignEntry]:
    """Return the entries before the first retraction."""
    found: list[ForeignEntry] = []
    for event in events:
        if isinstance(event, ForeignRetraction):
            break
        found.append(event)
    return found
