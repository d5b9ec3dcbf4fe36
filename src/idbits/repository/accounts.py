"""Accounts: who may read, publish and administer. Of a key only its digest is kept."""

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
from idbits.repository.signing import is_public_key

__all__ = [
    "ANONYMOUS_NAME", "OWNER", "ROLES", "Account", "add_account", "all_accounts", "find_by_key", "find_by_public_key",
    "may", "revoke",
]  # fmt: skip

ROLES = ("reader", "publisher", "admin")
OWNER = "owner of this machine"
"""What the log calls whoever works on the database itself, or opened the link that the terminal printed."""

ANONYMOUS_NAME = "anonymous"

_KEY = re.compile(r"idbits_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
# Compared with when there is no account, so that a guess takes as long as a near miss.
_NOBODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody with a key.

    Attributes:
        name: what the audit log calls them; unique.
        role: ``"reader"``, ``"publisher"`` or ``"admin"``; each may do what those before it may.
        public_key: the Ed25519 key that their entries are signed with, base64; None for readers.
        holder: the data holder in whose name they publish.
        revoked: whether the key no longer opens anything.
    """

    name: str
    role: str
    public_key: str | None
    holder: str | None
    revoked: bool


def may(role: str | None, needed: str) -> bool:
    """Return whether a role is enough.

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
    """Add an account and return its key, which is shown this once."""
    if not re.fullmatch(r"\w[\w .@\-]{0,79}", name):
        raise InputError("the name of an account has letters, digits, blanks and . @ - _, at most 80")
    if name.casefold() in (OWNER, ANONYMOUS_NAME):
        raise InputError("this name is not for accounts")
    if role not in ROLES:
        raise InputError(f"a role is one of {', '.join(ROLES)}")
    if role == "publisher" and (public_key is None or holder is None):
        raise InputError("a publisher has a public key (idbits repository keygen) and stands for a data holder")
    if public_key is not None and not is_public_key(public_key):
        raise InputError("the public key is not one that idbits repository keygen has printed")
    if holder is not None and (not 1 <= len(holder) <= 200 or not holder.isprintable() or holder != holder.strip()):
        raise InputError("the name of a data holder is one line of at most 200 characters")
    taken = connection.execute(
        sa.select(accounts.c.name).where(
            (accounts.c.name == name) | (accounts.c.public_key == public_key if public_key else sa.false())
        )
    ).first()
    if taken is not None:
        raise InputError("there is an account with this name or this public key already")
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
    """End an account: its key opens nothing any more. What it published stays."""
    account = _first(connection, accounts.c.name == name)
    if account is None:
        raise InputError("there is no such account")
    if account.revoked:
        raise InputError("this account was revoked already")
    row = {"name": name, "at": timestamp()}
    insert_logged(connection, revocations, row, actor=by, action="revoke", subject=f"revocation:{name}")


# The columns of the query below, by their names.
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
    """Return all accounts, by name."""
    return [_account(row) for row in connection.execute(_query().order_by(accounts.c.name))]


def find_by_key(connection: sa.Connection, key: str) -> Account | None:
    """Return whose key this is; None for a wrong or revoked one."""
    match = _KEY.fullmatch(key)
    row = connection.execute(_query().where(accounts.c.key_id == match[1])).first() if match is not None else None
    expected = row.key_digest if row is not None else _NOBODY
    given = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    if not hmac.compare_digest(given, expected) or row is None:
        return None
    account = _account(row)
    return None if account.revoked else account


def find_by_public_key(connection: sa.Connection, public_key: str) -> Account | None:
    """Return who signs with the private half of this key; None for nobody, or a revoked account."""
    account = _first(connection, accounts.c.public_key == public_key)
    return None if account is None or account.revoked else account
