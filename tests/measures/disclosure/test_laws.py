"""Laws of disclosure figures: bounds, and what merging groups does."""

import math
from typing import Any

import numpy as np
import pytest
from disclosure_columns import column_of, value_order
from hypothesis import given
from hypothesis import strategies as st

from idbits.measures.disclosure.certainty import largest_share
from idbits.measures.disclosure.closeness import equal_distance, ordered_distances
from idbits.measures.disclosure.column import SensitiveColumn
from idbits.measures.disclosure.diversity import distinct_values, entropy_values, recursive_limits, recursive_values
from idbits.measures.disclosure.information import learnt_bits
from idbits.measures.disclosure.likeness import delta_bits, delta_bits_present, likeness

Rows = list[tuple[int, int]]

tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=30)
_CLOSE = 1e-12


def worst(column: SensitiveColumn) -> dict[str, Any]:
    """Return figures that are worse the larger they are."""
    everyone = np.ones(column.cells.n_groups, np.bool_)
    positions = np.arange(column.cells.n_values, dtype=np.float64) ** 2
    ordered, by_position = ordered_distances(column.cells, column.prior, everyone, positions)
    return {
        "l_distinct": -(distinct_values(column) or 0),
        "l_entropy": -(entropy_values(column) or 0),
        "recursive": recursive_limits(column, [2])["2"],
        "recursive_l": -(recursive_values(column, 4) or 0),
        "alpha": largest_share(column),
        "t_equal": equal_distance(column),
        "t_ordered": ordered,
        "t_distance": by_position,
        "beta": likeness(column).beta,
        "delta_bits": delta_bits(column),
    }


@given(tables)
def test_merging_two_groups_never_worsens_the_worst(rows: Rows) -> None:
    merged = [(0 if group == 1 else group, value) for group, value in rows]
    before, after = worst(column_of(rows)), worst(column_of(merged))
    for name, figure in after.items():
        assert figure <= before[name] + _CLOSE, name


def test_merging_may_worsen_the_figure_that_leaves_out_missing_values() -> None:
    worse = 0
    random = np.random.default_rng(5)
    for _ in range(200):
        rows = [(int(g), int(v)) for g, v in zip(random.integers(0, 3, 20), random.integers(0, 4, 20), strict=True)]
        merged = [(0 if group == 1 else group, value) for group, value in rows]
        worse += delta_bits_present(column_of(merged)) > delta_bits_present(column_of(rows)) + _CLOSE
    assert worse > 0


@given(tables)
def test_bounds(rows: Rows) -> None:
    column = column_of(rows)
    shares = column.prior.shares
    assert 0 <= equal_distance(column) <= 1 - shares.min() + _CLOSE
    assert 1 <= (entropy_values(column) or 0) <= (distinct_values(column) or 0)
    assert (likeness(column).beta or 0) >= 0
    bits = learnt_bits(column)
    assert np.all(bits.by_group >= 0)
    assert bits.max <= -math.log2(shares.min()) + _CLOSE


@given(tables)
def test_a_group_gives_nothing_away_exactly_if_it_is_like_the_table(rows: Rows) -> None:
    column = column_of(rows)
    cells = column.cells
    gains = learnt_bits(column).by_group
    for group in range(cells.n_groups):
        kept = np.arange(cells.n_groups) == group
        own = cells.with_groups(kept)
        alike = np.array_equal(own.value_people * cells.n_people, cells.value_people * own.n_people)
        assert (gains[group] == 0) == alike


@given(tables)
def test_coarser_groups_never_give_away_more_on_average(rows: Rows) -> None:
    coarser = [(group // 2, value) for group, value in rows]
    assert learnt_bits(column_of(coarser)).mean <= learnt_bits(column_of(rows)).mean + _CLOSE


@given(tables)
def test_the_names_of_groups_do_not_matter(rows: Rows) -> None:
    order = value_order(rows)
    other = sorted(((-group * 7) % 5, value) for group, value in rows)
    one, two = column_of(rows, order), column_of(other, order)
    assert worst(one) == worst(two)
    first, second = learnt_bits(one), learnt_bits(two)
    assert (first.mean, first.p50, first.p95, first.max) == (second.mean, second.p50, second.p95, second.max)


def test_independent_columns_give_nothing_away() -> None:
    rows = [(group, value) for group in range(4) for value in (0, 0, 1, 2)]
    figures = worst(column_of(rows))
    assert (figures["t_equal"], figures["beta"], figures["delta_bits"]) == (0.0, 0.0, 0.0)
    assert learnt_bits(column_of(rows)).max == 0.0


@pytest.mark.parametrize("n", [2, 8, 1024])
def test_a_certain_value_gives_away_its_surprisal(n: int) -> None:
    rows = [(0, "x"), *([(1, "y")] * (n - 1))]
    assert learnt_bits(column_of(rows)).max == pytest.approx(math.log2(n))
