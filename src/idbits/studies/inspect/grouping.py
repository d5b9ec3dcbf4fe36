"""Columns that are alike share a line: runs such as q1 to q37, and in wide tables all with the same role and reason."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from idbits.studies.shared.roles import ColumnReport, Role

__all__ = ["ColumnGroup", "group_columns", "listed", "range_of"]

_ROLE_ORDER = (
    Role.IDENTIFIER, Role.FREE_TEXT, Role.QUASI, Role.TIME, Role.SENSITIVE, Role.COUNT, Role.MEASUREMENT, Role.CONSTANT,
    Role.EMPTY,
)  # fmt: skip
_MANY_COLUMNS = 30
_MANY_LINES = 60
_SHORTEST_RUN = 4
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """Columns that share a line: their role, how they are read and, if they are no run, the reason are the same."""

    columns: tuple[ColumnReport, ...]
    is_run: bool = False

    @property
    def first(self) -> ColumnReport:
        """The first column."""
        return self.columns[0]

    @property
    def label(self) -> str:
        """The names of the columns, or some of them."""
        if not self.is_run:
            return listed([column.column for column in self.columns])
        return f"{self.first.column} to {self.columns[-1].column} ({len(self.columns):,} columns)"


def group_columns(columns: Sequence[ColumnReport]) -> list[ColumnGroup]:
    """Return the lines of a table of columns, ordered by role and within a role as in the file."""
    if len(columns) <= _MANY_COLUMNS:
        groups = [ColumnGroup((column,)) for column in columns]
    else:
        groups = list(_runs(columns))
        if len(groups) > _MANY_LINES:
            groups = list(_alike(groups))
    return sorted(groups, key=lambda group: _ROLE_ORDER.index(Role(group.first.role)))


def _runs(columns: Sequence[ColumnReport]) -> Iterable[ColumnGroup]:
    """Group neighbours whose names differ only in their digits."""
    for _, run in itertools.groupby(columns, key=lambda column: (re.sub("[0-9]+", "0", column.column), *_look(column))):
        members = tuple(run)
        if len(members) >= _SHORTEST_RUN:
            yield ColumnGroup(members, is_run=True)
        else:
            yield from (ColumnGroup((column,)) for column in members)


def _alike(groups: Sequence[ColumnGroup]) -> Iterable[ColumnGroup]:
    """Group single columns with the same role for the same reason, wherever they are."""
    alike: dict[tuple[str, ...], list[ColumnGroup]] = {}
    for group in groups:
        key = (group.label,) if group.is_run else (*_look(group.first), group.first.reason)
        alike.setdefault(key, []).append(group)
    for members in alike.values():
        if len(members) >= _SHORTEST_RUN:
            yield ColumnGroup(tuple(member.first for member in members))
        else:
            yield from members


def _look(column: ColumnReport) -> tuple[str, str]:
    return column.role, column.reads_as


def listed(names: Sequence[str]) -> str:
    """Return the first names and how many more there are.

    >>> listed(["a", "b", "c", "d", "e"]), listed(["a", "b"])
    ('a, b, c and 2 more', 'a, b')
    """
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def range_of(group: ColumnGroup, number: Callable[[ColumnReport], int], shown: Callable[[int], str]) -> str:
    """Return the smallest and the largest number of a group's columns."""
    low, high = (shown(pick(map(number, group.columns))) for pick in (min, max))
    return low if low == high else f"{low} to {high}"
