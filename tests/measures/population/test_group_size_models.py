"""Estimates from group sizes, against exact recursions, enumerations and sums."""

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from scipy.special import gammaln
from scipy.stats import binom

from idbits.counts import Spectrum
from idbits.measures.population import local_gamma as local_gamma_module
from idbits.measures.population.benedetti_franconi import individual_risk
from idbits.measures.population.bounds import pi_bounds
from idbits.measures.population.favaro import favaro_uniques
from idbits.measures.population.gamma_ratios import log_rising, log_rising_slopes
from idbits.measures.population.local_gamma import fit_local_gamma
from idbits.measures.population.model import SetModel
from idbits.measures.population.pitman import PitmanModel, _Likelihood, fit_pitman
from idbits.measures.population.shlosser_negative_binomial import _log_expected, shlosser_sets, snb_uniques
from idbits.measures.population.zayatz import zayatz_pi

spectra = st.dictionaries(st.integers(1, 12), st.integers(1, 60), min_size=2, max_size=8).map(Spectrum.of)


def partitions(n: int, most: int | None = None) -> Iterator[list[int]]:
    if n == 0:
        yield []
    for first in range(min(n, most or n), 0, -1):
        for rest in partitions(n - first, first):
            yield [first, *rest]


@pytest.mark.parametrize(("sigma", "theta"), [(0.3, 2.0), (0.9, 0.1), (0.01, 40.0)])
def test_the_likelihood_of_pitman_adds_up_to_one(sigma: float, theta: float) -> None:
    n, total = 7, 0.0
    x = np.array([math.log(sigma / (1 - sigma)), math.log(theta)])
    for sizes in partitions(n):
        same = Counter(sizes)
        ways = math.factorial(n)
        for size, number in same.items():
            ways //= math.factorial(size) ** number * math.factorial(number)
        total += ways * math.exp(-_Likelihood(Spectrum.of(same)).negative(x)[0])
    assert total == pytest.approx(1, abs=1e-9)


@given(spectra, st.floats(-3, 3), st.floats(-2, 6))
def test_the_gradient_of_pitman(spectrum: Spectrum, logit_sigma: float, log_theta: float) -> None:
    goal = _Likelihood(spectrum).negative
    point = np.array([logit_sigma, log_theta])
    step = 1e-5
    for index, slope in enumerate(goal(point)[1]):
        moved = np.eye(2)[index] * step
        difference = (goal(point + moved)[0] - goal(point - moved)[0]) / (2 * step)
        assert slope == pytest.approx(difference, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(("sigma", "theta"), [(0.0, 12.0), (0.4, 3.0), (0.95, 200.0)])
def test_what_pitman_expects_of_the_rest_of_the_population(sigma: float, theta: float) -> None:
    """Person by person: the next one is alone with probability (theta + K sigma)/(theta + i)."""
    n, n_sets, uniques, people = 50, 30, 20, 400
    model = PitmanModel(sigma, theta, n, n_sets, uniques)
    expected_sets, expected_uniques, stays = float(n_sets), float(uniques), 1.0
    for i in range(n, people):
        new = (theta + expected_sets * sigma) / (theta + i)
        expected_uniques += new - expected_uniques * (1 - sigma) / (theta + i)
        expected_sets += new
        stays *= 1 - (1 - sigma) / (theta + i)
    assert model.pi(people) == pytest.approx(stays, rel=1e-9)
    assert model.uniques_among(people) == pytest.approx(expected_uniques, rel=1e-9)


@pytest.mark.parametrize(("sigma", "theta"), [(0.0, 12.0), (0.4, 3.0), (0.95, 200.0)])
def test_the_curve_of_rocher_is_the_expected_share_of_distinct_values(sigma: float, theta: float) -> None:
    n_sets = 0.0
    for i in range(500):
        n_sets += (theta + n_sets * sigma) / (theta + i)
    assert PitmanModel(sigma, theta, 1, 1, 1).correctness(500) == pytest.approx(n_sets / 500, rel=1e-9)


def test_pitman_recovers_what_made_the_sample() -> None:
    rng = np.random.default_rng(5)
    sigma, theta, sizes = 0.5, 30.0, [1]
    for i in range(1, 20_000):
        chances = rng.random() * (theta + i)
        if chances < theta + sigma * len(sizes):
            sizes.append(1)
        else:
            # A person of a set of k joins it with weight k - sigma: draw people, and reject by sigma/k.
            while True:
                chosen = int(rng.integers(len(sizes)))
                if rng.random() < (sizes[chosen] - sigma) / max(sizes):
                    break
            sizes[chosen] += 1
        if i == 3_000:
            break
    model = fit_pitman(Spectrum.of(Counter(sizes)))
    assert model is not None
    assert model.sigma == pytest.approx(sigma, abs=0.08)


def test_no_two_alike_identify_nothing() -> None:
    assert fit_pitman(Spectrum.of({1: 100})) is None
    assert fit_local_gamma(Spectrum.of({1: 100})) is None


@pytest.mark.parametrize("b", [1.0, 3.0, 1e6])
def test_large_gamma_ratios_against_their_product(b: float) -> None:
    for a in (1e4 * (1 - 1e-12), 1e4 * (1 + 1e-12), 1e7, 3e12):
        exact = math.fsum(math.log(a + i) for i in range(int(b)))
        # Below 1e4 the difference of two lgammas is exact enough, above it no longer.
        assert log_rising(a, b) == pytest.approx(exact, rel=1e-11 if a < 1e4 else 1e-13)
        slope = math.fsum(1 / (a + i) for i in range(int(b)))
        assert log_rising_slopes(a, b) == pytest.approx(slope, rel=1e-9)


@given(spectra, st.floats(-3.5, 1.5), st.floats(-6, 6))
def test_the_gradient_of_local_gamma(spectrum: Spectrum, first: float, second: float) -> None:
    sizes = np.arange(1.0, 13.0)
    sets = np.array([dict(spectrum.pairs()).get(k, 0) for k in range(1, 13)], float)

    def value(x: np.ndarray) -> float:
        return local_gamma_module._negative(x, sizes, sets)[0]

    def slopes(x: np.ndarray) -> np.ndarray:
        return local_gamma_module._negative(x, sizes, sets)[1]

    assert check_grad(value, slopes, np.array([first, second]), epsilon=1e-6) < 1e-2


@given(spectra, st.floats(0.01, 0.99))
def test_the_model_of_local_gamma_is_its_closed_form(spectrum: Spectrum, fraction: float) -> None:
    fitted = fit_local_gamma(spectrum)
    if fitted is None or spectrum.sizes[0] != 1:
        return
    model = SetModel.of_spectrum(fitted, spectrum, fraction)
    assert model.pi == pytest.approx(fitted.pi(fraction), rel=1e-9)


@pytest.mark.parametrize(("people", "n"), [(30, 10), (12, 10)])
def test_zayatz_in_fractions(people: int, n: int) -> None:
    spectrum = Spectrum.of({1: 3, 2: 2, 3: 1})
    one = {k: Fraction(k * math.comb(people - k, n - 1), math.comb(people, n)) for k in (1, 2, 3)}
    expected = 3 * one[1] / (3 * one[1] + 2 * one[2] + one[3])
    assert spectrum.n_people == n
    assert zayatz_pi(spectrum, people) == pytest.approx(float(expected), rel=1e-10)


@pytest.mark.parametrize("people", [10**6, 10**10, 10**13, 2**53])
def test_zayatz_and_pitman_keep_their_digits_in_large_populations(people: int) -> None:
    spectrum, n = Spectrum.of({1: 3, 2: 2, 40: 1}), 47
    # C(N-k, n-1) k, divided by what all sizes share.
    one = {k: Fraction(k) for k in (1, 2, 40)}
    for k in one:
        for i in range(1, k):
            one[k] *= Fraction(people - n + 1 - i, people - i)
    expected = 3 * one[1] / (3 * one[1] + 2 * one[2] + one[40])
    assert zayatz_pi(spectrum, people) == pytest.approx(float(expected), rel=1e-10)
    # Gamma(x + a)/Gamma(x + b) of large x is x^(a-b) (1 + (a-b)(a+b-1)/(2x)).
    sigma, theta = 0.5, 30.0
    model = PitmanModel(sigma, theta, n, 6, 3)
    x = people + theta - 1
    later = x ** (sigma - 1) * (1 + (sigma - 1) * sigma / (2 * x))
    first = math.exp(math.lgamma(theta + n - 1 + sigma) - math.lgamma(theta + n))
    assert model.pi(people) == pytest.approx(later / first, rel=1e-9)
    second = math.exp(math.lgamma(theta + n + sigma) - math.lgamma(theta + n + 1))
    new = (people - n) * (theta + 6 * sigma) / (theta + n) * later / second
    assert model.uniques_among(people) == pytest.approx(3 * later / first + new, rel=1e-9)
    top = people + theta
    grown = math.exp(math.lgamma(theta) - math.lgamma(theta + sigma)) * top**sigma
    grown *= 1 + sigma * (sigma - 1) / (2 * top)
    assert model.correctness(people) == pytest.approx(theta / sigma * (grown - 1) / people, rel=1e-9)


def test_zayatz_needs_uniques() -> None:
    assert zayatz_pi(Spectrum.of({2: 5}), 100) is None


@pytest.mark.parametrize("a", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("b", [0.02, 0.5, 0.9])
def test_what_snb_expects_is_the_thinned_negative_binomial(a: float, b: float) -> None:
    fraction, n_sets = 0.3, 1000.0
    j = np.arange(1, 6000)
    logs = [math.lgamma(a + i - 1) - math.lgamma(a) - math.lgamma(i) + (i - 1) * math.log1p(-b) for i in j.tolist()]
    population = n_sets * b**a * np.exp(logs)
    expected = [math.log(float(population @ binom.pmf(k, j, fraction))) for k in (1, 2)]
    x = np.array([math.log(a), math.log(b / (1 - b))])
    assert _log_expected(x, n_sets, fraction).tolist() == pytest.approx(expected, rel=1e-9)


def test_snb_has_no_answer_rather_than_zero() -> None:
    assert snb_uniques(Spectrum.of({1: 100}), 0.1) is None
    assert snb_uniques(Spectrum.of({2: 100}), 0.1) is None
    assert shlosser_sets(Spectrum.of({1: 5, 2: 3}), 1.0) is None


@pytest.mark.parametrize("c", [1, 2, 30, 31, 100, 3_000])
@pytest.mark.parametrize("fraction", [0.01, 0.3, 0.999])
def test_the_individual_risk_against_a_sum(c: int, fraction: float) -> None:
    """F - c is negative binomial; scipy's hypergeometric function is infinite for 100 of 10,000 people."""
    mean, spread = c / fraction, math.sqrt(c) / fraction
    sizes = np.arange(max(c, int(mean - 12 * spread)), mean + 12 * spread + 40 / fraction)
    logs = gammaln(sizes) - gammaln(c) - gammaln(sizes - c + 1) + c * math.log(fraction)
    chances = np.exp(logs + (sizes - c) * math.log1p(-fraction))
    assert float(chances.sum()) == pytest.approx(1, abs=1e-9)
    assert individual_risk(c, c / fraction) == pytest.approx(float((chances / sizes).sum()), rel=1e-9)


def test_snb_with_a_share_that_is_too_small_for_a_number() -> None:
    """People who live alone, and a few institutions: b is below 1e-308, but b^a is a share like any other."""
    sizes = {1: 3_620, 2: 1} | dict.fromkeys(range(5, 46, 2), 5)
    uniques = snb_uniques(Spectrum.of(sizes), 0.2)
    assert uniques is not None
    # Nearly all sets are unique, and one in five people is in the sample.
    assert uniques == pytest.approx(5 * 3_620, rel=0.01)


@given(st.dictionaries(st.integers(1, 8), st.integers(1, 50), min_size=1), st.floats(0.5, 0.99))
def test_favaro_is_unbiased_above_a_half(population: dict[int, int], fraction: float) -> None:
    """The estimate is linear in m_k, so it can be applied to expected group sizes: E tau1 = f M_1."""
    g = (1 - fraction) / fraction
    total = 0.0
    for size, sets in population.items():
        for k in range(1, size + 1):
            total += (-g) ** (k - 1) * k * sets * float(binom.pmf(k, size, fraction))
    assert total == pytest.approx(fraction * population.get(1, 0), abs=1e-9)
    spectrum = Spectrum.of(population)
    by_hand = sum((-g) ** (k - 1) * k * sets for k, sets in population.items())
    assert favaro_uniques(spectrum, fraction) == pytest.approx(by_hand, abs=1e-9)


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("population", [{1: 400, 2: 100, 5: 60}, {1: 30, 3: 300}, {2: 300, 40: 10}, {1: 900}])
def test_bounds_hold_the_truth(population: dict[int, int], fraction: float) -> None:
    rng = np.random.default_rng(2)
    missed = 0
    for _ in range(20):
        drawn: Counter[int] = Counter()
        lasting = 0
        for size, sets in population.items():
            kept = rng.binomial(size, fraction, sets)
            drawn.update(kept.tolist())
            lasting += int((kept == 1).sum()) if size == 1 else 0
        bounds = pi_bounds(Spectrum.of({k: m for k, m in drawn.items() if k}), fraction)
        assert bounds is not None
        missed += not bounds.low - 1e-6 <= lasting / drawn[1] <= bounds.high + 1e-6
    assert missed <= 1


def test_bounds_of_tiny_fractions_are_those_of_small_ones() -> None:
    """Where next to nobody is in the sample, only rates matter, so the bounds no longer depend on the fraction."""
    spectrum = Spectrum.of({1: 438, 2: 31})
    found = [pi_bounds(spectrum, fraction) for fraction in (1e-3, 1e-6, 1e-9, 1e-12, 5e-14)]
    assert [bounds.high for bounds in found if bounds is not None] == [pytest.approx(0.885, abs=0.001)] * 5
    assert all(bounds is not None and bounds.low == pytest.approx(0, abs=1e-9) for bounds in found)


def test_bounds_need_uniques() -> None:
    assert pi_bounds(Spectrum.of({2: 30}), 0.5) is None


def test_impossible_group_sizes_leave_everything_open() -> None:
    # At 95%, 400 people in pairs cannot come without anybody alone or in threes.
    bounds = pi_bounds(Spectrum.of({1: 1, 2: 4_000}), 0.5)
    assert bounds is not None
    assert (bounds.low, bounds.high, bounds.is_feasible) == (0.0, 1.0, False)


@given(spectra, st.floats(0.02, 0.9), st.floats(0.5, 0.99))
def test_a_higher_level_gives_wider_bounds(spectrum: Spectrum, fraction: float, level: float) -> None:
    narrow, wide = pi_bounds(spectrum, fraction, level), pi_bounds(spectrum, fraction, (1 + level) / 2)
    if narrow is None or wide is None or not narrow.is_feasible:
        return
    assert 0 <= wide.low <= narrow.low + 1e-6
    assert narrow.high <= wide.high + 1e-6 <= 1 + 1e-6
