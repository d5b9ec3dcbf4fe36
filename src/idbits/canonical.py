"""Canonical JSON: each piece of data has exactly one text, so that its digest and its signature are well defined."""

from __future__ import annotations

import hashlib
import json

from idbits.errors import InputError

__all__ = ["canonical", "digest", "parse_canonical"]


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
