"""Small helpers of studies: logarithms, thresholds and steps, at the ends of their range."""

from __future__ import annotations

import math

import numpy as np
import pytest

from idbits.measures.birthday import is_uniqueness_negligible, log_uniform_uniqueness
from idbits.measures.coincidence import same_counts_are_rarer_than
from idbits.measures.dependence_test import has_too_few_orders
from idbits.measures.distribution import Distribution, largest_kappa_nats
from idbits.measures.logarithms import complement_of_log10, log10_from_nats
from idbits.measures.randomisers import are_whole, nearest_whole
from idbits.measures.widths import four_digits, widths_between


def test_decimal_logarithms_hold_what_no_float_does() -> None:
    assert log10_from_nats(-1e6) == -1e6 / math.log(10)
    assert log10_from_nats(-math.inf) == -math.inf


@pytest.mark.parametrize("chance", [1e-300, 0.25, 0.5, 1 - 1e-12])
def test_the_complement_of_a_chance_keeps_its_digits(chance: float) -> None:
    assert complement_of_log10(log10_from_nats(math.log(chance))) == pytest.approx(1 - chance, rel=1e-3)
    assert complement_of_log10(0.0) == 0.0


@pytest.mark.parametrize("n_values", [2, 95, 10**21])
def test_no_distribution_is_further_from_equally_likely_than_a_certain_value(n_values: int) -> None:
    nearly_certain = Distribution.of([1 - 1e-9, 1e-9], n_values)
    assert nearly_certain.kappa_nats < largest_kappa_nats(n_values)
    assert nearly_certain.kappa_nats == pytest.approx(largest_kappa_nats(n_values), abs=1e-6)


@pytest.mark.parametrize("k", [1, 60, 70, 80, 366])
def test_uniqueness_is_negligible_below_the_chance(k: int) -> None:
    assert is_uniqueness_negligible(365, k, 0.001) == (math.exp(log_uniform_uniqueness(365, k)) < 0.001)


def test_few_rows_or_few_values_have_few_orders() -> None:
    many = np.arange(20)
    assert not has_too_few_orders([many, many], 0.01)
    assert has_too_few_orders([many, np.zeros(20, np.int64)], 0.01)
    assert has_too_few_orders([np.arange(3), np.arange(3)], 0.1)
    assert not has_too_few_orders([np.arange(4), np.arange(4)], 0.1)


def test_many_values_come_out_equally_often_only_by_design() -> None:
    assert same_counts_are_rarer_than(1e-6, np.full(40, 5))
    assert not same_counts_are_rarer_than(1e-6, np.array([3, 2]))
    # The chance of a constant column is 1.
    assert not same_counts_are_rarer_than(1.0, np.array([7]))


def test_widths_reach_the_widest() -> None:
    widths = widths_between(0.3, 11.0, 4)
    assert widths[0] == 0.3
    assert widths[-2] < 11.0 <= widths[-1]
    assert widths[4] == pytest.approx(0.6)


@pytest.mark.parametrize("width", [1.0, 0.00012345678, 98765.4321])
def test_four_digits_lie_on_the_side_that_was_asked_for(width: float) -> None:
    low, high = four_digits(width, up=False), four_digits(width, up=True)
    assert low <= width <= high
    assert high - low <= 0.001 * width * (1 + 1e-9)


def test_whole_numbers_are_recognised_and_drawn() -> None:
    assert are_whole(np.array([-3.0, 0.0, 2.0**40]))
    assert not are_whole(np.array([0.0, 1e-9]))
    assert nearest_whole(np.array([-1.5, -0.4, 0.5])).tolist() == [-2, 0, 0]
