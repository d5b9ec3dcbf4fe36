"""The predictions of `idbits predict` on real data: the figures of chapters 4 to 6 of Koot's thesis, and exact values.

    python experiments/predict.py FOLDER [NAME ..]

FOLDER contains norway-municipality-ages.csv.gz, nl-postcode-age-sex.csv.gz, heights-weights.csv and us-births.csv.
docs/explanation/experiments.md gives their sources, and shows and explains the printed results.
"""

from __future__ import annotations

import csv
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import duckdb
import numpy as np

from idbits import predict
from idbits.measures.birthday import (
    log_uniform_uniqueness,
    log_uniqueness,
    uniqueness_from_collisions,
    uniqueness_from_uniform_and_kappa,
)
from idbits.measures.correlated import BivariateNormal, correlated_grids, mean_for_small_cells
from idbits.measures.densities import Normal, Uniform
from idbits.measures.distribution import Distribution
from idbits.measures.simulation import mean_estimate, simulated_singletons
from idbits.measures.singleton_distribution import log_no_singleton
from idbits.measures.singletons import (
    mean_sets,
    mean_sets_from_kappa,
    mean_singletons,
    variance_from_kappa,
    variance_singletons,
)
from idbits.measures.widths import grids, mean_for_small_widths, second_order_mean

YEAR = 2019  # the last year that is not imputed
DRAWS = 10_000


@cache
def municipalities(folder: Path) -> dict[str, np.ndarray]:
    """Return the number of people of each age, 0 to 105, in each municipality."""
    path = folder / "norway-municipality-ages.csv.gz"
    query = (
        f"SELECT location_code, CAST(age AS INTEGER), CAST(pop AS BIGINT) FROM read_csv('{path}') "
        f"WHERE level = 'municipality' AND year = {YEAR} ORDER BY location_code"
    )
    found: dict[str, np.ndarray] = {}
    with duckdb.connect() as connection:
        for name, age, people in connection.execute(query).fetchall():
            found.setdefault(name, np.zeros(106, np.int64))[age] = people
    return {name: people for name, people in found.items() if people.sum()}


def ages(folder: Path, last: int, width: int = 1) -> list[Distribution]:
    """Return the distribution of age, 0 to ``last``, in each municipality; ages that nobody has count as possible."""
    return [one(people, last, width) for people in municipalities(folder).values()]


def one(people: np.ndarray, last: int, width: int = 1) -> Distribution:
    counts = np.add.reduceat(people[: last + 1], np.arange(0, last + 1, width))
    return Distribution.of(counts / counts.sum())


def fit(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """Return slope, intercept and R^2 of the straight line through the points."""
    slope, intercept = np.polyfit(x, y, 1)
    return float(slope), float(intercept), float(np.corrcoef(x, y)[0, 1] ** 2)


def k_for(chance: float, n_values: int) -> int:
    """Return the group size whose chance of uniqueness, if all values are equally likely, is nearest (in logarithms)."""
    return min(range(2, n_values), key=lambda k: abs(log_uniform_uniqueness(n_values, k) - math.log(chance)))


def uniqueness_rows(distributions: Sequence[Distribution], n_values: int, sizes: Iterable[int]) -> list[str]:
    kappas = [d.kappa_nats for d in distributions]
    lines = ["  k | equally likely | slope fitted | -k^2/N | R^2   | exact, median | from kappa / exact, 5% to 95%"]
    for k in sizes:
        exact = [log_uniqueness(d, k) for d in distributions]
        slope, _, r2 = fit(kappas, exact)
        rough = [uniqueness_from_uniform_and_kappa(n_values, d.kappa_nats, k) for d in distributions]
        ratio = np.quantile([r / math.exp(e) for r, e in zip(rough, exact, strict=True)], [0.05, 0.95])
        lines.append(
            f" {k:2} | {math.exp(log_uniform_uniqueness(n_values, k)):14.3g} | {slope:12.2f} | {-k * k / n_values:6.2f} "
            f"| {r2:.3f} | {math.exp(float(np.median(exact))):13.3g} | {ratio[0]:.2f} to {ratio[1]:.2f}"
        )
    return lines


def figure_4_1(folder: Path) -> list[str]:
    """Kappa against the logarithm of the chance that all are unique, age alone."""
    found = ages(folder, 94)
    head = f"{len(found)} municipalities, ages 0 to 94, kappa {span([d.kappa_nats for d in found])}"
    return [head, *uniqueness_rows(found, 95, [29, k_for(1e-3, 95), k_for(1e-4, 95)])]


HITS = 400  # S2 samples each municipality until all people are unique in this many groups


def figure_4_1_noise(folder: Path) -> list[str]:
    """Does the noise of S2's sampling explain its R^2? The same with chances estimated from 400 hits each."""
    found = ages(folder, 94)
    kappas = np.array([d.kappa_nats for d in found])
    random = np.random.default_rng(0)
    lines = [
        "  k | R^2 exact | R^2 with noise, 5% to 95% of 1,000 runs | S2   | hits for S2's R^2 | kappa narrower for it"
    ]
    for k, printed in ((29, 0.72), (k_for(1e-3, 95), 0.79), (k_for(1e-4, 95), 0.82)):
        exact = np.array([log_uniqueness(d, k) for d in found])
        chances = np.exp(exact)
        noisy = [np.log(HITS / (HITS + random.negative_binomial(HITS, chances))) for _ in range(1_000)]
        r2 = np.array([fit(kappas, y)[2] for y in noisy])
        slope, intercept, clean = fit(kappas, exact)
        # R^2 is explained / (explained + left over + noise); the noise of a logarithm is 1 / hits.
        explained = float(np.var(slope * kappas))
        left_over = float(np.var(exact - slope * kappas - intercept))
        hits = 1 / (explained * (1 / printed - 1) - left_over)
        narrower = math.sqrt(explained / ((left_over + 1 / HITS) / (1 / printed - 1)))
        low, high = np.quantile(r2, [0.05, 0.95])
        lines.append(
            f" {k:2} | {clean:9.3f} | {np.median(r2):.3f}, {low:.3f} to {high:.3f}                 "
            f"| {printed} | {hits:17.0f} | {narrower:.1f} times"
        )
    return lines


def figure_4_2(folder: Path) -> list[str]:
    """The same for age and sex: 5-year bands of Dutch postcode areas."""
    path = folder / "nl-postcode-age-sex.csv.gz"
    query = (
        "SELECT postcode, list(coalesce(inwoners_man, 0)), list(coalesce(inwoners_vrouw, 0)) "
        f"FROM read_csv('{path}') WHERE postcode >= 100 AND postcode < 1000 GROUP BY postcode "
        "HAVING sum(inwoners) >= 1000 ORDER BY postcode"
    )
    with duckdb.connect() as connection:
        rows = connection.execute(query).fetchall()
    found = [Distribution.of(np.array(men + women) / (sum(men) + sum(women))) for _, men, women in rows]
    head = (
        f"{len(found)} areas of 1,000 people or more, 20 bands and 2 sexes, kappa {span([d.kappa_nats for d in found])}"
    )
    return [head, *uniqueness_rows(found, 40, [k_for(0.01, 40)])]


def figure_4_4(folder: Path) -> list[str]:
    """Kappa when ages are grouped."""
    lines = [" years together | possible values | kappa, 5% | median | 95%"]
    for width in (1, 2, 5):
        found = ages(folder, 94, width)
        low, middle, high = np.quantile([d.kappa_nats for d in found], [0.05, 0.5, 0.95])
        lines.append(f" {width:14} | {found[0].n_values:15} | {low:9.4f} | {middle:.4f} | {high:.4f}")
    return lines


def figures_5_1_and_5_2(folder: Path) -> list[str]:
    """Mean and variance of the number of unique people against kappa."""
    lines = [
        " ages    |   k | mean, fitted            | R^2   | (5.4) - exact | variance, fitted        | R^2   | kappa only - exact"
    ]
    for last in (94, 79):
        found = ages(folder, last)
        kappas = [d.kappa_nats for d in found]
        n_values = last + 1
        for k in (60, 90, 120):
            means = [mean_singletons(d, k) for d in found]
            variances = [variance_singletons(d, k) for d in found]
            mean_fit, variance_fit = fit(kappas, means), fit(kappas, variances)
            off = np.mean([mean_sets_from_kappa(n_values, x, k, 1) - m for x, m in zip(kappas, means, strict=True)])
            spread_off = np.mean(
                [variance_from_kappa(n_values, x, k) - v for x, v in zip(kappas, variances, strict=True)]
            )
            lines.append(
                f" 0 to {last} | {k:3} | {line(mean_fit):23} | {mean_fit[2]:.3f} | {off:+13.2f} "
                f"| {line(variance_fit):23} | {variance_fit[2]:.3f} | {spread_off:+.2f}"
            )
    return lines


def line(found: tuple[float, float, float]) -> str:
    return f"{found[1]:.2f} {'+' if found[0] >= 0 else '-'} {abs(found[0]):.2f} kappa"


def figure_6_1(folder: Path) -> list[str]:
    """Shares of people in groups of 1, 2 and 3, in the largest municipality and in one of about 46,000 people."""
    everyone = municipalities(folder)
    large = max(everyone, key=lambda name: everyone[name].sum())
    small = min(everyone, key=lambda name: abs(int(everyone[name].sum()) - 46_000))
    lines = [" municipality          |  k | phi_1 exact | (6.2) | equal | phi_2 exact | (6.2) | phi_3 exact | (6.2)"]
    for name in (large, small):
        d = one(everyone[name], 79)
        for k in (20, 40, 60, 80):
            exact = [mean_sets(d, k, j) * j / k for j in (1, 2, 3)]
            rough = [mean_sets_from_kappa(80, d.kappa_nats, k, j) * j / k for j in (1, 2, 3)]
            equal = mean_sets(Distribution.uniform(80), k, 1) / k
            lines.append(
                f" {int(everyone[name].sum()):7,}, kappa {d.kappa_nats:.4f} | {k:2} | {exact[0]:11.4f} | {rough[0]:.3f} | {equal:.3f} "
                f"| {exact[1]:11.4f} | {rough[1]:.3f} | {exact[2]:11.4f} | {rough[2]:.3f}"
            )
    return lines


def figure_6_2(folder: Path) -> list[str]:
    """The share of unique people against kappa, over all municipalities."""
    found = ages(folder, 79)
    lines = [f"{len(found)} municipalities, ages 0 to 79, kappa {span([d.kappa_nats for d in found])}"]
    lines.append("  k | phi_1 exact, least to most | R^2   | (6.2) - exact, least to most")
    for k in (20, 40, 60, 80):
        exact = [mean_sets(d, k, 1) / k for d in found]
        rough = [mean_sets_from_kappa(80, d.kappa_nats, k, 1) / k for d in found]
        off = [r - e for r, e in zip(rough, exact, strict=True)]
        r2 = fit([d.kappa_nats for d in found], exact)[2]
        lines.append(
            f" {k:2} | {min(exact):.3f} to {max(exact):.3f}             | {r2:.3f} | {min(off):+.3f} to {max(off):+.3f}"
        )
    return lines


@cache
def heights_and_weights(folder: Path) -> np.ndarray:
    """Return heights in cm and weights in kg."""
    with (folder / "heights-weights.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row[1:3] for row in csv.reader(file) if len(row) > 2 and row[1]]
    return np.array([[float(cell) for cell in row] for row in rows if row[0][0].isdigit()]) * [2.54, 0.45359237]


def figure_6_3(folder: Path) -> list[str]:
    """Unique people by interval width: drawn from the people, exact for a normal density, and its two expansions."""
    people = heights_and_weights(folder)
    sd, rho = people.std(axis=0, ddof=1), np.corrcoef(people.T)[0, 1]
    lines = [f"{len(people):,} people, sd {sd[0]:.3f} cm and {sd[1]:.3f} kg, correlation {rho:.4f}"]
    lines.append(" what   | width |  k | drawn (95% interval)  | normal, exact | first order | second order")
    for place, name in enumerate(("height", "weight")):
        density = Normal(float(sd[place]), float(people[:, place].mean()))
        for width in (0.5, 1.0, 2.0, 5.0):
            cells = np.floor(people[:, place] / width).astype(np.int64)
            for k in (5, 10, 20, 40):
                drawn = mean_estimate(draw(cells, k), k)
                exact = sum(weight * mean_singletons(grid, k) for weight, grid in grids(density, width, k) or ())
                first, second = mean_for_small_widths(density, width, k), second_order_mean(density, width, k)
                lines.append(
                    f" {name} | {width:5} | {k:2} | {drawn.value:6.2f} ({drawn.low:5.2f} to {drawn.high:5.2f}) "
                    f"| {exact:13.2f} | {first:11.2f} | {second:12.2f}"
                )
    return lines


def draw(cells: np.ndarray, k: int) -> np.ndarray:
    """Return the number of unique people in each of the draws of k people."""
    return simulated_singletons(lambda random, shape: cells[random.integers(0, len(cells), shape)], k, DRAWS, seed=0)


def figures_6_4_and_6_5(folder: Path) -> list[str]:
    """Unique people by both widths, height in cm and weight in kg; the rows with a width of 1 are figure 6.5."""
    people = heights_and_weights(folder)
    sd, rho = people.std(axis=0, ddof=1), float(np.corrcoef(people.T)[0, 1])
    middle = people.mean(axis=0)
    pair = BivariateNormal((float(sd[0]), float(sd[1])), rho, (float(middle[0]), float(middle[1])))
    lines = ["each cell: drawn, exact for a bivariate normal density, first order"]
    lines.append(" height x weight | k = 5              | k = 10             | k = 20              | k = 40")
    steps, outside = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0), 0
    for widths in itertools.product(steps, steps):
        cells = [np.floor(people[:, axis] / widths[axis]).astype(np.int64) for axis in (0, 1)]
        parts = []
        for k in (5, 10, 20, 40):
            drawn = mean_estimate(draw(cells[0] * 100_000 + cells[1], k), k)
            exact = sum(weight * mean_singletons(grid, k) for weight, grid in correlated_grids(pair, widths, k) or ())
            outside += not drawn.low <= exact <= drawn.high
            parts.append(f"{drawn.value:5.2f} {exact:5.2f} {mean_for_small_cells(pair, widths, k):7.2f}")
        lines.append(f" {widths[0]:6} x {widths[1]:6} | {' | '.join(parts)}")
    return [*lines, f"the exact value is outside the 95% interval of the draws in {outside} of 144 cells"]


def birthdays(folder: Path) -> list[str]:
    """Birthdays of 15 years, by day of the year."""
    query = f"SELECT sum(births) FROM read_csv('{folder / 'us-births.csv'}') GROUP BY month, date_of_month ORDER BY month, date_of_month"
    with duckdb.connect() as connection:
        births = np.array([count for (count,) in connection.execute(query).fetchall()], dtype=float)
    d, even = Distribution.of(births / births.sum()), Distribution.uniform(len(births))
    lines = [f"{int(births.sum()):,} births on {len(births)} days, kappa {d.kappa_nats:.5f} nats"]
    lines.append("   k | all unique | equal days | collisions | unique, mean | equal days | from kappa | nobody unique")
    for k in (23, 57, 366, 3000):
        lines.append(
            f"{k:4} | {math.exp(log_uniqueness(d, k)):10.4g} | {math.exp(log_uniqueness(even, k)):10.4g} "
            f"| {uniqueness_from_collisions(d, k):10.4g} | {mean_singletons(d, k):12.3f} | {mean_singletons(even, k):10.3f} "
            f"| {mean_sets_from_kappa(len(births), d.kappa_nats, k, 1):10.3f} | {math.exp(log_no_singleton(d, k)):.4g}"
        )
    lines += ["", " days together |  k | unique, mean | first order | second order (uniform density, S2 6.3)"]
    density = Uniform(float(len(births)), 0.0)
    for width in (1, 2, 5, 10):
        grouped = np.add.reduceat(births, np.arange(0, len(births), width))
        view = Distribution.of(grouped / grouped.sum())
        for k in (5, 10, 20, 40):
            first, second = mean_for_small_widths(density, width, k), second_order_mean(density, width, k)
            lines.append(f" {width:13} | {k:2} | {mean_singletons(view, k):12.3f} | {first:11.3f} | {second:12.3f}")
    return lines


def spread_to(weights: np.ndarray, kappa: float) -> Distribution | None:
    """Return the distribution proportional to the power of the weights that has this kappa; None if there is none."""
    low, high = 0.0, 200.0
    logs = np.log(weights / weights.max())
    for _ in range(80):
        middle = (low + high) / 2
        p = np.exp(middle * logs)
        found = Distribution.of(p / p.sum())
        low, high = (middle, high) if found.kappa_nats < kappa else (low, middle)
    return found if abs(found.kappa_nats - kappa) < 1e-6 else None


def shapes(random: np.random.Generator, n_values: int) -> Iterator[np.ndarray]:
    """Yield weights of many shapes: random, falling like ages or ranks, outliers above and below, steps."""
    ranks = np.arange(1.0, n_values + 1)
    yield from (random.lognormal(size=n_values), random.exponential(size=n_values), random.random(n_values) + 0.01)
    yield from (1 / ranks, np.exp(-ranks / n_values), np.exp(-((ranks / n_values) ** 4)), ranks)
    for outliers in (1, 2, max(1, n_values // 10)):
        yield np.where(ranks <= outliers, 9.0, 1.0) * random.uniform(0.8, 1.25, n_values)
        yield np.where(ranks <= outliers, 0.1, 1.0) * random.uniform(0.8, 1.25, n_values)


def trust(_: Path) -> list[str]:
    """Predictions from kappa alone compared with the exact values of many distributions with that kappa."""
    random = np.random.default_rng(0)
    worst: dict[str, list[float]] = {}
    for n_values, kappa in itertools.product((2, 3, 10, 30, 95, 365), (0.002, 0.01, 0.03, 0.1)):
        drawn = [d for d in (spread_to(w, kappa) for w in shapes(random, n_values)) if d is not None]
        for k in sorted({max(2, round(a * n_values)) for a in (0.05, 0.2, 0.5, 1, 2, 4)}):
            counts = predict.singletons(k, values=n_values, kappa=kappa, sizes=3)
            figures = {
                "unique people, mean": (counts.mean, lambda d, k=k: mean_singletons(d, k)),
                "unique people, variance": (counts.variance, lambda d, k=k: variance_singletons(d, k)),
                **{
                    f"groups of {size.j}": (size.sets, lambda d, k=k, j=size.j: mean_sets(d, k, j))
                    for size in counts.sizes[1:]
                },
                "all unique": (
                    predict.uniqueness(k, values=n_values, kappa=kappa).probability,
                    lambda d, k=k: math.exp(log_uniqueness(d, k)),
                ),
            }
            for name, (quantity, exact) in figures.items():
                row = worst.setdefault(name, [0, 0, 0.0, 0.0])
                near = quantity.approximations[0]
                errors = [abs(near.value - exact(d)) / (1 if name == "all unique" else exact(d)) for d in drawn]
                row[0] += 1
                row[1] += near.trusted
                row[2] = max([row[2], *errors]) if near.trusted else row[2]
                row[3] = max([row[3], *errors])
    lines = [" figure                  | cases | trusted | worst error, trusted | worst error, all"]
    for name, (cases, trusted, good, every) in worst.items():
        lines.append(f" {name:23} | {cases:5} | {trusted:7} | {good:20.1%} | {every:.0%}")
    return lines


def span(numbers: Sequence[float]) -> str:
    return f"{min(numbers):.4f} to {max(numbers):.4f}"


EXPERIMENTS: dict[str, Callable[[Path], list[str]]] = {
    "4.1": figure_4_1,
    "4.1-noise": figure_4_1_noise,
    "4.2": figure_4_2,
    "4.4": figure_4_4,
    "5.1": figures_5_1_and_5_2,
    "6.1": figure_6_1,
    "6.2": figure_6_2,
    "6.3": figure_6_3,
    "6.4": figures_6_4_and_6_5,
    "birthdays": birthdays,
    "trust": trust,
}


def main() -> None:
    folder, *names = sys.argv[1:] or [""]
    if not Path(folder).is_dir() or not set(names) <= set(EXPERIMENTS):
        raise SystemExit(f"{__doc__}\nNAMES are {', '.join(EXPERIMENTS)}.")
    for name in names or EXPERIMENTS:
        print(f"== {name}: {EXPERIMENTS[name].__doc__}")
        print("\n".join(text.rstrip() for text in EXPERIMENTS[name](Path(folder))), end="\n\n")


if __name__ == "__main__":
    main()
