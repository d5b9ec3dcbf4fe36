"""The keys of people: one query packs the codes of a row's value and person in one integer.

Whole numbers and dates need no dictionary: their distance from the smallest is their code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from idbits.counts import Value
from idbits.engines.backends.persons import Persons
from idbits.engines.base import PersonRows, numbers_of
from idbits.engines.duckdb.coding import MOST_JOINS
from idbits.engines.person_codes import PackedNulls, PersonCodes, number_people
from idbits.kernels.ordering import bits_of
from idbits.kernels.packed import Layout
from idbits.kernels.persons import NullValues
from idbits.values.attributes import Attribute, Kind

if TYPE_CHECKING:
    from idbits.engines.duckdb.connection import DuckDBConnection
    from idbits.engines.duckdb.dictionary import Dictionary
    from idbits.engines.duckdb.persons import RememberedPairs
    from idbits.engines.local_persons import LocalTable

    class DuckDBRows(LocalTable, Protocol):
        """A table of DuckDB."""

        connection: DuckDBConnection
        remembered_pairs: RememberedPairs | None

        @property
        def relation(self) -> str: ...

        @property
        def weight(self) -> str: ...

        @property
        def is_counted(self) -> bool: ...

        def cell(self, attribute: Attribute) -> str: ...

        def coded(self, attributes: Sequence[Attribute]) -> str: ...

        def dictionary(self, attribute: Attribute) -> Dictionary: ...

        def match_values(self, attribute: Attribute) -> list[tuple[tuple[Value, bool], int]]: ...

        def grouped(self, attributes: Sequence[Attribute]) -> str: ...

        def n_rows(self) -> int: ...


__all__ = ["PersonKeys", "count_person_rows"]

# Whole numbers are codes if they leave out at most as many as this per row.
_SPREAD, _FEW = 4, 1 << 16
_LARGE = 1 << 62
_MOST_CODES = 1 << 32
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
        layout: where the code of each attribute is in a value.
        sizes: the number of codes of each attribute.
        null_codes: the code of null of each attribute, if it occurs.
        null_is_own: whether each row without a person is a person.
        category: the code of the category, if requested.
        n_rows: the number of rows.
    """

    connection: DuckDBConnection
    value: str
    person: str | None
    joined: str
    size: int
    null: int | None
    bits: int
    layout: Layout
    sizes: tuple[int, ...]
    null_codes: tuple[int | None, ...]
    null_is_own: bool
    category: _CodedColumn | None
    n_rows: int

    @classmethod
    def of(
        cls,
        table: DuckDBRows,
        persons: Persons | None,
        attributes: Sequence[Attribute],
        category: Attribute | None,
        *,
        by_dictionary: bool = False,
        with_labels: bool = False,
    ) -> PersonKeys | None:
        """Return the query; None if the keys do not fit in 64 bits.

        The codes of dictionaries are the smallest, and those of categories ``with_labels``.
        """
        if len(attributes) + 2 > MOST_JOINS:
            return None
        person = [] if persons is None else [Attribute(persons.column, table.columns[persons.column])]
        extra = [] if category is None else [category]
        everything = [*attributes, *extra, *person]
        distances = {} if by_dictionary else _distances(table, [*attributes, *person, *([] if with_labels else extra)])
        coded = _coded_columns(table, everything, distances)
        layout = Layout([column.size for column in coded.columns[: len(attributes)]])
        who = coded.columns[-1] if person else None
        bits = bits_of(who.size + who.n_null if who is not None else table.n_rows())
        if layout.total_bits + bits > 64:
            return cls.of(table, persons, attributes, category, by_dictionary=True) if distances else None
        values = coded.columns[: len(attributes)]
        parts = (f"({column.code} << {shift})" for column, shift in zip(values, layout.shifts, strict=True))
        return cls(
            connection=table.connection,
            value=f"({' | '.join(parts)})",
            person=who.code if who is not None else None,
            joined=coded.joined,
            size=who.size if who is not None else table.n_rows(),
            null=who.null if who is not None else None,
            bits=bits,
            layout=layout,
            sizes=tuple(column.size for column in values),
            null_codes=tuple(column.null for column in values),
            null_is_own=persons is not None and persons.null_is_own,
            category=coded.columns[len(attributes)] if category is not None else None,
            n_rows=table.n_rows(),
        )

    @property
    def nulls(self) -> NullValues | None:
        """Which values have nulls; None if no attribute has any."""
        return PackedNulls.of(self.layout, self.null_codes)

    @property
    def key(self) -> str:
        """The SQL of the keys."""
        parts = self.value if self.person is None else f"({self.value} << {self.bits}) | {self.person}"
        return f"CAST({parts} AS UBIGINT)"

    def fetched(self) -> PersonCodes:
        """Return the keys of all rows."""
        columns = [f"{self.key} AS key"]
        keys, categories = np.empty(self.n_rows, np.uint64), None
        if self.category is not None:
            columns.append(f"CAST({self.category.code} AS UINTEGER) AS category")
            categories = np.empty(self.n_rows, np.uint32)
        start = 0
        with self.connection.progress.step(_COUNTING):
            for batch in self.connection.batches(f"SELECT {', '.join(columns)} FROM {self.joined}"):
                end = start + batch.num_rows
                keys[start:end] = numbers_of(batch.column(0))
                if categories is not None:
                    categories[start:end] = numbers_of(batch.column(1))
                start = end
        assert start == self.n_rows
        if self.person is None:
            keys <<= np.uint64(self.bits)
            keys |= np.arange(len(keys), dtype=np.uint64)
        keys, categories, n_codes = number_people(
            keys, categories, self.null, bits=self.bits, size=self.size, null_is_own=self.null_is_own
        )
        described = () if self.category is None else (self.category.size, self.category.null)
        return PersonCodes(keys, self.bits, n_codes, self.nulls, categories, *described)


def count_person_rows(table: DuckDBRows, person: Attribute) -> PersonRows | None:
    """Count how often people occur without a dictionary; None if that would need other codes or too much memory."""
    if table.is_counted or table.connection.memory is not None:
        return None
    column = _distances(table, [person]).get(person)
    n_rows = table.n_rows()
    if column is None or max(column.size, n_rows) >= _MOST_CODES:
        return None
    rows = np.zeros(column.size, np.uint32)
    with table.connection.progress.step(_COUNTING):
        for batch in table.connection.batches(f"SELECT CAST({column.code} AS UINTEGER) FROM {table.relation} t"):
            np.add.at(rows, numbers_of(batch.column(0)), np.uint32(1))
    repeated = int(np.count_nonzero(rows > 1))
    if column.null is not None:
        repeated -= int(rows[column.null] > 1)
    return PersonRows(n_rows, repeated, column.n_null)


@dataclass(frozen=True, slots=True)
class _CodedColumn:
    """How a column is coded.

    Attributes:
        code: the SQL of the code.
        size: the number of codes; some may not occur.
        null: the code of null, if it occurs.
        n_null: the number of nulls.
    """

    code: str
    size: int
    null: int | None
    n_null: int


@dataclass(frozen=True, slots=True)
class _CodedColumns:
    """Columns with their codes; ``joined`` is the SQL after FROM."""

    columns: list[_CodedColumn]
    joined: str


def _coded_columns(
    table: DuckDBRows, attributes: Sequence[Attribute], distances: Mapping[Attribute, _CodedColumn]
) -> _CodedColumns:
    """Code columns by their distances, or else by their dictionaries."""
    joined: list[Attribute] = []
    columns = []
    for attribute in attributes:
        column = distances.get(attribute)
        if column is None:
            dictionary = table.dictionary(attribute)
            null = _null_code(table, attribute)
            column = _CodedColumn(f"k{len(joined)}.code", dictionary.size, null, dictionary.null_people)
            joined.append(attribute)
        columns.append(column)
    return _CodedColumns(columns, table.coded(joined))


def _distances(table: DuckDBRows, attributes: Sequence[Attribute]) -> dict[Attribute, _CodedColumn]:
    """Return how columns are coded by the distance of their values from the smallest, unless these are too spread."""
    near = [one for one in dict.fromkeys(attributes) if one.kind in (Kind.INTEGER, Kind.DATE) and not one.transforms]
    if not near:
        return {}
    asked = [
        ", ".join(_number(f"{extreme}({table.cell(one)})", one.kind, "HUGEINT") for extreme in ("min", "max"))
        + f", count({table.cell(one)})"
        for one in near
    ]
    (found,) = table.connection.rows(f"SELECT count(*), {', '.join(asked)} FROM {table.relation}", _COUNTING)
    n_rows, *of_columns = found
    coded = {}
    for index, one in enumerate(near):
        low, high, n_known = of_columns[3 * index : 3 * index + 3]
        # Dates that never come are no numbers.
        if n_known and (low is None or high is None or int(low) < -_LARGE or int(high) > _LARGE):
            continue
        span = int(high) - int(low) + 1 if n_known else 0
        if span <= max(_FEW, _SPREAD * int(n_rows)):
            number = _number(f"t.{table.cell(one)}", one.kind, "BIGINT")
            code, n_null = f"CAST({number} - ({low or 0}) AS UBIGINT)", int(n_rows) - int(n_known)
            if n_null:
                coded[one] = _CodedColumn(f"coalesce({code}, {span})", span + 1, span, n_null)
            else:
                coded[one] = _CodedColumn(code, span, None, 0)
    return coded


def _number(value: str, kind: Kind, duckdb_type: str) -> str:
    """Return a whole number, or a day as a whole number."""
    number = value if kind is Kind.INTEGER else f"date_diff('day', DATE '1970-01-01', {value})"
    return f"CAST({number} AS {duckdb_type})"


def _null_code(table: DuckDBRows, attribute: Attribute) -> int | None:
    dictionary = table.dictionary(attribute)
    if not dictionary.null_people:
        return None
    return table.connection.counts(f"SELECT code FROM {dictionary.values} WHERE value IS NULL AND NOT other")[0]
