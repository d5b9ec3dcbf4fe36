"""Answers from plain data: the way back from ``to_dict()`` and from the JSON of a command.

A class declares its keys once, in ``json_keys`` (see ``serialisation``). Here they are read in the other direction:
each field from the key that was written from it. A class whose keys cannot be reversed one by one returns those fields
from ``_saved_fields``. A class whose types are imported only for type checkers names their modules in ``_types_from``.
Fields that a saved answer does not have keep their defaults, or are None if they may be.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from idbits.errors import InputError
from idbits.studies.shared.serialisation import UncheckedData, entries_of

__all__ = ["field_types", "fields_from", "rebuilt", "saved_names", "saved_value"]

Made = TypeVar("Made")

_INFINITIES = {"inf": float("inf"), "-inf": float("-inf")}
# The types of plain data are written as texts, which have to be known where a class names them.
_PLAIN_TYPES = {"Json": Any, "JsonObject": dict[str, Any]}


def rebuilt(kind: type[Made], data: Any) -> Made:
    """Return a dataclass from its plain data; a missing key or a wrong type is an error that names the key.

    >>> from idbits.studies.leak.result import Conditional
    >>> rebuilt(Conditional, {"original_bits": 1.5, "released_bits": "inf"})
    Conditional(original_bits=1.5, released_bits=inf)
    """
    if not isinstance(data, Mapping):
        raise InputError(f"{kind.__name__} is not an object")
    made = fields_from(kind, data)
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in made and not _has_default(field):
            raise InputError(f'the key "{field.name}" is missing')
    return kind(**made)


def fields_from(kind: type, data: Mapping[str, Any]) -> UncheckedData:
    """Return the fields of a dataclass that its plain data have."""
    reverse: Callable[[Mapping[str, Any]], UncheckedData] | None = getattr(kind, "_saved_fields", None)
    made = dict(reverse(data)) if reverse is not None else {}
    hints, keys = field_types(kind), _keys(kind)
    for field in fields(kind):
        hint = hints[field.name]
        if field.name in made:
            continue
        if field.name not in keys:
            made |= {field.name: None} if type(None) in get_args(hint) and not _has_default(field) else {}
            continue
        mark, key = keys[field.name]
        if mark == "*":
            made[field.name] = _merged(hint, data)
        elif key in data:
            made[field.name] = saved_value(hint, data[key], key)
        elif not _has_default(field):
            # Earlier versions did not have every figure; one that may be missing is None.
            if mark != "?" and type(None) not in get_args(hint):
                raise InputError(f'the key "{key}" is missing')
            made[field.name] = _nothing(hint)
    return made


def saved_names(kind: type) -> frozenset[str]:
    """Return the fields that keys are written from."""
    return frozenset(_keys(kind))


def saved_value(hint: Any, value: Any, key: str) -> Any:
    """Return a value of a key with the type of the hint."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any or hint is object:
        return value
    if origin in (Union, types.UnionType):
        if value is None and type(None) in parts:
            return None
        return _first_that_fits([part for part in parts if part is not type(None)], value, key)
    if origin is not None:
        return _collection(origin, parts, value, key)
    if is_typeddict(hint):
        return {name: saved_value(part, _member(value, name, key), name) for name, part in field_types(hint).items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        if value in [member.value for member in hint]:
            return hint(value)
        raise _unexpected(key)
    if hasattr(hint, "from_dict"):
        return hint.from_dict(value)
    return rebuilt(hint, value) if is_dataclass(hint) else _simple(hint, value, key)  # type: ignore[arg-type]


def _collection(origin: Any, parts: tuple[Any, ...], value: Any, key: str) -> Any:
    if issubclass(origin, Mapping) and isinstance(value, Mapping):
        return {str(name): saved_value(parts[1], item, key) for name, item in value.items()}
    if not isinstance(value, list | tuple) or issubclass(origin, Mapping):
        raise _unexpected(key)
    if origin is tuple and parts[-1] is not Ellipsis:
        if len(parts) != len(value):
            raise _unexpected(key)
        return tuple(saved_value(part, item, key) for part, item in zip(parts, value, strict=True))
    made = [saved_value(parts[0], item, key) for item in value]
    return tuple(made) if origin is tuple else made


def _member(value: Any, name: str, key: str) -> Any:
    if not isinstance(value, Mapping) or name not in value:
        raise _unexpected(key)
    return value[name]


def _simple(hint: Any, value: Any, key: str) -> Any:
    number = _INFINITIES.get(value, value) if isinstance(value, str) and hint is float else value
    whole = isinstance(number, int) and not isinstance(number, bool) and abs(number) < 2**63
    fits = {float: whole or isinstance(number, float), int: whole, type(None): value is None}
    if fits.get(hint, hint in (str, bool) and isinstance(value, hint)):
        return number
    raise _unexpected(key)


def _unexpected(key: str) -> InputError:
    return InputError(f'"{key}" is not what idbits writes')


def _first_that_fits(kinds: Sequence[Any], value: Any, key: str) -> Any:
    for kind in kinds[:-1]:
        try:
            return saved_value(kind, value, key)
        except InputError:
            continue
    return saved_value(kinds[-1], value, key)


def _merged(hint: Any, data: Mapping[str, Any]) -> Any:
    """Return an object whose keys are among those of the object around it; None if it may be None and they are not."""
    kinds = [part for part in get_args(hint) or (hint,) if part is not type(None)]
    needed = [key for mark, key in _keys(kinds[0]).values() if not mark]
    if type(None) in get_args(hint) and not all(key in data for key in needed):
        return None
    return rebuilt(kinds[0], data)


def _nothing(hint: Any) -> Any:
    """Return the empty value of a key that is written only if it is not empty."""
    origin = get_origin(hint) or hint
    return origin() if origin in (tuple, dict, list, bool, int, float, str) else None


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


@cache
def field_types(kind: Any) -> UncheckedData:
    """Return the types of the fields of a class."""
    names = dict(_PLAIN_TYPES)
    for module in getattr(kind, "_types_from", ()):
        names |= {module: import_module(module)} if "." not in module else vars(import_module(module))
    return get_type_hints(kind, localns=names)


@cache
def _keys(kind: Any) -> dict[str, tuple[str, str]]:
    """Return the key that each field is written to, with its mark."""
    names = [field.name for field in fields(kind)]
    keys: dict[str, tuple[str, str]] = {}
    for mark, key, name in entries_of(kind):
        if name in names:
            keys.setdefault(name, (mark, key))
    return keys
