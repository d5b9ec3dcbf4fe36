"""Bounds on entropies: random tables stay within them, and one case is exact."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.counts import Spectrum
from idbits.measures.entropy import entropy_bits, kappa_error_nats, kappa_from_entropy, kappa_nats
from idbits.measures.entropy_bounds import (
    least_part_bits,
    least_whole_bits,
    left_out_bits,
    mixing_bits,
    most_part_bits,
    most_whole_bits,
    shares_entropy_bits,
)

PEOPLE = st.lists(st.integers(0, 5), min_size=1, max_size=40)


def spectrum(values: list[int]) -> Spectrum:
    return Spectrum.of(Counter(Counter(values).values()))


@given(PEOPLE)
def test_shares_of_all_values_give_the_entropy_of_the_table(values: list[int]) -> None:
    shares = [count / len(values) for count in Counter(values).values()]
    assert abs(shares_entropy_bits(shares)) == pytest.approx(entropy_bits(spectrum(values)), abs=1e-12)


@given(PEOPLE, PEOPLE)
def test_a_part_and_its_whole_bound_each_other(part: list[int], others: list[int]) -> None:
    whole = part + others
    n_part, n_whole, n_values = len(part), len(whole), len(set(whole))
    part_bits, whole_bits = entropy_bits(spectrum(part)), entropy_bits(spectrum(whole))
    slack = 1e-9
    assert least_part_bits(whole_bits, n_part, n_whole, n_values) <= part_bits + slack
    assert part_bits <= most_part_bits(whole_bits, n_part, n_whole) + slack
    assert least_whole_bits(part_bits, n_part, n_whole) <= whole_bits + slack
    assert whole_bits <= most_whole_bits(part_bits, n_part, n_whole) + slack


def test_bounds_are_reached_where_the_others_are_all_different() -> None:
    part, others = [0] * 4, [1, 2, 3, 4]
    whole_bits = entropy_bits(spectrum(part + others))
    assert whole_bits == most_whole_bits(0.0, 4, 8) == 2.0
    assert least_part_bits(whole_bits, 4, 8, 5) == 0.0


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 100))
def test_what_is_left_out_lies_between_one_value_for_all_and_all_alike(left_out: list[int], listed: int) -> None:
    n_people = sum(left_out) + listed
    least, most = left_out_bits(sum(left_out) / n_people, len(left_out))
    true = shares_entropy_bits(count / n_people for count in left_out)
    assert least - 1e-12 <= true <= most + 1e-12


def test_where_nothing_is_left_out_nothing_is_added() -> None:
    assert left_out_bits(0.0, 0) == (0.0, 0.0)


@pytest.mark.parametrize(("share", "bits"), [(0.0, 0.0), (0.25, 0.8112781244591328), (0.5, 1.0), (1.0, 0.0)])
def test_mixing_is_the_entropy_of_two_parts(share: float, bits: float) -> None:
    assert mixing_bits(share) == pytest.approx(bits, abs=1e-15)
    assert mixing_bits(1 - share) == pytest.approx(bits, abs=1e-15)


@given(PEOPLE, st.integers(0, 5))
def test_kappa_of_a_table_fits_its_entropy(values: list[int], more: int) -> None:
    table = spectrum(values)
    n_values = table.n_sets + more
    kappa = kappa_nats(table, n_values)
    assert kappa is not None
    assert kappa_error_nats(kappa, entropy_bits(table), n_values) < 1e-12
    assert kappa_from_entropy(entropy_bits(table), n_values) == pytest.approx(kappa, abs=1e-12)


def test_the_error_of_a_kappa_has_no_sign() -> None:
    assert kappa_error_nats(1.0, 0.0, 1) == kappa_error_nats(0.0, 1 / math.log(2), 1) == pytest.approx(1.0)
