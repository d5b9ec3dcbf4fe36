"""What the groups of a treated table still give away about sensitive columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.engines.base import Table
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Lattice
from idbits.measures.disclosure.certainty import given_away
from idbits.measures.disclosure.column import SensitiveColumn, ValuePrior
from idbits.studies.advise.result import TreatmentPoint
from idbits.studies.shared.treatments.problem import TreatmentProblem
from idbits.values.attributes import Attribute

__all__ = ["given_away_after"]


def given_away_after(
    table: Table,
    problem: TreatmentProblem,
    point: TreatmentPoint,
    sensitive: Sequence[Attribute],
    certainty: float,
) -> dict[str, int]:
    """Return, for each sensitive column, the people whose group gives their value away after a treatment.

    They share their group with others, as in ``idbits disclosure`` of the treated table.
    """
    assert point.levels is not None
    node = tuple(level - ladder.first for level, ladder in zip(point.levels, problem.ladders, strict=True))
    groups = _groups_with(table, problem, sensitive, node)
    kept = np.ones(len(groups.sizes), np.bool_)
    if point.withheld:
        kept = ~_withheld_among(problem, groups)
    found = {}
    for attribute, cells in zip(sensitive, groups.cells, strict=True):
        left = cells.with_groups(kept)
        column = SensitiveColumn(left, ValuePrior(left.value_people, left.n_people))
        found[attribute.name] = given_away(column, certainty)[0].in_company
    return found


def _groups_with(
    table: Table, problem: TreatmentProblem, sensitive: Sequence[Attribute], node: tuple[int, ...]
) -> NodeGroups:
    """Return the groups of a node with the values of these columns, which the search did not need."""
    rows = table.coded_rows([*(ladder.attribute for ladder in problem.ladders), *sensitive])
    codes, people = rows.codes, rows.people
    if people is not None and not people.all():
        codes, people = tuple(column[people > 0] for column in codes), people[people > 0]
    columns = problem.lattice.columns
    n_known = len(columns)
    secret = [
        (column.astype(np.int64), size) for column, size in zip(codes[n_known:], rows.sizes[n_known:], strict=True)
    ]
    known = [column.ranks[of_rows] for column, of_rows in zip(columns, codes, strict=False)]
    return Lattice(columns, known, people, secret).groups_at(node)


def _withheld_among(problem: TreatmentProblem, groups: NodeGroups) -> NDArray[np.bool_]:
    """Return which of the groups the goal withholds; it may need other sensitive columns than those that they have."""
    counted = problem.lattice.groups_at(groups.levels)
    withheld = problem.goal.withheld(counted).out
    assert withheld is not None
    # The same groups, maybe in another order.
    theirs, ours = np.lexsort(counted.values()), np.lexsort(groups.values())
    assert np.array_equal(counted.sizes[theirs], groups.sizes[ours])
    out = np.zeros(len(groups.sizes), np.bool_)
    out[ours] = withheld[theirs]
    return out
