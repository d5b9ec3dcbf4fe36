"""The repositories that this one follows, and how far each was read. Both are records, so the audit log covers them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from idbits.errors import InputError
from idbits.repository.audit_log import latest_record, read_records, write_record
from idbits.repository.client import RemoteRepository
from idbits.repository.feeds import BEGINNING, Cursor

__all__ = ["Followed", "FollowedKey", "find_followed", "follow", "followed_repositories", "unfollow", "write_progress"]

_FOLLOWED, _PROGRESS = "followed repository", "progress of a followed repository"


@dataclass(frozen=True, slots=True)
class FollowedKey:
    """A key of a followed repository that is not trusted here.

    Attributes:
        holder: the data holder of the first entry with this key.
        entries: the number of entries that were left out.
        before: the line before the first of them, to read on from if the key is trusted later.
    """

    holder: str
    entries: int
    before: Cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """A repository that this one follows.

    Attributes:
        url: its address.
        cursor: the last line of its log that was read.
        read_at: when something new was last read, UTC; None if nothing was read yet.
        problem: what contradicted its log, or what it sent before; None if nothing did.
        untrusted: the keys that are not trusted here.
        withheld: the entries that were left out as retracted, and the line by which the log must have the retraction.
        key_file: the file with the API key for it, if it needs one.
        insecure: whether to send the key unencrypted.
        added_by, added_at: who follows it, and since when.
    """

    url: str
    cursor: Cursor = BEGINNING
    read_at: str | None = None
    problem: str | None = None
    untrusted: dict[str, FollowedKey] = field(default_factory=dict)
    withheld: dict[str, int] = field(default_factory=dict)
    key_file: str | None = None
    insecure: bool = False
    added_by: str = ""
    added_at: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, without the place of the key."""
        keys = [
            {"public_key": key, "holder": each.holder, "entries": each.entries} for key, each in self.untrusted.items()
        ]
        head = {"sequence": self.cursor.sequence, "hash": self.cursor.hash}
        data = {name: getattr(self, name) for name in ("url", "read_at", "problem", "added_by", "added_at")}
        return data | {"head": head, "untrusted": keys}


def follow(
    connection: sa.Connection, url: str, *, by: str, key_file: str | None = None, insecure: bool = False
) -> Followed:
    """Follow a repository from the beginning of its log."""
    url = url.rstrip("/")
    RemoteRepository(url, insecure=insecure)
    if len(url) > 290:
        raise InputError("the address of a repository must have at most 290 characters")
    if latest_record(connection, _FOLLOWED, url) is not None:
        raise InputError("this repository is followed already")
    write_record(connection, _PROGRESS, url, None, by=by)
    write_record(connection, _FOLLOWED, url, {"url": url, "key_file": key_file, "insecure": insecure}, by=by)
    return find_followed(connection, url)


def unfollow(connection: sa.Connection, url: str, *, by: str) -> None:
    """Stop following a repository; its entries stay."""
    url = find_followed(connection, url).url
    write_record(connection, _FOLLOWED, url, None, by=by)


def followed_repositories(connection: sa.Connection) -> list[Followed]:
    """Return all followed repositories, oldest first."""
    progress = {record["url"]: record for record in read_records(connection, _PROGRESS)}
    return [_followed(record, progress.get(record["url"])) for record in read_records(connection, _FOLLOWED)]


def find_followed(connection: sa.Connection, url: str) -> Followed:
    """Return the followed repository with an address."""
    url = url.rstrip("/")
    record = latest_record(connection, _FOLLOWED, url)
    if record is None:
        raise InputError("this repository is not followed; idbits repository follow URL follows one")
    return _followed(record, latest_record(connection, _PROGRESS, url))


def write_progress(connection: sa.Connection, followed: Followed, *, by: str) -> None:
    """Record how far a repository was read, and what is wrong with it."""
    body = {
        "url": followed.url,
        "line": followed.cursor.sequence,
        "hash": followed.cursor.hash,
        "problem": followed.problem,
        "untrusted": {
            key: {"holder": each.holder, "entries": each.entries, "before": [each.before.sequence, each.before.hash]}
            for key, each in followed.untrusted.items()
        },
        "withheld": followed.withheld,
    }
    write_record(connection, _PROGRESS, followed.url, body, by=by)


def _followed(record: dict[str, Any], progress: dict[str, Any] | None) -> Followed:
    given: dict[str, Any] = {
        "url": record["url"], "key_file": record["key_file"], "insecure": record["insecure"],
        "added_by": record["recorded_by"], "added_at": record["recorded_at"],
    }  # fmt: skip
    if progress is None:
        return Followed(**given)
    untrusted = {
        key: FollowedKey(each["holder"], each["entries"], Cursor(*each["before"]))
        for key, each in progress["untrusted"].items()
    }
    return Followed(
        **given,
        cursor=Cursor(progress["line"], progress["hash"]),
        read_at=progress["recorded_at"],
        problem=progress["problem"],
        untrusted=untrusted,
        withheld=progress.get("withheld", {}),
    )
