"""Of equally small groups, ``apply`` withholds those that ``advise`` counted on: all losses are as promised."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import idbits
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.walk import Lattice
from idbits.measures.treatment.goal import Goal
from idbits.studies.shared.goals import goal_of, parse_goals

LOSSES = ("cells", "cells_geometric", "entropy_bits", "discernibility", "class_size", "mutual")


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Draw a small table whose groups are mostly of one or two people."""
    n = draw(st.integers(8, 30))
    seed = draw(st.integers(0, 10**6))
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "age": random.integers(18, 60, n),
            "zip": [str(code) for code in random.integers(100, 140, n)],
            "town": [["Ulm", "Aa", "Bo", "Ci", "Du", None][index] for index in random.zipf(1.5, n) % 6],
        }
    )


@settings(max_examples=12, deadline=None, phases=(Phase.generate,))
@given(
    table=tables(),
    goal=st.sampled_from(["mean_risk <= 30%", "mean_risk <= 60%", "singletons <= 10%", "people_below.3 <= 20%"]),
    qid=st.sampled_from(["age,zip,town", "town,zip", "age:band5,town", "zip,age"]),
)
def test_losses_are_as_promised(table: pa.Table, goal: str, qid: str) -> None:
    advice = idbits.advise(table, qid, goal=goal, withhold="60%")
    if not advice.reached:
        return
    used = {name.partition(":")[0] for name in qid.split(",")}
    with TemporaryDirectory() as folder:
        treated = idbits.apply(
            table, advice.plan, Path(folder) / "out.csv", drop=[name for name in table.column_names if name not in used]
        )
    data, expected = treated.to_dict(), advice.plan.expected
    assert treated.withheld.people == expected["withheld"]
    assert data["after"]["entropy_bits"] == pytest.approx(expected["figures"]["entropy_bits"], rel=1e-12)
    for name in LOSSES:
        promised, found = expected["loss"][name], data["loss"][name]
        assert promised is found is None or found == pytest.approx(promised, rel=1e-9, abs=1e-12), name


def lattice(order: list[int]) -> tuple[Lattice, Goal]:
    """Return four groups of one person, read in this order of rows; the second column has the deeper ladder."""
    first = ColumnLevels.of([np.arange(2), np.zeros(2, int)])
    second = ColumnLevels.of([np.arange(3), np.array([0, 1, 0]), np.zeros(3, int)])
    codes = np.array([[0, 2], [0, 1], [1, 0], [1, 1]])[order]
    made = Lattice((first, second), [first.ranks[codes[:, 0]], second.ranks[codes[:, 1]]])
    return made, goal_of(parse_goals("singletons <= 2"), [], [], 4, made.columns)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 2, 0]])
def test_the_first_values_of_the_first_column_are_withheld(order: list[int]) -> None:
    made, goal = lattice(order)
    groups = made.groups_at((0, 0))
    out = goal.withheld(groups).out
    assert out is not None
    # Both people with the first value of the first column, although keys begin with the second one's path.
    assert groups.values(out)[0].tolist() == [0, 0]
