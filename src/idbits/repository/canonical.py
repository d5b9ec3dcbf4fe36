"""The canonical form of what is signed and logged: one text for one meaning, so that its digest means something."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from idbits.errors import InputError

__all__ = ["canonical", "digest", "parse_canonical"]

_MOST_DEPTH = 12


def canonical(data: Any) -> str:
    """Return data as JSON with sorted keys, no spaces and the shortest digits that read back as the same number.

    >>> canonical({"b": 0.1, "a": ["é", None]})
    '{"a":["é",null],"b":0.1}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def parse_canonical(text: str) -> Any:
    """Return the data of a canonical text; any other spelling of it is refused."""
    try:
        data = json.loads(text)
        if canonical(data) != text:
            raise InputError("the statement is not in its canonical form (sorted keys, no spaces, shortest numbers)")
        text.encode("utf-8")
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("the statement is not JSON in UTF-8") from None
    return data


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
