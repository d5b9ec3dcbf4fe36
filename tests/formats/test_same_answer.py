"""One table written in every format measures to equal counts, and the table of formats in the docs is true."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from writers import COLUMNS, ROWS, WRITERS, arrow

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


def listed_formats() -> dict[str, tuple[str, str]]:
    """Return what the page says of each source: whether values are text or typed, and what it is read with."""
    rows = re.findall(
        r"^\| `([^`]+)` \| ([^|]*) \| ([^|]*) ?\|", FORMATS_PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {name: (values.strip(), needs.strip()) for name, values, needs in rows}


def test_the_page_of_formats_lists_what_is_tested() -> None:
    assert set(listed_formats()) == set(WRITERS)


@pytest.mark.parametrize("name", WRITERS)
def test_the_page_of_formats_says_which_keep_types(name: str, tmp_path: Path) -> None:
    path, reading = WRITERS[name](tmp_path)
    kind = idbits.inspect(path, **reading).columns[COLUMNS.index("age")].kind
    told, _ = listed_formats()[name]
    assert told in ("as the files", "text" if kind == "text" else "typed")


@pytest.mark.parametrize("name", WRITERS)
def test_the_page_of_formats_says_which_need_more(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, reading = WRITERS[name](tmp_path)
    for module in ("fastexcel", "pyreadstat"):
        monkeypatch.setitem(sys.modules, module, None)
    if listed_formats()[name][1]:
        with pytest.raises(idbits.InputError, match=r"idbits\[files\]"):
            idbits.measure(path, ["zip"], **reading)
    else:
        assert idbits.measure(path, ["zip"], **reading).n_rows == len(ROWS)


class OnlyArrow:
    """Something that offers an Arrow stream and nothing else."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return arrow().__arrow_c_stream__(requested_schema)


def test_whatever_offers_an_arrow_stream_is_a_source() -> None:
    assert idbits.measure(OnlyArrow(), ["zip", "age"]).figures.spectrum.pairs() == expected_spectrum(["zip", "age"])
