"""Rows as codes, in the order of the source.

A join to the dictionary would give the codes in any order. So a column is read as it stands, encoded in its own
order, and only its distinct values meet the dictionary.
"""

from __future__ import annotations

import numpy as np
import pyarrow
import pyarrow.compute
from numpy.typing import NDArray

from idbits.engines.duckdb.connection import Connection
from idbits.engines.duckdb.dictionary import Dictionary

__all__ = ["coded_column"]

_WIDE = ("HUGEINT", "UHUGEINT")


def coded_column(
    connection: Connection, relation: str, cell: str, dictionary: Dictionary, label: str = "reading rows"
) -> NDArray[np.uint32]:
    """Return the code of each row's value."""
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
