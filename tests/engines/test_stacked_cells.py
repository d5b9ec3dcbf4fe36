"""Text files with very many columns: their cells under each other describe the same columns as side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import idbits
from idbits.engines.duckdb import stacked_cells
from idbits.engines.duckdb.stacked_cells import StackedView, load_stacked


def wide_rows(columns: int, rows: int) -> list[list[str]]:
    draw = np.random.default_rng(8)
    kinds = [
        lambda: draw.integers(0, 3, rows).astype(str),
        lambda: np.sort(draw.integers(0, 10_000, rows)).astype(str),
        lambda: np.char.mod("%.2f", draw.normal(size=rows)),
        lambda: np.char.mod("2019-01-%02d", draw.integers(1, 29, rows)),
        lambda: draw.choice(["Anna", "", "N/A", "new York", " x", 'six" pipe', "a,b"], rows),
    ]
    cells = [kinds[number % len(kinds)]().tolist() for number in range(columns)]
    return [[f"c{number}" for number in range(columns)], *map(list, zip(*cells, strict=True))]


def written(path: Path, rows: list[list[str]], encoding: str = "utf-8") -> Path:
    quoted = [
        ",".join('"' + cell.replace('"', '""') + '"' if set(cell) & set('",') else cell for cell in row) for row in rows
    ]
    path.write_text("\n".join(quoted) + "\n", encoding=encoding)
    return path


@pytest.fixture
def stacked(monkeypatch: pytest.MonkeyPatch) -> list[StackedView]:
    """Stack the cells of tables with more than a few columns; return the views that were made."""
    made: list[StackedView] = []

    def load(*given: object) -> StackedView:
        made.append(load_stacked(*given))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr("idbits.engines.duckdb.table.load_stacked", load)
    monkeypatch.setattr(stacked_cells, "_FEWEST_COLUMNS", 10)
    return made


def side_by_side(monkeypatch: pytest.MonkeyPatch, source: object, **options: object) -> idbits.Inspection:
    with monkeypatch.context() as patch:
        patch.setattr(stacked_cells, "_FEWEST_COLUMNS", 10**9)
        return idbits.inspect(source, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("encoding", "null"), [("utf-8", ("N/A",)), ("cp1252", ())])
def test_columns_are_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stacked: list[StackedView],
    encoding: str,
    null: tuple[str, ...],
) -> None:
    rows = wide_rows(60, 40)
    rows[3][4] = "Zoë" if encoding == "cp1252" else "Zoe"
    del rows[5][50:]
    path = written(tmp_path / "wide.csv", rows, encoding)
    found = idbits.inspect(path, null=null)
    assert len(stacked) == 1
    assert found == side_by_side(monkeypatch, path, null=null)
    assert len(stacked) == 1
    assert any("shorter than the header" in note for note in found.notes)
    assert any("not UTF-8" in note for note in found.notes) == (encoding != "utf-8")


def test_several_batches_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stacked: list[StackedView]) -> None:
    first, second = wide_rows(43, 30), wide_rows(43, 31)
    second = [list(reversed(row)) for row in second]
    paths = [written(tmp_path / f"{index}.csv", rows) for index, rows in enumerate((first, second))]
    monkeypatch.setattr("idbits.engines.duckdb.profiles._MOST_STACKED", 21)
    found = idbits.inspect(paths)
    assert len(stacked) == 1
    assert found.n_rows == 61
    assert found == side_by_side(monkeypatch, paths)


def test_columns_side_by_side_again(tmp_path: Path, stacked: list[StackedView]) -> None:
    """Some columns of the stacked cells are the rows of the file."""
    rows = wide_rows(20, 25)
    table = idbits.inspect(written(tmp_path / "wide.csv", rows))
    assert table.n_columns == 20
    (view,) = stacked
    assert view.query(["c3"]).count("col") == 1
    assert "GROUP BY row" in view.query(["c3", "c7"])
    with pytest.raises(AssertionError, match="neighbouring"):
        view.stacked(["c3", "c7"])


def test_other_ways_of_reading_are_not_stacked(tmp_path: Path, stacked: list[StackedView]) -> None:
    path = written(tmp_path / "wide.csv", wide_rows(20, 25))
    idbits.inspect(path, where="c0 = 1")
    idbits.inspect(path, count="c0")
    idbits.measure(path, [f"c{number}" for number in range(12)])
    assert not stacked


def test_a_long_row_is_an_error(tmp_path: Path, stacked: list[StackedView]) -> None:
    rows = wide_rows(20, 25)
    rows[7].append("more")
    with pytest.raises(idbits.DataError, match="1 row with more fields than the header"):
        idbits.inspect(written(tmp_path / "wide.csv", rows))
    assert not stacked
