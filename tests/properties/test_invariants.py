"""The figures of one result can never contradict each other, whatever the spectrum.

Comparisons are exact unless two different roundings meet; then they may differ in the last digits only.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from idbits.counts import Spectrum
from idbits.render.numbers import share, whole
from idbits.studies.shared.figures import Figures

# Up to eight sizes, and up to a million million people.
SIZES = st.one_of(st.integers(1, 12), st.sampled_from([49, 50, 51, 100, 101]), st.integers(1, 10**6))
NUMBERS = st.one_of(st.integers(1, 12), st.integers(1, 10**5))
MIXED = st.dictionaries(SIZES, NUMBERS, min_size=1, max_size=8)
EVEN = st.builds(lambda k, m: {k: m}, st.one_of(st.just(1), SIZES), NUMBERS)  # bounds are reached here
OWN = st.one_of(MIXED, EVEN).map(Spectrum.of)


@st.composite
def releases(draw: st.DrawFn) -> Spectrum:
    """Draw values of a population with their people there and their records in the release, perhaps all."""
    values = draw(st.lists(st.tuples(SIZES, st.integers(0, 50)), min_size=1, max_size=12))
    if draw(st.booleans()):
        values = [(k, k) for k, _ in values]
    assume(any(records for _, records in values))
    sets, people = Counter[int](), Counter[int]()
    for k, records in values:
        if records:
            sets[k] += 1
            people[k] += records
    rows = [(k, sets[k], people[k]) for k in sets]
    return Spectrum.against(rows, n_reference=sum(k for k, _ in values), n_values=sum(sets.values()))


ANY = st.one_of(OWN, releases())


@given(ANY)
def test_figures_repeat_the_counts(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assert figures.n_rows == figures.people_between(1) == sum(spectrum.people.tolist())
    assert (figures.k_min, figures.k_max) == (figures.set_sizes.min, figures.set_sizes.max)
    assert figures.n_sets == spectrum.n_sets <= min(figures.n_values, figures.n_rows)
    assert figures.max_risk == 1 / figures.k_min


@given(ANY)
def test_people_in_small_sets_agree(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    at_most, below, exactly = figures.people_at_most, figures.people_below, figures.people_exactly
    assert figures.singletons == below["2"] == at_most["1"] == exactly["1"] == figures.people_between(1, 1)
    for t in (5, 10):
        assert below[str(t)] + exactly[str(t)] == at_most[str(t)]
        assert sum(exactly[str(k)] for k in range(1, t + 1)) == at_most[str(t)]
    for t in (2, 5, 10):
        assert (figures.k_min >= t) == (below[str(t)] == 0)
        assert below[str(t)] + figures.people_between(t) == figures.n_rows
    for t, people in at_most.items():
        assert (people == figures.n_rows) == (figures.k_max <= int(t))
    assert list(at_most.values()) == sorted(at_most.values())


@given(OWN)
def test_people_of_a_size_fill_whole_sets(spectrum: Spectrum) -> None:
    assert all(people % int(k) == 0 for k, people in Figures.of(spectrum).people_exactly.items())


@given(ANY)
def test_the_gain_table_agrees_with_the_rest(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    table, n = figures.gain_table, figures.n_reference
    assert [row.bits for row in table] == list(range(len(table) - 1, -1, -1))
    assert 2 ** table[0].bits <= n < 2 ** (table[0].bits + 1)
    assert [row.people for row in table] == sorted(row.people for row in table)
    assert (table[-1].people, table[-1].share) == (figures.n_rows, 1)
    # As many bits as single out somebody: only k = 1 has them.
    assert table[0].people == figures.singletons
    for row in table:
        assert row.people == figures.people_between(1, n // 2**row.bits)
        assert row.share == figures.share(row.people)
    # The whole bits of people, counted row by row, are the entropy but for a fraction of a bit a person.
    whole_bits = math.fsum(row.share for row in table[:-1])
    assert whole_bits - 1e-9 <= figures.entropy_bits < whole_bits + 1 + 1e-9


@given(ANY)
def test_entropy_and_k_hat_are_one_figure(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assert figures.k_min <= figures.k_hat <= figures.k_max
    assert 0 <= figures.entropy_bits <= figures.max_entropy_bits
    assert figures.k_hat * 2**figures.entropy_bits == pytest.approx(figures.n_reference, rel=1e-13)


@given(ANY)
@example(Spectrum.of({1: 47}))
@example(Spectrum.of({2: 10}))
def test_entropy_lies_between_the_least_and_the_most_that_anybody_gives_away(spectrum: Spectrum) -> None:
    # S0 lemma 3: E <= log2(N / k_min).
    figures = Figures.of(spectrum)
    assert figures.bits_quantiles["min"] <= figures.entropy_bits <= figures.bits_quantiles["max"]


@given(ANY)
def test_bits_of_people_rise_from_the_largest_set_to_the_smallest(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    quantiles = list(figures.bits_quantiles.values())
    assert quantiles == sorted(quantiles)
    assert quantiles[0] == pytest.approx(math.log2(figures.n_reference) - math.log2(figures.k_max), abs=1e-13)
    assert quantiles[-1] == pytest.approx(math.log2(figures.n_reference) - math.log2(figures.k_min), abs=1e-13)
    assert (quantiles[-1] == figures.max_entropy_bits) == (figures.k_min == 1)


@given(ANY)
def test_set_sizes_rise_and_hold_their_mean(spectrum: Spectrum) -> None:
    sizes = Figures.of(spectrum).set_sizes
    assert sizes.min <= sizes.q1 <= sizes.median <= sizes.q3 <= sizes.max
    assert sizes.min <= sizes.mean <= sizes.max


@given(OWN)
def test_guaranteed_singletons_are_there(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assert figures.guaranteed_singletons is not None
    assert 0 <= figures.guaranteed_singletons <= figures.singletons
    forced = (figures.entropy_bits - (figures.max_entropy_bits - 1)) * figures.n_rows
    assert figures.guaranteed_singletons == pytest.approx(max(0, forced), abs=1e-13 * figures.n_rows)
    assert figures.k_hat < 2 or figures.guaranteed_singletons <= 1e-13 * figures.n_rows


@given(ANY)
def test_degree_of_anonymity_is_what_entropy_leaves(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    degree = figures.degree_of_anonymity
    assert (degree is None) == (figures.n_reference == 1)
    if degree is not None:
        assert 0 <= degree <= 1
        assert degree == pytest.approx(1 - figures.entropy_bits / figures.max_entropy_bits, abs=1e-14)
        assert degree == pytest.approx(math.log2(figures.k_hat) / math.log2(figures.n_reference), abs=1e-13)


@given(ANY)
@example(Spectrum.of({1: 11}))
def test_degree_of_anonymity_is_0_for_all_unique_and_1_for_all_alike_only(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assume(figures.degree_of_anonymity is not None)
    assert (figures.degree_of_anonymity == 0) == (figures.k_max == 1)
    assert (figures.degree_of_anonymity == 1) == (figures.k_min == figures.n_reference)


@given(ANY)
@example(Spectrum.against([(3, 1, 5)], 9, 1))
def test_mean_risk_is_no_more_than_the_largest(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assert 1 / figures.k_max <= figures.mean_risk <= figures.max_risk
    assert figures.share(figures.singletons) <= figures.mean_risk
    # The geometric mean of 1/k is no more than the arithmetic one.
    assert 1 / figures.k_hat <= figures.mean_risk * (1 + 1e-13)


@given(OWN)
@example(Spectrum.of({1: 2, 2: 1, 3: 1}))
def test_mean_risk_is_the_mean_over_people_of_one_in_k(spectrum: Spectrum) -> None:
    people = sum(k * sets for k, sets in spectrum.pairs())
    chances = sum(k * sets * Fraction(1, k) for k, sets in spectrum.pairs())
    assert Figures.of(spectrum).mean_risk == float(chances / people)


@given(OWN)
@example(Spectrum.of({31: 3}))
@example(Spectrum.of({1: 1, 10**12: 1}))
def test_renyi_entropies_fall_from_order_to_order(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assert figures.renyi_bits is not None
    orders = [figures.renyi_bits[order] for order in ("0", "1", "2", "inf")]
    assert orders == sorted(orders, reverse=True)


@given(OWN)
def test_renyi_entropies_agree_with_the_rest(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assert figures.renyi_bits is not None
    assert figures.renyi_bits["0"] == math.log2(figures.n_sets)
    assert figures.renyi_bits["1"] == figures.entropy_bits
    assert figures.renyi_bits["inf"] == figures.bits_quantiles["min"]
    assert figures.renyi_bits["2"] <= 2 * figures.renyi_bits["inf"] * (1 + 1e-13)
    assert figures.renyi_bits["0"] + math.log2(figures.set_sizes.mean) == pytest.approx(figures.max_entropy_bits)


@given(OWN, st.integers(0, 10**9))
def test_kappa_is_what_entropy_lacks_to_uniform_values(spectrum: Spectrum, unseen: int) -> None:
    figures = Figures.of(spectrum, n_values=spectrum.n_sets + unseen)
    assert figures.kappa_nats is not None
    assert figures.n_values == spectrum.n_sets + unseen
    expected = math.log(figures.n_values) - figures.entropy_bits * math.log(2)
    assert figures.kappa_nats == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert 0 <= figures.kappa_nats <= math.log(figures.n_values) * (1 + 1e-15)
    assert (figures.kappa_nats == 0) == (unseen == 0 and figures.k_min == figures.k_max)


@given(ANY)
def test_what_does_not_exist_is_null_with_a_reason(spectrum: Spectrum) -> None:
    data = Figures.of(spectrum).to_dict()
    assert {name for name, value in data.items() if value is None} == set(data["reasons"])
    assert json.loads(json.dumps(data, allow_nan=False))["spectrum"] == [list(pair) for pair in spectrum.pairs()]


@given(releases())
@example(Spectrum.against([(2, 2, 4)], 4, 2))
def test_against_a_population_these_never_exist(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assert (figures.guaranteed_singletons, figures.kappa_nats, figures.renyi_bits) == (None, None, None)


@given(ANY, st.sampled_from([2, 5, 10]))
def test_withholding_costs_the_people_in_small_sets(spectrum: Spectrum, threshold: int) -> None:
    figures = Figures.of(spectrum)
    left = spectrum.with_sizes_from(threshold)
    assert figures.n_rows - left.n_people == figures.people_below[str(threshold)]
    if left.n_people:
        assert Figures.of(left).k_min >= threshold
        assert Figures.of(left).people_below[str(threshold)] == 0


@given(ANY, st.data())
def test_shares_never_look_like_nobody_or_everybody_when_they_are_not(spectrum: Spectrum, data: st.DataObject) -> None:
    figures = Figures.of(spectrum)
    people = data.draw(st.sampled_from([*(row.people for row in figures.gain_table), 0, 1, figures.n_rows - 1]))
    shown = share(figures.share(people))
    assert (shown == "0%") == (people == 0)
    assert (shown == "100%") == (people == figures.n_rows)
    bare = float(shown.strip("<>%"))
    assert bare == pytest.approx(100 * people / figures.n_rows, abs=0.01)
    assert 0 < bare < 100 or people in (0, figures.n_rows)


@given(OWN)
def test_a_guarantee_is_never_shown_above_the_truth(spectrum: Spectrum) -> None:
    figures = Figures.of(spectrum)
    assert figures.guaranteed_singletons is not None
    shown = int(whole(figures.guaranteed_singletons).replace(",", ""))
    assert shown <= figures.guaranteed_singletons < shown + 1
