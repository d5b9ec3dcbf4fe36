"""Two tables row by row: pairs of columns with the same name, and columns that only one table has."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idbits.engines.base import OpenOptions, OrderedRows, Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError
from idbits.measures.dependence_test import Pair
from idbits.studies.shared.row_values import ColumnValues, RowChoice, ranks_together, read_column
from idbits.wording import counted

__all__ = ["ColumnPair", "NamedColumn", "PairedTables", "Series", "as_pair", "read_pair", "read_pairs", "shared_codes"]

Integers = NDArray[np.int64]
Series = NDArray[np.float64] | NDArray[np.int64]

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """A column of the original and of the release, and their values in common codes if they can be compared."""

    name: str
    original: ColumnValues
    released: ColumnValues
    shared: tuple[Integers, Integers] | None

    def pair(self, rows: RowChoice = slice(None)) -> Pair:
        """Return the input of the dependence test for some rows."""
        original, released = self.original.at(rows), self.released.at(rows)
        return Pair(original.codes(), released.codes(), original.row_numbers(), released.row_numbers())


def read_pair(name: str, original: ColumnValues, released: ColumnValues) -> ColumnPair:
    """Pair two columns; texts become ranks among the texts of both."""
    if original.kind != released.kind:
        return ColumnPair(name, original, released, None)
    before, after = ranks_together([original, released])
    shared = (np.append(before, -1)[original.places] + 1, np.append(after, -1)[released.places] + 1)
    if original.kind == "text":
        original = ColumnValues("text", original.keys, original.places, before.astype(np.float64))
        released = ColumnValues("text", released.keys, released.places, after.astype(np.float64))
    return ColumnPair(name, original, released, shared)


def as_pair(name: str, original: Series, released: Series) -> ColumnPair:
    """Pair two sequences of numbers."""
    sides = []
    for numbers in (original, released):
        keys, places = np.unique(numbers, return_inverse=True)
        sides.append(ColumnValues("number", keys, places, keys.astype(np.float64)))
    return ColumnPair(name, sides[0], sides[1], None)


def shared_codes(columns: Sequence[ColumnValues]) -> list[Integers]:
    """Return a code per row for columns of one kind; equal codes are equal values, null is 0."""
    ranks = ranks_together(columns)
    return [np.append(rank, -1)[column.places] + 1 for rank, column in zip(ranks, columns, strict=True)]


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column with its name."""

    name: str
    column: ColumnValues


@dataclass(frozen=True, slots=True)
class PairedTables:
    """The columns of two tables row by row, and notes on how they were read."""

    pairs: list[ColumnPair]
    only_original: list[NamedColumn]
    only_released: list[NamedColumn]
    notes: list[str]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.originals[0].column.places)

    @property
    def originals(self) -> list[NamedColumn]:
        """All columns of the original, starting with those that both tables have."""
        return [NamedColumn(pair.name, pair.original) for pair in self.pairs] + self.only_original

    @property
    def releases(self) -> list[NamedColumn]:
        """All columns of the release, starting with those that both tables have."""
        return [NamedColumn(pair.name, pair.released) for pair in self.pairs] + self.only_released


def read_pairs(original: object, released: object, options: OpenOptions) -> PairedTables:
    """Read the columns of two tables; the filter selects rows by the values of the original."""
    if all(isinstance(source, str) and source == "-" for source in (original, released)):
        raise InputError("only one of the two tables can come from standard input")
    options = replace(options, in_order=True)
    with closing(open_table(original, options)) as first:
        try:
            second = open_table(released, replace(options, where=None), beside=first)
        except ColumnNotFoundError as error:
            error.args = (f"in the release, {error}",)
            raise
        withheld = first.names_may_be_data or second.names_may_be_data
        common, notes = _common(first, second, named=options.columns is not None, withheld=withheld)
        first.load(first.columns)
        second.load(second.columns)
        tables = _paired(first, second, common, options.dates)
        first.check_unchanged()
        second.check_unchanged()
        notes = [*dict.fromkeys([*first.notes, *second.notes]), *notes]
    if withheld:
        tables = _without_names(tables)
        notes.append("column names are not shown, because they may be data")
    return replace(tables, notes=notes + _kinds_that_differ(tables.pairs))


def _without_names(tables: PairedTables) -> PairedTables:
    def numbered(columns: list[NamedColumn], word: str) -> list[NamedColumn]:
        return [replace(column, name=f"{word}{number}") for number, column in enumerate(columns, start=1)]

    return replace(
        tables,
        pairs=[replace(pair, name=f"column{number}") for number, pair in enumerate(tables.pairs, start=1)],
        only_original=numbered(tables.only_original, "original"),
        only_released=numbered(tables.only_released, "released"),
    )


def _common(first: Table, second: Table, *, named: bool, withheld: bool) -> tuple[list[str], list[str]]:
    """Return the columns that both tables have, and which only one has."""
    common = [name for name in first.columns if name in second.columns]
    if not common and withheld:
        raise InputError(
            "the two tables have no column name in common; if the files do not begin with column names, add --no-header"
        )
    notes = []
    for table, other, where, elsewhere in (
        (first, second, "original", "column of the release"),
        (second, first, "release", "column of the original"),
    ):
        alone = [name for name in table.columns if name not in other.columns]
        if alone and not named:
            shown = "" if withheld else ": " + ", ".join(f'"{name}"' for name in alone[:_MOST_NAMED])
            more = ", .." if shown and len(alone) > _MOST_NAMED else ""
            notes.append(
                f"{counted(len(alone), 'column')} only in the {where}, compared with every {elsewhere}{shown}{more}"
            )
    return common, notes


def _paired(first: Table, second: Table, common: Sequence[str], dates: str | None) -> PairedTables:
    before, after = first.rows_in_order(list(first.columns)), second.rows_in_order(list(second.columns))
    if len(before.kept) != len(after.kept):
        raise DataError(
            f"the original has {counted(len(before.kept), 'row')} and the release {counted(len(after.kept), 'row')}; "
            "leak needs the same rows in the same order; use idbits link for tables of different people or order"
        )
    rows = None if before.kept.all() else np.flatnonzero(before.kept)
    left = int(before.kept.sum())
    if left < 2:
        raise NotEstimableError(f"leak needs at least two rows to compare, but there {_are(left)}")

    def columns(side: OrderedRows, names: Sequence[str]) -> list[NamedColumn]:
        read = [NamedColumn(name, read_column(side.table.column(name), dates)) for name in names]
        return read if rows is None else [replace(column, column=column.column.at(rows)) for column in read]

    pairs = [
        read_pair(original.name, original.column, released.column)
        for original, released in zip(columns(before, common), columns(after, common), strict=True)
    ]
    alone = [[name for name in table.columns if name not in common] for table in (first, second)]
    return PairedTables(pairs, columns(before, alone[0]), columns(after, alone[1]), [])


def _are(number: int) -> str:
    return "is 1" if number == 1 else f"are {number}"


def _kinds_that_differ(pairs: Sequence[ColumnPair]) -> list[str]:
    return [
        f'column "{pair.name}" is read as {pair.original.kind} in the original and as {pair.released.kind} in the '
        "release, so we compared it by rank"
        for pair in pairs
        if pair.original.kind != pair.released.kind and len(pair.released.keys) and len(pair.original.keys)
    ]
