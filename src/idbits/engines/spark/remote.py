"""Python code for the workers: it processes distinct values in Arrow batches, never the rows of the table.

These functions are sent to the workers by name, so they only import what workers have: NumPy and pyarrow.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow

from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.decimals import coarser_number, number_text
from idbits.values.labels import label, match_text

__all__ = ["coarser_values", "in_kind", "label_texts", "mapped", "match_texts"]


def mapped(frame: Any, function: Callable[[Iterator[Any]], Iterator[Any]], schema: str) -> Any:
    """Return a frame with each partition's Arrow batches mapped on the workers."""
    import warnings

    with warnings.catch_warnings():
        # PySpark warns about pandas, which is not used here.
        warnings.simplefilter("ignore")
        return frame.mapInArrow(function, schema)


def _cells(array: Any) -> list[Any]:
    """Return the cells of an Arrow array; single-precision floats as their shortest decimal."""
    if pyarrow.types.is_float32(array.type):
        floats = array.to_numpy(zero_copy_only=False)
        return [
            None if missing else str(np.float32(value))
            for value, missing in zip(floats, array.is_null().to_pylist(), strict=True)
        ]
    return list(array.to_pylist())


def coarser_values(transform: Transform) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function that coarsens the column ``value`` in exact decimal arithmetic; the results are texts."""

    def coarser(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            index = batch.schema.names.index("value")
            texts = [
                None if cell is None else number_text(coarser_number(cell, transform))
                for cell in _cells(batch.column(index))
            ]
            yield batch.set_column(index, "value", pyarrow.array(texts, pyarrow.string()))

    return coarser


def in_kind(value: Any, kind: Kind) -> Any:
    """Convert a value from Spark to the type that labels expect; times outside Python's range stay texts."""
    if kind is Kind.INTEGER and isinstance(value, Decimal):
        return int(value)
    if kind in (Kind.DATE, Kind.TIMESTAMP) and isinstance(value, str):
        with contextlib.suppress(ValueError):
            return date.fromisoformat(value) if kind is Kind.DATE else datetime.fromisoformat(value)
    return value


def _texts(
    columns: Sequence[tuple[str, Attribute]], text: Callable[[Any, Attribute], str | None]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def with_texts(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for name, attribute in columns:
                index = batch.schema.names.index(name)
                kind = attribute.result_kind
                cells = [text(in_kind(cell, kind), attribute) for cell in batch.column(index).to_pylist()]
                batch = batch.set_column(index, name, pyarrow.array(cells, pyarrow.string()))
            yield batch

    return with_texts


def label_texts(columns: Sequence[tuple[str, Attribute]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function that replaces values with their labels."""
    return _texts(columns, label)


def match_texts(columns: Sequence[tuple[str, Attribute]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function that replaces values with texts that make different kinds comparable."""
    return _texts(columns, match_text)
