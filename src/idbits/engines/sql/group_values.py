"""Counts people by group and value in a database: groups leave it as numbers only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import sqlalchemy as sa
from sqlalchemy import func

from idbits.counts import Integers, Value
from idbits.engines.backends.group_values import GroupValueCounts, GroupValueRequest
from idbits.engines.base import Row
from idbits.engines.codes import Codes
from idbits.engines.local_group_values import occurring_values
from idbits.engines.sql.dialect import ZERO, Element
from idbits.engines.sql.queries import Queries, Query, value_names
from idbits.errors import EngineError
from idbits.kernels.group_values import cells_of_triples
from idbits.values.labels import OTHER_VALUES

if TYPE_CHECKING:
    from idbits.engines.sql.table import SQLTable

__all__ = ["group_value_query", "sql_group_values"]

# Three whole numbers per cell, and as many while they are sorted.
_CELL_BYTES = 48


def group_value_query(queries: Queries, request: GroupValueRequest) -> Query:
    """Return people by the number of their group and their value, with the category of the group if there are any.

    The label of a category with fewer than ``at_least`` people stays in the database.
    """
    attributes = request.attributes
    last = len(attributes) - 1
    sets = queries.grouped(attributes, shown=True).subquery("sets")
    keys = value_names(attributes)
    group_keys = [sets.c[name] for name in keys if name[1:] != str(last)]
    columns: list[Element] = [func.dense_rank().over(order_by=group_keys).label("number")]
    if request.by is not None:
        named = [sets.c[name] for name in ("o0", "g0") if name in sets.c]
        total = func.sum(sets.c.people).over(partition_by=named)
        value = sets.c.s0 if "s0" in sets.c else sets.c.g0
        columns += [
            func.dense_rank().over(order_by=named).label("category"),
            sets.c.get("o0", ZERO).label("category_other"),
            sa.case((total >= request.at_least, value)).label("category_label"),
        ]
    columns += [
        sets.c[f"g{last}"].label("value"),
        (sets.c[f"s{last}"] if f"s{last}" in sets.c else sets.c[f"g{last}"]).label("shown"),
        sets.c.get(f"o{last}", ZERO).label("other"),
        sets.c.people.label("people"),
    ]
    return sa.select(*columns)


def sql_group_values(table: SQLTable, request: GroupValueRequest, memory: int | None) -> GroupValueCounts:
    """Count in the database; only numbers, values of the sensitive column and labels of categories leave it."""
    table.decide(request.attributes)
    query = group_value_query(table.queries, request)
    names = [column.name for column in query.selected_columns]
    codes, categories = Codes(), _Categories()
    triples = _fetched(table.connection.batches(query, "counting groups and values"), names, codes, categories, memory)
    labels = [OTHER_VALUES if other else table.label_of(value, request.sensitive) for other, value in codes.shown]
    cells, groups = cells_of_triples(*triples, len(labels))
    found = occurring_values(cells, labels)
    if request.by is None:
        return GroupValueCounts(found.cells, found.labels)
    by = request.by
    numbers = sorted(categories.shown)
    shown: list[Value] = []
    for number in numbers:
        other, value = categories.shown[number]
        shown.append(OTHER_VALUES if other else table.label_of(value, by))
    of_groups = np.array([categories.of_groups[group] for group in groups.tolist()], np.int64)
    return GroupValueCounts(found.cells, found.labels, (np.searchsorted(numbers, of_groups), tuple(shown)))


class _Categories:
    """The category of each group, and what is shown of categories."""

    def __init__(self) -> None:
        self.of_groups: dict[int, int] = {}
        self.shown: dict[int, tuple[bool, object]] = {}

    def add(self, group: int, category: int, other: object, value: object) -> None:
        """Remember the category of a group."""
        self.of_groups[group] = category
        self.shown[category] = (bool(other), value)


def _fetched(
    batches: Iterable[Sequence[Row]], names: Sequence[str], codes: Codes, categories: _Categories, memory: int | None
) -> tuple[Integers, Integers, Integers]:
    at = {name: position for position, name in enumerate(names)}
    parts: list[tuple[Integers, Integers, Integers]] = []
    n_rows = 0
    for batch in batches:
        n_rows += len(batch)
        if memory is not None and n_rows * _CELL_BYTES > memory:
            raise EngineError(
                "the counts of groups and values do not fit in the memory; allow more with --memory, or name fewer or "
                "coarser columns"
            )
        of_values = [codes.code(row[at["value"]], row[at["shown"]], other=row[at["other"]]) for row in batch]
        groups = [int(row[at["number"]]) for row in batch]
        if "category" in at:
            for group, row in zip(groups, batch, strict=True):
                category = row[at["category"]], row[at["category_other"]], row[at["category_label"]]
                categories.add(group, int(category[0]), *category[1:])
        people = [int(row[at["people"]]) for row in batch]
        parts.append((np.array(groups, np.int64), np.array(of_values, np.int64), np.array(people, np.int64)))
    empty = np.zeros(0, np.int64)
    joined = [np.concatenate([empty, *(part[index] for part in parts)]) for index in range(3)]
    return joined[0], joined[1], joined[2]
