"""Match regression step by step: rates against loops over people, gradients against differences, means against sums."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from population_samples import sets_of
from scipy.special import gammaln, logsumexp

from idbits.kernels import cohorts
from idbits.measures.population import calibration as calibration_module
from idbits.measures.population import log_linear as log_linear_module
from idbits.measures.population import network as network_module
from idbits.measures.population import thinning as thinning_module
from idbits.measures.population.calibration import PARAMETERS, Calibration, CalibrationCells, fit_calibration
from idbits.measures.population.goodness_of_fit import fit_probability, pooled_chi2
from idbits.measures.population.log_linear import log_linear_pi
from idbits.measures.population.match_regression import fit_match_regression
from idbits.measures.population.network import ColumnFamily, log_rates, search_network
from idbits.measures.population.posterior import mean_inverse, mean_log, probability_below, probability_unique
from idbits.measures.population.sets import SampleSets
from idbits.measures.population.thinning import thinned_sets
from idbits.measures.population.zero_truncated import log_probability, log_probability_slopes

cells_of_tables = st.lists(st.tuples(*[st.sampled_from("abcd")] * 3), min_size=4, max_size=60)


def by_hand(rows: list[tuple[str, ...]], own: tuple[str, ...], family: ColumnFamily, n_values: int) -> float:
    """p of a value given its parents, over everybody with other values."""
    others = [row for row in rows if row != own]

    def same(columns: tuple[int, ...]) -> int:
        return sum(all(row[column] == own[column] for column in columns) for row in others)

    chance = (same((family.column,)) + 1 / n_values) / (len(rows) + 1)
    for length, smoothing in enumerate(family.smoothing, 1):
        parents = family.parents[:length]
        chance = (same((family.column, *parents)) + smoothing * chance) / (same(parents) + smoothing)
    return chance


def keys_of(sets: SampleSets, rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    labels = [sorted({row[column] for row in rows}) for column in range(len(sets.codes))]
    return [
        tuple(shown[code] for shown, code in zip(labels, codes, strict=True)) for codes in zip(*sets.codes, strict=True)
    ]


@given(cells_of_tables)
def test_rates_are_those_of_everybody_with_other_values(rows: list[tuple[str, ...]]) -> None:
    sets = sets_of(rows)
    network = (ColumnFamily(0), ColumnFamily(1, (0,), (3.0,)), ColumnFamily(2, (1, 0), (1.0, 30.0)))
    expected = [
        math.log(len(rows)) + sum(math.log(by_hand(rows, key, family, sets.sizes[family.column])) for family in network)
        for key in keys_of(sets, rows)
    ]
    assert log_rates(sets, network).tolist() == pytest.approx(expected, abs=1e-9)
    assert log_rates(sets, network, most=2).tolist() == pytest.approx(expected[:2], abs=1e-9)


@given(cells_of_tables)
def test_the_search_adds_the_parents_that_gain_most(rows: list[tuple[str, ...]]) -> None:
    sets = sets_of(rows)
    keys = keys_of(sets, rows)
    order = sorted(range(3), key=lambda column: -sets.sizes[column])

    def mean(family: ColumnFamily) -> float:
        n_values = sets.sizes[family.column]
        return math.fsum(math.log(by_hand(rows, key, family, n_values)) for key in keys) / len(keys)

    for rank, family in enumerate(search_network(sets)):
        assert family.column == order[rank]
        tried = ColumnFamily(family.column)
        for _ in range(2):
            candidates = [
                ColumnFamily(family.column, (*tried.parents, parent), (*tried.smoothing, s))
                for parent in order[:rank]
                if parent not in tried.parents
                for s in (1.0, 3.0, 10.0, 30.0, 100.0)
            ]
            best = max(candidates, key=mean, default=tried)
            if mean(best) - mean(tried) <= 1e-4:
                break
            tried = best
        # Two parents can be equally good up to the last digit.
        assert mean(family) == pytest.approx(mean(tried), abs=1e-9)


def test_a_thinned_sample_counts_its_own_values() -> None:
    """The first column has most values in the sample, but fewer than the second in the part that is left."""
    codes = np.array([[0, 1, 2, 3, 3, 3, 3], [0, 0, 0, 0, 0, 1, 2]], np.uint32)
    sets = SampleSets((codes[0], codes[1]), (4, 3), np.ones(7, np.int64))
    left = sets.with_people(np.array([0, 0, 0, 2, 1, 1, 1]))
    assert (sets.n_values, left.n_values) == ((4, 3), (1, 3))
    assert [family.column for family in search_network(sets)] == [0, 1]
    assert [family.column for family in search_network(left)] == [1, 0]
    compact = SampleSets((left.codes[0] - 3, left.codes[1]), (1, 3), left.people)
    network = search_network(left)
    assert log_rates(left, network).tolist() == log_rates(compact, network).tolist()


def test_a_rate_does_not_know_the_people_of_its_own_set() -> None:
    rng = np.random.default_rng(1)
    rows = [tuple(row) for row in rng.integers(0, 4, (60, 3)).astype(str).tolist()]
    sets = sets_of(rows)
    network = search_network(sets)
    more = sets.people.copy()
    more[0] += 25
    before, after = (log_rates(SampleSets(sets.codes, sets.sizes, p), network)[0] for p in (sets.people, more))
    # Only n and the first denominators, n + 1, see the 25 people; for everybody in the same way.
    n = sets.n_people
    assert len(network) == 3
    shift = math.log((n + 25) / n)
    unsmoothed = [family for family in network if not family.parents]
    shift -= len(unsmoothed) * math.log((n + 26) / (n + 1))
    if len(unsmoothed) == 3:
        assert after - before == pytest.approx(shift, abs=1e-12)
    assert after < before + shift + 1e-12 + 3 * math.log((n + 26) / (n + 1))


@given(st.floats(-8, 8), st.floats(-4, 6))
def test_sizes_in_the_sample_have_probabilities_that_add_up_to_one(log_mu: float, log_a: float) -> None:
    mu, a = math.exp(log_mu), math.exp(log_a)
    k = np.arange(1.0, 60_000.0)
    logs = log_probability(k, np.array(mu), np.array(a))
    # What lies beyond falls off at least like p^k.
    assert float(logsumexp(logs)) == pytest.approx(0, abs=1e-6)


@given(st.integers(1, 2_000), st.floats(-8, 8), st.floats(-4, 6))
def test_the_gradient_of_sizes(k: int, log_mu: float, log_a: float) -> None:
    def value(x: float, y: float) -> float:
        return float(log_probability(np.array(float(k)), np.array(math.exp(x)), np.array(math.exp(y))))

    step = 1e-5
    slopes = log_probability_slopes(np.array(float(k)), np.array(math.exp(log_mu)), np.array(math.exp(log_a)))
    numeric = (
        (value(log_mu + step, log_a) - value(log_mu - step, log_a)) / (2 * step),
        (value(log_mu, log_a + step) - value(log_mu, log_a - step)) / (2 * step),
    )
    assert [float(slope) for slope in slopes] == pytest.approx(numeric, rel=1e-4, abs=2e-4)


def test_the_logarithmic_distribution_is_the_limit() -> None:
    k, mu = np.arange(1.0, 30.0), np.array(2.0)
    p = 2 / 3
    expected = [i * math.log(p) - math.log(i) - math.log(-math.log(1 - p)) for i in k]
    for a in (1.0, 1 + 1e-9, 1 - 1e-9):
        assert log_probability(k, mu, np.array(a)).tolist() == pytest.approx(expected, abs=1e-7)


@given(st.integers(0, 10_000), st.sampled_from([0.9, 0.1, 0.0005]))
def test_the_gradient_of_the_calibration(seed: int, fraction: float) -> None:
    rng = np.random.default_rng(seed)
    cells, _ = CalibrationCells.of(rng.normal(-2, 3, 80), rng.geometric(0.4, 80))
    low, high = calibration_module._LOW, calibration_module._HIGH
    point = low + (high - low) * rng.uniform(0.1, 0.9, 8)
    goal = calibration_module._Goal(cells, fraction, calibration_module._PRIOR)
    step = 1e-6
    for index, slope in enumerate(goal(point)[1]):
        moved = np.eye(8)[index] * step
        difference = (goal(point + moved)[0] - goal(point - moved)[0]) / (2 * step)
        assert slope == pytest.approx(difference, rel=1e-4, abs=1e-3), PARAMETERS[index]


def simulated(x: np.ndarray, n_sets: int, fraction: float, seed: int) -> CalibrationCells:
    """Draw sets from the model itself."""
    rng = np.random.default_rng(seed)
    rates = np.rint(rng.normal(-1.5, 2, n_sets) / 0.15) * 0.15
    model = Calibration(x, fraction, 0.0)
    sizes = np.arange(1.0, 400.0)
    people = np.empty(n_sets, np.int64)
    for rate in np.unique(rates):
        same = rates == rate
        chances = model.probability(np.array(rate), sizes)
        people[same] = rng.choice(sizes, int(same.sum()), p=chances / chances.sum())
    return CalibrationCells.of(rates, people)[0]


def test_the_calibration_finds_what_made_the_sets() -> None:
    x = np.array([0.3, 0.95, 0.6, 0.2, -6.0, -3.0, 0.3, 0.0])
    fitted = fit_calibration(simulated(x, 40_000, 0.1, 1), 0.1)
    assert fitted.x[:3].tolist() == pytest.approx(x[:3].tolist(), abs=0.08)


def test_every_start_and_a_warm_one_end_at_the_same_place() -> None:
    cells = simulated(np.array([0.3, 0.95, 0.6, 0.2, -6.0, -3.0, 0.3, 0.0]), 3_000, 0.05, 2)
    fitted = fit_calibration(cells, 0.05)
    warm = fit_calibration(cells, 0.05, fitted.x + 0.05)
    assert warm.log_posterior == pytest.approx(fitted.log_posterior, abs=1e-4)


def test_the_fit_of_the_true_model_is_good_and_of_another_is_not() -> None:
    x = np.array([0.3, 0.95, 0.6, 0.2, -6.0, -3.0, 0.3, 0.0])
    good = []
    for seed in range(40):
        cells = simulated(x, 2_000, 0.1, seed)
        good.append(fit_probability(Calibration(x, 0.1, 0.0), cells))
    # Probabilities of a true model are spread evenly from 0 to 1.
    assert 0.25 < float(np.mean(good)) < 0.75
    assert min(good) > 0.001
    assert fit_probability(Calibration(x + np.array([1.0, *[0] * 7]), 0.1, 0.0), cells) < 1e-6


def test_pooled_cells() -> None:
    # One degree of freedom: (60-50)^2/50 + (40-50)^2/50 = 4.
    assert pooled_chi2(np.array([60.0, 38.0, 2.0]), np.array([50.0, 48.0, 2.0])) == pytest.approx(0.0455, abs=1e-4)
    assert pooled_chi2(np.array([3.0, 2.0]), np.array([4.0, 1.0])) == 1.0


def exact_means(c: int, shape: float, odds: float) -> tuple[float, float, float, np.ndarray]:
    # Forty standard deviations beyond the mean; the sum is held against 1.
    y = np.arange(math.ceil(shape * odds + 40 * odds * max(1.0, math.sqrt(shape))) + 2_000.0)
    logs = gammaln(shape + y) - gammaln(shape) - gammaln(y + 1) + y * np.log(odds / (1 + odds))
    chances = np.exp(logs - shape * math.log1p(odds))
    return float(chances.sum()), float(chances @ (1 / (c + y))), float(chances @ np.log(c + y)), chances


@pytest.mark.parametrize("c", [1, 2, 7, 300])
@pytest.mark.parametrize("alpha", [0.02, 0.3, 1.0, 20.0, 400.0])
@pytest.mark.parametrize("odds", [1e-6, 0.02, 1.0, 30.0, 999.0])
def test_means_of_the_size_in_the_population_against_sums(c: int, alpha: float, odds: float) -> None:
    shape = alpha + c - 1
    total, inverse, log, chances = exact_means(c, shape, odds)
    assert total == pytest.approx(1, abs=1e-7)
    at = np.array(float(c)), np.array(shape), np.array(odds)
    assert float(mean_inverse(*at)) == pytest.approx(inverse, rel=1e-5)
    assert float(mean_log(*at)) == pytest.approx(log, abs=2e-7)
    for limit in (2, 5, 10):
        assert float(probability_below(limit, *at)) == pytest.approx(
            float(chances[: max(0, limit - c)].sum()), abs=1e-9
        )
    assert float(probability_unique(*at)) == pytest.approx(float(chances[0]) if c == 1 else 0.0, rel=1e-9)


def test_figures_against_loops_over_sets() -> None:
    rng = np.random.default_rng(4)
    rows = [tuple(row) for row in np.minimum(rng.geometric(0.25, (700, 3)), 9).astype(str).tolist()]
    sets = sets_of(rows)
    regression = fit_match_regression(sets, 0.2)
    model = regression.model()
    figures = model.figures()
    c = model.people[regression.cell_of_set]
    assert c.tolist() == sets.people.tolist()
    p_unique, match = model.p_unique[regression.cell_of_set], model.match[regression.cell_of_set]
    log2 = model.mean_log[regression.cell_of_set] / math.log(2)
    n, people = 700, 3500
    assert figures.tau1 == pytest.approx(float(p_unique.sum()))
    assert figures.tau2 == pytest.approx(float(match[c == 1].sum()))
    assert figures.unique_share == pytest.approx(figures.tau1 / n)
    assert figures.uniques == pytest.approx(people * figures.tau1 / n)
    assert figures.correctness == pytest.approx(float((c * match).sum()) / n)
    assert figures.entropy_bits == pytest.approx(math.log2(people) - float((c * log2).sum()) / n)
    assert figures.k_hat == pytest.approx(people / 2**figures.entropy_bits)
    assert figures.people_below["5"] == pytest.approx(
        people / n * float((c * model.below(5)[regression.cell_of_set]).sum())
    )


def test_a_draw_of_the_sets_stands_for_all_of_them(adult: SampleSets) -> None:
    everything, drawn = (fit_match_regression(adult, 0.1, most_sets=most).model().figures() for most in (10**7, 6_000))
    assert drawn.pi == pytest.approx(everything.pi or 0, abs=0.02)
    assert drawn.tau1 == pytest.approx(everything.tau1, rel=0.04)
    assert drawn.entropy_bits == pytest.approx(everything.entropy_bits, abs=0.06)


def test_recoding_the_values_changes_nothing() -> None:
    rng = np.random.default_rng(6)
    rows = [tuple(row) for row in np.minimum(rng.geometric(0.3, (400, 3)), 7).astype(str).tolist()]
    sets = sets_of(rows)
    other = tuple(size - 1 - codes for codes, size in zip(sets.codes, sets.sizes, strict=True))
    recoded = SampleSets(tuple(codes.astype(np.uint32) for codes in other), sets.sizes, sets.people)
    first, second = (fit_match_regression(each, 0.1).model().figures() for each in (sets, recoded))
    assert first == second


def test_counted_cells() -> None:
    rates, people = np.array([0.0, 0.07, 0.08, -3.01]), np.array([1, 1, 1, 900])
    cells, where = CalibrationCells.of(rates, people)
    counted = Counter(zip(np.rint(rates / 0.15).tolist(), people.tolist(), strict=True))
    assert {
        (round(float(cells.rates[b]) / 0.15), k): s
        for b, k, s in zip(cells.bins, cells.people, cells.sets, strict=True)
    } == counted
    assert cells.people[where].tolist() == people.tolist()


@pytest.mark.parametrize("values", [7, 300])
def test_groups_in_blocks_and_in_narrow_codes_give_the_same(monkeypatch: pytest.MonkeyPatch, values: int) -> None:
    rng = np.random.default_rng(9)
    drawn = np.minimum(rng.geometric(3 / values, (900, 3)), values)
    drawn[:, 1] = (drawn[:, 0] + rng.integers(0, 2, 900)) % values
    sets = sets_of([tuple(row) for row in drawn.astype(str).tolist()])
    codes = tuple(codes.astype(np.uint16) for codes in sets.codes)
    narrow = SampleSets(codes, sets.sizes, sets.people.astype(np.uint8))
    network = (ColumnFamily(0), ColumnFamily(1, (0,), (3.0,)), ColumnFamily(2, (1, 0), (1.0, 30.0)))

    def answers(own: SampleSets) -> list[object]:
        cells, where = CalibrationCells.of(log_rates(own, network), own.people)
        thinned, lasting = thinned_sets(own, 0.4, np.random.default_rng(1))
        return [
            log_rates(own, network, most=500).tolist(), cells.sets.tolist(), cells.rates.tolist(), where.tolist(),
            thinned.people.tolist(), lasting, search_network(own),
        ]  # fmt: skip

    expected, log_linear = answers(sets), log_linear_pi(sets, 0.1)
    for module in (calibration_module, cohorts, log_linear_module, network_module, thinning_module):
        monkeypatch.setattr(module, "_BLOCK", 64)
    # No room for all combinations of codes, as in tables with many values.
    monkeypatch.setattr(cohorts, "_DENSE", 1 << 10)
    assert answers(sets) == expected
    assert answers(narrow) == expected
    assert log_linear_pi(narrow, 0.1) == pytest.approx(log_linear, rel=1e-12)
