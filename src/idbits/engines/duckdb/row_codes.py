"""The rows of a table as codes, in the order of the source; a column is read and encoded once.

A join with the dictionary returns codes in any order. So a column is read as it is, encoded in its own order, and only
its distinct values are joined with the dictionary. The codes of a view follow from those of its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers
from idbits.engines.base import numbers_of
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.dictionary import Dictionary
from idbits.errors import EngineError
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.duckdb.table import DuckDBTable

__all__ = ["RowCodes"]

_WIDE = ("HUGEINT", "UHUGEINT")
# The most memory for codes that are kept, and their part of a memory limit.
_KEPT_BYTES = 256_000_000
_KEPT_PART = 8

Codes = NDArray[np.uint32]


class RowCodes:
    """The codes of the columns of a table, kept in as few bytes as possible while there is room."""

    def __init__(self, connection: DuckDBConnection) -> None:
        self._connection = connection
        memory = connection.memory
        self._room = _KEPT_BYTES if memory is None else min(_KEPT_BYTES, memory // _KEPT_PART)
        self._kept: dict[Attribute, NDArray[np.unsignedinteger]] = {}

    def rows(
        self, table: DuckDBTable, attributes: Sequence[Attribute], *, is_numbered: bool, is_filtered: bool
    ) -> CodedRows:
        """Return the rows of a table; their numbers have gaps where the filter dropped rows."""
        sizes = tuple(table.dictionary(attribute).size for attribute in attributes)
        _require_room(4 * table.n_rows() * len(attributes), self._connection.memory)
        codes = tuple(self._attribute(table, attribute) for attribute in attributes)
        people = numbers = None
        if table.is_counted:
            people = _integers(self._connection, table.relation, "weight")
        if is_numbered and is_filtered:
            numbers = _integers(self._connection, table.relation, "number")
        elif is_numbered:
            numbers = np.arange(1, len(codes[0]) + 1, dtype=np.int64)
        return CodedRows(codes, sizes, people, numbers)

    def forget(self) -> None:
        """Free the memory of the codes."""
        self._room += sum(codes.nbytes for codes in self._kept.values())
        self._kept.clear()

    def _attribute(self, table: DuckDBTable, attribute: Attribute) -> Codes:
        plain = Attribute(attribute.column, attribute.kind)
        codes = self._column(table, plain)
        if attribute == plain:
            return codes.astype(np.uint32, copy=False)
        (of_code,) = table.view_codes(plain, [attribute])
        seen: Codes = of_code.astype(np.uint32)[codes]
        return seen

    def _column(self, table: DuckDBTable, column: Attribute) -> NDArray[np.unsignedinteger]:
        kept = self._kept.get(column)
        if kept is not None:
            return kept
        dictionary = table.dictionary(column)
        # Columns are read one after the other, each time with the rows in the same order.
        self._connection.run("SET preserve_insertion_order = true")
        codes = _coded_column(self._connection, table.loaded.query([column.column]), table.cell(column), dictionary)
        narrow = np.min_scalar_type(max(0, dictionary.size - 1))
        if len(codes) * narrow.itemsize > self._room:
            return codes
        self._kept[column] = small = codes.astype(narrow, copy=False)
        small.setflags(write=False)
        self._room -= small.nbytes
        return small


def _require_room(needed: int, memory: int | None) -> None:
    """Refuse rows that take more than half of the memory."""
    if memory is not None and needed > memory // 2:
        raise EngineError(
            f"the rows of these columns take {needed // 10**6:,} MB; "
            f"allow at least {2 * needed // 10**6 + 1:,}MB with --memory, or name fewer columns"
        )


def _integers(connection: DuckDBConnection, relation: str, column: str) -> Integers:
    # In the same order as the codes.
    connection.run("SET preserve_insertion_order = true")
    return connection.column(f"SELECT {column} FROM {relation}", column).astype(np.int64, copy=False)


def _coded_column(connection: DuckDBConnection, query: str, cell: str, dictionary: Dictionary) -> Codes:
    label = "reading rows"
    ((duckdb_type,),) = connection.rows(f"SELECT DISTINCT typeof(raw) FROM {dictionary.codes} LIMIT 1") or [("",)]
    # Arrow does not have 128-bit integers.
    seen = "CAST({} AS VARCHAR)" if duckdb_type in _WIDE else "{}"
    column = connection.arrow(f"SELECT {seen.format(cell)} AS raw FROM ({query})", label).column("raw")
    encoded = column.combine_chunks()
    if isinstance(encoded, pyarrow.ChunkedArray):  # more text than fits in one array
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
        name, pyarrow.Table.from_arrays([_counted(len(distinct)), distinct], names=["index", "raw"])
    )
    matches = connection.arrow(
        f"SELECT index, code FROM {name} d JOIN {dictionary.codes} k "
        f"ON d.raw IS NOT DISTINCT FROM {seen.format('k.raw')}",
        label,
    )
    connection.raw.unregister(name)
    assert matches.num_rows == len(distinct)
    codes[numbers_of(matches.column("index"))] = numbers_of(matches.column("code"))
    coded: Codes = codes[numbers_of(indices)]
    return coded


def _counted(n: int) -> pyarrow.Array:
    """Return 0 to n - 1, without pandas (see ``numbers_of``)."""
    return pyarrow.Array.from_buffers(pyarrow.int64(), n, [None, pyarrow.py_buffer(np.arange(n, dtype=np.int64))])
