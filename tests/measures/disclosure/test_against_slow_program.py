"""Every figure against a slow program that was written from the specification, on random small tables."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from disclosure_columns import column_of, value_order
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_disclosure import SlowTable, Triple

from idbits.measures.disclosure.attackers import after_excluding, after_knowing
from idbits.measures.disclosure.certainty import certain_people, largest_share, people_above_share, top_shares
from idbits.measures.disclosure.closeness import (
    equal_distance,
    hierarchical_distance,
    ordered_distances,
)
from idbits.measures.disclosure.column import PeopleCount, SensitiveColumn, ValuePrior
from idbits.measures.disclosure.diversity import (
    distinct_values,
    entropy_values,
    people_below_distinct,
    recursive_limits,
    recursive_values,
)
from idbits.measures.disclosure.guess import guess_chances
from idbits.measures.disclosure.information import bits_of_values, learnt_bits, prior_entropy_bits
from idbits.measures.disclosure.likeness import delta_bits, delta_bits_present, likeness
from idbits.measures.disclosure.near import Window, near_people

Rows = list[tuple[int, int | None]]

values = st.one_of(st.none(), st.sampled_from([1, 2, 3, 7, 1000]))
tables = st.lists(st.tuples(st.integers(0, 4), values), min_size=1, max_size=24)
shares = st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.9])
near = pytest.approx


def triple(count: PeopleCount | Any) -> Triple:
    return count.people, count.alone, count.in_company


def slow_of(rows: Rows) -> SlowTable:
    return SlowTable(rows, value_order(rows))


@given(tables)
def test_diversity(rows: Rows) -> None:
    column, slow = column_of(rows), slow_of(rows)
    assert distinct_values(column) == slow.l_distinct()
    assert entropy_values(column) == near(slow.l_entropy(), rel=1e-12)
    assert entropy_values(column) <= slow.l_distinct()
    assert recursive_limits(column, (2, 3, 5)) == {str(limit): near(slow.recursive(limit)) for limit in (2, 3, 5)}
    for c in ("0.1", "0.7", "1", "1.1", "4"):
        assert recursive_values(column, float(c)) == slow.recursive_l(c)
    below = people_below_distinct(column, (2, 3))
    assert triple(below["2"]) == slow.certain()
    assert triple(below["3"]) == slow.people(lambda g: len(set(slow.groups[g])) < 3)


def without_nulls(column: SensitiveColumn) -> tuple[Any, Any, Any]:
    cells, prior = column.cells, column.prior
    if column.null is not None:
        cells, _ = cells.with_cells(cells.values != column.null)
        cells = type(cells)(cells.values, cells.counts, cells.starts, cells.n_values - 1)
        weights = prior.weights[:-1]
        prior = ValuePrior(weights, int(weights.sum()))
    return cells, prior, np.ones(cells.n_groups, np.bool_)


@given(tables)
def test_closeness(rows: Rows) -> None:
    column, slow = column_of(rows), slow_of(rows)
    assert equal_distance(column) == near(slow.t_equal(), abs=1e-15)
    cells, prior, kept = without_nulls(column)
    positions = np.array([value for value in value_order(rows) if value is not None], np.float64)
    ordered, by_position = ordered_distances(cells, prior, kept, positions)
    assert ordered == near(slow.t_ordered(), abs=1e-15)
    assert by_position == near(slow.t_distance(), abs=1e-14)


HIERARCHY = {1: ("low", "number", "all"), 2: ("low", "number", "all"), 3: ("high", "number", "all"),
             7: ("high", "number", "all"), 1000: ("huge", "odd", "all"), None: ("none", "none", "all")}  # fmt: skip


@given(tables)
def test_closeness_by_a_hierarchy(rows: Rows) -> None:
    column, order = column_of(rows), value_order(rows)
    levels = []
    for height in range(3):
        nodes = list(dict.fromkeys(HIERARCHY[value][height] for value in order))
        levels.append(np.array([nodes.index(HIERARCHY[value][height]) for value in order]))
    assert hierarchical_distance(column, levels) == near(slow_of(rows).t_hierarchical(HIERARCHY), abs=1e-15)


@given(tables)
def test_a_hierarchy_of_one_level_is_the_equal_distance(rows: Rows) -> None:
    column = column_of(rows)
    top = np.zeros(column.cells.n_values, np.int64)
    assert hierarchical_distance(column, [top]) == equal_distance(column)


@given(tables)
def test_likeness(rows: Rows) -> None:
    column, slow = column_of(rows), slow_of(rows)
    found = likeness(column)
    assert found.beta == near(slow.beta())
    assert triple(found.violations) == slow.violations()
    assert found.enhanced == (math.inf if found.violations.people else found.beta)
    assert delta_bits(column) == near(slow.delta(present_only=False))
    assert delta_bits_present(column) == near(slow.delta(present_only=True), abs=1e-15)


@given(tables)
def test_bits(rows: Rows) -> None:
    column, slow = column_of(rows), slow_of(rows)
    found, gains = learnt_bits(column), slow.gains()
    assert found.mean == near(math.fsum(gains) / len(gains), abs=1e-13)
    assert (found.p50, found.p95, found.max) == near(tuple(np.quantile(gains, (0.5, 0.95, 1))), abs=1e-12)
    assert found.mean == near(prior_entropy_bits(column) - found.conditional_entropy_bits, abs=1e-12)
    for row in found.table:
        assert row.people == sum(gain >= row.bits - 1e-9 for gain in gains)
    assert found.table[-1].bits == math.floor(max(gains) + 1e-9)
    true = bits_of_values(column)
    cells = column.cells
    assert math.fsum(true * cells.counts) / len(rows) == near(found.mean, abs=1e-12)


@given(tables, shares)
def test_certainty(rows: Rows, share: float) -> None:
    column, slow = column_of(rows), slow_of(rows)
    certain = certain_people(column)
    assert (triple(certain), certain.empty) == (slow.certain(), slow.empty())
    above = people_above_share(column, share)
    assert (triple(above), above.right) == slow.above(Fraction(str(share)))
    assert above.right + above.wrong == above.people
    assert largest_share(column) == max(slow.top(g) / len(slow.groups[g]) for g in slow.groups)
    bars = top_shares(column)
    assert bars.alone + sum(bars.bars) == len(rows)
    half = sum(len(m) for g, m in slow.groups.items() if len(m) > 1 and 2 * slow.top(g) <= len(m))
    assert sum(bars.bars[:10]) == half


@given(tables)
def test_guesses(rows: Rows) -> None:
    column, slow = column_of(rows), slow_of(rows)
    found = guess_chances(column)
    assert found.before == float(max(slow.q.values()))
    assert found.after == slow.guess_after()
    assert found.without == slow.guess_without()


@given(tables, shares)
def test_attackers_who_know_more(rows: Rows, share: float) -> None:
    column, slow = column_of(rows), slow_of(rows)
    exact = Fraction(str(share))
    for number, found in zip((0, 1, 2), after_excluding(column, (0, 1, 2), share), strict=True):
        assert (found.max is None) == (number > 0 and number >= len(slow.q) - 1)
        if found.nearly_certain is not None:
            assert (found.max, triple(found.nearly_certain)) == slow.excluding(number, exact)
    for number, known in zip((0, 1, 3), after_knowing(column, (0, 1, 3), share), strict=True):
        assert (known.max, triple(known.nearly_certain)) == slow.knowing(number, exact)


@given(tables, shares, st.sampled_from([0, 1, 4, 993]))
def test_near_values(rows: Rows, share: float, width: int) -> None:
    column, slow = column_of(rows), slow_of(rows)
    positions = np.array([value for value in value_order(rows) if value is not None], np.float64)
    everyone = np.ones(column.cells.n_cells, np.bool_)
    for window, meaning in (
        (Window(width), lambda _: Fraction(width)),
        (Window(0.5, is_share=True), lambda value: abs(Fraction(value)) / 2),
    ):
        found = near_people(column.cells, column.cells, positions, window, share, everyone)
        expected = slow.near(meaning, Fraction(str(share)))
        assert (found is None) == (expected is None)
        if found is not None and expected is not None:
            assert triple(found.people) == expected[0]
            assert (found.mean, found.baseline_mean) == near(expected[1:])


priors = st.lists(st.integers(1, 9), min_size=7, max_size=7)


@given(tables, priors)
def test_a_prior_of_others(rows: Rows, weights: list[int]) -> None:
    order = [1, 2, 3, 7, 500, 1000, None]
    prior = {value: Fraction(weight, sum(weights)) for value, weight in zip(order, weights, strict=True)}
    column, slow = column_of(rows, order, prior), SlowTable(rows, order, prior)
    assert equal_distance(column) == near(slow.t_equal())
    assert likeness(column).beta == near(slow.beta())
    assert triple(likeness(column).violations) == slow.violations()
    assert delta_bits(column) == near(slow.delta(present_only=False))
    assert learnt_bits(column).mean == near(math.fsum(slow.gains()) / len(rows), abs=1e-12)
    assert guess_chances(column).before == float(max(prior.values()))
    assert guess_chances(column).without == slow.guess_without()
    cells, _, kept = without_nulls(column)
    known = ValuePrior(np.array(weights[:-1]), sum(weights[:-1]), is_table=False)
    ordered, by_position = ordered_distances(cells, known, kept, np.array(order[:-1], np.float64))
    assert (ordered, by_position) == (near(slow.t_ordered()), near(slow.t_distance()))


def counted(rows: Rows, times: int) -> SensitiveColumn:
    """Return the column of a table in which each row stands for many people."""
    column = column_of(rows)
    cells = column.cells
    more = type(cells)(cells.values, cells.counts * times, cells.starts, cells.n_values)
    return SensitiveColumn(more, ValuePrior(more.value_people, more.n_people), column.null, None, more.value_people)


@settings(max_examples=30)
@given(tables)
def test_numbers_that_do_not_fit_in_64_bits(rows: Rows) -> None:
    few, many = column_of(rows), counted(rows, 10**16)
    assert equal_distance(many) == near(equal_distance(few))
    assert likeness(many).beta == near(likeness(few).beta)
    assert delta_bits(many) == near(delta_bits(few))
    assert recursive_values(many, 4) == recursive_values(few, 4)
    cells, prior, kept = without_nulls(few)
    more, more_prior, _ = without_nulls(many)
    assert ordered_distances(more, more_prior, kept)[0] == near(ordered_distances(cells, prior, kept)[0])
    levels = [np.zeros(few.cells.n_values, np.int64)]
    assert hierarchical_distance(many, levels) == near(hierarchical_distance(few, levels))


def test_equally_frequent_values_are_exactly_as_many() -> None:
    for values in range(1, 12):
        rows = [(0, value) for value in range(values)] * 3 + [(1, 0), (1, 0), *((1, value) for value in range(12))]
        assert entropy_values(column_of(rows)) == values


def test_one_person() -> None:
    column = column_of([(0, "x")])
    assert guess_chances(column).without is None
    assert learnt_bits(column).max == 0.0
    assert equal_distance(column) == 0.0
    assert likeness(column).enhanced == 0.0
