"""FEBRL 4: 5,000 records and their duplicates with typing errors; figures of a second implementation and of Splink."""

import functools
import re
from pathlib import Path

import pyarrow
import pytest

import idbits
from idbits.studies.link.result import Linkage

SIMILAR = "equal,jw0.92,jw0.8,else"
LEVELS = [
    f"given_name={SIMILAR}", f"surname={SIMILAR}", f"suburb={SIMILAR}", "date_of_birth=equal,edit1,else",
    "postcode=equal,edit1,else", "street_number=equal,else", "state=equal,else",
]  # fmt: skip
BLOCKS = ["date_of_birth", "given_name,surname", "postcode,surname", "postcode,given_name", "suburb,street_number"]
ON = "given_name,surname,suburb,date_of_birth,postcode,street_number,state"


def _table(path: Path) -> pyarrow.Table:
    lines = [line.split(",") for line in path.read_text().splitlines()]
    columns = dict(zip([name.strip() for name in lines[0]], zip(*lines[1:], strict=True), strict=True))
    people = [re.search("[0-9]+", text) for text in columns["rec_id"]]
    columns["person"] = tuple(found[0] if found else "" for found in people)
    return pyarrow.table({name: list(values) for name, values in columns.items()})


Tables = tuple[pyarrow.Table, pyarrow.Table]


@pytest.fixture
def tables(shared_data: Path) -> Tables:
    return _tables(shared_data.parent / "golden" / "link" / "febrl")


@functools.cache
def _tables(folder: Path) -> Tables:
    return _table(folder / "dataset4a.csv"), _table(folder / "dataset4b.csv")


@pytest.fixture
def answer(shared_data: Path) -> Linkage:
    return _answer(shared_data.parent / "golden" / "link" / "febrl")


@functools.cache
def _answer(folder: Path) -> Linkage:
    return idbits.link(*_tables(folder), ON, truth="person", probabilistic=True, block=BLOCKS, levels=LEVELS)


def test_expected_matches(answer: Linkage) -> None:
    assert answer.matches_expected == pytest.approx(4_955, abs=5)


def test_likely_pairs_are_those_of_the_golden_figures(answer: Linkage) -> None:
    assert answer.likely_pairs is not None
    assert answer.likely_pairs.pairs == pytest.approx(4_955, abs=5)
    assert answer.likely_pairs.right / answer.likely_pairs.pairs == pytest.approx(0.99939, abs=0.0005)
    assert answer.likely_pairs.right / 5_000 == pytest.approx(0.9904, abs=0.001)


def test_claims_are_fewer_than_pairs_and_at_least_as_precise(answer: Linkage) -> None:
    assert answer.truth is not None
    assert 4_940 <= answer.truth.claims <= 4_955
    assert answer.truth.precision >= 0.99939
    assert answer.truth.recall == pytest.approx(0.9904, abs=0.001)
    for counted in answer.thresholds:
        assert counted.right + counted.wrong == counted.claims
        assert counted.expected_right == pytest.approx(counted.right, abs=5)
    assert sum(each.right for each in answer.calibration) >= answer.truth.right


def test_chosen_blocks_and_levels_find_as_many(tables: Tables) -> None:
    found = idbits.link(*tables, ON, truth="person", probabilistic=True)
    assert found.truth.recall >= 0.985
    assert found.truth.precision >= 0.999
    assert found.matches_expected == pytest.approx(4_955, abs=15)


def test_the_same_answer_twice(tables: Tables, answer: Linkage) -> None:
    again = idbits.link(*tables, ON, truth="person", probabilistic=True, block=BLOCKS, levels=LEVELS, threads=1)
    assert again.to_json() == answer.to_json()


def test_order_of_rows_changes_nothing(tables: Tables, answer: Linkage) -> None:
    turned = [table.take(list(range(table.num_rows))[::-1]) for table in tables]
    again = idbits.link(*turned, ON, truth="person", probabilistic=True, block=BLOCKS, levels=LEVELS)
    assert again.thresholds == answer.thresholds
    assert again.weights == answer.weights
