"""What the treatment loses, by the same measures as in ``idbits advise``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers
from idbits.engines.backends.treating import TreatedColumn, TreatedRows
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.measures.treatment.losses import CellLoss, ClassSizeLoss, ColumnTotals, DiscernibilityLoss, EntropyLoss
from idbits.studies.apply.rules import WithheldGroups

__all__ = ["NO_RELATIONS", "losses_of"]

NO_RELATIONS = "apply does not compare pairs of columns; idbits advise does"
_TREATED = 1


@dataclass(frozen=True, eq=False)
class _GroupValues:
    """Reads the values of groups at the treated level."""

    by_column: Sequence[Integers]

    def values(self, keys: Integers, levels: tuple[int, ...]) -> list[Integers]:  # noqa: ARG002
        return [values[keys] for values in self.by_column]


def losses_of(
    rows: TreatedRows,
    columns: Sequence[TreatedColumn],
    withheld: WithheldGroups,
    raw_values: Mapping[str, tuple[Integers, int]],
) -> dict[str, float | None]:
    """Return the losses of a treatment.

    Args:
        rows: the treated table.
        columns: the columns of the plan.
        withheld: the groups that are left out.
        raw_values: for columns with a hierarchy file, the lines behind what replaces each value, and all lines.
    """
    levels, people, values = [], [], []
    for column in columns:
        codes, counts = rows.value_codes(column.column)
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
    groups = NodeGroups((_TREATED,) * len(columns), np.arange(len(sizes)), sizes, (), _GroupValues(values))
    totals = ColumnTotals(levels, people)
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
