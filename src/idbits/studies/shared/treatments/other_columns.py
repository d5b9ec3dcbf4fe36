"""Columns beside a treatment that would tell people apart in the treated file, and what to do with each."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection
from dataclasses import dataclass

from idbits.engines.base import OpenOptions, Source, Table
from idbits.studies.shared.beside import ColumnsBeside

__all__ = ["NO_OTHER_COLUMNS", "OtherColumns", "other_columns"]

# The most cells of other columns to count.
_COUNTED_CELLS = 20_000_000


@dataclass(frozen=True, slots=True)
class OtherColumns:
    """The columns that ``idbits apply`` refuses to write unless they are named.

    Attributes:
        dropped: columns to leave out: identifiers, and columns in which most rows are unique.
        kept: columns in which most rows are unique, but that the release is about.
    """

    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def command_words(self) -> list[str]:
        """Return the options of ``idbits apply`` that name them."""
        dropped = [f"--drop {shlex.quote(name)}" for name in self.dropped]
        return dropped + [f"--keep-identifier {shlex.quote(name)}" for name in self.kept]

    def arguments(self) -> dict[str, object]:
        """Return the arguments of ``idbits.apply`` that name them."""
        return {"drop": list(self.dropped), "keep_identifier": list(self.kept)}


NO_OTHER_COLUMNS = OtherColumns()


def other_columns(
    source: Source,
    options: OpenOptions,
    table: Table,
    treated: Collection[str],
    beside: ColumnsBeside,
    wanted: Collection[str],
) -> OtherColumns:
    """Sort the columns beside ``treated``; those that are ``wanted`` are kept, unless they are identifiers."""
    identifiers = [name for name in (*beside.identifiers, *beside.record_numbers) if name in table.columns]
    unique = mostly_unique(source, options, table, {*treated, *identifiers})
    return OtherColumns(
        tuple(dict.fromkeys([*identifiers, *(name for name in unique if name not in wanted)])),
        tuple(name for name in unique if name in wanted),
    )


def mostly_unique(source: Source, options: OpenOptions, table: Table, known: Collection[str]) -> list[str]:
    """Return the columns besides ``known`` in which more than half of the rows are unique.

    Those of large tables and databases are not counted: ``idbits apply`` finds these columns, too, and says so.
    """
    others = [name for name in table.columns if name not in known and name != options.count]
    is_stream = isinstance(source, str | os.PathLike) and os.fspath(source) == "-"
    is_cheap = table.trials_are_cheap and table.n_people() * len(others) <= _COUNTED_CELLS
    if not others or is_stream or not is_cheap:
        return []
    return [name for name, people in table.unique_people(others).items() if 2 * people > table.n_people()]
