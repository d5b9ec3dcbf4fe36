"""Values that Spark returns in Arrow columns, as small integers, and their labels."""

from __future__ import annotations

import numpy as np
import pyarrow
import pyarrow.compute
from numpy.typing import NDArray

from idbits.counts import Value
from idbits.engines.base import numbers_of
from idbits.engines.spark.remote import in_kind
from idbits.values.attributes import Attribute
from idbits.values.labels import OTHER_VALUES, label

__all__ = ["ArrowCodes"]


class ArrowCodes:
    """The codes of an attribute's values; later values get higher codes.

    If ``top`` comes last, code 0 stands for the values that it merges.
    """

    def __init__(self, attribute: Attribute) -> None:
        self._attribute = attribute
        self._merges = bool(attribute.transforms) and attribute.transforms[-1].name == "top"
        self._values: pyarrow.Array | None = None

    @property
    def size(self) -> int:
        """The number of codes."""
        return self._merges + (len(self._values) if self._values is not None else 0)

    def codes(self, column: pyarrow.ChunkedArray, merged: pyarrow.ChunkedArray | None) -> NDArray[np.uint32]:
        """Return the code of each value; ``merged`` tells which were merged by ``top``."""
        compute = pyarrow.compute
        values = compute.unique(column)
        if self._values is not None:
            values = values.filter(compute.invert(compute.is_in(values, value_set=self._values)))
        # In their order, so that codes do not depend on the order in which rows arrive.
        ordered = values.take(compute.sort_indices(values))
        self._values = ordered if self._values is None else pyarrow.concat_arrays([self._values, ordered])
        codes = numbers_of(compute.index_in(column, value_set=self._values)).astype(np.uint32)
        if not self._merges:
            return codes
        assert merged is not None
        return np.where(numbers_of(merged.cast(pyarrow.int8())) == 1, np.uint32(0), codes + np.uint32(1))

    def values(self) -> list[object]:
        """Return the value of each code, without the code of those that ``top`` merges."""
        return [] if self._values is None else [_python_value(value) for value in self._values]

    def labels(self) -> list[Value]:
        """Return the label of each code."""
        kind = self._attribute.result_kind
        shown = [label(in_kind(value, kind), self._attribute) for value in self.values()]
        return [OTHER_VALUES, *shown] if self._merges else shown


def _python_value(value: pyarrow.Scalar) -> object:
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        return _text_of_time(value)


def _text_of_time(value: pyarrow.Scalar) -> str:
    """Return a date or timestamp that Python does not have as DuckDB writes it.

    >>> _text_of_time(pyarrow.scalar(-719_163, pyarrow.date32()))
    '0001-12-31 (BC)'
    """
    if pyarrow.types.is_date32(value.type):
        moment = str(np.datetime64(int(value.cast(pyarrow.int32()).as_py()), "D"))
    else:
        moment = str(np.datetime64(int(value.cast(pyarrow.int64()).as_py()), "us"))
    day, _, rest = moment.partition("T")
    year, month, of_month = day.rsplit("-", 2)
    before = int(year) < 1
    written = f"{1 - int(year) if before else int(year):04}-{month}-{of_month}{' (BC)' if before else ''}"
    return f"{written} {rest.rstrip('0').rstrip('.') if '.' in rest else rest}" if rest else written
