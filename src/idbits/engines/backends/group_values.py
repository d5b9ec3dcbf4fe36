"""The capability to count people by group and sensitive value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from idbits.counts import Integers, Value
from idbits.kernels.group_values import GroupCells
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

__all__ = ["CellsOfRows", "GroupValueCounting", "GroupValueCounts", "GroupValueRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupValueRequest:
    """What to count.

    Attributes:
        known: the columns that form groups.
        sensitive: the column whose values are counted in each group.
        by: groups are formed within the categories of this column.
        at_least: categories with fewer people need no label.
        with_rows: whether the cell of each row is needed; the table must be opened with ``in_order``.
        with_labels: whether the labels of groups are needed.
    """

    known: tuple[Attribute, ...]
    sensitive: Attribute
    by: Attribute | None = None
    at_least: int = 1
    with_rows: bool = False
    with_labels: bool = False

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """All columns, the category first and the sensitive one last."""
        return (*((self.by,) if self.by is not None else ()), *self.known, self.sensitive)


@dataclass(frozen=True, slots=True, eq=False)
class CellsOfRows:
    """The number of each row in the source and the index of its cell."""

    numbers: Integers
    cells: Integers


@dataclass(frozen=True, slots=True, eq=False)
class GroupValueCounts:
    """People by group and value.

    Attributes:
        cells: people by group and value; all values occur.
        labels: the label of each value, in any order.
        categories: the category of each group, and the labels of categories; None without categories.
        rows: the cell of each row, if requested.
        group_labels: returns the labels of a group by its number, if requested.
    """

    cells: GroupCells
    labels: tuple[Value, ...]
    categories: tuple[Integers, tuple[Value, ...]] | None = None
    rows: CellsOfRows | None = None
    group_labels: Callable[[int], tuple[Value, ...]] | None = None


class GroupValueCounting(Protocol):
    """A table that can count people by group and value."""

    def group_value_counts(self, request: GroupValueRequest, options: OpenOptions) -> GroupValueCounts:
        """Count people by group and value.

        Only counts, the values of the sensitive column and, if requested, labels of groups leave a database.
        """
