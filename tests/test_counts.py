"""Spectra contain consistent integers; anything else is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.counts import Histogram, Spectrum

TABLES = st.lists(st.lists(st.integers(0, 6), max_size=20), max_size=5)


def spectrum_of_rows(rows: Sequence[object]) -> Spectrum:
    """Count rows, then count those counts, as the definition says."""
    return Spectrum.of(Counter(Counter(rows).values()))


def test_people_are_size_times_sets() -> None:
    spectrum = Spectrum.of({3: 1, 1: 2, 4: 5})
    assert spectrum.sizes.tolist() == [1, 3, 4]
    assert spectrum.sets.tolist() == [2, 1, 5]
    assert spectrum.people.tolist() == [2, 3, 20]
    assert (spectrum.n_people, spectrum.n_reference, spectrum.n_sets, spectrum.n_values) == (25, 25, 8, 8)
    assert spectrum.is_own_reference


def test_pairs_come_in_any_order_and_any_container() -> None:
    pairs = [(4, 5), (1, 2), (3, 1)]
    assert Spectrum.of(pairs) == Spectrum.of(dict(pairs)) == Spectrum.of(iter(sorted(pairs)))


def test_values_that_nobody_has_are_possible_values_and_nothing_else() -> None:
    spectrum = Spectrum.of({0: 7, 2: 3})
    assert spectrum.pairs() == [(2, 3)]
    assert (spectrum.n_people, spectrum.n_sets, spectrum.n_values) == (6, 3, 10)


def test_possible_values_can_be_given() -> None:
    assert Spectrum.of({2: 3}, n_values=100).n_values == 100
    assert Spectrum.of({2: 3}, n_values=100) != Spectrum.of({2: 3})


@pytest.mark.parametrize("pairs", [{}, [], {0: 4}])
def test_nobody_is_a_spectrum_too(pairs: dict[int, int] | list[tuple[int, int]]) -> None:
    spectrum = Spectrum.of(pairs)
    assert (spectrum.n_people, spectrum.n_sets, spectrum.pairs()) == (0, 0, [])


@pytest.mark.parametrize(
    "pairs",
    [[(2, 1), (2, 3)], [(-1, 2)], [(-1, 2), (3, 1)], [(3, 0)], [(3, -1)], [(2, 5), (3, 0)]],
    ids=["a size twice", "below zero", "below zero first", "no sets", "fewer than no sets", "no sets last"],
)
def test_impossible_spectra_are_refused(pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(AssertionError):
        Spectrum.of(pairs)


def test_fewer_possible_values_than_sets_are_refused() -> None:
    with pytest.raises(AssertionError, match="possible values"):
        Spectrum.of({2: 3}, n_values=2)


def test_a_million_million_people_fit() -> None:
    spectrum = Spectrum.of({1: 10**12, 10**12: 3})
    assert spectrum.n_people == 4 * 10**12
    assert spectrum.n_sets == 10**12 + 3


def test_plain_integers_come_out() -> None:
    spectrum = Spectrum.of({np.int64(2): np.int64(3)})
    assert json.dumps(spectrum.pairs()) == "[[2, 3]]"
    assert {type(n) for n in (spectrum.n_people, spectrum.n_sets, spectrum.n_values, spectrum.n_reference)} == {int}


def test_equality_is_by_content_and_spectra_are_not_keys() -> None:
    assert Spectrum.of({1: 2}) == Spectrum.of({1: 2})
    assert Spectrum.of({1: 2}) != Spectrum.of({2: 1})
    assert Spectrum.of({1: 2}) != {1: 2}
    assert Spectrum.of({3: 2}) != Spectrum.against([(3, 2, 5)], 6, 2)
    with pytest.raises(TypeError):
        hash(Spectrum.of({1: 2}))


def test_against_a_population_sizes_are_theirs_and_people_ours() -> None:
    spectrum = Spectrum.against([(10, 2, 5), (1, 1, 1)], n_reference=100, n_values=3)
    assert spectrum.sizes.tolist() == [1, 10]
    assert spectrum.people.tolist() == [1, 5]
    assert (spectrum.n_people, spectrum.n_sets, spectrum.n_reference) == (6, 3, 100)
    assert not spectrum.is_own_reference


def test_a_release_as_large_as_its_population_is_still_measured_against_it() -> None:
    # Population: two values with two people each. Release: three records of one, one of the other.
    assert not Spectrum.against([(2, 2, 4)], n_reference=4, n_values=2).is_own_reference


def test_withholding_from_a_whole_population_leaves_the_population_as_it_is() -> None:
    left = Spectrum.against([(1, 2, 2), (3, 1, 3)], n_reference=5, n_values=3).with_sizes_from(2)
    assert (left.n_people, left.n_reference) == (3, 5)


def test_withholding_keeps_large_sets_only() -> None:
    left = Spectrum.of({1: 4, 2: 3, 5: 2, 9: 1}).with_sizes_from(5)
    assert left == Spectrum.of({5: 2, 9: 1})


def test_withholding_everyone_leaves_nobody() -> None:
    left = Spectrum.of({1: 4, 2: 3}).with_sizes_from(3)
    assert (left.n_people, left.n_reference, left.n_sets) == (0, 0, 0)


def test_withholding_from_a_release_leaves_the_population_as_it_is() -> None:
    left = Spectrum.against([(1, 1, 1), (10, 2, 5)], n_reference=100, n_values=3).with_sizes_from(2)
    assert left == Spectrum.against([(10, 2, 5)], n_reference=100, n_values=2)


@given(TABLES)
def test_merging_is_counting_the_tables_side_by_side(tables: list[list[int]]) -> None:
    together = [(number, value) for number, table in enumerate(tables) for value in table]
    assert Spectrum.merged(map(spectrum_of_rows, tables)) == spectrum_of_rows(together)


def test_merging_adds_possible_values() -> None:
    merged = Spectrum.merged([Spectrum.of({0: 4, 2: 1}), Spectrum.of({2: 3, 7: 1}, n_values=50)])
    assert merged == Spectrum.of({2: 4, 7: 1}, n_values=55)


@pytest.mark.big
@given(st.lists(st.integers(0, 9), max_size=60), st.randoms(use_true_random=False))
def test_names_and_order_of_values_do_not_matter(rows: list[int], random: object) -> None:
    shuffled = [f"value {row}" for row in rows]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert spectrum_of_rows(shuffled) == spectrum_of_rows(rows)


@given(st.lists(st.integers(0, 9), max_size=60))
def test_counting_loses_nobody(rows: list[int]) -> None:
    spectrum = spectrum_of_rows(rows)
    assert (spectrum.n_people, spectrum.n_sets) == (len(rows), len(set(rows)))


def test_a_histogram_has_no_rest_unless_it_is_told() -> None:
    histogram = Histogram((("a",), (None,)), (3, 1))
    assert (histogram.rest_values, histogram.rest_people) == (0, 0)
