"""What a change to a table does to its figures is known beforehand, without any formula of ours."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from idbits.counts import Spectrum
from idbits.errors import NotEstimableError
from idbits.studies.shared.figures import Figures

SIZES = st.one_of(st.integers(1, 12), st.integers(1, 10**6))
NUMBERS = st.one_of(st.integers(1, 12), st.integers(1, 10**5))
PAIRS = st.dictionaries(SIZES, NUMBERS, min_size=1, max_size=8)

SpectrumPairs = dict[int, int]


def figures_of(pairs: SpectrumPairs) -> Figures:
    return Figures.of(Spectrum.of(pairs))


@st.composite
def merged_pairs(draw: st.DrawFn) -> tuple[SpectrumPairs, SpectrumPairs, int, int]:
    """Draw a spectrum, and the same after a set of i and a set of j people have become one."""
    before = draw(PAIRS)
    assume(sum(before.values()) > 1)
    i = draw(st.sampled_from(sorted(before)))
    j = draw(st.sampled_from(sorted(k for k, m in before.items() if m > (k == i))))
    after = dict(before)
    after[i] -= 1
    after[j] -= 1
    after[i + j] = after.get(i + j, 0) + 1
    return before, {k: m for k, m in after.items() if m}, i, j


@given(merged_pairs())
def test_merging_two_sets_lowers_entropy(merged: tuple[SpectrumPairs, SpectrumPairs, int, int]) -> None:
    # S0 lemma 1, strictly: 2 people of a million million still change the 12th digit.
    before, after = figures_of(merged[0]), figures_of(merged[1])
    assert after.entropy_bits < before.entropy_bits
    assert after.k_hat > before.k_hat


@given(merged_pairs())
def test_merging_two_sets_costs_what_s0_5_says(merged: tuple[SpectrumPairs, SpectrumPairs, int, int]) -> None:
    before, after, (i, j) = figures_of(merged[0]), figures_of(merged[1]), merged[2:]
    lost = (i * math.log2((i + j) / i) + j * math.log2((i + j) / j)) / before.n_rows
    assert before.entropy_bits - after.entropy_bits == pytest.approx(lost, abs=1e-13)


@given(merged_pairs())
def test_merging_two_sets_exposes_nobody(merged: tuple[SpectrumPairs, SpectrumPairs, int, int]) -> None:
    before, after = figures_of(merged[0]), figures_of(merged[1])
    assert after.n_rows == before.n_rows
    assert after.n_sets == before.n_sets - 1
    assert after.k_min >= before.k_min
    assert after.mean_risk < before.mean_risk
    for name in ("people_at_most", "people_below"):
        theirs, ours = getattr(before, name), getattr(after, name)
        assert all(ours[t] <= theirs[t] for t in theirs)
    for row, earlier in zip(after.gain_table, before.gain_table, strict=True):
        assert (row.bits, row.people <= earlier.people) == (earlier.bits, True)


@given(PAIRS, st.integers(2, 50))
def test_a_table_beside_copies_of_itself_gives_away_the_copy_only(pairs: SpectrumPairs, copies: int) -> None:
    # Each copy has values of its own: sets as before, and log2(copies) bits say which copy.
    one, many = figures_of(pairs), figures_of({k: copies * m for k, m in pairs.items()})
    assert many.entropy_bits == pytest.approx(one.entropy_bits + math.log2(copies), rel=1e-14)
    assert many.k_hat == pytest.approx(one.k_hat, rel=1e-13)
    assert many.mean_risk == one.mean_risk
    assert many.kappa_nats == pytest.approx(one.kappa_nats, rel=1e-12, abs=0)
    assert many.singletons == copies * one.singletons
    assert many.guaranteed_singletons == pytest.approx((one.guaranteed_singletons or 0) * copies, rel=1e-9, abs=1e-3)


@given(PAIRS, st.integers(2, 50))
def test_everybody_several_times_over_gives_away_the_same(pairs: SpectrumPairs, times: int) -> None:
    once, more = figures_of(pairs), figures_of({k * times: m for k, m in pairs.items()})
    assert more.entropy_bits == pytest.approx(once.entropy_bits, rel=1e-13)
    assert more.k_hat == pytest.approx(times * once.k_hat, rel=1e-13)
    assert more.kappa_nats == pytest.approx(once.kappa_nats, rel=1e-12, abs=0)
    assert more.set_sizes.median == times * once.set_sizes.median
    assert more.mean_risk == pytest.approx(once.mean_risk / times, rel=1e-15)
    assert more.singletons == 0


@given(PAIRS, st.integers(0, 10))
def test_a_column_of_coins_adds_its_bits(pairs: SpectrumPairs, coins: int) -> None:
    # Every set falls into 2^coins equal ones.
    sides = 2**coins
    coarse = figures_of({k * sides: m for k, m in pairs.items()})
    fine = figures_of({k: m * sides for k, m in pairs.items()})
    assert fine.n_rows == coarse.n_rows
    assert fine.entropy_bits == pytest.approx(coarse.entropy_bits + coins, rel=1e-14)
    assert fine.k_hat * sides == pytest.approx(coarse.k_hat, rel=1e-13)


@given(PAIRS)
def test_a_table_measured_against_itself_as_population(pairs: SpectrumPairs) -> None:
    own = figures_of(pairs)
    rows = [(k, m, k * m) for k, m in pairs.items()]
    release = Figures.of(Spectrum.against(rows, own.n_rows, own.n_sets))
    assert release.entropy_bits == own.entropy_bits
    assert release.gain_table == own.gain_table
    assert release.k_hat == own.k_hat
    assert release.bits_quantiles == own.bits_quantiles
    assert release.mean_risk == pytest.approx(own.mean_risk, rel=1e-14)


@given(PAIRS, st.integers(1, 1000))
def test_records_that_stand_for_one_person_each(pairs: SpectrumPairs, strangers: int) -> None:
    # A release of one record a set, from a population with strangers in it: a plain mean over sets.
    n = sum(k * m for k, m in pairs.items()) + strangers
    figures = Figures.of(Spectrum.against([(k, m, m) for k, m in pairs.items()], n, sum(pairs.values())))
    bits = math.fsum(m * (math.log2(n) - math.log2(k)) for k, m in pairs.items()) / sum(pairs.values())
    assert figures.entropy_bits == pytest.approx(bits, rel=1e-12, abs=1e-12)
    assert figures.mean_risk == pytest.approx(math.fsum(m / k for k, m in pairs.items()) / figures.n_rows, rel=1e-14)
    assert figures.singletons == pairs.get(1, 0)


def test_one_person_alone() -> None:
    figures = figures_of({1: 1})
    assert (figures.entropy_bits, figures.max_entropy_bits, figures.k_hat, figures.mean_risk) == (0, 0, 1, 1)
    assert (figures.singletons, figures.guaranteed_singletons, figures.kappa_nats) == (1, 1, 0)
    assert figures.degree_of_anonymity is None
    assert set(figures.bits_quantiles.values()) == {0}
    assert [(row.bits, row.people, row.share) for row in figures.gain_table] == [(0, 1, 1)]


def test_nobody_has_no_figures() -> None:
    with pytest.raises(NotEstimableError, match="nobody"):
        figures_of({})
