"""Keyed pseudonyms: the same person gets the same pseudonym in all files of the same key.

A pseudonym is the first 128 bits of HMAC-SHA-256 of the text of a value, in base 32 (26 characters). Without the key
nobody can compute it; with the key anybody can find out whether a known person is in the file. The key stays in its
file, which only its owner can read.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from idbits.errors import InputError
from idbits.storage import whole_file

__all__ = ["PseudonymKey", "pseudonym"]

_KEY_BYTES = 32
_FEWEST_BYTES = 16
_PSEUDONYM_BYTES = 16


@dataclass(frozen=True, slots=True)
class PseudonymKey:
    """A secret key; ``is_new`` if it is not yet in its file."""

    secret: bytes
    is_new: bool
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "PseudonymKey(...)"

    @classmethod
    def of(cls, path: Path) -> PseudonymKey:
        """Read a key, or draw a new one if its file does not exist."""
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return cls(secrets.token_bytes(_KEY_BYTES), is_new=True)
        except OSError as error:
            raise InputError(f'the key "{path}" cannot be opened: {error.strerror}') from error
        try:
            secret = binascii.unhexlify(text.strip())
        except (binascii.Error, ValueError):
            secret = b""
        if len(secret) < _FEWEST_BYTES:
            raise InputError(
                f'"{path}" is not a key of idbits: it must have at least {2 * _FEWEST_BYTES} hexadecimal digits (--key)'
            )
        # Elsewhere the mode does not say who can read a file.
        is_open = os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        note = f"others can read the key {path}; only its owner should (chmod 600)"
        return cls(secret, is_new=False, notes=(note,) if is_open else ())

    def write(self, path: Path) -> None:
        """Write the key to a file that only its owner can read."""
        with whole_file(path, private=True) as draft:
            draft.write_text(f"{self.secret.hex()}\n", encoding="ascii", newline="\n")

    def pseudonym(self, text: str) -> str:
        """Return the pseudonym of a text."""
        return pseudonym(self.secret, text)


def pseudonym(secret: bytes, text: str) -> str:
    """Return the pseudonym of a text.

    The HMAC is that of RFC 4231, test case 2:

    >>> base64.b32decode(pseudonym(b"Jefe", "what do ya want for nothing?").upper() + "======").hex()
    '5bdcc146bf60754e6a042426089575c7'
    """
    digest = hmac.digest(secret, text.encode("utf-8", "surrogatepass"), "sha256")[:_PSEUDONYM_BYTES]
    return base64.b32encode(digest).decode("ascii").rstrip("=").lower()
