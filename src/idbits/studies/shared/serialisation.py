"""Plain data and JSON: infinities as words, never NaN, a schema version on top."""

from __future__ import annotations

import json
import math
from typing import Any

from idbits._version import __version__

__all__ = ["SCHEMA", "to_json", "with_schema"]

SCHEMA = "idbits/1"


def with_schema(command: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return data with the schema, the command and the version in front."""
    return {"schema": SCHEMA, "command": command, "version": __version__, **data}


def to_json(data: dict[str, Any]) -> str:
    """Return one JSON object; numbers are not rounded.

    >>> to_json({"bits": float("inf")})
    '{"bits": "inf"}'
    """
    return json.dumps(_finite(data), allow_nan=False, ensure_ascii=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
