"""Every way to search finds what a slow enumeration finds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.lattice.walk import Lattice, Walk
from idbits.measures.treatment.anytime import AnytimeSearch
from idbits.measures.treatment.complete import Candidate, FrontierGroups, NodeCounter, RiskAxis, better, count_all_nodes
from idbits.measures.treatment.frontier import frontier_of, frontier_rows
from idbits.measures.treatment.goal import Goal, TableRule
from idbits.measures.treatment.local import recode_locally
from idbits.measures.treatment.losses import CellLoss, ClassSizeLoss, DiscernibilityLoss, EntropyLoss, TreatmentLoss
from idbits.measures.treatment.necessary import entropy_of_sizes
from idbits.measures.treatment.pruned import evaluate, find_optimum
from idbits.measures.treatment.regional import split_into_groups
from random_lattices import Drawn, drawn_lattices, goals

RISK = RiskAxis()


def losses_of(drawn: Drawn) -> list[TreatmentLoss]:
    totals, n = drawn.totals(), drawn.lattice.n_people
    return [
        CellLoss(totals),
        CellLoss(totals, geometric=True),
        EntropyLoss(totals),
        EntropyLoss(totals, ignore_withheld=True),
        DiscernibilityLoss(n),
        DiscernibilityLoss(n, monotone=True),
        ClassSizeLoss(n),
    ]


def enumerated(lattice: Lattice, goal: Goal, loss: TreatmentLoss) -> Candidate:
    best: Candidate | None = None
    for node in lattice.nodes():
        candidate = evaluate(lattice.groups_at(node), goal, loss)
        if better(candidate, best):
            best = candidate
    assert best is not None
    return best


@pytest.mark.parametrize("sensitive", [False, True])
@given(data=st.data())
def test_complete_and_pruned_searches_find_the_optimum(sensitive: bool, data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices(sensitive=sensitive))
    goal = data.draw(goals(drawn, sensitive=sensitive))
    loss = data.draw(st.sampled_from(losses_of(drawn)))
    expected = enumerated(drawn.lattice, goal, loss)
    assert count_all_nodes(drawn.lattice, goal, loss, RISK).best == expected
    pruned, _ = find_optimum(drawn.lattice, goal, loss)
    assert pruned.meets == expected.meets
    if expected.meets:
        assert pruned == expected


@given(data=st.data())
def test_permuting_columns_changes_nothing_but_ties(data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices())
    lattice = drawn.lattice
    order = data.draw(st.permutations(range(len(lattice.columns))))
    other = Lattice([lattice.columns[i] for i in order], [lattice.codes[i] for i in order], lattice.people)
    goal = data.draw(goals(drawn, sensitive=False))
    first = count_all_nodes(lattice, goal, CellLoss(drawn.totals()), RISK)
    turned = Drawn(
        other,
        [drawn.levels[i] for i in order],
        [tuple(row[i] for i in order) for row in drawn.rows],
        *[drawn.people, drawn.secrets],
    )
    second = count_all_nodes(other, goal, CellLoss(turned.totals()), RISK)
    assert int(first.meets.sum()) == int(second.meets.sum())
    assert first.best is not None
    assert second.best is not None
    assert first.best.loss == pytest.approx(second.best.loss, rel=1e-12, abs=1e-12)
    mine = [(point.risk, pytest.approx(point.loss)) for point in frontier_of(first)]
    assert [(point.risk, point.loss) for point in frontier_of(second)] == mine


@given(data=st.data())
def test_the_anytime_search_returns_a_node_that_meets_the_goal(data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices())
    goal = data.draw(goals(drawn, sensitive=False))
    loss = CellLoss(drawn.totals())
    search = AnytimeSearch(drawn.lattice, goal, loss, RISK, 0, lambda: False)
    search.run()
    expected = enumerated(drawn.lattice, goal, loss)
    assert search.best is not None
    assert search.best == evaluate(drawn.lattice.groups_at(search.best.node), goal, loss)
    if search.best.meets:
        assert search.best.loss >= expected.loss
    elif goal.falls_when_coarser:
        assert not expected.meets


@given(data=st.data())
def test_the_number_withheld_falls_where_the_search_relies_on_it(data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices())
    goal = data.draw(goals(drawn, sensitive=False).filter(lambda goal: goal.falls_when_coarser))
    goal = Goal(goal.least_size, (), goal.table_rules, drawn.lattice.n_people, ())
    table = count_all_nodes(drawn.lattice, goal, CellLoss(drawn.totals()), RISK)
    people = {tuple(node): people for node, people in zip(table.nodes.tolist(), table.withheld.tolist(), strict=True)}
    for node, withheld in people.items():
        for column in range(len(node)):
            coarser = (*node[:column], node[column] + 1, *node[column + 1 :])
            assert people.get(coarser, 0) <= withheld


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=12))
def test_the_frontier_has_the_points_that_no_other_beats(points: list[tuple[int, int, int]]) -> None:
    risk, loss, withheld = (np.array(column) for column in zip(*points, strict=True))
    rows = frontier_rows(risk.astype(float), loss.astype(float), withheld).tolist()
    beaten = [any((a <= x and b <= y) and (a < x or b < y) for a, b, _ in points) for x, y, _ in points]
    assert {points[row][:2] for row in rows} == {
        point[:2] for point, is_beaten in zip(points, beaten, strict=True) if not is_beaten
    }
    assert len({points[row][:2] for row in rows}) == len(rows)


@given(data=st.data())
def test_the_groups_of_the_frontier_are_kept(data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices())
    goal = data.draw(goals(drawn, sensitive=False))
    counter = NodeCounter(drawn.lattice, goal, CellLoss(drawn.totals()), RISK)
    counter.groups = FrontierGroups(10**6)
    drawn.lattice.walk(Walk(counter.visit))
    points = frontier_of(counter.table())
    for point in points:
        kept = counter.groups.get(point.node)
        # Of nodes with the same risk and loss, the first one is kept.
        if kept is None:
            others = [(row[3], row[4]) for row in counter.rows] + [(row[5], row[6]) for row in counter.rows]
            assert others.count((point.loss, point.risk)) > 1
        else:
            assert sorted(kept.sizes.tolist()) == drawn.sizes(point.node)
    few = FrontierGroups(1)
    for node in drawn.lattice.nodes():
        few.offer(drawn.lattice.groups_at(node), [(1.0, float(-sum(node)))])
    assert sum(len(groups.sizes) for groups in few._kept.values()) <= 1


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=8), st.sampled_from(["singletons", "people_below", "mean_risk"])
)
def test_the_smallest_groups_are_withheld_as_few_as_possible(sizes: list[int], figure: str) -> None:
    limit = Fraction(1, 4)
    rule = TableRule(figure, 3 if figure == "people_below" else None, limit, strict=False, of_people=True)

    def holds(kept: list[int]) -> bool:
        if figure == "mean_risk":
            return Fraction(len(kept), sum(kept)) <= limit
        below = 2 if figure == "singletons" else 3
        return Fraction(sum(k for k in kept if k < below), sum(kept)) <= limit

    ordered = sorted(sizes)
    expected = next((out for out in range(len(sizes)) if holds(ordered[out:])), None)
    assert rule.fewest_groups(np.array(ordered)) == expected


def test_bits_of_sizes() -> None:
    assert entropy_of_sizes(np.array([3, 2, 1, 1])) == pytest.approx(1.8423709931771088, abs=1e-14)


@pytest.mark.parametrize("sensitive", [False, True])
@given(data=st.data())
def test_groups_of_similar_people_satisfy_the_rules(sensitive: bool, data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices(sensitive=sensitive))
    goal = data.draw(goals(drawn, sensitive=sensitive))
    made = split_into_groups(drawn.lattice, goal, [False] * len(drawn.levels), [1.0] * len(drawn.levels))
    assert int(made.sizes.sum()) + made.withheld == drawn.lattice.n_people
    assert made.withheld in (0, drawn.lattice.n_people)
    assert all(0 <= loss <= 1 for loss in made.column_losses)
    for index, rule in goal.group_rules:
        if len(made.sizes):
            assert not rule.broken(made.cells[index], goal.sensitive[index]).any()
    assert not len(made.sizes) or int(made.sizes.min()) >= goal.least_size


@given(data=st.data())
def test_local_treatments_keep_to_the_limit_and_lose_no_more(data: st.DataObject) -> None:
    drawn = data.draw(drawn_lattices())
    size = data.draw(st.integers(1, 5))
    goal = Goal(size, (), (), drawn.lattice.n_people // 10, ())
    weights = [1.0] * len(drawn.levels)
    made = recode_locally(drawn.lattice, goal, weights, 4, geometric=False)
    best = enumerated(drawn.lattice, goal, CellLoss(drawn.totals()))
    assert (made is not None) == best.meets
    if made is not None:
        assert made.withheld <= goal.most_withheld
        assert int(made.sizes.sum()) + made.withheld == drawn.lattice.n_people
        assert int(made.sizes.min()) >= size
        assert np.mean(made.column_losses) <= best.loss + 1e-9
