"""The file about records: rows of plain columns, written whole or not at all, safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.sample_uniques import SampleUniques
from idbits.storage import whole_file
from idbits.studies.columns.counting import columns_of
from idbits.wording import joined

__all__ = ["RecordsTable", "harmless", "write_tables"]

Integers = NDArray[np.int64]

_CHUNK = 500_000
# What a spreadsheet takes for the beginning of a formula.
_STEERING = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True, slots=True, eq=False)
class RecordsTable:
    """What is written about each row.

    Attributes:
        numbers: row numbers in the source.
        people: how many people a row stands for, in counted tables.
        remedies: for each column its coarser view in words, then which column helps each row most (-1: none) and how
            many people that leaves.
        values: values of the smallest minimal sample unique, if they may be seen.
    """

    numbers: Integers
    people: Integers | None
    uniques: SampleUniques
    names: tuple[str, ...]
    remedies: tuple[list[str], NDArray[np.int16], Integers]
    values: NDArray[np.object_] | None


def harmless(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    >>> harmless("=1+1"), harmless("zip")
    ("'=1+1", 'zip')
    """
    return f"'{text}" if text.startswith(_STEERING) else text


def write_tables(tables: Iterable[RecordsTable], path: Path) -> None:
    """Write the records, one table after the other; the ending says as what."""
    import pyarrow.csv
    import pyarrow.parquet

    with whole_file(path) as draft:
        chunks = (chunk for records in tables for chunk in _chunks(records))
        first = next(chunks)
        if path.suffix.lower() == ".csv":
            writer = pyarrow.csv.CSVWriter(str(draft), first.schema)
        else:
            writer = pyarrow.parquet.ParquetWriter(str(draft), first.schema)
        with writer:
            writer.write_table(first)
            for chunk in chunks:
                writer.write_table(chunk)


def _chunks(records: RecordsTable) -> Iterator[Any]:
    for start in range(0, max(1, len(records.numbers)), _CHUNK):
        yield _chunk(records, slice(start, start + _CHUNK))


def _chunk(records: RecordsTable, part: slice) -> Any:
    import pyarrow

    uniques = records.uniques
    sizes = uniques.smallest_sizes[part]
    counts = [count[part].astype(np.int64) for count in uniques.counts]
    data: dict[str, Any] = {"row": records.numbers[part]}
    if records.people is not None:
        data["people"] = records.people[part]
    data["minimal_uniques"] = np.sum(counts, axis=0, dtype=np.int64)
    data |= {f"of_{size}": count for size, count in enumerate(counts, start=1)}
    data["smallest"] = pyarrow.array(sizes, mask=sizes == 0)
    data["score"] = uniques.scores[part]
    columns, why = _words(records, part)
    data["columns"] = columns
    data["why"] = why
    if records.values is not None:
        shown = records.values[part]
        data["values"] = pyarrow.array([v if v is None else harmless(v) for v in shown], pyarrow.string())
    return pyarrow.table(data)


def _words(records: RecordsTable, part: slice) -> tuple[Any, Any]:
    """Return the columns of the smallest set of each row, and the sentence about it."""
    import pyarrow

    words, best, leaves = records.remedies
    keys = np.stack(
        [records.uniques.smallest[part].astype(np.int64), best[part].astype(np.int64), leaves[part]], axis=1
    )
    distinct, where = np.unique(keys, axis=0, return_inverse=True)
    columns: list[str | None] = []
    sentences: list[str | None] = []
    for place, column, people in distinct.tolist():
        named = [records.names[c] for c in columns_of(records.uniques.sets[place])]
        columns.append(harmless(" + ".join(named)) if named else None)
        helps = f"; {words[column]} leaves {people:,}" if column >= 0 else ""
        sentences.append(f"unique by {joined(named)}{helps}" if named else None)
    index = pyarrow.array(where.reshape(-1))
    texts = (pyarrow.array(found, pyarrow.string()) for found in (columns, sentences))
    named_columns, why = (text.take(index) for text in texts)
    return named_columns, why
