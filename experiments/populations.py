"""Whole populations to draw samples from, real and made up, as tables of whole numbers: one row per person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from predict import heights_and_weights

__all__ = ["EVERY", "Population", "people_of"]

Codes = NDArray[np.int64]

DRAWN = 50_000
LARGE = 3_000_000


@dataclass(frozen=True)
class Population:
    """A population.

    Attributes:
        people: returns its rows; real populations need the folder with the files.
        fractions: the shares of it that are drawn as samples.
    """

    name: str
    kind: str
    people: Callable[[Path], Codes]
    fractions: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.5)


@cache
def people_of(name: str, folder: Path) -> Codes:
    return next(each for each in EVERY if each.name == name).people(folder)


def coded(columns: Sequence[Sequence[object]]) -> Codes:
    """Replace the values of each column by numbers."""
    return np.stack([np.unique(np.array(column, str), return_inverse=True)[1] for column in columns], axis=1)


def query(text: str) -> Codes:
    with duckdb.connect() as connection:
        return coded(list(zip(*connection.execute(text).fetchall(), strict=True)))


def counted(text: str, draw: int | None, seed: int) -> Codes:
    """Return the people that a query counts in its last column; ``draw`` of them, if it is given."""
    with duckdb.connect() as connection:
        *columns, numbers = zip(*connection.execute(text).fetchall(), strict=True)
    cells, people = coded(columns), np.array(numbers, np.int64)
    if draw is None:
        return np.repeat(cells, people, axis=0)
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(people, draw, method="marginals")
    return np.repeat(cells, drawn, axis=0)


# Real tables.


def adult(*columns: str) -> Callable[[Path], Codes]:
    names = ", ".join(f'"{column}"' for column in columns) or "*"
    return lambda folder: query(f"SELECT {names} FROM read_csv('{folder / 'adult.csv'}', all_varchar = true)")


def households(folder: Path) -> Codes:
    return query(f"SELECT * EXCLUDE (household_id) FROM '{folder / 'shopping-demographics.parquet'}'")


def shoppers(folder: Path) -> Codes:
    return query(
        "SELECT mode(store_id), min(week), count(DISTINCT basket_id) // 10, CAST(sum(sales_value) AS BIGINT) // 500 "
        f"FROM '{folder / 'shopping-visits.parquet'}' GROUP BY household_id ORDER BY household_id"
    )


def baskets(folder: Path) -> Codes:
    every = query(
        "SELECT any_value(store_id), CAST(any_value(transaction_timestamp) AS DATE), "
        "hour(any_value(transaction_timestamp)) "
        f"FROM '{folder / 'shopping-visits.parquet'}' GROUP BY basket_id ORDER BY basket_id"
    )
    return every[np.random.default_rng(11).choice(len(every), DRAWN, replace=False)]


def customers(folder: Path) -> Codes:
    path = folder / "leak" / "customer-purchase.csv"
    return query(f"SELECT Age, Gender, NumberOfPurchases, ProductCategory, LoyaltyProgram FROM '{path}'")


def employees(folder: Path) -> Codes:
    path = folder / "leak" / "employee-attrition.csv"
    return query(f"SELECT Age, Gender, Department, Job_Title, Years_at_Company FROM '{path}'")


def postcodes(digits: int, draw: int) -> Callable[[Path], Codes]:
    def people(folder: Path) -> Codes:
        source = f"read_csv('{folder / 'nl-postcode-age-sex.csv.gz'}') WHERE length(postcode::INT::VARCHAR) = {digits}"
        parts = [
            f"SELECT postcode, leeftijd, '{sex}', CAST(coalesce(inwoners_{sex}, 0) AS BIGINT) FROM {source}"
            for sex in ("man", "vrouw")
        ]
        return counted(f"SELECT * FROM ({' UNION ALL '.join(parts)}) ORDER BY ALL", draw, 12)

    return people


def norway(least: int, most: int, draw: int | None = None) -> Callable[[Path], Codes]:
    """Municipality and age in municipalities of some sizes: all of their people, or a draw."""

    def people(folder: Path) -> Codes:
        ages = (
            "SELECT location_code, CAST(age AS INTEGER) AS age, CAST(pop AS BIGINT) AS pop, "
            "sum(pop) OVER (PARTITION BY location_code) AS size "
            f"FROM read_csv('{folder / 'norway-municipality-ages.csv.gz'}') "
            "WHERE level = 'municipality' AND year = 2019"
        )
        chosen = f"SELECT location_code, age, pop FROM ({ages}) WHERE pop > 0 AND size BETWEEN {least} AND {most}"
        return counted(f"{chosen} ORDER BY ALL", draw, 13)

    return people


def ages(folder: Path) -> Codes:
    source = f"read_csv('{folder / 'nl-ages.csv'}') WHERE jaar >= 2000 AND geslacht IN ('F', 'M')"
    return counted(f"SELECT leeftijd, geslacht, jaar, aantal FROM {source} ORDER BY ALL", 12_000, 14)


def births(columns: str, draw: int) -> Callable[[Path], Codes]:
    return lambda folder: counted(
        f"SELECT {columns}, sum(births) FROM '{folder / 'us-births.csv'}' GROUP BY ALL ORDER BY ALL", draw, 15
    )


def heights(cell: float) -> Callable[[Path], Codes]:
    """Height in cells of this many centimetres, weight in cells of as many kilograms."""

    def people(folder: Path) -> Codes:
        return np.floor(heights_and_weights(folder) / cell).astype(np.int64)

    return people


# Made-up tables.


def independent(_: Path) -> Codes:
    rng = np.random.default_rng(21)
    return np.minimum(rng.geometric([0.1, 0.15, 0.2, 0.3, 0.5], (40_000, 5)), 40)


def many_columns(_: Path) -> Codes:
    """Twenty yes-or-no columns that depend on one hidden trait."""
    rng = np.random.default_rng(22)
    trait = rng.normal(size=(40_000, 1))
    ease = rng.normal(-1.5, 0.8, 20)
    return (trait + ease + rng.logistic(size=(40_000, 20)) > 0).astype(np.int64)


def network(_: Path) -> Codes:
    """Six columns; each depends on the one before."""
    rng = np.random.default_rng(23)
    columns = [rng.zipf(1.6, 40_000) % 60]
    for values in (40, 25, 15, 10, 6):
        moved = (columns[-1] * 7 + rng.poisson(1.5, 40_000)) % values
        columns.append(np.where(rng.random(40_000) < 0.75, moved, rng.integers(0, values, 40_000)))
    return np.stack(columns, axis=1)


def towns(_: Path) -> Codes:
    """A town of any size, an age, a sex, and a job that depends on town and sex."""
    rng = np.random.default_rng(24)
    sizes = 1 / np.arange(1, 401) ** 1.1
    town = rng.choice(400, DRAWN, p=sizes / sizes.sum())
    sex = rng.integers(0, 2, DRAWN)
    job = (town * 3 + sex * 11 + rng.geometric(0.25, DRAWN)) % 80
    return np.stack([town, rng.binomial(90, 0.45, DRAWN), sex, job], axis=1)


def timetable(_: Path) -> Codes:
    """Journeys: six of ten follow one of 1,500 schedules, the others are made once."""
    rng = np.random.default_rng(25)
    schedules = rng.integers(0, [40, 24, 7, 60, 30], (1_500, 5))
    popular = rng.zipf(1.5, 40_000) % 1_500
    own = rng.integers(0, [40, 24, 7, 60, 30], (40_000, 5))
    return np.where(rng.random((40_000, 1)) < 0.6, schedules[popular], own)


def zipf_column(_: Path) -> Codes:
    rng = np.random.default_rng(26)
    return (rng.zipf(1.5, 40_000) % 10_000_019).reshape(-1, 1)


def military(_: Path) -> Codes:
    """Unit, trade, rank, years of service: nearly all in large groups, 1 in 100 with odd values."""
    rng = np.random.default_rng(27)
    n = 40_000
    unit = rng.integers(0, 60, n)
    trade = unit % 20 + np.minimum(rng.geometric(0.6, n), 3)
    rank = np.minimum(rng.geometric(0.45, n), 7)
    years = rank // 2 + rng.integers(0, 3, n)
    columns = np.stack([unit, trade, rank, years], axis=1)
    odd = rng.integers(0, [60, 24, 8, 8], (n, 4))
    return np.where(rng.random((n, 1)) < 0.01, odd, columns)


# Made-up tables on which the method must fail: the values of a person say nothing about how many share them.


def addresses(sizes: NDArray[np.int64], seed: int) -> Codes:
    """Everyone of a group has its street, house number, income and tenure."""
    rng = np.random.default_rng(seed)
    homes = np.stack(
        [
            np.arange(len(sizes)) // 40, np.arange(len(sizes)) % 40, rng.integers(0, 12, len(sizes)),
            rng.integers(0, 3, len(sizes)),
        ],
        axis=1,
    )  # fmt: skip
    return np.repeat(homes, sizes, axis=0)


def shared_homes(_: Path) -> Codes:
    rng = np.random.default_rng(31)
    return addresses(rng.choice([1, 2, 3, 4, 5], 14_000, p=[0.25, 0.35, 0.17, 0.16, 0.07]), 31)


def families(_: Path) -> Codes:
    rng = np.random.default_rng(32)
    return addresses(rng.choice([2, 3, 4, 5], 12_000, p=[0.4, 0.25, 0.25, 0.1]), 32)


def homes_and_institutions(_: Path) -> Codes:
    """Two in five people live alone, the others in homes of 6 to 30."""
    rng = np.random.default_rng(33)
    sizes = np.concatenate((np.ones(12_000, np.int64), rng.integers(6, 31, 1_000)))
    rng.shuffle(sizes)
    return addresses(sizes, 33)


def couples(_: Path) -> Codes:
    return np.repeat(independent(_)[:20_000], 2, axis=0)


def panel(_: Path) -> Codes:
    """Five waves; one value of one person in ten changes from wave to wave."""
    rng = np.random.default_rng(34)
    waves = [np.minimum(rng.geometric([0.05, 0.1, 0.1, 0.2], (8_000, 4)), 60)]
    for _wave in range(4):
        column = rng.integers(0, 4, 8_000)
        moved = (rng.random(8_000) < 0.1) * rng.integers(-1, 2, 8_000)
        waves.append(waves[-1] + moved[:, None] * (np.arange(4) == column[:, None]))
    return np.concatenate(waves)


def one_row_per_cell(_: Path) -> Codes:
    return np.stack(np.unravel_index(np.arange(48_000), (40, 30, 10, 4)), axis=1).astype(np.int64)


def three_million(_: Path) -> Codes:
    """Six columns; a third of the people have common values, the others values of their own."""
    rng = np.random.default_rng(35)
    values = [400, 90, 60, 40, 25, 12]
    common = rng.integers(0, values, (3_000, 6))[rng.zipf(1.4, LARGE) % 3_000]
    return np.where(rng.random((LARGE, 1)) < 0.35, common, rng.integers(0, values, (LARGE, 6)))


# Populations that nobody chose, to see whether what the others show holds for them.


def random_columns(seed: int) -> Callable[[Path], Codes]:
    rng = np.random.default_rng([seed, 77])
    number = int(rng.integers(3, 7))
    columns = rng.choice(9, number, replace=False)
    return lambda folder: people_of("Adult, 9 columns", folder)[:, columns]


def random_network(seed: int) -> Callable[[Path], Codes]:
    """Two to seven columns of 3 to 120 values, even to very uneven, independent of or following an earlier one."""

    def people(_: Path) -> Codes:
        rng = np.random.default_rng([seed, 78])
        n, number = int(rng.integers(5_000, 50_000)), int(rng.integers(2, 8))
        columns: list[Codes] = []
        for _column in range(number):
            values = int(np.exp(rng.uniform(np.log(3), np.log(120))))
            weights = np.arange(1, values + 1) ** -rng.uniform(0, 1.5)
            made = rng.choice(values, n, p=weights / weights.sum())
            if columns:
                parent, share = columns[rng.integers(len(columns))], rng.uniform(0, 0.9)
                moved = (rng.permutation(10_000)[parent] + rng.poisson(rng.uniform(0.2, 3), n)) % values
                made = np.where(rng.random(n) < share, moved, made)
            columns.append(made)
        return np.stack(columns, axis=1)

    return people


POPULATIONS = (
    Population("Adult, 9 columns", "real", adult()),
    Population("Adult, 6 demographic columns", "real", adult(
        "sex", "age", "race", "marital-status", "education", "native-country",
    )),
    Population("Adult, age and work", "real", adult("age", "education", "workclass", "occupation")),
    Population("Adult, without age", "real", adult(
        "sex", "race", "marital-status", "education", "native-country", "workclass",
    )),
    Population("households of shoppers", "real", households),
    Population("shoppers, year in a shop", "real", shoppers),
    Population("baskets, shop and hour", "real", baskets),
    Population("customers", "real", customers),
    Population("employees", "real", employees),
    Population("Netherlands, postcode, age, sex", "real", postcodes(4, DRAWN)),
    Population("Netherlands, region, age, sex", "real", postcodes(2, DRAWN)),
    Population("Netherlands, year, age, sex", "real", ages),
    Population("Norway, small municipalities", "real", norway(0, 1_200)),
    Population("Norway, municipality, age", "real", norway(0, 10**7, DRAWN)),
    Population("heights and weights, 1 cm, 1 kg", "real", heights(1.0)),
    Population("heights and weights, 0.4", "real", heights(0.4)),
    Population("US births, date", "real", births("year, month, date_of_month", 20_000)),
    Population("US births, calendar, weekday", "real", births("month, date_of_month, day_of_week", 6_000)),
    Population("independent columns", "made up", independent),
    Population("20 yes-or-no columns", "made up", many_columns),
    Population("network of columns", "made up", network),
    Population("towns", "made up", towns),
    Population("timetable and single journeys", "made up", timetable),
    Population("military, few unique", "made up", military),
    Population("one column (Zipf)", "made up", zipf_column),
)  # fmt: skip

_FEWER = (0.05, 0.1, 0.2)

FAILING = (
    Population("homes of 1 to 5 people", "fails", shared_homes, _FEWER),
    Population("families, nobody lives alone", "fails", families, _FEWER),
    Population("single homes and institutions", "fails", homes_and_institutions, _FEWER),
    Population("couples, both rows equal", "fails", couples, _FEWER),
    Population("panel of five waves", "fails", panel, _FEWER),
    Population("one row per cell", "fails", one_row_per_cell, _FEWER),
    Population("3 million people", "fails", three_million, (0.0002, 0.001, 0.01)),
)

RANDOM = (
    *(Population(f"random columns of Adult {seed}", "random", random_columns(seed)) for seed in range(12)),
    *(Population(f"random network {seed}", "random", random_network(seed)) for seed in range(20)),
)

FRESH = (
    *(Population(f"fresh columns {seed}", "fresh", random_columns(seed)) for seed in range(100, 112)),
    *(Population(f"fresh network {seed}", "fresh", random_network(seed)) for seed in range(100, 120)),
)
"""Drawn as the ones before, after the parts of the interval had been fixed."""

EVERY = (*POPULATIONS, *FAILING, *RANDOM, *FRESH)
