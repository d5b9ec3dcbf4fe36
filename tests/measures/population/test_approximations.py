"""Each approximation of the estimate against a slow computation without it."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from population_samples import sets_of
from scipy.special import digamma, gammaln

from idbits.counts import Spectrum
from idbits.measures.population import bounds as bounds_module
from idbits.measures.population import network as network_module
from idbits.measures.population.bounds import pi_bounds
from idbits.measures.population.calibration import CalibrationCells, fit_calibration
from idbits.measures.population.estimate import estimate_population
from idbits.measures.population.interval import half_way
from idbits.measures.population.match_regression import fit_match_regression
from idbits.measures.population.model import SetModel
from idbits.measures.population.network import log_rates, search_network
from idbits.measures.population.posterior import mean_inverse, mean_log
from idbits.measures.population.rarefaction import rarefied
from idbits.measures.population.sample import Sample
from idbits.measures.population.sets import SampleSets


def made_up(n: int, seed: int, share: float = 0.15) -> SampleSets:
    rng = np.random.default_rng(seed)
    first, second, third = np.minimum(rng.geometric(share, (3, n)), 25)
    rows = np.stack([first, (first + second) % 20, third], axis=1).astype(str).tolist()
    return sets_of([tuple(row) for row in rows])


# 48 nodes, and the rule for E[ln F], for odds that no sum of probabilities can reach: f down to one in a billion.


@pytest.mark.parametrize("odds", [1e-9, 1e-3, 1.0, 1e4, 1e9])
@pytest.mark.parametrize("shape", [0.02, 0.5, 3.0, 150.0])
def test_nodes_against_the_closed_form_for_one_person(shape: float, odds: float) -> None:
    """int_0^1 (1 + o(1-t))^-A dt = (1 - (1+o)^(1-A))/(o (A-1))."""
    exact = -math.expm1((1 - shape) * math.log1p(odds)) / (odds * (shape - 1))
    found = float(mean_inverse(np.array(1.0), np.array(shape), np.array(odds)))
    assert found == pytest.approx(exact, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("odds", [1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("c", [2, 5])
def test_nodes_against_fractions_for_several_people(c: int, odds: float) -> None:
    """For whole shapes the integral is that of a rational function; substitute w = 1 + o(1-t) and expand."""
    o, shape = Fraction(odds), c + 3
    # t = (1 + o - w)/o, dt = -dw/o: sum of binomial terms w^(j - A), none of which is 1/w.
    total = Fraction(0)
    for j in range(c):
        power = j - shape + 1
        term = math.comb(c - 1, j) * (1 + o) ** (c - 1 - j) * (-1) ** j / o**c
        total += term * ((1 + o) ** power - 1) / power
    found = float(mean_inverse(np.array(float(c)), np.array(float(shape)), np.array(odds)))
    assert found == pytest.approx(float(total), rel=1e-5)


@pytest.mark.parametrize("shape", [0.3, 1.0, 8.0])
def test_the_mean_logarithm_of_very_large_sets(shape: float) -> None:
    """F/o tends to a gamma variable, so E[ln F] to psi(A) + ln o; what is missing is of order o^-min(A, 1)."""
    for odds in (1e6, 1e9):
        found = float(mean_log(np.array(1.0), np.array(shape), np.array(odds)))
        limit = float(digamma(shape)) + math.log(odds)
        assert found == pytest.approx(limit, abs=40 * odds ** -min(shape, 1.0) / min(shape, 1.0))


def test_512_quantiles_would_be_worse() -> None:
    """The specification's rule for large sets: mid-quantiles of a gamma variable. Ours is nearer to the sum."""
    from scipy.stats import gamma

    c, shape, odds = 1.0, 2.5, 40.0
    y = np.arange(200_000.0)
    logs = gammaln(shape + y) - gammaln(shape) - gammaln(y + 1) + y * math.log(odds / (1 + odds))
    exact = float(np.exp(logs - shape * math.log1p(odds)) @ np.log(c + y))
    mean = gamma.ppf((np.arange(512) + 0.5) / 512, shape) * odds
    quantiles = float((np.log(c + mean) - mean / (2 * (c + mean) ** 2)).mean())
    ours = float(mean_log(np.array(c), np.array(shape), np.array(odds)))
    assert quantiles == pytest.approx(exact, abs=2e-3)
    assert ours == pytest.approx(exact, abs=1e-8)


# The interval of other figures: half the distance, by a scalar.


def slow_figures(model: SetModel, scale: float, terms: int) -> tuple[float, float, float]:
    """Return pi, correctness and the mean of ln F, by adding up probabilities of F cell by cell; pi needs one term."""
    y = np.arange(float(terms))

    def means(c: float, shape: float, odds: float) -> np.ndarray:
        logs = gammaln(shape + y) - gammaln(shape) - gammaln(y + 1) + y * math.log(odds / (1 + odds))
        chances = np.exp(logs - shape * math.log1p(odds))
        return np.array([chances[0] if c == 1 else 0.0, chances @ (1 / (c + y)), chances @ np.log(c + y)])

    rows = []
    for c, alpha, mu, rare, g in zip(model.people, model.alpha, model.mu, model.rare, model.g, strict=True):
        main = means(c, alpha + c - 1, g * scale * mu / (alpha + scale * mu))
        rate = scale * model.rare_rate
        rows.append((1 - rare) * main + rare * means(c, c, g * rate / (1 + rate)))
    alone, n = model.people == 1, float(model.people @ model.sets)
    table = np.array(rows)
    pi = float(model.sets[alone] @ table[alone, 0] / model.sets[alone].sum())
    persons = model.people * model.sets / n
    return pi, float(persons @ table[:, 1]), float(persons @ table[:, 2])


def test_intervals_at_half_the_distance_against_sums_and_bisection() -> None:
    sets = made_up(250, seed=3)
    answer = estimate_population(Sample(spectrum=sets.spectrum, fraction=0.2, sets=sets))
    model, pi = answer.model, answer.figures["pi"]
    assert model is not None
    assert pi.value is not None
    assert pi.low is not None
    target = half_way(pi.value, pi.low)
    # Larger sets have fewer uniques: halve until the scale is known to nine digits.
    low, high = 0.0, 6.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if slow_figures(model, math.exp(middle), 1)[0] > target else (low, middle)
    reached, correctness, mean = slow_figures(model, math.exp(low), 4_000)
    assert reached == pytest.approx(target, abs=1e-7)
    assert answer.figures["correctness"].low == pytest.approx(correctness, rel=1e-5)
    bits = math.log2(sets.n_people / 0.2) - mean / math.log(2)
    assert answer.figures["entropy_bits"].low == pytest.approx(bits, abs=1e-5)


# Rates in bins of 0.15.


@pytest.mark.parametrize(("fraction", "seed"), [(0.05, 1), (0.3, 2)])
def test_bins_against_every_rate_by_itself(fraction: float, seed: int) -> None:
    sets = made_up(3_000, seed)
    binned = fit_match_regression(sets, fraction)
    rates, where = np.unique(log_rates(sets, binned.network), return_inverse=True)
    own = CalibrationCells(rates, where, sets.people.astype(np.float64), np.ones(sets.n_sets))
    exact = replace(binned, cells=own, cell_of_set=np.arange(sets.n_sets), calibration=fit_calibration(own, fraction))
    assert len(rates) > 10 * len(binned.cells.rates)
    first, second = binned.model().figures(), exact.model().figures()
    assert first.pi == pytest.approx(second.pi or 0, abs=0.002)
    assert first.correctness == pytest.approx(second.correctness, rel=0.003)
    assert first.entropy_bits == pytest.approx(second.entropy_bits, abs=0.005)


# The search on a part of the sets.


def test_the_search_on_a_draw_against_all_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the sets leads to another network, but hardly to another estimate."""
    sets = made_up(20_000, seed=4, share=0.08)
    whole = fit_match_regression(sets, 0.1).model().figures()
    assert sets.n_sets < network_module._MOST_SEARCHED
    monkeypatch.setattr(network_module, "_MOST_SEARCHED", sets.n_sets // 10)
    part = fit_match_regression(sets, 0.1).model().figures()
    assert part.pi == pytest.approx(whole.pi or 0, abs=0.01)
    assert part.entropy_bits == pytest.approx(whole.entropy_bits, abs=0.02)


def test_more_than_20_000_sets_are_searched_by_the_first_20_000() -> None:
    rng = np.random.default_rng(5)
    keys = np.unique(rng.integers(0, [200, 150, 40], (26_000, 3)), axis=0)
    rng.shuffle(keys)
    codes = tuple(column.astype(np.uint32) for column in keys.T)
    sets = SampleSets(codes, (200, 150, 40), rng.geometric(0.7, len(keys)))
    assert sets.n_sets > 20_000
    first = SampleSets(tuple(column[:20_000] for column in codes), sets.sizes, sets.people[:20_000])
    assert search_network(sets) == search_network(first)


# Log-spaced sizes of the linear programs.


@pytest.mark.parametrize("fraction", [0.05, 0.15])
def test_bounds_with_spaced_sizes_against_all_sizes(fraction: float, monkeypatch: pytest.MonkeyPatch) -> None:
    spectrum = Spectrum.of({1: 900, 2: 180, 3: 70, 4: 30, 6: 20, 11: 8, 30: 4, 70: 2})
    spaced = pi_bounds(spectrum, fraction)
    monkeypatch.setattr(bounds_module, "_ALL_SIZES", 10**6)
    every = pi_bounds(spectrum, fraction)
    assert spaced is not None
    assert every is not None
    # More sizes allow more populations: never narrower, and hardly wider.
    assert every.low - 1e-6 <= spaced.low <= every.low + 0.002
    assert every.high - 0.002 <= spaced.high <= every.high + 1e-6


# Rarefaction without the tails of the hypergeometric distribution.


@pytest.mark.parametrize("people", [1, 7, 300, 1_449])
def test_rarefaction_of_large_sets_against_fractions(people: int) -> None:
    sizes = {1: 150, 2: 50, 40: 5, 1_000: 1}
    n = sum(size * sets for size, sets in sizes.items())
    assert n == 1_450
    every = math.comb(n, people)
    uniques = sets = Fraction(0)
    bits = 0.0
    for size, number in sizes.items():
        uniques += Fraction(number * size * math.comb(n - size, people - 1), every)
        sets += number * (1 - Fraction(math.comb(n - size, people), every))
        for drawn in range(1, min(size, people) + 1):
            chance = Fraction(math.comb(size, drawn) * math.comb(n - size, people - drawn), every)
            bits += number * float(chance) * drawn / people * math.log2(people / drawn)
    figures = rarefied(Spectrum.of(sizes), people)
    assert figures.unique_share == pytest.approx(float(uniques / people), rel=1e-9)
    assert figures.correctness == pytest.approx(float(sets / people), rel=1e-9)
    assert figures.entropy_bits == pytest.approx(bits, rel=1e-8, abs=1e-9)
