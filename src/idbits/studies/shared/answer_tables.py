"""The main table of an answer as an Arrow table, a pandas frame or a polars frame.

A row is the plain data of its part of the answer. An object inside it becomes columns whose names begin with its own,
``people_below_5``; sentences about missing figures (``reasons``) stay in ``to_dict()``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from idbits.errors import InputError
from idbits.studies.shared.declared_columns import arrow_type, declared_columns
from idbits.studies.shared.serialisation import Json, JsonObject, plain

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["arrow_table", "flat_row", "pandas_frame", "polars_frame"]

_LEFT_OUT = "reasons"
_INTEGERS = {f"{sign}int{bits}": f"{'U' if sign else ''}Int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
"""The types of pandas for whole numbers of which some are missing."""


def flat_row(row: Mapping[str, Json], before: str = "", objects: set[str] | None = None) -> JsonObject:
    """Return plain data without objects inside it; the names of these are added to ``objects``.

    >>> flat_row({"k": 2, "people_below": {"5": 3}, "reasons": {}})
    {'k': 2, 'people_below_5': 3}
    """
    flat: JsonObject = {}
    for key, value in row.items():
        if key == _LEFT_OUT:
            continue
        if isinstance(value, dict):
            flat |= flat_row(value, f"{before}{key}_", objects)
            if objects is not None:
                objects.add(before + key)
        else:
            flat[before + key] = value
    return flat


def arrow_table(
    parts: Iterable[object], kind: type | None = None, times: Mapping[str, str] | None = None
) -> pyarrow.Table:
    """Return one row per part; a figure that a part does not have is null.

    ``kind`` is the class of the parts: it says which columns there are if there is no row, and their types. ``times``
    has the columns that are dates or times.
    """
    import pyarrow

    objects: set[str] = set()
    listed = list(parts)
    rows = [flat_row(cast("JsonObject", plain(part)), "", objects) for part in listed]
    if kind is None and listed and is_dataclass(listed[0]):
        kind = type(listed[0])
    declared = declared_columns(kind) if kind is not None else {}
    names = dict.fromkeys(name for row in rows for name in row) if rows else [*filter(str.isidentifier, declared)]
    # An object that a row lacks is null under its own name there, and columns in the other rows.
    columns = {name: part for each in names if each not in objects for name, part in _parts(each, declared).items()}
    made = {name: _column([row.get(name) for row in rows], hint) for name, hint in columns.items()}
    for name in filter(made.__contains__, times or {}):
        made[name] = _times(made[name], (times or {})[name])
    return pyarrow.table(made)


def _parts(name: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a column with its type; the columns of an object if no row has it."""
    if name in declared:
        return {name: declared[name]}
    inside = {each: hint for each, hint in declared.items() if each.startswith(f"{name}_") and not each.endswith("*")}
    mapped = (hint for each, hint in declared.items() if each.endswith("*") and name.startswith(each[:-1]))
    return inside or {name: next(mapped, None)}


def _column(values: Sequence[Json], hint: Any) -> pyarrow.Array:
    import pyarrow

    # Numbers beside words, such as a number of points or "all", are words.
    words = [None if value is None else str(value) for value in values]
    for given, kind in ((values, arrow_type(hint)), (values, None), (words, pyarrow.string())):
        try:
            made = pyarrow.array(given, kind)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
            continue
        # Figures by their names; none of them exists.
        return made.cast(pyarrow.float64()) if hint is Any and pyarrow.types.is_null(made.type) else made
    raise AssertionError("texts are an array")


def _times(texts: pyarrow.Array, form: str) -> pyarrow.Array:
    """Return dates, or instants in UTC; what is neither, such as a month, stays a text."""
    import pyarrow

    read = {"date": date.fromisoformat, "instant": datetime.fromisoformat}[form]
    kind = {"date": pyarrow.date32(), "instant": pyarrow.timestamp("us", "UTC")}[form]
    try:
        return pyarrow.array([None if text is None else read(text) for text in texts.to_pylist()], kind)
    except ValueError:
        return texts


def pandas_frame(table: pyarrow.Table) -> pandas.DataFrame:
    """Return a table as a pandas frame, in which whole numbers stay whole where some are missing."""
    package = _require("pandas", "to_pandas()")
    frame = table.to_pandas(date_as_object=False)
    for index, column in enumerate(table.columns):
        kind = "boolean" if str(column.type) == "bool" else _INTEGERS.get(str(column.type))
        if column.null_count and kind is not None:
            missing_allowed = package.api.types.pandas_dtype(kind)
            frame.isetitem(index, column.to_pandas(types_mapper=lambda _, dtype=missing_allowed: dtype))
    return frame


def polars_frame(table: pyarrow.Table) -> polars.DataFrame:
    """Return a table as a polars frame."""
    frame: Any = _require("polars", "to_polars()").from_arrow(table)
    return cast("polars.DataFrame", frame)


def _require(package: str, method: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise InputError(f"{method} needs the package {package}; install it, or use to_arrow()") from error
