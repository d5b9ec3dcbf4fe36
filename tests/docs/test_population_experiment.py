"""Estimates of known populations: docs/explanation/population.md shows the tables of experiments/population.csv.

All samples take minutes, so a few are drawn and estimated again. After ``python experiments/population.py FOLDER``,
``python tests/docs/test_population_experiment.py`` writes the tables and the chart into the documentation.
"""

from __future__ import annotations

import csv
import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow
import pytest

import idbits

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "population.md"
PICTURE = ROOT / "docs" / "images" / "population.svg"
SECTION = re.compile(r"```text\n== (\S+): .*\n((?:.*\n)*?)```\n")
AGAIN = [
    ("Adult, 9 columns", 0.1, 1),
    ("households of shoppers", 0.2, 2),
    ("US births, calendar, weekday", 0.05, 3),
    ("independent columns", 0.01, 1),
    ("one column (Zipf)", 0.05, 2),
    ("families, nobody lives alone", 0.1, 3),
]


def module(name: str) -> ModuleType:
    """Import a file of experiments/, whose files import each other."""
    sys.path.insert(0, str(ROOT / "experiments"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


EXPERIMENT, POPULATIONS = module("population"), module("populations")
TABLES, CHART = module("population_tables"), module("population_chart")


def printed(name: str) -> str:
    return "".join(line.rstrip() + "\n" for line in TABLES.TABLES[name]())


def lines() -> list[dict[str, str]]:
    with EXPERIMENT.RUNS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def population(name: str) -> object:
    return next(each for each in POPULATIONS.EVERY if each.name == name)


def test_every_sample_is_there_once() -> None:
    expected = [
        (each.name, fraction, seed)
        for each in POPULATIONS.EVERY
        for fraction in each.fractions
        for seed in EXPERIMENT.SEEDS
    ]
    assert [(line["population"], float(line["f"]), int(line["seed"])) for line in lines()] == expected


def test_the_page_shows_every_table() -> None:
    shown = [name for name, _ in SECTION.findall(PAGE.read_text(encoding="utf-8"))]
    assert shown == list(TABLES.TABLES)


@pytest.mark.parametrize("name", TABLES.TABLES)
def test_a_table_is_that_of_the_samples(name: str) -> None:
    assert printed(name) == dict(SECTION.findall(PAGE.read_text(encoding="utf-8")))[name]


def test_the_chart_is_that_of_the_samples() -> None:
    assert PICTURE.read_text(encoding="utf-8") == CHART.picture()


@pytest.mark.parametrize(("name", "fraction", "seed"), AGAIN)
def test_a_sample_gives_the_same_again(name: str, fraction: float, seed: int, shared_data: Path) -> None:
    again = EXPERIMENT.run(population(name), fraction, seed, shared_data)
    (written,) = (
        line for line in lines() if (line["population"], float(line["f"]), int(line["seed"])) == (name, fraction, seed)
    )
    assert list(again) == list(written)
    for key, value in again.items():
        if isinstance(value, float):
            # Other processors round differently, and optimisers end a little elsewhere.
            assert value == pytest.approx(float(written[key]), rel=1e-3, abs=1e-4), key
        else:
            assert str(EXPERIMENT.shown(value)) == written[key], key


def test_the_command_gives_what_the_experiment_measures(shared_data: Path) -> None:
    """The same sample as a table; only the draws of the interval depend on the order of the groups."""
    drawn, _ = EXPERIMENT.sample_of(population("Adult, age and work"), 0.05, 1, shared_data)
    rows = np.repeat(np.stack(drawn.sets.codes, axis=1), drawn.sets.people, axis=0)
    names = ["a", "b", "c", "d"]
    table = pyarrow.table({name: column.astype(str) for name, column in zip(names, rows.T, strict=True)})
    answer = idbits.population(table, qid=names, people=30_162, all=True)
    (written,) = (
        line
        for line in lines()
        if (line["population"], line["f"], line["seed"]) == ("Adult, age and work", "0.05", "1")
    )
    assert answer.n_rows == int(written["n"])
    assert answer.pi.value == pytest.approx(float(written["ours_pi"]), rel=1e-3)
    assert answer.pi.low == pytest.approx(float(written["low_pi"]), abs=0.05)
    assert answer.entropy_bits.value == pytest.approx(float(written["ours_entropy_bits"]), rel=1e-3)
    for other in answer.estimators:
        assert other.pi == pytest.approx(float(written[f"{other.name}_pi"]), rel=1e-3), other.name


def update() -> None:
    def fresh(match: re.Match[str]) -> str:
        return f"```text\n== {match[1]}: {TABLES.TABLES[match[1]].__doc__}\n{printed(match[1])}```\n"

    PAGE.write_text(SECTION.sub(fresh, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    PICTURE.write_text(CHART.picture(), encoding="utf-8")


if __name__ == "__main__":
    update()
