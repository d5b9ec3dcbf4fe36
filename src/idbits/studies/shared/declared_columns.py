"""The columns that the rows of an answer have, from the types that their class declares.

So a column has the same type in every answer: one without any value is not a column of another type.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from idbits.studies.shared.restoring import field_types
from idbits.studies.shared.serialisation import entries_of

if TYPE_CHECKING:
    import pyarrow

__all__ = ["arrow_type", "declared_columns", "parts_of"]

_LEFT_OUT = "reasons"


@cache
def declared_columns(kind: type) -> Mapping[str, Any]:
    """Return the type of each column that a row of a class has; objects inside it become columns.

    A mapping has any number of columns, whose names begin with its own: ``loss_*``.

    >>> from idbits.studies.overlap.result import IsolatedSize
    >>> dict(declared_columns(IsolatedSize))
    {'people': <class 'int'>, 'groups': <class 'int'>}
    """
    columns: dict[str, Any] = {}
    for mark, key, name in entries_of(kind):
        hint = _without_none(_type_of(kind, name))
        parts = parts_of(hint)
        if key == _LEFT_OUT:
            continue
        if mark == "*":
            columns |= parts or {}
        elif parts is not None:
            columns |= {f"{key}_{part}": each for part, each in parts.items()}
        elif get_origin(hint) in (dict, Mapping):
            columns[f"{key}_*"] = get_args(hint)[1]
        else:
            columns[key] = hint
    return columns


def parts_of(hint: Any) -> Mapping[str, Any] | None:
    """Return the columns of an object; None for values and for objects whose keys are not known before."""
    inner = _without_none(hint)
    if is_typeddict(inner):
        return field_types(inner)
    return declared_columns(inner) if isinstance(inner, type) and is_dataclass(inner) else None


def arrow_type(hint: Any) -> pyarrow.DataType | None:
    """Return the Arrow type of a type; None if the values decide."""
    import pyarrow

    inner = _without_none(hint)
    if isinstance(inner, type) and issubclass(inner, str | Enum):
        return pyarrow.string()
    scalars = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    if inner in scalars:
        return scalars[inner]
    parts = get_args(inner)
    if get_origin(inner) in (tuple, list, Sequence) and (len(parts) == 1 or parts[-1] is Ellipsis):
        item = arrow_type(parts[0])
        return None if item is None else pyarrow.list_(item)
    return None


def _without_none(hint: Any) -> Any:
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    kinds = [part for part in get_args(hint) if part is not type(None)]
    return kinds[0] if len(kinds) == 1 else hint


def _type_of(kind: type, name: str) -> Any:
    """Return the type of a field or a property; None if it is not declared."""
    hints = field_types(kind)
    if name in hints:
        return hints[name]
    attribute = getattr(kind, name, None)
    function = getattr(attribute, "fget", None) or getattr(attribute, "func", None)
    try:
        return get_type_hints(function).get("return") if function is not None else None
    except NameError:
        # A type that is imported for type checkers only.
        return None
