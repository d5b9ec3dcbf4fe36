"""Conversion of answers to plain data and JSON.

A frozen dataclass becomes an object with its fields as keys, in their order. A class that differs declares it in
``json_keys``: a tuple of

=================  ==================================================================================
``"name"``         the attribute (a field or a property) of this name
``"key=name"``     the attribute under another key
``"*name"``        the keys of the attribute's object, at this level; none if it is None
``"?name"``        the attribute if it is not empty, else no key at all
=================  ==================================================================================

and a later key replaces the value of an earlier one. A value that does not exist is null, with a sentence in
``reasons`` beside it. Infinities become words; there is never a NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeAlias, cast

from idbits._version import __version__

__all__ = [
    "SCHEMA", "Json", "JsonObject", "Serialisable", "UncheckedData", "entries_of", "plain", "plain_object", "to_json",
    "with_schema",
]  # fmt: skip

SCHEMA = "idbits/1"

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"
UncheckedData: TypeAlias = dict[str, Any]
"""JSON or TOML from a file: anyone may have written it, and it is not yet checked."""


class Serialisable:
    """A part of an answer that can be converted to plain data."""

    __slots__ = ()

    def to_dict(self) -> JsonObject:
        """Return it as plain data; the reference of the JSON output lists the keys."""
        return plain_object(self)


def plain(value: object) -> Json:
    """Return a value as plain data.

    >>> plain(("zip", {1: 2.5}, None))
    ['zip', {'1': 2.5}, None]
    """
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.to_dict() if isinstance(value, Serialisable) else plain_object(value)


def plain_object(part: object, keys: Sequence[str] | None = None) -> JsonObject:
    """Return a dataclass as plain data, by ``keys``, its ``json_keys`` or all of its fields."""
    if not is_dataclass(part):
        raise AssertionError(f"{type(part).__name__} has no plain data")
    data: JsonObject = {}
    for mark, key, name in entries_of(type(part), keys):
        value = getattr(part, name)
        if mark == "*":
            data |= cast("JsonObject", plain(value)) if value is not None else {}
        elif value or mark != "?":
            data[key] = plain(value)
    return data


def entries_of(kind: type, keys: Sequence[str] | None = None) -> list[tuple[str, str, str]]:
    """Return the mark, the key and the attribute of each entry of ``keys``, of ``json_keys``, or of all fields."""
    entries = []
    for entry in keys or getattr(kind, "json_keys", None) or [field.name for field in fields(kind)]:
        key, _, name = entry.lstrip("*?").rpartition("=")
        entries.append((entry[0] if entry[0] in "*?" else "", key or name, name))
    return entries


def with_schema(command: str, data: Mapping[str, object]) -> dict[str, object]:
    """Return data with the schema, the command and the version in front."""
    return {"schema": SCHEMA, "command": command, "version": __version__, **data}


def to_json(data: Mapping[str, object]) -> str:
    """Return one JSON object; numbers are not rounded.

    >>> to_json({"bits": float("inf")})
    '{"bits": "inf"}'
    """
    return json.dumps(_finite(data), allow_nan=False, ensure_ascii=False)


def _finite(value: object) -> object:
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
