"""Reading two tables row by row, columns matched by name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError, counted
from idbits.studies.row_values import ColumnPair, read_column, read_pair

__all__ = ["PairedTables", "read_pairs"]

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class PairedTables:
    """Columns that both tables have, row by row, and what was decided on the way."""

    pairs: list[ColumnPair]
    notes: list[str]
    names_withheld: bool


def read_pairs(original: Any, released: Any, options: OpenOptions) -> PairedTables:
    """Read the columns that two tables have in common; which rows the filter keeps is decided on the original."""
    if isinstance(original, str) and original == released == "-":
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
        first.load(common)
        second.load(common)
        pairs = _paired(first, second, common, options.dates)
        first.check_unchanged()
        second.check_unchanged()
        notes = [*dict.fromkeys([*first.notes, *second.notes]), *notes]
    if withheld:
        pairs = [replace(pair, name=f"column{place}") for place, pair in enumerate(pairs, start=1)]
        notes.append("names are withheld here, since they may be data")
    return PairedTables(pairs, notes + _kinds_that_differ(pairs), withheld)


def _common(first: Table, second: Table, *, named: bool, withheld: bool) -> tuple[list[str], list[str]]:
    """Return the columns that both tables have, and which were left out."""
    common = [name for name in first.columns if name in second.columns]
    if not common:
        hint = " (if the files do not begin with names, add --no-header)" if withheld else ""
        raise InputError(f"the two tables have no column in common; columns are matched by name{hint}")
    notes = []
    for table, other, where in ((first, second, "original"), (second, first, "release")):
        alone = [name for name in table.columns if name not in other.columns]
        if alone and not named:
            shown = "" if withheld else ": " + ", ".join(f'"{name}"' for name in alone[:_MOST_NAMED])
            more = ", .." if shown and len(alone) > _MOST_NAMED else ""
            notes.append(f"only the {where} has {counted(len(alone), 'column')}, not compared{shown}{more}")
    return common, notes


def _paired(first: Table, second: Table, common: Sequence[str], dates: str | None) -> list[ColumnPair]:
    one, other = first.rows_in_order(common), second.rows_in_order(common)
    if len(one.kept) != len(other.kept):
        raise DataError(
            f"the original has {counted(len(one.kept), 'row')} and the release {counted(len(other.kept), 'row')}; "
            "leak compares the same rows in the same order"
        )
    rows = slice(None) if one.kept.all() else np.flatnonzero(one.kept)
    left = int(one.kept.sum())
    if left < 2:
        raise NotEstimableError(f"there must be at least two rows to compare, and there {_are(left)}")
    pairs = []
    for name in common:
        columns = [read_column(side.table.column(name), dates) for side in (one, other)]
        if isinstance(rows, np.ndarray):
            columns = [column.at(rows) for column in columns]
        pairs.append(read_pair(name, *columns))
    return pairs


def _are(number: int) -> str:
    return "is 1" if number == 1 else f"are {number}"


def _kinds_that_differ(pairs: Sequence[ColumnPair]) -> list[str]:
    return [
        f'column "{pair.name}" is read as {pair.original.kind} in the original and as {pair.released.kind} in the '
        "release: compared by rank"
        for pair in pairs
        if pair.original.kind != pair.released.kind and len(pair.released.keys) and len(pair.original.keys)
    ]
