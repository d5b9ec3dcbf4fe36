"""Signatures: publishers sign the canonical text of a statement with Ed25519.

Each statement has exactly one canonical text, so that its digest and signature are well defined. The private key never
leaves the publisher's machine; it is stored in a file that only its owner can read.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import stat
from functools import lru_cache
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from idbits.errors import InputError
from idbits.file_guard import note_read, will_write

__all__ = [
    "SigningKey", "canonical", "check_private", "digest", "is_public_key", "parse_canonical", "verifies",
]  # fmt: skip

# The context is part of the signed text, so that a signature for another purpose cannot pass as one of an entry.
_CONTEXT = b"idbits-entry/1\n"


class SigningKey:
    """A publisher's private key.

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

    def sign(self, text: str) -> str:
        """Return the signature of a text, base64."""
        return base64.b64encode(self._private.sign(_CONTEXT + text.encode("utf-8"))).decode()


def check_private(path: Path) -> None:
    """Refuse a secret in a file that others can access."""
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise InputError(f'others can access "{path}"; make it private with chmod 600')


def is_public_key(text: str) -> bool:
    """Return whether a text is an Ed25519 public key in base64."""
    return _load(text) is not None


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
def verifies(public_key: str, text: str, signature: str) -> bool:
    """Return whether a signature of a text verifies with a public key.

    Answers are cached: for the same key, text and signature they cannot change.
    """
    key, raw = _load(public_key), _decoded(signature, 64)
    if key is None or raw is None:
        return False
    try:
        key.verify(raw, _CONTEXT + text.encode("utf-8"))
    except (InvalidSignature, UnicodeEncodeError):
        return False
    return True


def canonical(data: object) -> str:
    """Return data as JSON with sorted keys, no spaces and the shortest digits that read back as the same number.

    >>> canonical({"b": 0.1, "a": ["é", None]})
    '{"a":["é",null],"b":0.1}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def parse_canonical(text: str) -> object:
    """Return the data of a canonical text; refuse any other form of the same data."""
    try:
        data: object = json.loads(text)
        if canonical(data) != text:
            raise InputError("the statement is not in canonical form (sorted keys, no spaces, shortest numbers)")
        text.encode("utf-8")
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("the statement is not valid JSON in UTF-8") from None
    return data


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
