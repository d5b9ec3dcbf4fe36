"""Rows as codes: in the order of the source, or in pieces as DuckDB joins them.

A join to the dictionary gives the codes in any order. Where the order counts, a column is read as it stands, encoded
in its own order, and only its distinct values meet the dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow
import pyarrow.compute
from numpy.typing import NDArray

from idbits.counts import CodedRows
from idbits.engines.duckdb.connection import Connection
from idbits.engines.duckdb.dictionary import Dictionary

__all__ = ["coded_batches", "coded_rows"]

_WIDE = ("HUGEINT", "UHUGEINT")


def coded_rows(
    connection: Connection,
    relation: str,
    columns: Sequence[tuple[str, str]],
    dictionaries: Sequence[Dictionary],
    *,
    counted: bool,
    numbered: bool,
    filtered: bool,
) -> CodedRows:
    """Return the rows in their order; their numbers have gaps where some were filtered out.

    ``columns`` are the name of each and the query of it alone.
    """
    # Columns are read one after the other: each reading must give the rows in the same order.
    connection.run("SET preserve_insertion_order = true")
    codes = tuple(
        _coded_column(connection, f"({query})", cell, dictionary)
        for (cell, query), dictionary in zip(columns, dictionaries, strict=True)
    )
    people = _integers(connection, relation, "weight") if counted else None
    numbers = None
    if numbered:
        everyone = np.arange(1, len(codes[0]) + 1, dtype=np.int64)
        numbers = _integers(connection, relation, "number") if filtered else everyone
    return CodedRows(codes, tuple(dictionary.size for dictionary in dictionaries), people, numbers)


def coded_batches(connection: Connection, joined: str, sizes: tuple[int, ...], *, counted: bool) -> Iterator[CodedRows]:
    """Yield the rows in pieces; ``joined`` stands after FROM and has the codes k0.code, k1.code, ..."""
    codes = [f"CAST(k{place}.code AS UINTEGER) AS g{place}" for place in range(len(sizes))]
    sql = f"SELECT {', '.join([*codes, *(['weight'] if counted else [])])} FROM {joined}"
    none = np.zeros(0, np.uint32)
    # Other questions on the connection would end the query: this is the moment for them.
    yield CodedRows(tuple(none for _ in sizes), sizes, none.astype(np.int64) if counted else None)
    for batch in connection.batches(sql):
        columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
        people = columns.pop().astype(np.int64) if counted else None
        yield CodedRows(tuple(columns), sizes, people)


def _integers(connection: Connection, relation: str, column: str) -> NDArray[np.int64]:
    return connection.column(f"SELECT {column} FROM {relation}", column).astype(np.int64, copy=False)


def _coded_column(connection: Connection, relation: str, cell: str, dictionary: Dictionary) -> NDArray[np.uint32]:
    label = "reading rows"
    ((duckdb_type,),) = connection.rows(f"SELECT DISTINCT typeof(raw) FROM {dictionary.codes} LIMIT 1") or [("",)]
    # Arrow has no integers of 128 bits.
    seen = "CAST({} AS VARCHAR)" if duckdb_type in _WIDE else "{}"
    column = connection.arrow(f"SELECT {seen.format(cell)} AS raw FROM {relation}", label).column("raw")
    encoded = column.combine_chunks()
    if isinstance(encoded, pyarrow.ChunkedArray):  # more text than one array holds
        encoded = pyarrow.chunked_array([chunk.dictionary_encode("encode") for chunk in encoded.chunks])
        encoded = encoded.unify_dictionaries()
        indices = pyarrow.chunked_array([chunk.indices for chunk in encoded.chunks])
        distinct = encoded.chunk(0).dictionary
    else:
        encoded = encoded.dictionary_encode("encode")
        indices, distinct = encoded.indices, encoded.dictionary
    codes = np.zeros(len(distinct), np.uint32)
    name = connection.new_name("distinct")
    connection.raw.register(
        name, pyarrow.Table.from_arrays([_counted(len(distinct)), distinct], names=["place", "raw"])
    )
    found = connection.arrow(
        f"SELECT place, code FROM {name} d JOIN {dictionary.codes} k "
        f"ON d.raw IS NOT DISTINCT FROM {seen.format('k.raw')}",
        label,
    )
    connection.raw.unregister(name)
    assert found.num_rows == len(distinct)
    codes[_numbers(found.column("place"))] = _numbers(found.column("code"))
    coded: NDArray[np.uint32] = codes[_numbers(indices)]
    return coded


# Both ways past Arrow's own conversions, which load pandas first where it is installed: half a second.


def _counted(n: int) -> pyarrow.Array:
    """Return 0 to n - 1."""
    return pyarrow.Array.from_buffers(pyarrow.int64(), n, [None, pyarrow.py_buffer(np.arange(n, dtype=np.int64))])


def _numbers(column: pyarrow.Array | pyarrow.ChunkedArray) -> NDArray[np.generic]:
    """Return a column of whole numbers without nulls."""
    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    return np.from_dlpack(array) if len(array) else np.zeros(0, np.int64)
