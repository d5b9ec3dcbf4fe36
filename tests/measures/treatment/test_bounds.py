"""No treatment that meets a goal has a smaller loss than the bound, and none is ruled out that meets it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.lattice.walk import Lattice
from idbits.measures.treatment import bounds
from idbits.measures.treatment.bounds import least_loss
from idbits.measures.treatment.goal import Goal, TableRule
from idbits.measures.treatment.group_rules import GroupRule
from idbits.measures.treatment.losses import CellLoss, ClassSizeLoss, DiscernibilityLoss, EntropyLoss, TreatmentLoss
from idbits.measures.treatment.mutual import MutualLoss
from idbits.measures.treatment.pruned import evaluate, levels_ruled_out
from random_lattices import Drawn, drawn_lattices

LOSSES = ["cells", "cells:geometric", "entropy", "entropy:kept", "discernibility", "discernibility:monotone"]
LOSSES += ["class_size", "mutual", "mutual with a target"]
GROUP_RULES = {
    "l_distinct": [2, 3],
    "l_entropy": [Fraction(3, 2), 2],
    "recursive": [Fraction(3, 2), 3],
    "alpha": [Fraction(1, 3), Fraction(2, 3)],
    "t_equal": [Fraction(1, 5), Fraction(1, 2)],
    "beta": [Fraction(1, 2), 2],
    "delta_bits_present": [1, 2],
}
TABLE_RULES = {
    "singletons": [(None, Fraction(1, 10), True), (None, Fraction(3), False)],
    "people_below": [(3, Fraction(1, 5), True), (5, Fraction(6), False)],
    "mean_risk": [(None, Fraction(1, 5), False), (None, Fraction(1, 3), False)],
    "entropy_bits": [(None, Fraction(3, 2), False)],
    "k_hat": [(None, Fraction(6), False)],
}


def loss_of(name: str, drawn: Drawn) -> TreatmentLoss | None:
    """Return a loss; the columns have different weights."""
    totals, n = drawn.totals([1.0 + column for column in range(len(drawn.levels))]), drawn.lattice.n_people
    lattice = drawn.lattice
    if name.startswith("mutual"):
        target = np.array(drawn.secrets) if name != "mutual" else None
        mutual = MutualLoss(lattice.columns, lattice.codes, lattice.people, target)
        return mutual if mutual.exists else None
    return {
        "cells": lambda: CellLoss(totals),
        "cells:geometric": lambda: CellLoss(totals, geometric=True),
        "entropy": lambda: EntropyLoss(totals),
        "entropy:kept": lambda: EntropyLoss(totals, ignore_withheld=True),
        "discernibility": lambda: DiscernibilityLoss(n),
        "discernibility:monotone": lambda: DiscernibilityLoss(n, monotone=True),
        "class_size": lambda: ClassSizeLoss(n),
    }[name]()


@st.composite
def any_goals(draw: st.DrawFn, drawn: Drawn) -> Goal:
    """Draw a goal of any rules, strict or not."""
    group_rules: list[tuple[int, GroupRule]] = []
    for figure in draw(st.lists(st.sampled_from(sorted(GROUP_RULES)), max_size=1)):
        limit = Fraction(draw(st.sampled_from(GROUP_RULES[figure])))
        number = 2 if figure == "recursive" else None
        group_rules.append((0, GroupRule(figure, number, limit, draw(st.booleans()))))
    table_rules: list[TableRule] = []
    for figure in draw(st.lists(st.sampled_from(sorted(TABLE_RULES)), max_size=2, unique=True)):
        below, limit, of_people = draw(st.sampled_from(TABLE_RULES[figure]))
        table_rules.append(TableRule(figure, below, limit, draw(st.booleans()), of_people))
    share = draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(1)]))
    size = draw(st.sampled_from([1, 2, 3, 5, 9]))
    most = int(share * drawn.lattice.n_people)
    return Goal(size, tuple(group_rules), tuple(table_rules), most, (drawn.secret_people(),))


def least_by_hand(drawn: Drawn, goal: Goal, loss: TreatmentLoss) -> float:
    """Return the loss of the best of all nodes; infinite if none meets the goal."""
    candidates = (evaluate(drawn.lattice.groups_at(node), goal, loss) for node in drawn.lattice.nodes())
    return min((candidate.loss for candidate in candidates if candidate.meets), default=math.inf)


def related(drawn: Drawn) -> Drawn:
    """Return the table with columns that follow from the first one, so that they are related beyond chance."""
    sizes = [len(levels[0]) for levels in drawn.levels]
    rows = [tuple(row[0] % size for size in sizes) for row in drawn.rows]
    secrets = [row[0] % 3 for row in rows]
    columns = drawn.lattice.columns
    codes = [column.ranks[np.array([row[index] for row in rows])] for index, column in enumerate(columns)]
    lattice = Lattice(columns, codes, drawn.lattice.people, [(np.array(secrets), 3)])
    return Drawn(lattice, drawn.levels, rows, drawn.people, secrets)


@pytest.mark.parametrize("name", LOSSES)
@given(data=st.data())
def test_no_treatment_that_meets_the_goal_is_below_the_bound(name: str, data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices(sensitive=True))
    drawn = related(drawn) if name.startswith("mutual") else drawn
    goal = data.draw(any_goals(drawn))
    loss = loss_of(name, drawn)
    optimum = math.inf if loss is None else least_by_hand(drawn, goal, loss)
    if loss is None or optimum == math.inf:
        return
    for most_nodes in (1, 6, 40, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bounds, "_MOST_NODES", most_nodes)
            patch.setattr(bounds, "_FEWEST_NODES", 1)
            assert least_loss(drawn.lattice, goal, loss, 10**9) <= optimum * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("name", ["cells", "cells:geometric", "entropy", "entropy:kept"])
@given(data=st.data())
def test_the_bound_of_all_columns_together_is_the_optimum_for_group_sizes(name: str, data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices())
    n = drawn.lattice.n_people
    goal = Goal(data.draw(st.integers(1, 6)), (), (), data.draw(st.sampled_from([0, n // 10, n // 3])))
    loss = loss_of(name, drawn)
    assert loss is not None
    optimum = least_by_hand(drawn, goal, loss)
    if optimum < math.inf:
        assert least_loss(drawn.lattice, goal, loss, 10**9) == pytest.approx(optimum, rel=1e-12, abs=1e-12)


@given(data=st.data())
def test_larger_blocks_never_lower_the_bound(data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices(most_columns=4))
    goal = Goal(data.draw(st.integers(2, 6)), (), (), drawn.lattice.n_people // 10)
    loss = loss_of("cells", drawn)
    assert loss is not None
    parts: Any = loss
    limits = goal.necessary(drawn.lattice.n_people)
    columns = list(range(len(drawn.levels)))
    alone = [bounds._least_of_block(drawn.lattice, limits, parts, [column]) for column in columns]
    together = bounds._least_of_block(drawn.lattice, limits, parts, columns)
    assert together >= sum(alone) - 1e-12


@given(data=st.data())
def test_no_columns_of_a_treatment_that_meets_the_goal_are_ruled_out(data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices(sensitive=True))
    goal = data.draw(any_goals(drawn))
    lattice = drawn.lattice
    limits = goal.necessary(lattice.n_people)
    columns = range(len(lattice.columns))
    some = [pair for size in (1, 2, 3) for pair in itertools.combinations(columns, size)]
    ruled_out = {pair: levels_ruled_out(lattice, pair, limits) for pair in some}
    for node in lattice.nodes():
        if goal.withheld(lattice.groups_at(node)).meets:
            assert limits.allow(lattice.groups_at(node).sizes)
            for pair, out in ruled_out.items():
                assert out is not None
                assert not out[tuple(node[column] for column in pair)]


@pytest.mark.parametrize("name", ["discernibility", "discernibility:monotone", "class_size"])
@given(data=st.data())
def test_losses_of_group_sizes_are_bounded_in_every_subtree(name: str, data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices(sensitive=True))
    goal = data.draw(any_goals(drawn))
    lattice, loss = drawn.lattice, loss_of(name, drawn)
    assert loss is not None
    limits = goal.necessary(lattice.n_people)
    nodes = {node: lattice.groups_at(node) for node in lattice.nodes()}
    lost = {node: evaluate(groups, goal, loss) for node, groups in nodes.items()}
    for finer, groups in nodes.items():
        least = loss.least(groups.sizes, limits)
        for node, candidate in lost.items():
            if candidate.meets and all(a >= b for a, b in zip(node, finer, strict=True)):
                assert candidate.loss >= least * (1 - 1e-12)


def test_bounds_by_hand() -> None:
    """Groups of 1, 2, 4 and 5 people, of which groups of at least 3 may be kept."""
    sizes = np.array([1, 2, 4, 5])
    nobody, two = Goal(3).necessary(12), Goal(3, most_withheld=2).necessary(12)
    # The three people are one group.
    assert DiscernibilityLoss(12).least(sizes, nobody) == 3 * 3 + 4 * 4 + 5 * 5
    # One person, or one of the two, is withheld and adds at least the size of the finer group.
    assert DiscernibilityLoss(12, monotone=True).least(sizes, two) == 1 * 1 + 2 + 3 + 4 * 4 + 5 * 5
    assert ClassSizeLoss(12).least(sizes, nobody) == 12 / 3
    assert ClassSizeLoss(12).least(sizes, two) == 12 / 4
