"""Anonymity sets: every count against the people written out one by one, every mean against fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.counts import Spectrum
from idbits.measures.anonymity import (
    bits_quantiles,
    gain_table,
    mean_risk,
    people_at_most,
    people_below,
    people_exactly,
    set_sizes,
)

TRILLION = 10**12

SpectrumPairs = dict[int, int]

SMALL = st.dictionaries(st.integers(1, 120), st.integers(1, 5), min_size=1, max_size=8)
LARGE = st.dictionaries(st.integers(1, 10**7), st.integers(1, 10**5), min_size=1, max_size=8)

# One value of a population a tuple: how many people have it there, and how many records in the release.
RELEASES = st.lists(st.tuples(st.integers(1, 300), st.integers(0, 9)), min_size=1, max_size=12).filter(
    lambda values: any(records for _, records in values)
)


def people_of(pairs: SpectrumPairs) -> list[int]:
    """Return the set size of every person."""
    return [k for k, m in pairs.items() for _ in range(k * m)]


def against_population(values: list[tuple[int, int]]) -> tuple[Spectrum, list[int]]:
    """Return the spectrum of a release, and the set size in the population of each of its records."""
    rows: dict[int, tuple[int, int]] = {}
    for k, records in values:
        if records:
            sets, people = rows.get(k, (0, 0))
            rows[k] = (sets + 1, people + records)
    spectrum = Spectrum.against(
        [(k, *counts) for k, counts in rows.items()],
        n_reference=sum(k for k, _ in values),
        n_values=sum(sets for sets, _ in rows.values()),
    )
    return spectrum, [k for k, records in values for _ in range(records)]


@given(SMALL)
def test_people_in_small_sets_are_counted_one_by_one(pairs: SpectrumPairs) -> None:
    people, spectrum = people_of(pairs), Spectrum.of(pairs)
    assert people_at_most(spectrum) == {str(t): sum(k <= t for k in people) for t in (1, 5, 10, 50, 100)}
    assert people_below(spectrum) == {str(t): sum(k < t for k in people) for t in (2, 5, 10)}
    assert people_exactly(spectrum) == {str(t): people.count(t) for t in range(1, 11)}


@given(RELEASES)
def test_records_in_small_sets_of_the_population_are_counted_one_by_one(values: list[tuple[int, int]]) -> None:
    spectrum, records = against_population(values)
    assert people_at_most(spectrum) == {str(t): sum(k <= t for k in records) for t in (1, 5, 10, 50, 100)}
    assert people_below(spectrum) == {str(t): sum(k < t for k in records) for t in (2, 5, 10)}
    assert people_exactly(spectrum) == {str(t): records.count(t) for t in range(1, 11)}


def brute_gain_table(n: int, people: list[int]) -> list[tuple[int, int]]:
    bits = max(n_bits for n_bits in range(64) if 2**n_bits <= n)
    return [(at_least, sum(k * 2**at_least <= n for k in people)) for at_least in range(bits, -1, -1)]


@given(SMALL)
def test_the_gain_table_counts_people_one_by_one(pairs: SpectrumPairs) -> None:
    people, rows = people_of(pairs), gain_table(Spectrum.of(pairs))
    assert [(row.bits, row.people) for row in rows] == brute_gain_table(len(people), people)
    assert [row.share for row in rows] == [row.people / len(people) for row in rows]


@given(RELEASES)
def test_the_gain_table_of_a_release_counts_its_records_by_bits_of_the_population(
    values: list[tuple[int, int]],
) -> None:
    spectrum, records = against_population(values)
    rows = gain_table(spectrum)
    assert [(row.bits, row.people) for row in rows] == brute_gain_table(spectrum.n_reference, records)
    assert rows[-1].share == 1


@pytest.mark.parametrize("bits", [1, 2, 10, 23, 39])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_the_gain_table_is_exact_at_the_powers_of_two(bits: int, k: int) -> None:
    # N = k * 2^bits: a record in a set of k gives bits bits to the last digit, one in a set of k + 1 does not.
    rows = gain_table(Spectrum.against([(k, 1, 1), (k + 1, 1, 1)], n_reference=k * 2**bits, n_values=2))
    people = {row.bits: row.people for row in rows}
    assert (people[bits], people[bits - 1]) == (1, 2)


@pytest.mark.parametrize("n", [1, 2, TRILLION - 1, TRILLION, 2**39, 2**40 - 1])
def test_the_gain_table_starts_at_whole_bits_of_everyone(n: int) -> None:
    rows = gain_table(Spectrum.of({1: n}))
    assert 2 ** rows[0].bits <= n < 2 ** (rows[0].bits + 1)
    assert [row.people for row in rows] == [n] * (rows[0].bits + 1)


@given(SMALL)
def test_set_sizes_are_summed_up_over_sets_written_out(pairs: SpectrumPairs) -> None:
    sets = [k for k, m in pairs.items() for _ in range(m)]
    sizes = set_sizes(Spectrum.of(pairs))
    assert (sizes.min, sizes.max) == (min(sets), max(sets))
    assert sizes.mean == float(Fraction(sum(sets), len(sets)))
    assert [sizes.q1, sizes.median, sizes.q3] == pytest.approx(np.quantile(sets, [0.25, 0.5, 0.75]).tolist())


def test_set_sizes_of_a_release_are_those_of_the_population() -> None:
    spectrum, _ = against_population([(1, 1), (5, 2), (5, 7), (60, 3), (29, 0)])
    sizes = set_sizes(spectrum)
    assert (sizes.min, sizes.median, sizes.mean, sizes.max) == (1, 5, 71 / 4, 60)


def test_the_mean_set_size_of_very_many_people_is_exact() -> None:
    sizes = set_sizes(Spectrum.of({1: TRILLION - 1, TRILLION: 1}))
    assert sizes.mean == float(Fraction(2 * TRILLION - 1, TRILLION))


@given(LARGE)
def test_mean_risk_is_the_exact_mean_of_one_over_k(pairs: SpectrumPairs) -> None:
    people = sum(k * m for k, m in pairs.items())
    exact = sum(k * m * Fraction(1, k) for k, m in pairs.items()) / people
    assert mean_risk(Spectrum.of(pairs)) == float(exact)


@given(RELEASES)
def test_mean_risk_of_a_release_is_the_mean_of_one_over_k_in_the_population(values: list[tuple[int, int]]) -> None:
    spectrum, records = against_population(values)
    exact = sum(Fraction(1, k) for k in records) / len(records)
    assert mean_risk(spectrum) == pytest.approx(float(exact), rel=1e-15, abs=0)


@pytest.mark.parametrize(("k", "records"), [(k, records) for k in (1, 3, 7, 49) for records in (1, 3, 5, 7, 11, 49)])
def test_mean_risk_of_equal_sets_is_the_largest_risk(k: int, records: int) -> None:
    spectrum, _ = against_population([(k, records), (1000, 0)])
    assert mean_risk(spectrum) == 1 / k


@given(SMALL)
def test_bits_of_people_are_those_of_a_list_written_out(pairs: SpectrumPairs) -> None:
    people = people_of(pairs)
    bits = [math.log2(Fraction(len(people), k)) for k in people]
    levels = {"min": 0, "p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95, "max": 1}
    expected = {name: float(np.quantile(bits, level)) for name, level in levels.items()}
    assert bits_quantiles(Spectrum.of(pairs)) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(RELEASES)
def test_bits_of_records_are_those_of_the_population(values: list[tuple[int, int]]) -> None:
    spectrum, records = against_population(values)
    bits = [math.log2(Fraction(spectrum.n_reference, k)) for k in records]
    found = bits_quantiles(spectrum)
    assert found["p50"] == pytest.approx(float(np.median(bits)), rel=1e-12, abs=1e-12)
    assert found["max"] == pytest.approx(max(bits), rel=1e-14, abs=1e-15)


def test_bits_of_very_many_people_interpolate_between_the_right_two() -> None:
    # 5 in 100 of a million million people share one value, the others are unique: the step is at p5 itself.
    alike, alone = math.log2(20), math.log2(TRILLION)
    found = bits_quantiles(Spectrum.of({1: TRILLION * 19 // 20, TRILLION // 20: 1}))
    fraction = Fraction(1, 20) * (TRILLION - 1) - (TRILLION // 20 - 1)
    assert found["p5"] == pytest.approx(alike + (alone - alike) * float(fraction), rel=1e-9)
