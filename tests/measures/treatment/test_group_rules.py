"""Rules about groups, by their definitions, and how they change when groups merge."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import SensitiveCells
from idbits.measures.treatment.group_rules import FIGURES, GroupRule, SensitiveValues, group_figure

N_VALUES = 4
COUNTS = st.lists(st.lists(st.integers(0, 6), min_size=N_VALUES, max_size=N_VALUES).filter(any), min_size=2, max_size=5)
LEVELS = ColumnLevels.of([np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, int)])


def cells_of(groups: list[list[int]]) -> tuple[np.ndarray, SensitiveCells]:
    values, people, starts = [], [], []
    for group in groups:
        starts.append(len(values))
        for value, count in enumerate(group):
            if count:
                values.append(value)
                people.append(count)
    sizes = np.array([sum(group) for group in groups])
    return sizes, SensitiveCells(np.array(values), np.array(people), np.array(starts))


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
        return sum(abs(sum(p[: i + 1]) - sum(q[: i + 1])) for i in range(N_VALUES - 1)) / (N_VALUES - 1)
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
    sizes, cells = cells_of(groups)
    total = np.array(groups).sum(axis=0).tolist()
    expected = [slow_figure(figure, group, total) for group in groups]
    assert FIGURES[figure](sizes, cells, values_of(groups)).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(groups=COUNTS, number=st.integers(1, 4), c=st.sampled_from([Fraction(1), Fraction(5, 2), Fraction(4)]))
def test_recursive_diversity_by_its_definition(groups: list[list[int]], number: int, c: Fraction) -> None:
    sizes, cells = cells_of(groups)
    broken = GroupRule("recursive", number, c, strict=True).broken(sizes, cells, values_of(groups))
    for group, is_broken in zip(groups, broken.tolist(), strict=True):
        descending = sorted((count for count in group if count), reverse=True)
        holds = len(descending) >= number and descending[0] < c * sum(descending[number - 1 :])
        assert is_broken is not holds


@pytest.mark.parametrize("figure", sorted(set(FIGURES) - {"delta_bits_present", "enhanced_beta"}))
@given(groups=COUNTS)
def test_merging_groups_never_worsens_the_worst(figure: str, groups: list[list[int]]) -> None:
    merged = [[a + b for a, b in zip(groups[0], groups[1], strict=True)], *groups[2:]]
    before, after = (group_figure(figure, None, *cells_of(some), values_of(groups)) for some in (groups, merged))
    assert after >= before - 1e-9 if figure.startswith("l_") else after <= before + 1e-9


def test_a_limit_is_met_within_rounding() -> None:
    sizes, cells = cells_of([[7, 7, 7, 7]])
    values = values_of([[7, 7, 7, 7]])
    assert not GroupRule("l_entropy", None, Fraction(4), strict=False).broken(sizes, cells, values)[0]
    assert GroupRule("l_entropy", None, Fraction(4), strict=True).broken(sizes, cells, values)[0]
    assert not GroupRule("alpha", None, Fraction(1, 4), strict=False).broken(sizes, cells, values)[0]


def test_null_has_no_rank() -> None:
    # Value 3 is null: groups [1, 0, 1 | 2 nulls] and [1, 1, 0 | 0], by hand: F = (2, 3, 4)/4.
    sizes, cells = cells_of([[1, 0, 1, 2], [1, 1, 0, 0]])
    values = SensitiveValues(np.array([2, 1, 1, 2]), np.array([0, 1, 2, 0]), null=3)
    assert FIGURES["t_ordered"](sizes, cells, values).tolist() == pytest.approx([0.125, 0.125])
