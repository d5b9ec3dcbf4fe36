"""Frames of other packages as Arrow tables whose columns DuckDB counts correctly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from datetime import date
from decimal import Decimal
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeGuard
from weakref import WeakKeyDictionary

import pyarrow
from pyarrow import types

from idbits.errors import DataError, InputError
from idbits.values.labels import plain_label

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["arrow_table", "countable"]

_READ_ONCE: WeakKeyDictionary[pyarrow.RecordBatchReader, pyarrow.Table] = WeakKeyDictionary()
"""What was read from readers that are empty afterwards: a study may open its source several times."""
_NOT_IN_ARROW = ("Object", "Int128", "UInt128")
"""Types of Polars that Arrow does not have, or has only as addresses in memory."""
_EXACT = 2**53
"""Floats up to here have every whole number."""
_MOST_DIGITS = 38
"""The digits of DuckDB's decimals."""


def arrow_table(frame: object) -> pyarrow.Table:
    """Return a pandas, polars or pyarrow frame, or any object with an Arrow stream, as an Arrow table."""
    if isinstance(frame, pyarrow.Table):
        return frame
    if isinstance(frame, pyarrow.RecordBatchReader):
        if frame not in _READ_ONCE:
            _READ_ONCE[frame] = _read(frame, frame.read_all)
        return _READ_ONCE[frame]
    if _package_of(frame) == "polars" and hasattr(frame, "collect"):
        frame = _read(frame, frame.collect)
    if type(frame).__module__ == "pyarrow._dataset" and hasattr(frame, "to_table"):
        # A dataset or a scanner, which export no stream.
        return _read(frame, frame.to_table)
    if _is_pandas(frame):
        return _from_pandas(frame)
    if _is_polars(frame):
        return _from_polars(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        return _from_stream(frame)
    hint = "; make a frame of it first" if isinstance(frame, Sized) else ""
    raise InputError(f"the source must be a path, a glob pattern or a frame, not {type(frame).__name__}{hint}")


def countable(table: pyarrow.Table) -> pyarrow.Table:
    """Return a table with types that DuckDB counts correctly: it would drop the nanoseconds of durations."""
    for index, column in enumerate(table.schema):
        wanted = _countable_type(column.type)
        if wanted != column.type:
            table = table.set_column(index, column.name, _converted(table.column(index), wanted))
    return table


def _countable_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    if types.is_duration(kind):
        return pyarrow.int64()
    if types.is_string_view(kind):
        # The layout of Polars, which some versions of DuckDB cannot filter.
        return pyarrow.large_string()
    if types.is_float16(kind):
        return pyarrow.float32()
    if types.is_decimal256(kind):
        return pyarrow.decimal128(_MOST_DIGITS, kind.scale) if 0 <= kind.scale <= _MOST_DIGITS else pyarrow.string()
    if types.is_interval(kind):
        return pyarrow.string()
    if types.is_dictionary(kind):
        value = _countable_type(kind.value_type)
        same = value == kind.value_type or types.is_string_view(kind.value_type)
        return value if types.is_dictionary(kind.value_type) or not same else kind
    return _countable_parts(kind)


def _countable_parts(kind: pyarrow.DataType) -> pyarrow.DataType:
    """Return a list or a struct of types that DuckDB counts correctly."""
    if types.is_struct(kind):
        parts = [pyarrow.field(each.name, _countable_type(each.type)) for each in kind]
        changed = any(part.type != each.type for part, each in zip(parts, kind, strict=True))
        return pyarrow.struct(parts) if changed else kind
    if types.is_map(kind):
        key, item = _countable_type(kind.key_type), _countable_type(kind.item_type)
        return kind if (key, item) == (kind.key_type, kind.item_type) else pyarrow.map_(key, item)
    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_list_view, types.is_large_list_view)
    if any(is_one(kind) for is_one in lists):
        value = _countable_type(kind.value_type)
        return kind if value == kind.value_type else pyarrow.large_list(value)
    return kind


def _converted(column: pyarrow.ChunkedArray, wanted: pyarrow.DataType) -> pyarrow.ChunkedArray:
    if types.is_dictionary(column.type):
        plain = pyarrow.chunked_array([part.dictionary_decode() for part in column.chunks], column.type.value_type)
        return plain if plain.type == wanted else _converted(plain, wanted)
    if _has_views(column.type):
        # Arrow converts a view to a list, but not its values at the same time.
        column = column.cast(pyarrow.large_list(column.type.value_type))
    try:
        return column.cast(wanted)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        # Decimals with more digits than DuckDB has, and types that Arrow cannot convert.
        return pyarrow.chunked_array([_texts(column.to_pylist())])


def _has_views(kind: pyarrow.DataType) -> bool:
    return bool(types.is_list_view(kind) or types.is_large_list_view(kind))


def _package_of(frame: object) -> str:
    return type(frame).__module__.split(".")[0]


def _is_pandas(frame: object) -> TypeGuard[pandas.DataFrame]:
    return any(each.__module__.split(".")[0] == "pandas" for each in type(frame).__mro__) and hasattr(frame, "columns")


def _is_polars(frame: object) -> TypeGuard[polars.DataFrame]:
    return _package_of(frame) == "polars" and hasattr(frame, "get_columns")


def _read(frame: object, read: Callable[[], Any]) -> Any:
    """Return what another package reads; what its errors say may be a value of the table."""
    try:
        return read()
    except Exception as error:
        raise InputError(
            f"{type(frame).__name__} cannot be read ({type(error).__name__}); read it yourself to see why"
        ) from error


def _from_stream(frame: object) -> pyarrow.Table:
    # A Series exports a stream of values, not of rows.
    try:
        return pyarrow.table(frame)
    except (pyarrow.ArrowInvalid, TypeError, ValueError) as error:
        raise InputError(
            f"{type(frame).__name__} cannot be read as a table; make a frame of it, for example with to_frame()"
        ) from error
    except Exception as error:
        raise InputError(
            f"{type(frame).__name__} cannot be read ({type(error).__name__}); is its connection closed?"
        ) from error


def _from_polars(frame: polars.DataFrame) -> pyarrow.Table:
    rare = [name for name, kind in frame.schema.items() if str(kind) in _NOT_IN_ARROW]
    table = _from_stream(frame.drop(rare))
    columns = {name: _texts(frame[name].to_list()) if name in rare else table[name] for name in frame.columns}
    return pyarrow.table(columns)


def _from_pandas(frame: pandas.DataFrame) -> pyarrow.Table:
    if frame.columns.has_duplicates:
        raise DataError("the frame has several columns with the same name; rename them")
    arrays = []
    for index in range(frame.shape[1]):
        try:
            arrays.append(_pandas_array(frame.iloc[:, index]))
        except (pyarrow.ArrowException, OverflowError, TypeError, ValueError) as error:
            raise DataError(
                f"column {index + 1} of the frame has a type that cannot be counted; convert it to text"
            ) from error
    return pyarrow.table(arrays, names=[str(name) for name in frame.columns])


def _pandas_array(series: pandas.Series) -> pyarrow.Array:
    name = type(series.dtype).__name__
    if name == "CategoricalDtype":
        return _categories(series)
    if name in ("PeriodDtype", "IntervalDtype"):
        # As pandas writes them; their parts in Arrow are the number of a period and the ends of an interval.
        return _texts(series.astype(object))
    if series.dtype == object:
        series = _with_its_type(series)
    if series.dtype == object:
        kinds = {type(cell) for cell in series[series.notna()]}
        if len(kinds) > 1 or not kinds <= {str, int, bool, bytes, Decimal, date, dict}:
            # Columns of mixed or rare types are compared as text, as in a file.
            return _texts(series)
    try:
        return pyarrow.Array.from_pandas(series)
    except (pyarrow.ArrowException, OverflowError):
        return _texts(series)


def _with_its_type(series: pandas.Series) -> pandas.Series:
    """Return objects with the type that pandas finds; as floats, two large whole numbers could become one."""
    found = series.infer_objects()
    if found.dtype.kind != "f" or all(abs(int(cell)) <= _EXACT for cell in series if isinstance(cell, Integral)):
        return found
    return series.where(series.notna(), None)


def _categories(series: pandas.Series) -> pyarrow.Array:
    """Return the values of categories, of which unused ones and their order do not count."""
    values = _pandas_array(series.cat.categories.to_series())
    values = values.combine_chunks() if isinstance(values, pyarrow.ChunkedArray) else values
    codes = series.cat.codes.to_numpy()
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes, mask=codes < 0), values)


def _texts(cells: Iterable[object]) -> pyarrow.Array:
    return pyarrow.array([_text(cell) for cell in cells], pyarrow.string())


def _plain_parts(cell: object) -> object:
    """Return the parts of a list for comparison: -0 is 0, and NaN is missing."""
    if isinstance(cell, float):
        return None if cell != cell else cell + 0.0
    return [_plain_parts(part) for part in cell] if isinstance(cell, list) else cell


def _text(cell: object) -> str | None:
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if isinstance(cell, list):
        return str(_plain_parts(cell))
    if isinstance(cell, set | frozenset):
        # Equal sets may list their members in different orders, in every run in another one.
        return "{" + ", ".join(sorted(map(repr, cell))) + "}"
    if cell is None or (not isinstance(cell, list | dict | tuple | set) and cell != cell):
        return None
    missing = type(cell).__name__ in ("NAType", "NaTType")
    if missing:
        return None
    return str(cell.isoformat()) if hasattr(cell, "isoformat") else plain_label(cell)
