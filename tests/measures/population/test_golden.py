"""The figures of population.md, 8.10, to their digits."""

import csv
from collections import Counter

import numpy as np
import pytest

from idbits.counts import Spectrum
from idbits.measures.population.benedetti_franconi import individual_risk
from idbits.measures.population.bounds import pi_bounds
from idbits.measures.population.comparison import compared_estimates
from idbits.measures.population.estimate import estimate_population
from idbits.measures.population.favaro import favaro_uniques
from idbits.measures.population.known_value import correctness_of_value, uniqueness_of_value
from idbits.measures.population.local_gamma import fit_local_gamma
from idbits.measures.population.match_regression import fit_match_regression
from idbits.measures.population.pitman import PitmanModel, fit_pitman
from idbits.measures.population.posterior import mean_inverse, mean_log
from idbits.measures.population.sample import Sample
from idbits.measures.population.sets import SampleSets
from idbits.measures.population.shlosser_negative_binomial import snb_uniques
from idbits.measures.population.zayatz import zayatz_pi

SMALL = Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4})


def digits(number: float, decimals: int = 6) -> object:
    return pytest.approx(number, abs=0.5000001 * 10**-decimals)


def fitted(spectrum: Spectrum) -> PitmanModel:
    model = fit_pitman(spectrum)
    assert model is not None
    return model


def test_the_spectrum_of_adult(adult: SampleSets) -> None:
    spectrum = adult.spectrum
    assert (spectrum.n_people, spectrum.n_sets) == (30_162, 19_502)
    assert spectrum.pairs()[:3] == [(1, 15_512), (2, 2_098), (3, 754)]


def test_pitman_on_adult(adult: SampleSets) -> None:
    model = fitted(adult.spectrum)
    assert model.sigma == digits(0.717949)
    # The figure of the specification is 3176.235, where its optimiser stopped; the gradient vanishes at 3176.2335.
    assert model.theta == pytest.approx(3176.2335, abs=0.001)
    assert model.pi(301_620) == digits(0.535708)
    assert model.pi(60_324) == digits(0.833819)
    assert model.uniques_among(301_620) / 301_620 == digits(0.275976)


@pytest.mark.parametrize(
    ("people", "share"),
    [(318.9e6, 0.0388389), (39.14e6, 0.0701819), (4.031e6, 0.1332503), (301_620, 0.2768499), (3_016_200, 0.1446083)],
)
def test_pitman_as_arx_prints_it(adult: SampleSets, people: float, share: float) -> None:
    # ARX cuts its digits off.
    assert fitted(adult.spectrum).asymptotic_share(people) == pytest.approx(share + 5e-8, abs=5e-8)


def test_other_estimates_on_adult(adult: SampleSets) -> None:
    spectrum, n = adult.spectrum, 30_162
    assert zayatz_pi(spectrum, 10 * n) == digits(0.623657)
    assert (zayatz_pi(spectrum, 5 * n) or 0) * 15_512 / n == digits(0.3577099, 7)
    assert (snb_uniques(spectrum, 0.1) or 0) / (10 * n) == digits(0.249977)
    assert (snb_uniques(spectrum, 0.2) or 0) / (5 * n) == digits(0.319459)
    assert favaro_uniques(spectrum, 0.5) / 15_512 == digits(0.810856)
    local_gamma = fit_local_gamma(spectrum)
    assert local_gamma is not None
    assert [local_gamma.pi(f) for f in (0.5, 0.1, 0.05)] == [digits(0.826932), digits(0.516251), digits(0.419252)]


def test_bounds_on_adult(adult: SampleSets) -> None:
    for fraction, low, high in [(0.5, 0.758, 0.882), (0.1, 0.0, 0.815)]:
        bounds = pi_bounds(adult.spectrum, fraction)
        assert bounds is not None
        assert (bounds.low, bounds.high) == (digits(low, 3), digits(high, 3))


@pytest.mark.parametrize(("fraction", "pi"), [(0.5, 0.828), (0.1, 0.504), (0.05, 0.393), (0.01, 0.197)])
def test_match_regression_on_adult(adult: SampleSets, fraction: float, pi: float) -> None:
    figures = fit_match_regression(adult, fraction).model().figures()
    # The specification allows .01; this is how near another implementation of it comes.
    assert figures.pi == pytest.approx(pi, abs=0.001)
    if fraction == 0.1:
        assert figures.entropy_bits == pytest.approx(15.28, abs=0.006)
        assert figures.k_hat == pytest.approx(7.6, abs=0.06)
        assert figures.correctness == pytest.approx(0.365, abs=0.0006)


def test_dankar_chooses_as_the_rule_says(adult: SampleSets) -> None:
    for fraction, same in [(0.1, "pitman_arx"), (0.2, "snb"), (0.5, "snb")]:
        answer = estimate_population(Sample(spectrum=adult.spectrum, fraction=fraction))
        found = {each.name: each for each in compared_estimates(answer, everything=True)}
        assert found["dankar"].pi == found[same].pi


def test_the_small_spectrum() -> None:
    model = fitted(SMALL)
    assert (model.sigma, model.theta) == (0.0, digits(115.598, 3))
    assert model.pi(1400) == digits(0.168096)
    assert model.uniques_among(1400) == digits(106.252, 3)
    assert zayatz_pi(SMALL, 1400) == digits(0.471779)
    local_gamma = fit_local_gamma(SMALL)
    assert local_gamma is not None
    assert local_gamma.pi(0.1) == digits(0.163994)
    assert favaro_uniques(SMALL, 0.5) == 28


def test_all_different() -> None:
    spectrum = Spectrum.of({1: 500})
    bounds = pi_bounds(spectrum, 0.1)
    assert bounds is not None
    assert (bounds.low, bounds.high) == (digits(0.779, 3), pytest.approx(1.0))
    answer = estimate_population(Sample(spectrum=spectrum, fraction=0.1))
    assert answer.estimability == "not estimable"
    assert answer.figures["pi"].value is None
    assert (answer.figures["pi"].low, answer.figures["pi"].high) == (bounds.low, bounds.high)


def test_individual_risks_of_francdat() -> None:
    from conftest import SHARED_DATA

    path = SHARED_DATA.parent / "golden" / "population" / "francdat.csv"
    if not path.exists():
        pytest.skip(f"real data are not there: no file {path}")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    keys = [tuple(row[column] for column in (1, 3, 4, 5)) for row in rows]
    people = Counter(keys)
    population: Counter[tuple[str, ...]] = Counter()
    for key, row in zip(keys, rows, strict=True):
        population[key] += float(row[7])  # type: ignore[assignment]
    risks = [individual_risk(people[key], population[key]) for key in keys]
    expected = [
        0.0171442616, 0.0220423262, 0.0220423262, 0.1770758340, 0.0116544802, 0.2970630774, 0.4023594781, 0.0171442616,
    ]  # fmt: skip
    assert risks == pytest.approx(expected, abs=1e-10)


def test_a_value_of_known_probability() -> None:
    """Rocher 2019, (23, 13, 1); the paper prints .957, .654 and .977, .811 from a p with more digits."""
    assert [uniqueness_of_value(4.4e-5, n) for n in (1e3, 1e4)] == [digits(0.957, 3), digits(0.644, 3)]
    assert [correctness_of_value(4.4e-5, n) for n in (1e3, 1e4)] == [digits(0.978, 3), digits(0.809, 3)]


def test_means_of_the_negative_binomial() -> None:
    c, shape, odds = np.ones(2), np.array([1.3, 0.3]), np.array([0.5, 50.0])
    assert mean_inverse(c, shape, odds).tolist() == [digits(0.763550), digits(0.419380)]
    assert mean_log(c, shape, odds).tolist() == [digits(0.36868, 5), digits(1.67529, 5)]
