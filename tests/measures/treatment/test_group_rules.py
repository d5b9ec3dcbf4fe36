"""Rules about groups, by their definitions, and how they change when groups merge."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.measures.treatment.group_rules import FIGURES, GroupRule, SensitiveValues, group_figure

N_VALUES = 4
COUNTS = st.lists(st.lists(st.integers(0, 6), min_size=N_VALUES, max_size=N_VALUES).filter(any), min_size=2, max_size=5)
LEVELS = ColumnLevels.of([np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, int)])


def cells_of(groups: list[list[int]]) -> GroupCells:
    values, people, starts = [], [], []
    for group in groups:
        starts.append(len(values))
        for value, count in enumerate(group):
            if count:
                values.append(value)
                people.append(count)
    return GroupCells(np.array(values), np.array(people), np.array(starts), N_VALUES)


def values_of(groups: list[list[int]]) -> SensitiveValues:
    return SensitiveValues(np.array(groups).sum(axis=0), np.arange(N_VALUES), None, LEVELS)


def slow_figure(figure: str, group: list[int], total: list[int]) -> float:
    """Return a figure of one group, as it is defined."""
    k, n = sum(group), sum(total)
    p = [count / k for count in group]
    q = [count / n for count in total]
    present = [index for index in range(N_VALUES) if group[index]]
    if figure == "l_distinct":
        return len(present)
    if figure == "l_entropy":
        return 2 ** -sum(p[index] * math.log2(p[index]) for index in present)
    if figure == "alpha":
        return max(p)
    if figure == "t_equal":
        return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
    if figure == "t_ordered":
        # Values that nobody has are not there.
        gaps = sum(abs(sum(p[: i + 1]) - sum(q[: i + 1])) for i in range(N_VALUES) if total[i])
        return gaps / max(1, sum(count > 0 for count in total) - 1)
    if figure == "t_hierarchical":
        extra = [a - b for a, b in zip(p, q, strict=True)]
        cost = 0.0
        for children, height in (((extra[0], extra[1]), 1), ((extra[2], extra[3]), 1)):
            cost += height / 2 * min(sum(x for x in children if x > 0), -sum(x for x in children if x < 0))
        inner = (extra[0] + extra[1], extra[2] + extra[3])
        return cost + min(sum(x for x in inner if x > 0), -sum(x for x in inner if x < 0))
    ratios = {index: p[index] / q[index] for index in present}
    if figure == "beta":
        return max(ratios.values()) - 1
    if figure == "enhanced_beta":
        holds = all(ratio - 1 <= -math.log(q[index]) + 1e-9 for index, ratio in ratios.items())
        return max(ratios.values()) - 1 if holds else math.inf
    return max(abs(math.log2(ratio)) for ratio in ratios.values())


@pytest.mark.parametrize("figure", sorted(FIGURES))
@given(groups=COUNTS)
def test_figures_by_their_definitions(figure: str, groups: list[list[int]]) -> None:
    cells = cells_of(groups)
    total = np.array(groups).sum(axis=0).tolist()
    expected = [slow_figure(figure, group, total) for group in groups]
    assert FIGURES[figure](cells, values_of(groups)).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(groups=COUNTS, number=st.integers(1, 4), c=st.sampled_from([Fraction(1), Fraction(5, 2), Fraction(4)]))
def test_recursive_diversity_by_its_definition(groups: list[list[int]], number: int, c: Fraction) -> None:
    cells = cells_of(groups)
    broken = GroupRule("recursive", number, c, strict=True).broken(cells, values_of(groups))
    for group, is_broken in zip(groups, broken.tolist(), strict=True):
        descending = sorted((count for count in group if count), reverse=True)
        holds = len(descending) >= number and descending[0] < c * sum(descending[number - 1 :])
        assert is_broken is not holds


@pytest.mark.parametrize("figure", sorted(set(FIGURES) - {"delta_bits_present", "enhanced_beta"}))
@given(groups=COUNTS)
def test_merging_groups_never_worsens_the_worst(figure: str, groups: list[list[int]]) -> None:
    merged = [[a + b for a, b in zip(groups[0], groups[1], strict=True)], *groups[2:]]
    before, after = (group_figure(figure, None, cells_of(some), values_of(groups)) for some in (groups, merged))
    assert after >= before - 1e-9 if figure.startswith("l_") else after <= before + 1e-9


def test_a_limit_is_met_within_rounding() -> None:
    cells = cells_of([[7, 7, 7, 7]])
    values = values_of([[7, 7, 7, 7]])
    assert not GroupRule("l_entropy", None, Fraction(4), strict=False).broken(cells, values)[0]
    assert GroupRule("l_entropy", None, Fraction(4), strict=True).broken(cells, values)[0]
    assert not GroupRule("alpha", None, Fraction(1, 4), strict=False).broken(cells, values)[0]


def test_null_has_no_rank() -> None:
    # Value 3 is null: groups [1, 0, 1 | 2 nulls] and [1, 1, 0 | 0], by hand: F = (2, 3, 4)/4.
    cells = cells_of([[1, 0, 1, 2], [1, 1, 0, 0]])
    values = SensitiveValues(np.array([2, 1, 1, 2]), np.array([0, 1, 2, 0]), null=3)
    assert FIGURES["t_ordered"](cells, values).tolist() == pytest.approx([0.125, 0.125])


@pytest.mark.parametrize("figure", sorted(FIGURES))
@given(groups=COUNTS)
def test_the_worst_group_has_the_figure_of_the_table(figure: str, groups: list[list[int]]) -> None:
    cells, values = cells_of(groups), values_of(groups)
    by_group = FIGURES[figure](cells, values)
    worst = group_figure(figure, None, cells, values)
    expected = float(by_group.min() if figure.startswith("l_") else by_group.max())
    # Two figures of groups have other logarithms, which are faster.
    assert worst == (pytest.approx(expected, rel=1e-13) if figure in ("l_entropy", "delta_bits_present") else expected)


@pytest.mark.parametrize("figure", ["t_ordered", "t_hierarchical", "t_equal", "beta"])
@pytest.mark.parametrize("null", [None, 1, 3])
@given(groups=COUNTS, order=st.permutations(range(N_VALUES)))
def test_other_numbers_for_the_values_change_no_digit(
    figure: str, null: int | None, groups: list[list[int]], order: list[int]
) -> None:
    values = SensitiveValues(np.array(groups).sum(axis=0), np.array(order), null, LEVELS)
    numbers, sorted_values = values.sorted_for(figure)
    assert sorted(numbers.tolist()) == list(range(N_VALUES))
    others = [[group[numbers.tolist().index(number)] for number in range(N_VALUES)] for group in groups]
    before, after = FIGURES[figure](cells_of(groups), values), FIGURES[figure](cells_of(others), sorted_values)
    assert before.tolist() == after.tolist()


@given(groups=COUNTS, order=st.permutations(range(N_VALUES)), null=st.sampled_from([None, 0, 2]))
def test_distances_by_order_leave_out_nulls_and_values_that_nobody_has(
    groups: list[list[int]], order: list[int], null: int | None
) -> None:
    total = np.array(groups).sum(axis=0)
    known = sorted((value for value in range(N_VALUES) if value != null and total[value]), key=order.__getitem__)
    expected = []
    for group in groups:
        k, n = sum(group[value] for value in known), sum(int(total[value]) for value in known)
        gaps = [
            abs(sum(group[value] for value in known[:end]) / k - sum(int(total[value]) for value in known[:end]) / n)
            for end in range(1, len(known))
            if k
        ]
        expected.append(sum(gaps) / max(1, len(known) - 1))
    found = FIGURES["t_ordered"](cells_of(groups), SensitiveValues(total, np.array(order), null))
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
