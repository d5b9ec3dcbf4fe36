"""What the treatment loses, by the same measures as in ``idbits advise``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from idbits.counts import Integers
from idbits.engines.backends.treating import TreatedRows
from idbits.engines.base import Table
from idbits.kernels.lattice.levels import ColumnLevels, first_places
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.measures.treatment.losses import CellLoss, ClassSizeLoss, ColumnTotals, DiscernibilityLoss, EntropyLoss
from idbits.studies.apply.rules import GroupValues, WithheldGroups
from idbits.studies.shared.plans import AS_IS, Plan, PlannedColumn
from idbits.studies.shared.treatments.planned import level_named
from idbits.studies.shared.treatments.problem import TreatmentProblem
from idbits.studies.shared.treatments.usefulness import Usefulness
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["TOO_LARGE", "group_places", "losses_of", "rows_of_pairs", "usefulness_of"]

TOO_LARGE = "the table is too large to test relationships here; idbits advise --loss mutual does it"
_TREATED = 1


def group_places(rows: TreatedRows, table: Table, columns: Sequence[PlannedColumn]) -> list[Integers]:
    """Return, for each column, the first value of the source behind the value of each group, as in the search."""
    places = []
    for column in columns:
        codes, _ = _from_start(table, column, *rows.value_codes(column.column))
        places.append(first_places(codes, int(codes.max()) + 1)[rows.group_codes(column.column)])
    return places


def losses_of(
    rows: TreatedRows,
    table: Table,
    columns: Sequence[PlannedColumn],
    withheld: WithheldGroups,
    raw_values: Mapping[str, tuple[Integers, int]],
) -> dict[str, Any]:
    """Return the losses of cells and groups.

    Args:
        rows: the treated table.
        table: the source.
        columns: the columns of the plan.
        withheld: the groups that are left out.
        raw_values: for columns with a hierarchy file, the lines behind what replaces each value, and all lines.
    """
    levels, people, values = [], [], []
    for column in columns:
        codes, counts = _from_start(table, column, *rows.value_codes(column.column))
        made = ColumnLevels.of([np.arange(len(codes)), codes])
        if column.column in raw_values:
            lines, n_lines = raw_values[column.column]
            made = ColumnLevels.of(
                [np.arange(len(codes)), codes], raw_values=[np.ones(len(codes), np.int64), lines], n_raw=n_lines
            )
        by_number = np.zeros(len(codes), np.int64)
        by_number[made.ranks] = counts
        of_code = np.zeros(int(codes.max()) + 1, np.int64)
        of_code[codes] = made.maps[_TREATED][made.ranks]
        levels.append(made)
        people.append(by_number)
        values.append(of_code[rows.group_codes(column.column)])
    sizes = rows.group_sizes
    groups = NodeGroups((_TREATED,) * len(columns), np.arange(len(sizes)), sizes, (), GroupValues(values))
    totals = ColumnTotals(levels, people, importance=[column.importance for column in columns])
    out = withheld.is_withheld if withheld.people else None
    return {
        "cells": CellLoss(totals).of(groups, out, withheld.people),
        "cells_geometric": CellLoss(totals, geometric=True).of(groups, out, withheld.people),
        "entropy_bits": EntropyLoss(totals).of(groups, out, withheld.people) / totals.n_people,
        "discernibility": DiscernibilityLoss(totals.n_people).of(groups, out, withheld.people),
        "class_size": ClassSizeLoss(totals.n_people).of(groups, out, withheld.people),
        "mutual": None,
        "model": None,
    }


def _from_start(table: Table, column: PlannedColumn, codes: Integers, people: Integers) -> tuple[Integers, Integers]:
    """Return what replaces each value of the view that the ladder begins with, and its people."""
    if column.start == AS_IS or column.hierarchy is not None:
        return codes, people
    plain = Attribute(column.column, table.columns[column.column])
    (first,) = table.view_codes(plain, [parse_attribute(column.first, {plain.column: plain.kind})])
    _, numbers = np.unique(first, return_inverse=True)
    of_start, counts = (np.zeros(int(numbers.max()) + 1, np.int64) for _ in range(2))
    of_start[numbers] = codes
    np.add.at(counts, numbers, people)
    return of_start, counts


def rows_of_pairs(n_columns: int, n_people: int) -> int:
    """Return the work of comparing all pairs of columns."""
    return n_people * n_columns**2


def usefulness_of(
    problem: TreatmentProblem, plan: Plan, withheld: WithheldGroups
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what is lost of relationships and predictions, and why something does not exist."""
    node = tuple(
        level_named(ladder, planned.view) for ladder, planned in zip(problem.ladders, plan.columns, strict=True)
    )
    groups = problem.lattice.groups_at(node)
    useful = Usefulness(problem)
    mutual, no_mutual = useful.mutual(groups, withheld.people)
    model, no_model = useful.model(groups, problem.goal.withheld(groups).out)
    reasons = {"loss.mutual": no_mutual, "loss.model": no_model}
    return {"mutual": mutual, "model": model}, {name: reason for name, reason in reasons.items() if reason is not None}
