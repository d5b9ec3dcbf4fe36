"""The whole estimate: laws, edge cases, intervals, thinning, weights, other sizes."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from population_samples import sets_of
from scipy.special import digamma

from idbits.counts import Spectrum
from idbits.measures import anonymity, entropy
from idbits.measures.population.comparison import compared_estimates
from idbits.measures.population.estimate import PopulationEstimate, estimate_population
from idbits.measures.population.interval import IntervalParts, half_way
from idbits.measures.population.limits import model_free_limits
from idbits.measures.population.match_regression import fit_match_regression
from idbits.measures.population.rarefaction import rarefied
from idbits.measures.population.sample import Sample
from idbits.measures.population.sample_entropy import sample_entropy
from idbits.measures.population.self_validation import SelfValidation, ValidationReplicate, validate_spectrum
from idbits.measures.population.sets import SampleSets
from idbits.measures.population.sizes import figures_by_size
from idbits.measures.population.thinning import thinned_sets, thinned_spectrum
from idbits.measures.population.weights import SetWeights, determined_share, people_outside

spectra = st.dictionaries(st.integers(1, 12), st.integers(1, 60), min_size=1, max_size=8).map(Spectrum.of)


def made_up(n: int, seed: int = 0, columns: int = 3, share: float = 0.2) -> SampleSets:
    rng = np.random.default_rng(seed)
    rows = np.minimum(rng.geometric(share, (n, columns)), 12).astype(str).tolist()
    return sets_of([tuple(row) for row in rows])


def estimated(sets: SampleSets, fraction: float, **more: object) -> PopulationEstimate:
    return estimate_population(Sample(spectrum=sets.spectrum, fraction=fraction, sets=sets, **more))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def answer() -> PopulationEstimate:
    return estimated(made_up(1500), 0.1)


@given(spectra)
def test_a_whole_population_is_measured_exactly(spectrum: Spectrum) -> None:
    answer = estimate_population(Sample(spectrum=spectrum, fraction=1.0))
    figures = {name: figure.value for name, figure in answer.figures.items()}
    uniques = dict(spectrum.pairs()).get(1, 0)
    assert answer.method == answer.estimability == "exact"
    assert figures["tau1"] == figures["tau2"] == figures["uniques"] == uniques
    assert figures["entropy_bits"] == entropy.entropy_bits(spectrum)
    assert figures["k_hat"] == entropy.estimated_anonymity(spectrum)
    assert figures["correctness"] == anonymity.mean_risk(spectrum)
    assert {k: v.value for k, v in answer.people_below.items()} == anonymity.people_below(spectrum)
    assert all(figure.low == figure.value == figure.high for figure in answer.figures.values())


def test_the_interval_holds_the_value_and_stays_within_the_bounds(answer: PopulationEstimate) -> None:
    assert answer.estimability == "estimable"
    assert answer.bounds is not None
    for figure in (*answer.figures.values(), *answer.people_below.values()):
        assert figure.low is not None
        assert figure.value is not None
        assert figure.high is not None
        assert figure.low <= figure.value <= figure.high
    pi = answer.figures["pi"]
    assert answer.bounds.low <= (pi.low or 0) <= (pi.high or 0) <= answer.bounds.high
    assert answer.people_below["2"] == answer.figures["uniques"]


def test_other_figures_are_those_half_way_to_the_ends(answer: PopulationEstimate) -> None:
    pi, model = answer.figures["pi"], answer.model
    assert model is not None
    assert pi.value is not None
    for end, name in [(pi.low, "low"), (pi.high, "high")]:
        assert end is not None
        share = half_way(pi.value, end)
        moved = model.reaching(share)
        assert moved.pi == pytest.approx(share, abs=1e-8)
        assert getattr(answer.figures["correctness"], name) == pytest.approx(moved.figures().correctness)
        assert math.log(share / (1 - share)) == pytest.approx(
            (math.log(end / (1 - end)) + math.log(pi.value / (1 - pi.value))) / 2
        )


def test_a_larger_scale_makes_sets_larger(answer: PopulationEstimate) -> None:
    assert answer.model is not None
    figures = [answer.model.scaled(scale).figures() for scale in (0.01, 0.5, 1.0, 2.0, 100.0)]
    for name, sign in [("tau1", -1), ("tau2", -1), ("correctness", -1), ("entropy_bits", -1), ("k_hat", 1)]:
        values = [sign * getattr(each, name) for each in figures]
        assert values == sorted(values)


def test_the_sum_over_records_is_tau1(answer: PopulationEstimate) -> None:
    regression, model = answer.fits.regression, answer.model
    assert regression is not None
    assert model is not None
    assert math.fsum(model.p_unique[regression.cell_of_set]) == pytest.approx(answer.figures["tau1"].value)


def test_more_people_never_raise_uniqueness_or_correctness(answer: PopulationEstimate) -> None:
    sizes = figures_by_size(answer, [1, 2, 10, 400, 1499, 1500, 1501, 2_000, 15_000, 10**6, 10**9])
    assert [size.exact for size in sizes] == [True] * 6 + [False] * 5
    for name in ("unique_share", "correctness", "pitman_correctness"):
        values = [getattr(size, name) for size in sizes]
        assert values == sorted(values, reverse=True)
        assert values[0] == pytest.approx(1, abs=1e-7)
    bits = [size.entropy_bits for size in sizes]
    assert bits == sorted(bits, key=lambda value: value or 0.0)
    assert sizes[8].unique_share == pytest.approx(answer.figures["unique_share"].value)


def test_the_interval_is_made_of_its_parts() -> None:
    replicates = tuple(ValidationReplicate(100, 50, 0.5, estimate, {}) for estimate in (0.55, 0.65))
    validation = SelfValidation(0.3, replicates)
    assert (validation.truth, validation.estimate) == (0.5, pytest.approx(0.6))
    error = math.log(0.6 / 0.4)
    assert validation.error_logit == pytest.approx(error)
    parts = IntervalParts.of(0.4, 200, 0.1, 0.12, validation, 0.5, 0.45, 0.05)
    logit = math.log(0.4 / 0.6)
    half = 1.6448536 * math.sqrt(
        0.12**2
        + 1 / (200 * 0.24 + 0.5)
        + (0.08 * math.log(10)) ** 2
        + error**2
        + (logit / 2) ** 2
        + ((logit - math.log(0.45 / 0.55)) / 2) ** 2
    )
    low, high = parts.around(0.4, 0.9)
    assert math.log(low / (1 - low)) == pytest.approx(logit - half - 0.05, abs=1e-6)
    assert math.log(high / (1 - high)) == pytest.approx(logit + half + 0.05, abs=1e-6)
    unknown = IntervalParts.of(0.4, 200, 0.1, 0.12, None, None)
    assert (unknown.validation, unknown.disagreement, unknown.independence) == (0.5, 0.5, 0.0)
    wrong = SelfValidation(0.3, (ValidationReplicate(100, 50, 0.1, 0.9, {}),))
    assert IntervalParts.of(0.4, 200, 0.1, 0.12, wrong, 0.5).validation == 0.5
    # Only the error of self-validation is cut to .002.
    far = IntervalParts.of(1e-4, 200, 0.1, 0.12, validation, 1e-6)
    assert far.disagreement == pytest.approx(math.log(100) / 2, rel=1e-3)
    assert IntervalParts(0, 0, 0, 0, 0).around(0.01, 0.9) == (0.0, pytest.approx(0.04))


@pytest.mark.parametrize(
    ("fraction", "log_linear", "expected"),
    [
        (0.1, 0.5, 0.0),
        (0.1, 1 / (1 + math.exp(0.6)), 0.3),
        (0.1, 1 / (1 + math.exp(-0.6)), 0.3),
        (0.1, 1e-12, 0.5),
        (0.05, 1e-12, 0.5),
        (0.02, 1e-12, 1.25),
        (0.01, 1 / (1 + math.exp(4)), 2.0),
        (0.01, 1.0, 2.5),
        # Beyond 10^-9 a share counts as 10^-9.
        (0.001, 0.0, math.log(1e9 - 1) / 2),
    ],
)
def test_the_distance_to_independent_columns_counts_more_in_small_samples(
    fraction: float, log_linear: float, expected: float
) -> None:
    assert IntervalParts.of(0.5, 200, fraction, 0.1, None, 0.5, log_linear).independence == pytest.approx(expected)


def test_the_interval_knows_the_estimate_of_independent_columns() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 40, 1_500)
    columns = [first, (first + rng.integers(0, 3, 1_500)) % 40, rng.integers(0, 20, 1_500)]
    answer = estimated(sets_of([tuple(map(str, row)) for row in np.stack(columns, axis=1).tolist()]), 0.1)
    people = Counter(zip(*(column.tolist() for column in columns), strict=True))
    shares = [Counter(column.tolist()) for column in columns]
    alone = [
        math.exp(-1_500 * 9 * math.prod(share[value] / 1_500 for share, value in zip(shares, row, strict=True)))
        for row, number in people.items()
        if number == 1
    ]
    log_linear = math.fsum(alone) / len(alone)
    assert answer.fits.log_linear == pytest.approx(log_linear)
    (compared,) = (each for each in compared_estimates(answer, everything=True) if each.name == "loglinear")
    assert compared.pi == answer.fits.log_linear
    assert answer.parts is not None
    assert answer.model_pi is not None
    distance = math.log(answer.model_pi / (1 - answer.model_pi)) - math.log(log_linear / (1 - log_linear))
    assert answer.parts.independence == pytest.approx(min(0.5, abs(distance) / 2))
    assert answer.parts.independence > 0.1


def test_one_column_has_no_independent_ones() -> None:
    answer = estimate_population(Sample(spectrum=Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4}), fraction=0.1))
    assert answer.fits.log_linear is None
    assert answer.parts is not None
    assert answer.parts.independence == 0


@pytest.mark.parametrize(
    ("spectrum", "fraction", "reason"),
    [
        ({1: 60, 2: 10}, 0.1, "fewer than 100 people"),
        ({1: 9, 2: 100}, 0.1, "fewer than 10 people are unique"),
        ({1: 500}, 0.1, "no two people"),
    ],
)
def test_too_little_to_estimate_from(spectrum: dict[int, int], fraction: float, reason: str) -> None:
    answer = estimate_population(Sample(spectrum=Spectrum.of(spectrum), fraction=fraction))
    assert answer.estimability == "not estimable"
    assert reason in (answer.reason or "")
    for figure in (*answer.figures.values(), *answer.people_below.values()):
        assert figure.value is None
        assert figure.low is not None
        assert figure.high is not None
    assert answer.bounds is not None
    assert (answer.figures["pi"].low, answer.figures["pi"].high) == (answer.bounds.low, answer.bounds.high)


def test_all_different_can_be_estimated_from_columns() -> None:
    codes = tuple(np.random.default_rng(3).permutation(400).astype(np.uint32) // width for width in (10, 14, 17))
    rows = {tuple(row) for row in zip(*(column.tolist() for column in codes), strict=True)}
    sets = sets_of([tuple(map(str, row)) for row in rows])
    assert sets.spectrum.sizes.tolist() == [1]
    answer = estimated(sets, 0.2)
    assert answer.model_pi is not None
    assert answer.fits.pitman is None


def test_a_small_fraction_needs_people_who_are_alike() -> None:
    rng = np.random.default_rng(8)
    rows = [tuple(row) for row in rng.integers(0, 60, (300, 3)).astype(str).tolist()]
    answer = estimated(sets_of(rows), 0.005)
    assert answer.estimability == "not estimable"
    assert answer.parts is not None
    assert answer.parts.prior > 0


def test_nobody_unique() -> None:
    answer = estimate_population(Sample(spectrum=Spectrum.of({2: 100, 3: 50, 8: 9}), fraction=0.1), level=0.9)
    n = 422
    assert answer.estimability == "exact"
    assert answer.figures["tau1"].value == answer.figures["unique_share"].value == 0
    assert answer.figures["unique_share"].high == pytest.approx(math.log(10) / n)
    assert answer.figures["uniques"].high == pytest.approx(10 * math.log(10))
    assert answer.figures["pi"].value is None
    assert answer.figures["correctness"].value is not None
    assert all(each.pi is None and each.reason for each in compared_estimates(answer, everything=True))


def test_large_groups_alone_say_nothing_about_the_population() -> None:
    """Two groups of a thousand: only a prior would say how much larger they are outside."""
    answer = estimate_population(Sample(spectrum=Spectrum.of({1001: 1, 999: 1}), fraction=0.02))
    assert answer.fits.local_gamma is None
    entropy_bits = answer.figures["entropy_bits"]
    assert entropy_bits.value is None
    assert (entropy_bits.low or 0) < 1 < (entropy_bits.high or 0)
    highs = [figure.high for figure in answer.people_below.values()]
    assert highs == sorted(highs, key=lambda high: high or 0)


def test_a_model_that_the_bounds_refute_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model fitted to other people says that nobody is unique, which the group sizes rule out."""
    sets = made_up(3000, share=0.12)
    answer = estimated(sets, 0.6)
    assert answer.bounds is not None
    assert answer.model is not None
    from idbits.measures.population import estimate as module

    none = np.zeros(len(answer.model.mu))
    crowded = replace(answer.model, alpha=none + 400, mu=none + 100, rare=none)
    other = replace(answer.fits, model=crowded)
    monkeypatch.setattr(module, "fit_models", lambda _: other)
    refuted = estimated(sets, 0.6)
    assert answer.bounds.low > 0.2
    assert refuted.estimability == "not estimable"
    assert refuted.reason == "the sample itself contradicts the model"
    assert (refuted.figures["pi"].low, refuted.figures["pi"].high) == (answer.bounds.low, answer.bounds.high)
    # A little outside: the nearer bound, reached by the scale.
    near = replace(answer.fits, model=answer.model.reaching(answer.bounds.low - 0.01))
    monkeypatch.setattr(module, "fit_models", lambda _: near)
    held = estimated(sets, 0.6)
    assert held.figures["pi"].value == pytest.approx(answer.bounds.low, abs=1e-6)
    assert held.figures["pi"].low == answer.bounds.low
    for figure in (*held.figures.values(), *held.people_below.values()):
        assert (figure.low or 0) <= (figure.value or 0) <= (figure.high or 0)
    # The table of methods shows the estimate, not what the model said before.
    compared = {each.name: each for each in compared_estimates(held, everything=True)}
    assert compared["match_regression"].pi == pytest.approx(held.figures["pi"].value)
    assert compared["match_regression"].match == pytest.approx(
        (held.figures["tau2"].value or 0) / sets.spectrum.sets[0]
    )
    assert compared["benedetti_franconi"].match == pytest.approx(0.6 / 0.4 * math.log(1 / 0.6))


def test_group_sizes_that_the_model_does_not_reproduce() -> None:
    """Couples: everybody's values occur twice, or not at all."""
    rng = np.random.default_rng(5)
    rows = [tuple(row) for row in rng.integers(0, 40, (2000, 3)).astype(str).tolist()]
    sets = sets_of(rows + rows[:990] + rows[:990])
    answer = estimated(sets, 0.3)
    assert answer.fits.fit is not None
    assert answer.fits.fit < 0.001
    assert answer.estimability == "not estimable"
    assert "group sizes" in (answer.reason or "")


# Thinning and self-validation.


@given(spectra)
def test_thinning_that_keeps_everybody_changes_nothing(spectrum: Spectrum) -> None:
    left, lasting = thinned_spectrum(spectrum, 1.0, np.random.default_rng(0))
    assert left == spectrum
    assert lasting == dict(spectrum.pairs()).get(1, 0)


def test_thinned_people_and_sets_are_binomial() -> None:
    spectrum = Spectrum.of({1: 3000, 2: 400, 50: 8, 3: 2})
    n, r, rng = spectrum.n_people, 0.3, np.random.default_rng(1)
    drawn = [thinned_spectrum(spectrum, r, rng) for _ in range(300)]
    people = np.array([left.n_people for left, _ in drawn])
    assert people.mean() == pytest.approx(n * r, abs=4 * math.sqrt(n * r * (1 - r) / 300))
    assert people.var() == pytest.approx(n * r * (1 - r), rel=0.3)
    lasting = np.array([each for _, each in drawn])
    assert lasting.mean() == pytest.approx(3000 * r, abs=4 * math.sqrt(3000 * r * (1 - r) / 300))


def test_thinned_sets_keep_their_values_and_their_order() -> None:
    sets = made_up(500)
    left, lasting = thinned_sets(sets, 0.5, np.random.default_rng(2))
    keys = list(zip(*(codes.tolist() for codes in sets.codes), strict=True))
    kept = list(zip(*(codes.tolist() for codes in left.codes), strict=True))
    places = [keys.index(key) for key in kept]
    assert places == sorted(places)
    before = [int(sets.people[place]) for place in places]
    assert all(1 <= after <= c for after, c in zip(left.people.tolist(), before, strict=True))
    assert lasting == sum(c == 1 for c in before)


def test_validation_says_what_local_gamma_would_have_said() -> None:
    validation = validate_spectrum(Spectrum.of({1: 3000, 2: 600, 3: 200, 7: 50}), 0.4, seed=1)
    assert validation is not None
    assert validation.fraction == 0.4
    assert len(validation.replicates) == 20
    for replicate in validation.replicates:
        assert replicate.estimate == replicate.other["local_gamma"]
        assert 0 < replicate.truth <= 1
        assert replicate.sample_uniques <= replicate.n
    assert validate_spectrum(Spectrum.of({1: 2, 50: 20}), 0.4, seed=1) is None


def test_the_same_seed_gives_the_same_answer() -> None:
    sets = made_up(600, seed=4)
    first, second, other = (
        estimate_population(Sample(spectrum=sets.spectrum, fraction=0.2, sets=sets), seed=seed) for seed in (1, 1, 2)
    )
    assert first.figures == second.figures
    assert first.figures != other.figures


# Rarefaction, entropy, limits.


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_rarefied_figures_against_all_subsets(sizes: list[int], data: st.DataObject) -> None:
    people = [name for name, size in enumerate(sizes) for _ in range(size)]
    number = data.draw(st.integers(1, len(people)))
    chosen = list(itertools.combinations(people, number))
    uniques = sets = 0
    bits = 0.0
    for subset in chosen:
        counts = Counter(subset)
        uniques += sum(count == 1 for count in counts.values())
        sets += len(counts)
        bits += sum(count / number * math.log2(number / count) for count in counts.values())
    figures = rarefied(Spectrum.of(Counter(sizes)), number)
    assert figures.unique_share == pytest.approx(float(Fraction(uniques, len(chosen) * number)), abs=1e-12)
    assert figures.correctness == pytest.approx(float(Fraction(sets, len(chosen) * number)), abs=1e-12)
    assert figures.entropy_bits == pytest.approx(bits / len(chosen), abs=1e-12)


@given(spectra)
def test_sample_entropies_set_by_set(spectrum: Spectrum) -> None:
    sizes = [size for size, sets in spectrum.pairs() for _ in range(sets)]
    n = len(sizes) and sum(sizes)
    found = sample_entropy(spectrum)
    grassberger = 0.0
    for c in sizes:
        g = digamma(c) + (-1) ** c / 2 * (digamma((c + 1) / 2) - digamma(c / 2))
        grassberger -= c * float(g) / n
    assert found.grassberger == pytest.approx((math.log(n) + grassberger) / math.log(2), abs=1e-9)
    assert found.miller_madow == pytest.approx(found.entropy_bits + (len(sizes) - 1) / (2 * n * math.log(2)))
    coverage = 1 - sizes.count(1) / n
    if coverage == 0:
        assert found.chao_shen is None
    elif len(sizes) > 1:
        shares = [coverage * c / n for c in sizes]
        expected = -sum(p * math.log2(p) / (1 - (1 - p) ** n) for p in shares)
        assert found.chao_shen == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 30)), min_size=2, max_size=30), st.integers(0, 50))
def test_limits_hold_whatever_the_population_is(sets: list[tuple[int, int]], more: int) -> None:
    """Each set has c people in the sample and any number of others outside."""
    spectrum = Spectrum.of(Counter(c for c, _ in sets))
    n = spectrum.n_people
    people = n + sum(others for _, others in sets) + more
    uniques = sum(c == 1 for c, _ in sets)
    pi = sum(c == 1 and others == 0 for c, others in sets) / uniques if uniques else 0.0
    limits = model_free_limits(spectrum, people, pi, pi)
    truth = {
        "tau1": pi * uniques,
        "tau2": sum(1 / (c + others) for c, others in sets if c == 1),
        "entropy_bits": math.log2(people) - sum(c * math.log2(c + others) for c, others in sets) / n,
        "k_hat": 2 ** (sum(c * math.log2(c + others) for c, others in sets) / n),
    }
    for name, value in truth.items():
        low, high = limits.figures[name]
        assert low - 1e-9 <= value <= high + 1e-9, name
    correctness = sum(c / (c + others) for c, others in sets) / n
    assert correctness <= limits.figures["correctness"][1] + 1e-9


# Weights.


def test_the_share_of_weights_that_the_columns_determine() -> None:
    people = np.array([2, 2, 1])
    constant = SetWeights(np.array([6.0, 6.0, 3.0]), np.array([18.0, 18.0, 9.0]), 3.0, 3.0)
    assert determined_share(constant, people) == 1.0
    # Weights 2, 2 | 4, 4: all of it between sets. 2, 4 | 2, 4: none.
    between = SetWeights(np.array([4.0, 8.0, 5.0]), np.array([8.0, 32.0, 25.0]), 2.0, 5.0)
    within = SetWeights(np.array([6.0, 6.0, 5.0]), np.array([20.0, 20.0, 25.0]), 2.0, 5.0)
    assert (determined_share(between, people), determined_share(within, people)) == (1.0, 0.0)
    assert determined_share(within, np.array([1, 1, 1])) == 0.0
    assert people_outside(between, people, 1.0).tolist() == [1.0, 3.0, 4.0]
    assert people_outside(between, people, 0.0).tolist() == pytest.approx([17 / 5 - 1] * 3)


def test_equal_weights_are_a_fraction() -> None:
    sets = made_up(800, seed=2)
    weights = SetWeights(sets.people * 5.0, sets.people * 25.0, 5.0, 5.0)
    plain, weighted = estimated(sets, 0.2), estimated(sets, 0.2, weights=weights)
    for name, figure in plain.figures.items():
        assert weighted.figures[name].value == pytest.approx(figure.value, rel=1e-9)
        assert weighted.figures[name].low == pytest.approx(figure.low, rel=1e-6)


def test_weighted_figures_against_loops_over_sets() -> None:
    sets = made_up(900, seed=7)
    # The first column decides whether a person stands for 3 or for 9.
    each = np.where(sets.codes[0] % 2 == 0, 3.0, 9.0)
    weights = SetWeights(sets.people * each, sets.people * each**2, 3.0, 9.0)
    fraction = sets.n_people / weights.people
    answer = estimated(sets, fraction, weights=weights)
    assert answer.fits.weight_share == pytest.approx(1.0)
    regression = fit_match_regression(sets, fraction)
    base, cell = regression.model(), regression.cell_of_set
    uniques = correct = hidden = alone = 0.0
    for index in range(sets.n_sets):
        at = cell[index : index + 1]
        g = np.array([each[index] - 1])
        one = replace(
            base, people=base.people[at], sets=np.ones(1), weights=np.ones(1), alpha=base.alpha[at], mu=base.mu[at],
            rare=base.rare[at], g=g,
        )  # fmt: skip
        people = each[index] * sets.people[index]
        uniques += people * float(one.p_unique[0])
        alone += float(one.p_unique[0])
        correct += people * float(one.match[0])
        hidden += people * float(one.mean_log[0])
    total = weights.people
    figures = answer.figures
    assert figures["tau1"].value == pytest.approx(alone)
    assert figures["uniques"].value == pytest.approx(uniques)
    assert figures["unique_share"].value == pytest.approx(uniques / total)
    assert figures["correctness"].value == pytest.approx(correct / total)
    assert figures["entropy_bits"].value == pytest.approx(math.log2(total) - hidden / total / math.log(2))


def test_a_marginal_limits_the_size_of_sets() -> None:
    sets = made_up(500, seed=9)
    most = np.where(sets.people == 1, 1.0, np.inf)
    answer = estimated(sets, 0.2, most=most)
    assert answer.model_pi == 1.0
    free = estimated(sets, 0.2, most=np.full(sets.n_sets, np.inf))
    assert free.model_pi == pytest.approx(estimated(sets, 0.2).model_pi)


def test_shares_of_a_column_replace_its_counts() -> None:
    sets = made_up(500, seed=9)
    counts = np.bincount(sets.codes[0], sets.people, sets.sizes[0])
    answer = estimated(sets, 0.2, shares={0: counts / counts.sum()})
    assert answer.model_pi == pytest.approx(estimated(sets, 0.2).model_pi or 0, abs=0.1)


@settings(max_examples=15)
@given(st.integers(0, 1000), st.sampled_from([0.02, 0.1, 0.4]), st.integers(100, 600))
def test_every_answer_is_in_order(seed: int, fraction: float, n: int) -> None:
    answer = estimated(made_up(n, seed=seed, share=0.15), fraction)
    for figure in (*answer.figures.values(), *answer.people_below.values()):
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low <= figure.high
        if figure.value is not None:
            assert figure.low <= figure.value <= figure.high
    highs = [figure.high for figure in answer.people_below.values()]
    assert highs == sorted(highs, key=lambda high: high or 0)
    found = compared_estimates(answer, everything=True)
    assert all(each.unique_share is None or each.unique_share <= 1 for each in found)
    assert all((each.pi is None) == (each.reason is not None) for each in found)
    assert all(0 <= each.pi <= 1 for each in found if each.pi is not None)
