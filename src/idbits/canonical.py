"""Canonical JSON: each piece of data has exactly one text, so that its digest and its signature are well defined."""

from __future__ import annotations

import hashlib
import json

from idbits.errors import InputError

__all__ = ["LATER", "canonical", "digest", "is_later_schema", "parse_canonical"]

LATER = "was written by a later version of idbits; install that version to read it"
"""What messages say of files that only a later version can read."""
_MOST_DIGITS = 6


def canonical(data: object) -> str:
    """Return data as JSON with sorted keys, no spaces and the shortest digits that read back as the same number.

    >>> canonical({"b": 0.1, "a": ["é", None]})
    '{"a":["é",null],"b":0.1}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def is_later_schema(found: object, known: str) -> bool:
    """Return whether the name of a schema is that of the same kind of file by a later version.

    >>> is_later_schema("idbits-plan/2", "idbits-plan/1"), is_later_schema("idbits-plan/1", "idbits-plan/1")
    (True, False)
    """
    if not isinstance(found, str):
        return False
    kind, _, number = found.partition("/")
    known_kind, _, known_number = known.partition("/")
    is_number = number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS
    return kind == known_kind and is_number and int(number) > int(known_number)


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
