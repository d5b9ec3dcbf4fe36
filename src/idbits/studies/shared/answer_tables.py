"""The main table of an answer as an Arrow table, a pandas frame or a polars frame.

A row is the plain data of its part of the answer. An object inside it becomes columns whose names begin with its own,
``people_below_5``; sentences about missing figures (``reasons``) stay in ``to_dict()``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from idbits.errors import InputError
from idbits.studies.shared.restoring import field_types
from idbits.studies.shared.serialisation import Json, JsonObject, plain

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["arrow_table", "flat_row", "pandas_frame", "polars_frame"]

_LEFT_OUT = "reasons"


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


def arrow_table(parts: Iterable[object], kind: type | None = None) -> pyarrow.Table:
    """Return one row per part; a figure that a part does not have is null.

    ``kind`` is the class of the parts: it says which columns there are if there is no row.
    """
    import pyarrow

    objects: set[str] = set()
    rows = [flat_row(cast("JsonObject", plain(part)), "", objects) for part in parts]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not rows and kind is not None:
        return pyarrow.schema(_types_of(kind)).empty_table()
    # An object that a row lacks is null under its own name there, and columns in the other rows.
    names = [name for name in names if name not in objects]
    return pyarrow.table({name: _column([row.get(name) for row in rows]) for name in names})


def _types_of(kind: type) -> list[tuple[str, pyarrow.DataType]]:
    import pyarrow

    known = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    types = field_types(kind)
    return [(field.name, known.get(types[field.name], pyarrow.string())) for field in fields(kind)]


def _column(values: Sequence[Json]) -> pyarrow.Array:
    import pyarrow

    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        # Numbers beside words, such as a number of points or "all".
        return pyarrow.array([None if value is None else str(value) for value in values])


def pandas_frame(table: pyarrow.Table) -> pandas.DataFrame:
    """Return a table as a pandas frame."""
    _require("pandas", "to_pandas()")
    return table.to_pandas()


def polars_frame(table: pyarrow.Table) -> polars.DataFrame:
    """Return a table as a polars frame."""
    frame: Any = _require("polars", "to_polars()").from_arrow(table)
    return cast("polars.DataFrame", frame)


def _require(package: str, method: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise InputError(f"{method} needs the package {package}; install it, or use to_arrow()") from error
