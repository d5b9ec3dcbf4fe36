"""Unicity from counted choices, against fractions and against plain sums over choices."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.points import Matches, matches_of, matches_of_whole
from idbits.measures.unicity import bits_of_points, hidden_bits, unicity

groups = st.lists(st.integers(1, 12), min_size=1, max_size=8)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=200))
def test_draws_weigh_the_same(people: list[int]) -> None:
    counted = Counter((0, k) for k in people)
    matches = Matches(50, counted, n_points=3, draws=len(people))
    assert unicity(matches) == people.count(1) / len(people)
    # To the last digit: a sum that is rounded once does not depend on how its terms were counted.
    assert hidden_bits(matches) == math.fsum(map(math.log2, people)) / len(people)


@given(groups)
def test_whole_trajectories_weigh_as_many_as_have_them(sizes: list[int]) -> None:
    matches = matches_of_whole(Counter(sizes))
    n = sum(sizes)
    assert matches.people == n
    assert unicity(matches) == float(Fraction(sizes.count(1), n))
    assert hidden_bits(matches) == pytest.approx(sum(k * math.log2(k) for k in sizes) / n)
    assert bits_of_points(matches, n) == pytest.approx(-sum(k / n * math.log2(k / n) for k in sizes), abs=1e-12)


def test_each_person_counts_the_same_however_many_points_they_have() -> None:
    # One person with 4 points, of which 6 pairs are chosen, 3 of them theirs alone; another with a single pair.
    matches = matches_of({(4, 1): 3, (4, 2): 3, (2, 2): 1}, n_points=2, n_people=2)
    assert unicity(matches) == float(Fraction(3, 6) / 2)
    assert hidden_bits(matches) == float((Fraction(3, 6) + 1) / 2)


def test_points_say_no_less_than_nothing() -> None:
    assert bits_of_points(matches_of_whole({8: 1}), 8) == 0.0
    assert bits_of_points(matches_of_whole({1: 8}), 8) == 3.0
