"""Accounts: who may read, publish and administer. The repository stores only the digest of a key."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from idbits.errors import InputError
from idbits.repository.audit_log import insert_logged
from idbits.repository.database import timestamp
from idbits.repository.schema import accounts, revocations
from idbits.signing import is_public_key

__all__ = [
    "ANONYMOUS_NAME", "OWNER", "ROLES", "Account", "add_account", "all_accounts", "find_by_key", "find_by_public_key",
    "may", "revoke",
]  # fmt: skip

ROLES = ("reader", "publisher", "admin")
OWNER = "owner of this machine"
"""The log's name for a person who works on the database itself or opened the link printed in the terminal."""

ANONYMOUS_NAME = "anonymous"

_KEY = re.compile(r"idbits_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
# Compared with when no account matches, so that a wild guess takes as long as a near miss.
_NOBODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class Account:
    """A person or program with an API key.

    Attributes:
        name: the unique name in the audit log.
        role: ``"reader"``, ``"publisher"`` or ``"admin"``; each has the rights of the ones before it.
        public_key: the Ed25519 public key that verifies the account's entries, base64; None for readers.
        holder: the data holder that the account publishes for.
        revoked: whether the API key has been revoked.
    """

    name: str
    role: str
    public_key: str | None
    holder: str | None
    revoked: bool


def may(role: str | None, needed: str) -> bool:
    """Return whether a role includes the rights of the needed one.

    >>> may("admin", "publisher"), may("reader", "publisher"), may(None, "reader")
    (True, False, False)
    """
    return role is not None and ROLES.index(role) >= ROLES.index(needed)


def add_account(
    connection: sa.Connection,
    name: str,
    role: str,
    *,
    by: str,
    public_key: str | None = None,
    holder: str | None = None,
) -> str:
    """Add an account and return its API key, which is not stored and cannot be shown again."""
    if not re.fullmatch(r"\w[\w .@\-]{0,79}", name):
        raise InputError(
            "an account name must have at most 80 letters, digits, spaces and . @ - _, and begin with a letter or digit"
        )
    if name.casefold() in (OWNER, ANONYMOUS_NAME):
        raise InputError("this account name is reserved; choose another name")
    if role not in ROLES:
        raise InputError(f"the role must be one of {', '.join(ROLES)}")
    if role == "publisher" and (public_key is None or holder is None):
        raise InputError("a publisher needs a public key (from idbits repository keygen) and a data holder")
    if public_key is not None and not is_public_key(public_key):
        raise InputError("the public key is not valid; use the one that idbits repository keygen printed")
    if holder is not None and (not 1 <= len(holder) <= 200 or not holder.isprintable() or holder != holder.strip()):
        raise InputError("the name of a data holder must be one line of 1 to 200 characters")
    taken = connection.execute(
        sa.select(accounts.c.name).where(
            (accounts.c.name == name) | (accounts.c.public_key == public_key if public_key else sa.false())
        )
    ).first()
    same_key = _first(connection, accounts.c.public_key == public_key) if public_key is not None else None
    if same_key is not None and same_key.revoked:
        raise InputError("the account with this public key is revoked; ask the publisher for a new key")
    if taken is not None:
        raise InputError("an account with this name or this public key already exists")
    key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    key = f"idbits_{key_id}_{secret}"
    row = {
        "name": name,
        "role": role,
        "key_id": key_id,
        "key_digest": hashlib.sha256(key.encode()).hexdigest(),
        "public_key": public_key,
        "stands_for": holder,
        "created_at": timestamp(),
    }
    insert_logged(connection, accounts, row, actor=by, action=f"add {role}", subject=f"account:{name}")
    return key


def revoke(connection: sa.Connection, name: str, *, by: str) -> None:
    """Revoke an account's API key. Its published entries stay."""
    account = _first(connection, accounts.c.name == name)
    if account is None:
        raise InputError("no account has this name")
    if account.revoked:
        raise InputError("this account is already revoked")
    row = {"name": name, "at": timestamp()}
    insert_logged(connection, revocations, row, actor=by, action="revoke", subject=f"revocation:{name}")


# The columns of the query below, accessed by name.
_Row = sa.Row[tuple[object, ...]]


def _query() -> sa.Select[tuple[object, ...]]:
    joined = accounts.outerjoin(revocations, accounts.c.name == revocations.c.name)
    return sa.select(
        accounts.c.name, accounts.c.role, accounts.c.public_key, accounts.c.stands_for, revocations.c.at,
        accounts.c.key_digest,
    ).select_from(joined)  # fmt: skip


def _account(row: _Row) -> Account:
    return Account(row.name, row.role, row.public_key, row.stands_for, row.at is not None)


def _first(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> Account | None:
    row = connection.execute(_query().where(condition)).first()
    return _account(row) if row is not None else None


def all_accounts(connection: sa.Connection) -> list[Account]:
    """Return all accounts, sorted by name."""
    return [_account(row) for row in connection.execute(_query().order_by(accounts.c.name))]


def find_by_key(connection: sa.Connection, key: str) -> Account | None:
    """Return the account that has an API key; None for a wrong or revoked key."""
    match = _KEY.fullmatch(key)
    row = connection.execute(_query().where(accounts.c.key_id == match[1])).first() if match is not None else None
    expected = row.key_digest if row is not None else _NOBODY
    given = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    if not hmac.compare_digest(given, expected) or row is None:
        return None
    account = _account(row)
    return None if account.revoked else account


def find_by_public_key(connection: sa.Connection, public_key: str) -> Account | None:
    """Return the account that has a public key; None if there is none or it is revoked."""
    account = _first(connection, accounts.c.public_key == public_key)
    return None if account is None or account.revoked else account
