"""One table written in every format measures to equal counts, and the table of formats in the docs is true."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from writers import COLUMNS, ROWS, WRITERS

import idbits

FORMATS_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"


def expected_spectrum(columns: list[str]) -> list[tuple[int, int]]:
    places = [COLUMNS.index(column) for column in columns]
    sizes = Counter(tuple(row[place] for place in places) for row in ROWS).values()
    return sorted(Counter(sizes).items())


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("columns", [["zip"], ["zip", "age"], ["age", "sex", "zip"]], ids=",".join)
def test_every_format_gives_the_same_counts(name: str, columns: list[str], tmp_path: Path) -> None:
    path, reading = WRITERS[name](tmp_path)
    measured = idbits.measure(path, columns, **reading)
    assert measured.figures.spectrum.pairs() == expected_spectrum(columns)
    assert measured.nulls == {column: sum(row[COLUMNS.index(column)] is None for row in ROWS) for column in columns}


@pytest.mark.parametrize("name", WRITERS)
def test_coarser_columns_and_filters_mean_the_same_in_every_format(name: str, tmp_path: Path) -> None:
    path, reading = WRITERS[name](tmp_path)
    measured = idbits.measure(path, ["zip:prefix2", "age:band10", "sex"], where="age >= 20", **reading)
    kept = [row for row in ROWS if row[1] is not None and row[1] >= 20]
    coarse = Counter((row[0] and row[0][:2], row[1] // 10 * 10, row[2]) for row in kept)
    assert measured.figures.spectrum.pairs() == sorted(Counter(coarse.values()).items())


@pytest.mark.parametrize("name", WRITERS)
def test_inspect_sees_the_same_columns_in_every_format(name: str, tmp_path: Path) -> None:
    path, reading = WRITERS[name](tmp_path)
    inspected = idbits.inspect(path, **reading)
    assert [column.column for column in inspected.columns] == COLUMNS
    assert inspected.n_rows == len(ROWS)
    assert [column.nulls for column in inspected.columns] == [
        sum(row[place] is None for row in ROWS) for place in range(len(COLUMNS))
    ]
    assert [column.distinct for column in inspected.columns] == [
        len({row[place] for row in ROWS} - {None}) for place in range(len(COLUMNS))
    ]


def test_the_page_of_formats_lists_what_is_tested() -> None:
    listed = set(re.findall(r"^\| `([^`]+)` \|", FORMATS_PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert listed == set(WRITERS)
