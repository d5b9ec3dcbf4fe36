"""What the specification states without proof, by simulation: seeded, each with its own standard error."""

import math
from collections import Counter

import numpy as np
import pytest
from population_samples import sets_of
from scipy.stats import spearmanr

from idbits.counts import Spectrum
from idbits.measures.population.bounds import pi_bounds
from idbits.measures.population.favaro import favaro_uniques
from idbits.measures.population.model import SetModel
from idbits.measures.population.network import ColumnFamily, log_rates
from idbits.measures.population.posterior import mean_inverse, mean_log, probability_below, probability_unique
from idbits.measures.population.rarefaction import rarefied
from idbits.measures.population.sets import SampleSets

POPULATION = {1: 900, 2: 300, 3: 120, 5: 60, 12: 20, 40: 5}


def drawn(population: dict[int, int], n: int, draws: int, seed: int) -> list[tuple[Spectrum, int]]:
    """Draw n people without replacement; also return how many are unique in the sample and in the population."""
    rng = np.random.default_rng(seed)
    sizes = np.array([size for size, sets in population.items() for _ in range(sets)])
    found = []
    for _ in range(draws):
        kept = rng.multivariate_hypergeometric(sizes, n)
        counted = Counter(kept[kept > 0].tolist())
        found.append((Spectrum.of(counted), int(((kept == 1) & (sizes == 1)).sum())))
    return found


def within(values: list[float], expected: float, errors: float = 4) -> None:
    """Check a mean against what is expected, by its own standard error."""
    mean, error = float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values))
    assert error > 0
    assert abs(mean - expected) < errors * error, f"{mean} is not {expected} (standard error {error})"


N = sum(size * sets for size, sets in POPULATION.items())


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.7])
def test_lasting_uniques_are_a_fraction_of_the_population_s(fraction: float) -> None:
    """E tau1 = f M_1, so that tau1/n estimates M_1/N."""
    n = round(fraction * N)
    samples = drawn(POPULATION, n, 300, seed=1)
    within([float(lasting) for _, lasting in samples], n / N * 900)


def test_the_mean_of_one_over_f_is_the_share_of_distinct_values() -> None:
    """Correctness over people of a sample is that over everybody: E sum c/F = n K/N."""
    rng = np.random.default_rng(2)
    sizes = np.array([size for size, sets in POPULATION.items() for _ in range(sets)])
    n = N // 5
    means = [float((rng.multivariate_hypergeometric(sizes, n) / sizes).sum()) / n for _ in range(300)]
    within(means, len(sizes) / N)


@pytest.mark.parametrize("fraction", [0.5, 0.6, 0.9])
def test_favaro_has_no_bias_above_a_half_when_everyone_is_drawn_independently(fraction: float) -> None:
    rng = np.random.default_rng(3)
    small = {1: 900, 2: 300, 3: 120, 5: 60}
    sizes = np.array([size for size, sets in small.items() for _ in range(sets)])
    estimates = []
    for _ in range(400):
        kept = rng.binomial(sizes, fraction)
        estimates.append(favaro_uniques(Spectrum.of(Counter(kept[kept > 0].tolist())), fraction))
    within(estimates, fraction * 900)


def test_favaro_is_biased_below_a_half() -> None:
    """With the smoothing that was not verified against the paper: off by more than five standard errors."""
    n = round(0.1 * N)
    estimates = [favaro_uniques(spectrum, n / N) for spectrum, _ in drawn(POPULATION, n, 200, seed=4)]
    error = float(np.std(estimates, ddof=1)) / math.sqrt(200)
    assert abs(float(np.mean(estimates)) - n / N * 900) > 5 * error


def test_rarefaction_is_the_mean_of_smaller_samples() -> None:
    n = N // 3
    exact = rarefied(Spectrum.of(POPULATION), n)
    samples = [spectrum for spectrum, _ in drawn(POPULATION, n, 200, seed=5)]
    within([float(spectrum.sets[spectrum.sizes == 1].sum()) / n for spectrum in samples], exact.unique_share)
    within([spectrum.n_sets / n for spectrum in samples], exact.correctness)
    within(
        [math.log2(n) - float(spectrum.people @ np.log2(spectrum.sizes)) / n for spectrum in samples],
        exact.entropy_bits,
    )


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_bounds_hold_the_truth_at_least_as_often_as_they_promise(level: float) -> None:
    """A band over all group sizes at once: it is wider than it needs to be, so it misses less often than 1 - level."""
    n = round(0.3 * N)
    held = []
    for spectrum, lasting in drawn(POPULATION, n, 60, seed=6):
        bounds = pi_bounds(spectrum, n / N, level)
        assert bounds is not None
        held.append(bounds.low <= lasting / int(spectrum.sets[0]) <= bounds.high)
    assert sum(held) / len(held) >= level


# Step 1: what is computed from everybody else does not know a set's own people.


def leave_one_record_out(sets: SampleSets) -> np.ndarray:
    """ln lambda of independent columns from everyone but one person: the others of the own set are counted."""
    n = sets.n_people
    logs = np.full(sets.n_sets, math.log(n))
    for codes, size in zip(sets.codes, sets.sizes, strict=True):
        people = np.bincount(codes, sets.people, size)
        logs += np.log((people[codes] - 1 + 1 / size) / n)
    return logs


def test_leaving_out_one_record_leaks_and_leaving_out_the_set_does_not() -> None:
    """All values are equally likely, so no rate can predict the people of a set; a correlation is a leak."""
    clean, leaking = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows = [tuple(row) for row in rng.integers(0, 12, (250, 2)).astype(str).tolist()]
        sets = sets_of(rows)
        network = (ColumnFamily(0), ColumnFamily(1))
        clean.append(float(spearmanr(log_rates(sets, network), sets.people).statistic))
        leaking.append(float(spearmanr(leave_one_record_out(sets), sets.people).statistic))
    error = float(np.std(clean, ddof=1)) / math.sqrt(40)
    assert float(np.mean(leaking)) > 0.15
    # The people of a fixed sample are shared out: where one set has more, others have fewer.
    assert -0.1 < float(np.mean(clean)) < 4 * error


# Steps 2 and 3: sets drawn from the model have the sizes in the population that the posterior says.


@pytest.mark.parametrize(("alpha", "mu", "g"), [(2.5, 0.6, 9.0), (1.4, 3.0, 1.0)])
def test_the_size_in_the_population_given_that_in_the_sample(alpha: float, mu: float, g: float) -> None:
    """Rates of sets have the density of rates of people divided by the rate: gamma with shape alpha - 1."""
    rng = np.random.default_rng(7)
    rates = rng.gamma(alpha - 1, mu / alpha, 400_000)
    people, rest = rng.poisson(rates), rng.poisson(g * rates)
    odds = g * mu / (alpha + mu)
    for c in (1, 2, 4):
        sizes = c + rest[people == c]
        at = np.array(float(c)), np.array(alpha + c - 1), np.array(odds)
        within((1 / sizes).tolist(), float(mean_inverse(*at)))
        within(np.log(sizes).tolist(), float(mean_log(*at)))
        within((sizes < 5).astype(float).tolist(), float(probability_below(5, *at)))
        if c == 1:
            within((sizes == 1).astype(float).tolist(), float(probability_unique(*at)))


def test_other_people_of_somebody_in_the_sample_number_mu_on_average() -> None:
    """mu is what the regression predicts: the others with the same values, seen from a person."""
    rng = np.random.default_rng(8)
    alpha, mu = 2.2, 0.8
    people = rng.poisson(rng.gamma(alpha - 1, mu / alpha, 300_000)).astype(float)
    others = np.repeat(people - 1, people.astype(int))
    # People of one set are not independent: the error is that of sets.
    total = people.sum()
    ratio = float((people * (people - 1)).sum() / total)
    error = math.sqrt(float(((people * (people - 1) - ratio * people) ** 2).sum())) / float(total)
    assert float(others.mean()) == pytest.approx(ratio)
    assert abs(ratio - mu) < 4 * error


def test_a_population_of_another_size_is_that_of_more_people() -> None:
    """The same fit for N' people: P(F = 1) is that of rates which grow with N'."""
    rng = np.random.default_rng(9)
    alpha, mu = 2.0, 0.5
    rates = rng.gamma(alpha - 1, mu / alpha, 300_000)
    people = rng.poisson(rates)
    one = np.ones(1)
    model = SetModel(one, one, one, alpha * one, mu * one, 0 * one, 0.0, one)
    for growth in (2.0, 10.0):
        rest = rng.poisson((growth - 1) * rates)
        pi = model.among(growth).pi
        assert pi is not None
        within((rest[people == 1] == 0).astype(float).tolist(), pi)
