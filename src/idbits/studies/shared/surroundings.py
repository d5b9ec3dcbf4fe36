"""The columns beside those in use, judged while a table is read for another purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from idbits.engines.base import Table
from idbits.reading import OpenOptions
from idbits.studies.shared.beside import ColumnsBeside, columns_beside
from idbits.studies.shared.roles.judging import columns_to_look_at, judge_columns, must_withhold_names

__all__ = ["Surroundings"]


class Surroundings:
    """The columns of a table besides those in use: judged by names, kinds and a sample of rows.

    Load ``columns`` and ``sampled`` together with the columns in use; then read ``beside``.
    """

    def __init__(self, table: Table, options: OpenOptions, used: Sequence[str], declared: Sequence[str]) -> None:
        """Find what to load; ``declared`` columns identify people because the user says so."""
        self._table, self._options = table, options
        self._used, self._declared = {*used, *declared}, tuple(declared)
        self._look = columns_to_look_at(table, options, self._used)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of which all rows are needed."""
        return self._look.keys

    @property
    def sampled(self) -> tuple[str, ...]:
        """The columns of which a sample is needed."""
        return self._look.sampled

    @cached_property
    def beside(self) -> ColumnsBeside:
        """What the columns are, after loading; nothing if their names may be data."""
        if must_withhold_names(self._table, self._options):
            return ColumnsBeside()
        found = columns_beside(judge_columns(self._table, self._options, self._look), self._used)
        return replace(found, identifiers=(*self._declared, *found.identifiers))
