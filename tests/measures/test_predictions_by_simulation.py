"""Every formula of SPEC section 5 against seeded draws, on distributions from even to one with strong outliers.

The draws come from NumPy's multinomial, not from ``measures/simulation.py``. The tests say where each approximation
is good and where it fails.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from idbits.measures import simulation
from idbits.measures.birthday import (
    log_uniqueness,
    uniqueness_from_collisions,
    uniqueness_from_kappa,
    uniqueness_from_uniform_and_kappa,
)
from idbits.measures.correlated import BivariateNormal, correlated_grids, mean_for_small_cells
from idbits.measures.densities import Exponential, Lognormal, Normal, Uniform, cell_chances
from idbits.measures.distribution import Distribution
from idbits.measures.singleton_distribution import (
    log_no_singleton,
    log_no_singleton_from_kappa,
    log_no_singleton_poisson,
    singleton_distribution,
)
from idbits.measures.singletons import (
    mean_sets,
    mean_sets_from_kappa,
    mean_singletons,
    variance_from_alphas,
    variance_from_kappa,
    variance_singletons,
)
from idbits.measures.widths import (
    grids,
    mean_for_small_widths,
    sample_cells,
    second_order_mean,
    variance_for_small_widths,
)

DRAWS = 12_000
N_VALUES = 95


def probabilities(kind: str) -> np.ndarray:
    steps = np.arange(N_VALUES)
    weights = {
        "even": np.ones(N_VALUES),
        "mild": 1 + 0.4 * np.sin(2 * math.pi * steps / N_VALUES),
        # Like ages 0 to 94: hardly anyone above 85.
        "ages": np.where(steps < 60, 1.0, np.exp(-(((steps - 60) / 18) ** 2))),
        # Half of the people have one of three values.
        "outliers": np.where(steps < 3, 15.0, 0.5),
    }[kind]
    return weights / weights.sum()


@functools.cache
def draws(kind: str, k: int) -> np.ndarray:
    return np.random.default_rng(11).multinomial(k, probabilities(kind), size=DRAWS)


def distribution(kind: str) -> Distribution:
    return Distribution.of(probabilities(kind))


def of_chance(hits: int) -> float:
    share = hits / DRAWS
    return 4.5 * math.sqrt(max(share * (1 - share), 1 / DRAWS) / DRAWS)


KINDS = ["even", "mild", "ages", "outliers"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [8, 60, 250])
def test_exact_figures_are_those_of_the_draws(kind: str, k: int) -> None:
    counts = draws(kind, k)
    alone = (counts == 1).sum(axis=1)
    spread = variance_singletons(distribution(kind), k)
    assert alone.mean() == pytest.approx(mean_singletons(distribution(kind), k), abs=4.5 * math.sqrt(spread / DRAWS))
    fourth = np.mean((alone - alone.mean()) ** 4)
    assert alone.var() == pytest.approx(spread, abs=4.5 * math.sqrt((fourth - spread**2) / DRAWS) + 1e-3)
    for size in (1, 2, 3, 5):
        sets = (counts == size).sum(axis=1)
        tolerance = 4.5 * math.sqrt(max(sets.var(), 1 / DRAWS) / DRAWS)
        assert sets.mean() == pytest.approx(mean_sets(distribution(kind), k, size), abs=tolerance)
    all_unique = int((alone == k).sum())
    assert all_unique / DRAWS == pytest.approx(
        math.exp(log_uniqueness(distribution(kind), k)), abs=of_chance(all_unique)
    )
    nobody = int((alone == 0).sum())
    assert nobody / DRAWS == pytest.approx(math.exp(log_no_singleton(distribution(kind), k)), abs=of_chance(nobody))
    found = singleton_distribution(distribution(kind), k)
    assert found is not None
    for people, chance in zip(found.people.tolist(), found.chances.tolist(), strict=True):
        seen = int((alone == people).sum())
        assert seen / DRAWS == pytest.approx(chance, abs=of_chance(seen) + 1e-4)


def test_many_people_leave_nobody_unique_as_drawn() -> None:
    counts = draws("outliers", 1500)
    nobody = int(((counts == 1).sum(axis=1) == 0).sum())
    exact = math.exp(log_no_singleton(distribution("outliers"), 1500))
    assert exact == pytest.approx(0.821, abs=0.001)
    assert nobody / DRAWS == pytest.approx(exact, abs=of_chance(nobody))


@pytest.mark.parametrize(
    ("kind", "collisions", "uniform", "kappa"),
    [("even", 0.033, 1e-9, 0.033), ("mild", 0.037, 0.006, 0.038), ("ages", 0.035, 0.055, 0.086), ("outliers", 1, 5, 5)],
)
def test_uniqueness_approximations_fail_with_outliers(
    kind: str, collisions: float, uniform: float, kappa: float
) -> None:
    k, source = 12, distribution(kind)
    exact = math.exp(log_uniqueness(source, k))
    values = (
        uniqueness_from_collisions(source, k),
        uniqueness_from_uniform_and_kappa(N_VALUES, source.kappa_nats, k),
        uniqueness_from_kappa(N_VALUES, source.kappa_nats, k),
    )
    relative = [relative_error(value, exact) for value in values]
    assert all(error <= most for error, most in zip(relative, (collisions, uniform, kappa), strict=True))
    if kind == "outliers":
        # Three values that half of the people have: none of the formulas gives even the size of the chance.
        assert relative[0] > 0.8
        assert min(relative[1:]) > 4


def relative_error(value: float, exact: float) -> float:
    return abs(value / exact - 1)


def test_the_mean_from_kappa_is_good_for_mild_distributions_only() -> None:
    errors = {}
    for kind in KINDS:
        source = distribution(kind)
        for k in (40, 95, 190, 300):
            value = mean_sets_from_kappa(N_VALUES, source.kappa_nats, k, 1)
            errors[kind, k] = relative_error(value, mean_singletons(source, k))
    assert all(errors["even", k] < 0.01 for k in (40, 95, 190, 300))
    assert all(errors["mild", k] < 0.02 for k in (40, 95, 190, 300))
    # Rare values (old people) spoil it for large groups, strong outliers for all.
    assert errors["ages", 190] > 0.2
    assert errors["outliers", 40] > 0.4
    assert mean_sets_from_kappa(N_VALUES, distribution("outliers").kappa_nats, 95, 1) < 0


def test_shares_of_people_by_set_size_from_kappa() -> None:
    source = distribution("mild")
    for k in (20, 60):
        for size in (1, 2, 3):
            exact = mean_sets(source, k, size) * size / k
            value = mean_sets_from_kappa(N_VALUES, source.kappa_nats, k, size) * size / k
            assert value == pytest.approx(exact, abs=0.01)
    outliers = distribution("outliers")
    wrong = mean_sets_from_kappa(N_VALUES, outliers.kappa_nats, 60, 3) * 3 / 60
    assert abs(wrong - mean_sets(outliers, 60, 3) * 3 / 60) > 0.05


@pytest.mark.parametrize("kind", ["even", "mild", "ages"])
def test_the_limit_of_the_variance_and_where_kappa_alone_fails(kind: str) -> None:
    source = distribution(kind)
    for k in (60, 95, 190):
        exact = variance_singletons(source, k)
        assert relative_error(variance_from_alphas(source, k), exact) < 0.03
        rough = relative_error(variance_from_kappa(N_VALUES, source.kappa_nats, k), exact)
        assert rough < (0.25 if kind == "ages" else 0.02)
    if kind == "ages":
        assert rough > 0.2


def test_the_limit_of_the_variance_fails_where_a_value_is_likely() -> None:
    source = Distribution.of([0.4, *[0.6 / 40] * 40])
    assert relative_error(variance_from_alphas(source, 5), variance_singletons(source, 5)) > 0.05


def test_s2_variances_fail_everywhere() -> None:
    """S2 prop. 5.10 and 5.3.2 beside the exact variance: the errata show the same for large N."""
    source, k = distribution("mild"), 30
    a, alpha = k / N_VALUES, probabilities("mild") * N_VALUES
    fade = np.exp(-a * alpha)
    printed = N_VALUES * (a * np.mean(alpha * fade) - a**3 * np.mean(alpha**2 * fade) ** 2)
    assert relative_error(printed, variance_singletons(source, k)) > 0.5
    kappa = source.kappa_nats
    only_kappa = k * math.exp(-a) * (1 - a * (a - 2) * kappa) - k * a * a * math.exp(-2 * a) * (1 + (4 - 6 * a) * kappa)
    assert relative_error(only_kappa, variance_singletons(source, k)) > 0.5
    assert relative_error(variance_from_alphas(source, k), variance_singletons(source, k)) < 0.02


def test_the_poisson_product_is_good_where_every_value_is_drawn() -> None:
    for kind, k in (("even", 600), ("mild", 900)):
        source = distribution(kind)
        exact = math.exp(log_no_singleton(source, k))
        assert 0.2 < exact < 0.99
        assert math.exp(log_no_singleton_poisson(source, k)) == pytest.approx(exact, abs=0.02)
        assert math.exp(log_no_singleton_from_kappa(N_VALUES, source.kappa_nats, k)) == pytest.approx(exact, abs=0.25)
    few = distribution("even")
    assert math.exp(log_no_singleton_poisson(few, 40)) > 5 * math.exp(log_no_singleton(few, 40))


DENSITIES = [Normal(5.289, 63.3), Uniform(40.0, 3.0), Exponential(0.1), Lognormal(2.0, 0.6)]


@pytest.mark.parametrize("density", DENSITIES, ids=lambda density: type(density).__name__)
@pytest.mark.parametrize("width", [0.5, 3.0, 11.0])
def test_widths_as_drawn(density: Normal, width: float) -> None:
    k = 12
    found = grids(density, width, k)
    assert found is not None
    ((_, grid),) = found
    values = density.sample(np.random.default_rng(12), (DRAWS, k))
    cells = np.sort(np.floor(values / width), axis=1)
    differs = np.diff(cells, axis=1) != 0
    edge = np.ones((DRAWS, 1), dtype=bool)
    alone = (np.hstack([edge, differs]) & np.hstack([differs, edge])).sum(axis=1)
    spread = variance_singletons(grid, k)
    assert alone.mean() == pytest.approx(mean_singletons(grid, k), abs=4.5 * math.sqrt(spread / DRAWS))
    assert alone.var() == pytest.approx(spread, rel=0.06)


@pytest.mark.parametrize("density", DENSITIES, ids=lambda density: type(density).__name__)
def test_small_width_formulas_converge_and_fail_for_wide_intervals(density: Normal) -> None:
    k = 10
    for width, good in ((0.02, True), (12.0, False)):
        found = grids(density, width, k)
        assert found is not None
        ((_, grid),) = found
        mean, variance = mean_singletons(grid, k), variance_singletons(grid, k)
        second = second_order_mean(density, width, k)
        if good:
            assert mean_for_small_widths(density, width, k) == pytest.approx(mean, rel=1e-2)
            assert k - second == pytest.approx(k - mean, rel=5e-3)
            assert variance_for_small_widths(density, width, k) == pytest.approx(variance, rel=0.1)
        else:
            assert abs(second - mean) > 1
            assert mean_for_small_widths(density, width, k) < mean - 1


def test_s2_width_formulas_are_wrong() -> None:
    """S2 6.3.1 has a term that is not there; its remark 6.2 has 2k^2 - 3k. Both show at small widths."""
    density, width, k = Exponential(0.1), 0.002, 10
    found = grids(density, width, k)
    assert found is not None
    ((_, grid),) = found
    lost = 1 - mean_singletons(grid, k) / k
    printed = k * width * 0.1 / 2 - (k * width * 0.1) ** 2 / 6
    assert relative_error(printed, lost) > 0.1
    spread = variance_singletons(grid, k)
    assert relative_error(width * (2 * k * k - 3 * k) * density.power_integral(2), spread) > 0.05
    assert relative_error(variance_for_small_widths(density, width, k), spread) < 0.003


def test_a_density_without_its_place_is_averaged_over_the_grid() -> None:
    random = np.random.default_rng(13)
    for density in (Normal(2.0), Uniform(7.0)):
        found = grids(density, 5.0, 10)
        assert found is not None
        rows = [(weight, mean_singletons(grid, 10)) for weight, grid in found]
        means = [mean for _, mean in rows]
        assert math.fsum(weight for weight, _ in rows) == pytest.approx(1, abs=1e-12)
        average = math.fsum(weight * mean for weight, mean in rows)
        cells = sample_cells(density, 5.0, random, (DRAWS, 10))
        alone = simulation._unique(cells)
        assert alone.mean() == pytest.approx(average, abs=4.5 * alone.std() / math.sqrt(DRAWS))
        assert max(means) - min(means) > 0.1


@pytest.mark.big
@pytest.mark.parametrize("rho", [0.0, 0.5028, -0.9, 0.99])
@pytest.mark.parametrize("widths", [(1.0, 1.0), (5.0, 2.0), (20.0, 20.0)])
def test_correlated_attributes_as_drawn(rho: float, widths: tuple[float, float]) -> None:
    pair, k = BivariateNormal((5.289, 4.83), rho), 20
    found = correlated_grids(pair, widths, k)
    assert found is not None
    weighted = list(found)
    for _, grid in weighted:
        assert float(grid.multiplicities @ grid.probabilities) == pytest.approx(1, abs=1e-9)
    exact = math.fsum(weight * mean_singletons(grid, k) for weight, grid in weighted)
    alone = simulation.simulated_singletons(lambda r, shape: pair.sample(r, shape, widths), k, DRAWS, seed=14)
    assert alone.mean() == pytest.approx(exact, abs=4.5 * max(alone.std(), 0.05) / math.sqrt(DRAWS))
    rough = mean_for_small_cells(pair, widths, k)
    if widths == (1.0, 1.0) and abs(rho) < 0.9:
        assert rough == pytest.approx(exact, abs=0.1)
    if widths == (20.0, 20.0):
        assert rough < 0


def test_cells_of_uncorrelated_attributes_are_products() -> None:
    pair = BivariateNormal((2.0, 3.0), 0.0, (0.4, -1.0))
    found = correlated_grids(pair, (1.0, 2.0), 10)
    assert found is not None
    ((_, grid),) = found
    one, other = (
        next(iter(grids(Normal(sd, mean), width, 10) or []))[1]
        for sd, mean, width in ((2.0, 0.4, 1.0), (3.0, -1.0, 2.0))
    )
    assert grid.collision == pytest.approx(one.collision * other.collision, rel=1e-9)
    assert grid.entropy_bits == pytest.approx(one.entropy_bits + other.entropy_bits, rel=1e-9)


def test_our_own_draws_are_seeded_and_right() -> None:
    source = distribution("outliers")
    first = simulation.simulated_singletons(source, 60, 5_000, seed=1)
    assert np.array_equal(first, simulation.simulated_singletons(source, 60, 5_000, seed=1))
    assert not np.array_equal(first, simulation.simulated_singletons(source, 60, 5_000, seed=2))
    estimate = simulation.mean_estimate(first, 60)
    assert estimate.low < estimate.value < estimate.high
    assert abs(estimate.value - mean_singletons(source, 60)) < 2 * (estimate.high - estimate.low)
    spread = simulation.variance_estimate(first)
    assert abs(spread.value - variance_singletons(source, 60)) < 2 * (spread.high - spread.low)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    source = distribution("mild")
    truth = mean_singletons(source, 20)
    held = 0
    for seed in range(200):
        estimate = simulation.mean_estimate(simulation.simulated_singletons(source, 20, 200, seed=seed), 20)
        held += estimate.low <= truth <= estimate.high
    assert 180 <= held <= 199


def test_averages_over_the_grid_have_converged() -> None:
    """A thousand places of the grid give the same as the few that are used."""
    for density, width in ((Normal(1.0), 0.3), (Normal(1.0), 4.0), (Normal(1.0), 15.0), (Uniform(7.3), 2.0)):
        found = grids(density, width, 20)
        assert found is not None
        used = math.fsum(weight * mean_singletons(grid, 20) for weight, grid in found)
        many = [
            mean_singletons(Distribution.of(cell_chances(density, width, 1e-15, (place + 0.5) / 1000)), 20)
            for place in range(1000)
        ]
        assert used == pytest.approx(np.mean(many), rel=1e-5 if isinstance(density, Uniform) else 1e-9)
