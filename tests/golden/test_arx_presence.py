"""Presence in a release against ARX's optima with DPresence: the adult table, of which a subset is released.

ARX's criterion bounds the share of every group of the population that is in the release, also of groups without any.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import pyarrow
import pytest

import idbits
from idbits.measures.disclosure.presence import Presence

COLUMNS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
N_ROWS = 8


@cache
def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=";"))


@cache
def hierarchy_of(folder: Path, column: str) -> dict[str, list[str]]:
    with (folder / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as file:
        return {row[0]: row for row in csv.reader(file, delimiter=";")}


def coarsened(golden: Path, path: Path, node: tuple[int, ...]) -> list[tuple[str, ...]]:
    ladders = [hierarchy_of(golden / "advise", column) for column in COLUMNS]
    return [
        tuple(ladder[row[name]][level] for ladder, name, level in zip(ladders, COLUMNS, node, strict=True))
        for row in rows_of(path)
    ]


def as_table(rows: list[tuple[str, ...]]) -> pyarrow.Table:
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    return pyarrow.table({**columns, "secret": ["x"] * len(rows)})


def measured(release: list[tuple[str, ...]], population: list[tuple[str, ...]]) -> Presence:
    found = idbits.disclosure(as_table(release), COLUMNS, "secret", population=as_table(population))
    assert isinstance(found, idbits.Disclosure)
    assert found.presence is not None
    return found.presence


def shares(release: list[tuple[str, ...]], population: list[tuple[str, ...]]) -> dict[tuple[str, ...], Fraction]:
    """Return the share of each group of the population that is in the release, exactly and without idbits."""
    released = Counter(release)
    return {group: Fraction(released[group], people) for group, people in Counter(population).items()}


@pytest.fixture
def golden(shared_data: Path) -> Path:
    folder = shared_data.parent / "golden"
    if not (folder / "advise" / "arx_adult_optima.csv").exists() or not (folder / "link" / "adult_subset.csv").exists():
        pytest.skip("the golden rows of ARX are not here")
    return folder


@pytest.mark.parametrize("index", range(N_ROWS))
def test_presence_decides_as_arx_does(shared_data: Path, golden: Path, index: int) -> None:
    with (golden / "advise" / "arx_adult_optima.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "DPresence" in row["criteria"]]
    assert len(rows) == N_ROWS
    row = rows[index]
    least, most = map(float, re.findall(r"[0-9.]+", row["criteria"]))
    node = tuple(map(int, row["arx_node"].split(",")))
    files = (golden / "link" / "adult_subset.csv", shared_data / "adult.csv")
    release, population = (coarsened(golden, path, node) for path in files)
    found, deltas = measured(release, population), shares(release, population)
    people = Counter(population)
    assert (found.delta_min, found.delta_max) == (float(min(deltas.values())), float(max(deltas.values())))
    assert found.certain_out.people == sum(people[group] for group, delta in deltas.items() if delta == 0)
    assert found.certain_in.people == sum(people[group] for group, delta in deltas.items() if delta == 1)
    outside = [group for group, delta in deltas.items() if not least <= delta <= most]
    if float(row["suppression_limit"]) == 0:
        assert least <= found.delta_min <= found.delta_max <= most
        # Every loss of these rows grows with each step, so a finer table that meets the criterion would be ARX's.
        for column in range(len(node)):
            if node[column]:
                finer = (*node[:column], node[column] - 1, *node[column + 1 :])
                presence = measured(*(coarsened(golden, path, finer) for path in files))
                assert not least <= presence.delta_min <= presence.delta_max <= most
    else:
        withheld = sum(Counter(release)[group] for group in outside)
        assert withheld <= float(row["suppression_limit"]) * len(release)
        # A group without a record in the release cannot be withheld.
        assert all(deltas[group] > 0 for group in outside)
