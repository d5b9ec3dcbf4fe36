"""Rows that resemble their neighbours and levels that drift: against published figures, brute force and simulation."""

import math

import numpy as np
import pytest

from idbits.measures.dependence_test import Pair
from idbits.measures.serial import (
    autocorrelations,
    choose_null,
    dickey_fuller,
    dickey_fuller_critical_value,
    ljung_box_p_value,
    rejects_unit_root,
    resembles_neighbours,
)


def autoregressive(rng: np.random.Generator, coefficient: float, rows: int) -> np.ndarray:
    series = np.zeros(rows + 200)
    for row, step in enumerate(rng.normal(size=rows + 200)[1:], start=1):
        series[row] = coefficient * series[row - 1] + step
    return series[200:]


def ranked(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_inverse=True)[1]


# W. A. Fuller, Introduction to Statistical Time Series (1976), table 8.5.2, the test with a constant.
FULLER = {
    25: (-3.75, -3.00), 50: (-3.58, -2.93), 100: (-3.51, -2.89), 250: (-3.46, -2.88), 500: (-3.44, -2.87),
    10**9: (-3.43, -2.86),
}  # fmt: skip


@pytest.mark.parametrize("rows", FULLER)
def test_critical_values_are_those_of_the_table(rows: int) -> None:
    for level, printed in zip((0.01, 0.05), FULLER[rows], strict=True):
        # Fuller's were simulated with fewer runs: at 25 rows they are off by two hundredths.
        assert dickey_fuller_critical_value(level, rows) == pytest.approx(printed, abs=0.03)


def regression(values: np.ndarray) -> float:
    """The same statistic by plain least squares, one regression for each number of lags."""
    level = (values - values.mean()) / values.std()
    changes = np.diff(level)
    most = min(int(12 * (len(level) / 100) ** 0.25), len(level) // 5)
    best = (math.inf, 0.0)
    for lags in range(most + 1):
        rows = range(most, len(changes))
        design = np.array([[level[t], 1.0, *(changes[t - lag] for lag in range(1, lags + 1))] for t in rows])
        wanted = changes[most:]
        found = np.linalg.lstsq(design, wanted, rcond=None)[0]
        left = float(np.sum((wanted - design @ found) ** 2))
        error = math.sqrt(left / (len(wanted) - design.shape[1]) * np.linalg.inv(design.T @ design)[0, 0])
        best = min(best, (len(wanted) * math.log(left) + 2 * lags, found[0] / error))
    return best[1]


@pytest.mark.parametrize("coefficient", [0.0, 0.5, 0.9, -0.5, 1.0])
def test_the_statistic_is_that_of_plain_least_squares(coefficient: float) -> None:
    for seed in range(3):
        series = autoregressive(np.random.default_rng([seed, 3]), coefficient, 120)
        found = dickey_fuller(series)
        assert found is not None
        assert found[0] == pytest.approx(regression(series), rel=1e-6)


def test_a_walk_is_rejected_as_often_as_stated() -> None:
    runs = 400
    rejected = sum(rejects_unit_root(np.random.default_rng(seed).normal(size=250).cumsum()) for seed in range(runs))
    # 20 are expected; the choice of lags adds a little.
    assert rejected / runs == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / runs))


def test_what_returns_to_a_mean_is_seen() -> None:
    for coefficient in (0.0, 0.5, 0.8):
        series = [autoregressive(np.random.default_rng([seed, 4]), coefficient, 300) for seed in range(50)]
        assert sum(map(rejects_unit_root, series)) >= 47


def test_series_without_chance() -> None:
    assert not rejects_unit_root(np.arange(200.0))
    assert rejects_unit_root(np.sin(np.arange(200)))
    assert dickey_fuller(np.ones(50)) is None
    assert dickey_fuller(np.arange(6.0)) is None


def test_ljung_box() -> None:
    series = np.random.default_rng(0).normal(size=40)
    centred = series - series.mean()
    slow = [float(np.sum(centred[lag:] * centred[:-lag]) / np.sum(centred**2)) for lag in (1, 2, 3)]
    assert autocorrelations(series, 3) == pytest.approx(slow)
    runs, lags = 1000, 4
    found = np.array([ljung_box_p_value(np.random.default_rng(seed).normal(size=200), lags) for seed in range(runs)])
    for level in (0.1, 0.5, 0.9):
        assert np.mean(found < level) == pytest.approx(level, abs=4 * math.sqrt(level * (1 - level) / runs) + 0.01)


def test_neighbours() -> None:
    rng = np.random.default_rng(1)
    in_any_order = [ranked(rng.normal(size=200)) for _ in range(400)]
    # 2% is stated; the tests overlap and are approximate for few rows.
    assert sum(map(resembles_neighbours, in_any_order)) / 400 < 0.06
    assert sum(resembles_neighbours(ranked(autoregressive(rng, 0.5, 200))) for _ in range(50)) >= 48
    # No trend, but calm and wild stretches.
    wild = np.repeat(rng.choice([0.1, 3.0], 40), 10) * rng.normal(size=400)
    assert resembles_neighbours(ranked(wild))
    assert not resembles_neighbours(np.array([0, 1, 0]))


def pair(x: np.ndarray, y: np.ndarray) -> Pair:
    return Pair(ranked(x), ranked(y), np.asarray(x, float), np.asarray(y, float))


def test_the_comparison_that_is_chosen() -> None:
    rng = np.random.default_rng(2)
    noise, smooth = rng.normal(size=400), autoregressive(rng, 0.8, 400)
    walk, other = rng.normal(size=(2, 400)).cumsum(axis=1)
    twice = walk.cumsum()
    chosen = {
        (choose_null(pair(x, y)).null, choose_null(pair(x, y)).resampling)
        for x, y in ((noise, walk), (walk, noise), (noise, smooth))
    }
    assert chosen == {("shuffles", "shuffles")}
    assert choose_null(pair(smooth, autoregressive(rng, 0.8, 400))).null == "shifts"
    changed = choose_null(pair(walk, other))
    assert (changed.null, changed.resampling) == ("differences", "shuffles")
    assert changed.pair.original_numbers == pytest.approx(np.diff(walk))
    assert (choose_null(pair(twice, twice)).null, choose_null(pair(twice, twice)).resampling) == ("differences", None)
