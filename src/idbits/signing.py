"""Signatures with Ed25519: of entries in a repository and of decisions, both by the same keys.

The private key never leaves its owner's machine; it is stored in a file that only its owner can read. This module needs
the package cryptography, which comes with an extra.
"""

from __future__ import annotations

import base64
import binascii
import os
import stat
from functools import lru_cache
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from idbits.errors import InputError
from idbits.file_guard import note_read, will_write

__all__ = ["DECISION", "ENTRY", "SigningKey", "check_private", "is_public_key", "is_signed_by", "verifies"]

ENTRY, DECISION = "entry", "decision"
"""What is signed. It is part of the signed text, so that a signature for one purpose cannot pass for another."""


def _signed_bytes(text: str, purpose: str) -> bytes:
    return f"idbits-{purpose}/1\n{text}".encode()


class SigningKey:
    """A private key.

    Examples:
        >>> key = SigningKey.generate()
        >>> verifies(key.public_key, "a statement", key.sign("a statement"))
        True
        >>> verifies(key.public_key, "another one", key.sign("a statement"))
        False
    """

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private

    def __repr__(self) -> str:
        return f"SigningKey(public_key={self.public_key!r})"

    @classmethod
    def generate(cls) -> SigningKey:
        """Return a new key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, path: Path) -> SigningKey:
        """Return the key in a file; refuse a file that others can read."""
        note_read(path)
        try:
            check_private(path)
            return cls.from_text(path.read_bytes())
        except OSError as error:
            raise InputError(f'the signing key "{path}" cannot be read: {error.strerror}') from error

    @classmethod
    def from_text(cls, text: bytes) -> SigningKey:
        """Return the key in a PEM text."""
        try:
            private = serialization.load_pem_private_key(text, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise InputError(
                "the signing key is not a valid Ed25519 key in PEM; make one with idbits repository keygen"
            ) from None
        if not isinstance(private, Ed25519PrivateKey):
            raise InputError("the signing key must be an Ed25519 key; make one with idbits repository keygen")
        return cls(private)

    def write(self, path: Path) -> None:
        """Write the key to a new file that only its owner can read; never overwrite a file."""
        will_write(path, "--key")
        pem = self._private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise InputError(f'"{path}" already exists, and keys are never overwritten; choose another file') from None
        except OSError as error:
            raise InputError(f'"{path}" cannot be written: {error.strerror}') from error
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(pem)
        except OSError as error:
            # An incomplete key is useless and would block the next attempt.
            path.unlink(missing_ok=True)
            raise InputError(f'"{path}" cannot be written: {error.strerror}') from error

    @property
    def public_key(self) -> str:
        """The public half, base64."""
        raw = self._private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return base64.b64encode(raw).decode()

    def sign(self, text: str, purpose: str = ENTRY) -> str:
        """Return the signature of a text, base64."""
        return base64.b64encode(self._private.sign(_signed_bytes(text, purpose))).decode()


def check_private(path: Path) -> None:
    """Refuse a secret in a file that others can access."""
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise InputError(f'others can access "{path}"; make it private with chmod 600')


def is_public_key(text: str) -> bool:
    """Return whether a text is an Ed25519 public key in base64."""
    return _load(text) is not None


@lru_cache(maxsize=1000)
def _load(text: str) -> Ed25519PublicKey | None:
    raw = _decoded(text, 32)
    try:
        return Ed25519PublicKey.from_public_bytes(raw) if raw is not None else None
    except ValueError:
        return None


def _decoded(text: str, length: int) -> bytes | None:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if len(raw) == length and base64.b64encode(raw).decode() == text else None


@lru_cache(maxsize=20_000)
def verifies(public_key: str, text: str, signature: str, purpose: str = ENTRY) -> bool:
    """Return whether a signature of a text verifies with a public key.

    Answers are cached: for the same key, text and signature they cannot change.
    """
    return is_signed_by(public_key, text, signature, purpose)


def is_signed_by(public_key: str, text: str, signature: str, purpose: str = ENTRY) -> bool:
    """Return whether a signature of a text verifies with a public key, without caching: for many texts."""
    key, raw = _load(public_key), _decoded(signature, 64)
    if key is None or raw is None:
        return False
    try:
        key.verify(raw, _signed_bytes(text, purpose))
    except (InvalidSignature, UnicodeEncodeError):
        return False
    return True
