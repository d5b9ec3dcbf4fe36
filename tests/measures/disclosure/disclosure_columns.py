"""Rows of (group, value) as the sensitive column that measures take."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from idbits.counts import CodedRows
from idbits.kernels.group_values import GroupCells, counted_rows
from idbits.measures.disclosure.column import SensitiveColumn, ValuePrior


def value_order(rows: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Return the values that occur, ascending, null last."""
    values = {value for _, value in rows}
    return [*sorted(values - {None}), *([None] if None in values else [])]


def cells_of(rows: Sequence[tuple[Any, Any]], order: Sequence[Any]) -> GroupCells:
    """Count rows by group and value."""
    numbers = {group: index for index, group in enumerate(dict.fromkeys(group for group, _ in rows))}
    groups = np.array([numbers[group] for group, _ in rows], np.uint32)
    values = np.array([order.index(value) for _, value in rows], np.uint32)
    return counted_rows(CodedRows((groups, values), (len(numbers), len(order)))).cells


def column_of(
    rows: Sequence[tuple[Any, Any]],
    order: Sequence[Any] | None = None,
    prior: dict[Any, Fraction] | None = None,
    secret: set[Any] | None = None,
) -> SensitiveColumn:
    """Return the column of some rows; values that are not secret are not merged."""
    order = value_order(rows) if order is None else order
    cells = cells_of(rows, order)
    expected = (
        ValuePrior(cells.value_people, cells.n_people)
        if prior is None
        else ValuePrior.of_shares([prior.get(value, Fraction(0)) for value in order])
    )
    null = order.index(None) if None in order else None
    mask = np.array([value in secret for value in order]) if secret is not None else None
    return SensitiveColumn(cells, expected, null, mask, cells.value_people)
