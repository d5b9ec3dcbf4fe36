"""Reads synthetic, original and control people: columns that all of them have, as numbers or categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
import pyarrow
import pyarrow.compute as pc

from idbits.counts import Floats, Integers
from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, InputError, NotEstimableError
from idbits.kernels.nearest import MixedColumn
from idbits.studies.shared.row_values import read_column

__all__ = ["AttackColumn", "AttackTables", "read_attack_tables"]

_WORDS = ("synthetic", "original", "control")


@dataclass(frozen=True, slots=True, eq=False)
class AttackColumn:
    """A column of all tables: numbers, or categories as numbers; NaN is null."""

    name: str
    is_number: bool
    values: tuple[Floats, ...]

    def mixed(self, which: int, rows: Integers) -> MixedColumn:
        """Return the synthetic column with some rows of another table."""
        return MixedColumn(self.is_number, self.values[0], self.values[which][rows])


@dataclass(frozen=True, slots=True, eq=False)
class AttackTables:
    """The synthetic, the original and, if there is one, the control table."""

    columns: tuple[AttackColumn, ...]
    sizes: tuple[int, ...]
    notes: tuple[str, ...]

    def chosen(self, names: Sequence[str]) -> list[AttackColumn]:
        """Return columns by name."""
        return [next(column for column in self.columns if column.name == name) for name in names]


def read_attack_tables(
    sources: Sequence[Source], wanted: Sequence[str], options: Sequence[OpenOptions]
) -> AttackTables:
    """Open the tables one after the other, each with its options, and read the wanted columns, or all that all have."""
    if any(each.count is not None for each in options):
        raise InputError("attacks need one row per person; leave out --count")
    ordered = [replace(each, in_order=True) for each in options]
    names = list(wanted) or _common_names(sources, ordered)
    arrays: list[pyarrow.Table] = []
    notes: list[str] = []
    for source, how, word in zip(sources, ordered, _WORDS, strict=False):
        with closing(open_table(source, how)) as table:
            _require_columns(table, names, word)
            table.load(names)
            rows = table.rows_in_order(names)
            kept = rows.table.filter(pyarrow.array(rows.kept.tolist(), pyarrow.bool_()))
            if not kept.num_rows:
                raise NotEstimableError(f"the {word} table has nobody in it")
            arrays.append(kept)
            notes += table.notes
            table.check_unchanged()
    columns = tuple(
        _column(name, [table.column(name) for table in arrays], [each.dates for each in options]) for name in names
    )
    return AttackTables(columns, tuple(table.num_rows for table in arrays), tuple(dict.fromkeys(notes)))


def _common_names(sources: Sequence[Source], options: Sequence[OpenOptions]) -> list[str]:
    found: list[list[str]] = []
    for source, how in zip(sources, options, strict=True):
        if isinstance(source, str) and source == "-":
            raise InputError("name the columns of an attack on standard input (--known)")
        with closing(open_table(source, how)) as table:
            found.append(list(table.columns))
    common = [name for name in found[0] if all(name in names for names in found)]
    if not common:
        raise InputError("the tables have no column in common")
    return common


def _require_columns(table: Table, names: Iterable[str], word: str) -> None:
    for name in names:
        if name not in table.columns:
            error = ColumnNotFoundError(name, table.columns)
            error.args = (f"in the {word} table, {error}",)
            raise error


def _column(name: str, arrays: Sequence[pyarrow.ChunkedArray], dates: Sequence[str | None]) -> AttackColumn:
    read = [read_column(array, order) for array, order in zip(arrays, dates, strict=True)]
    kinds = {column.kind for column, array in zip(read, arrays, strict=True) if array.null_count < len(array)}
    if len(kinds) == 1 and kinds != {"text"}:
        return AttackColumn(name, True, tuple(column.row_numbers() for column in read))
    numbers: dict[str, int] = {}
    values = []
    for array in arrays:
        coded = pc.dictionary_encode(array.cast(pyarrow.string()).combine_chunks())
        codes = [float(numbers.setdefault(text, len(numbers))) for text in coded.dictionary.to_pylist()]
        places = np.array([-1 if place is None else place for place in coded.indices.to_pylist()], np.int64)
        values.append(np.array([*codes, np.nan])[places])
    return AttackColumn(name, False, tuple(values))
