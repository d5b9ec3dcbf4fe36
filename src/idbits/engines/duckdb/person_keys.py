"""The keys of people: one query packs the codes of a row's value and person in one integer.

Whole numbers that identify people need no dictionary: their distance from the smallest is their code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow
from numpy.typing import NDArray

from idbits.counts import Value
from idbits.engines.backends.persons import Persons
from idbits.engines.base import numbers_of
from idbits.engines.duckdb.coding import MOST_JOINS
from idbits.engines.person_codes import PackedNulls, PersonCodes, number_people
from idbits.kernels.ordering import bits_of
from idbits.kernels.packed import Layout
from idbits.kernels.persons import NullValues
from idbits.values.attributes import Attribute, Kind

if TYPE_CHECKING:
    from idbits.engines.duckdb.connection import DuckDBConnection
    from idbits.engines.duckdb.dictionary import Dictionary
    from idbits.engines.local_persons import LocalTable

    class DuckDBRows(LocalTable, Protocol):
        """A table of DuckDB."""

        connection: DuckDBConnection

        @property
        def relation(self) -> str: ...

        @property
        def weight(self) -> str: ...

        def cell(self, attribute: Attribute) -> str: ...

        def coded(self, attributes: Sequence[Attribute]) -> str: ...

        def dictionary(self, attribute: Attribute) -> Dictionary: ...

        def match_values(self, attribute: Attribute) -> list[tuple[tuple[Value, bool], int]]: ...

        def grouped(self, attributes: Sequence[Attribute]) -> str: ...

        def n_rows(self) -> int: ...


__all__ = ["PersonKeys"]

# Whole numbers are codes if they leave out at most as many as this per row.
_SPREAD, _FEW = 4, 1 << 16
_COUNTING = "counting people"


@dataclass(frozen=True, slots=True, eq=False)
class PersonKeys:
    """The query of the keys of a table.

    Attributes:
        value: the SQL of the packed codes of the attributes.
        person: the SQL of the code of the person; None if each row is a person.
        joined: the SQL after FROM.
        size: the number of codes of people.
        null: the code of no person, if it occurs.
        bits: the number of bits of a person's code.
        nulls: which values have nulls.
    """

    connection: DuckDBConnection
    value: str
    person: str | None
    joined: str
    size: int
    null: int | None
    bits: int
    nulls: NullValues | None
    null_is_own: bool
    category: tuple[str, int, int | None] | None

    @classmethod
    def of(
        cls, table: DuckDBRows, persons: Persons | None, attributes: Sequence[Attribute], category: Attribute | None
    ) -> PersonKeys | None:
        """Return the query; None if the keys do not fit in 64 bits."""
        joined = [*attributes, *([category] if category is not None else [])]
        if len(joined) >= MOST_JOINS:
            return None
        layout = Layout([table.dictionary(attribute).size for attribute in attributes])
        person, size, null, n_nobody = None, table.n_rows(), None, 0
        if persons is not None:
            column = Attribute(persons.column, table.columns[persons.column])
            found = _distances(table, column) if column.kind is Kind.INTEGER else None
            if found is None:
                dictionary = table.dictionary(column)
                joined.append(column)
                found = f"k{len(joined) - 1}.code", dictionary.size, dictionary.null_people
                null = null_code_of(table, column)
            else:
                null = found[1] - 1 if found[2] else None
            person, size, n_nobody = found
        bits = bits_of(size + n_nobody)
        if layout.total_bits + bits > 64:
            return None
        value = " | ".join(f"(k{index}.code << {shift})" for index, shift in enumerate(layout.shifts))
        extra = None
        if category is not None:
            extra = f"k{len(attributes)}.code", table.dictionary(category).size, null_code_of(table, category)
        nulls = PackedNulls.of(layout, [null_code_of(table, attribute) for attribute in attributes])
        null_is_own = persons is not None and persons.null_is_own
        return cls(
            table.connection, f"({value})", person, table.coded(joined), size, null, bits, nulls, null_is_own, extra
        )

    @property
    def key(self) -> str:
        """The SQL of the keys."""
        parts = self.value if self.person is None else f"({self.value} << {self.bits}) | {self.person}"
        return f"CAST({parts} AS UBIGINT)"

    def fetched(self) -> PersonCodes:
        """Return the keys of all rows."""
        category = "" if self.category is None else f", CAST({self.category[0]} AS UINTEGER) AS category"
        rows = self.connection.arrow(f"SELECT {self.key} AS key{category} FROM {self.joined}", _COUNTING)
        keys = _owned(rows.column("key"))
        categories = _owned(rows.column("category")) if self.category is not None else None
        if self.person is None:
            keys <<= np.uint64(self.bits)
            keys |= np.arange(len(keys), dtype=np.uint64)
        keys, categories, n_codes = number_people(
            keys, categories, self.null, bits=self.bits, size=self.size, null_is_own=self.null_is_own
        )
        described = () if self.category is None else self.category[1:]
        return PersonCodes(keys, self.bits, n_codes, self.nulls, categories, *described)


def _owned(column: pyarrow.ChunkedArray) -> NDArray[Any]:
    """Return a column as an array that can be changed."""
    made = np.empty(len(column), column.type.to_pandas_dtype())
    start = 0
    for chunk in column.chunks:
        made[start : start + len(chunk)] = numbers_of(chunk)
        start += len(chunk)
    return made


def _distances(table: DuckDBRows, column: Attribute) -> tuple[str, int, int] | None:
    """Return the SQL of the distance from the smallest number, the number of codes and of nulls; None if too spread."""
    cell = table.cell(column)
    ((low, high, n_rows, n_known),) = table.connection.rows(
        f"SELECT min({cell}), max({cell}), count(*), count({cell}) FROM {table.relation}", _COUNTING
    )
    span = int(high) - int(low) + 1 if n_known else 0
    if span > max(_FEW, _SPREAD * int(n_rows)):
        return None
    # The last code is that of no person.
    return f"coalesce(CAST(t.{cell} - {low or 0} AS UBIGINT), {span})", span + 1, int(n_rows) - int(n_known)


def null_code_of(table: DuckDBRows, attribute: Attribute) -> int | None:
    dictionary = table.dictionary(attribute)
    if not dictionary.null_people:
        return None
    return table.connection.counts(f"SELECT code FROM {dictionary.values} WHERE value IS NULL AND NOT other")[0]
