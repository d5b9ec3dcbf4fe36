"""Samples to estimate from: Adult as it is."""

import csv
from pathlib import Path

import pytest
from population_samples import sets_of

from idbits.measures.population.sets import SampleSets


@pytest.fixture(scope="session")
def adult() -> SampleSets:
    from conftest import SHARED_DATA

    path = Path(SHARED_DATA) / "adult.csv"
    if not path.exists():
        pytest.skip(f"real data are not there: no file {path} (IDBITS_SHARED_DATA says where it is)")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))[1:]
    return sets_of(rows)
