"""Entries as another repository sends them, in an export or over the network. Nothing in them is verified yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from idbits.canonical import canonical
from idbits.errors import InputError
from idbits.repository.audit_log import row_digest
from idbits.repository.entries import parse_signed, reference

__all__ = ["REFERENCE", "ForeignEntry", "read_foreign_entry"]

REFERENCE = re.compile(r"[0-9a-f]{16}")
_MOST_NAME = 200
_MOST_REASON = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignEntry:
    """An entry of another repository.

    Attributes:
        ref: its reference.
        text: the canonical text of the statement; empty for a retracted entry, whose figures are withheld.
        signature: the signature of the text, base64; empty for a retracted entry.
        public_key: the key that it says verifies the signature.
        publisher: the name of the publishing account there.
        published_at: the time of its publication there.
        sequence: its line in the audit log there.
        retraction: why it was retracted there; None if it was not.
    """

    ref: str
    text: str
    signature: str
    public_key: str
    publisher: str
    published_at: str
    sequence: int
    retraction: str | None = None

    def digest(self) -> str:
        """Return the digest of its row that the audit log of its repository must have."""
        _, keys = parse_signed(self.text)
        row = {
            "statement": self.text,
            "signature": self.signature,
            "public_key": self.public_key,
            "publisher": self.publisher,
            "published_at": self.published_at,
            **keys._asdict(),
        }
        return row_digest(row)


def read_foreign_entry(data: object) -> ForeignEntry:
    """Return an entry from plain data, as exports and feeds have it; refuse data of another form."""
    if not isinstance(data, Mapping) or not isinstance(data.get("statement"), Mapping):
        raise InputError("the data are not an entry")
    ref, sequence, status = data.get("ref"), data.get("sequence"), data.get("status")
    if not isinstance(ref, str) or REFERENCE.fullmatch(ref) is None:
        raise InputError("the entry has no valid reference")
    if isinstance(sequence, bool) or not isinstance(sequence, int) or not 0 < sequence < 2**31:
        raise InputError("the entry has no valid line number")
    texts = {name: _line(data.get(name), name) for name in ("public_key", "publisher", "published_at")}
    if status == "retracted":
        reason = _line(data.get("reason"), "reason", _MOST_REASON)
        return ForeignEntry(ref=ref, text="", signature="", sequence=sequence, retraction=reason, **texts)
    try:
        text = canonical(data["statement"])
        expected = reference(text)
    except (TypeError, ValueError, RecursionError):
        raise InputError("the statement is not valid JSON in UTF-8") from None
    if expected != ref:
        raise InputError("the reference is not that of the statement: the entry was changed")
    return ForeignEntry(
        ref=ref, text=text, signature=_line(data.get("signature"), "signature"), sequence=sequence, **texts
    )


def _line(value: object, what: str, most: int = _MOST_NAME) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= most or not value.isprintable():
        raise InputError(f'the entry has no valid "{what}"')
    return value
