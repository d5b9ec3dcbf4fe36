"""Accounts: who may read, publish and administer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ROLES", "Account"]

ROLES = ("reader", "publisher", "admin")


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody with a key.

    Attributes:
        name: what the audit log calls them; unique.
        role: ``"reader"``, ``"publisher"`` or ``"admin"``; each may do what those before it may.
        public_key: the Ed25519 key that their entries are signed with, base64; None for readers.
        revoked: whether the key no longer opens anything.
    """

    name: str
    role: str
    public_key: str | None
    revoked: bool
