"""Notes and totals below a table are noticed, and rows with missing values are not taken for them."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

import idbits
from idbits.engines.sources.footer import count_footer_rows

BODY = [["F", "north", "34", "yes"], ["M", "south", "35", "no"]] * 6
NAMES = ["sex", "region", "age", "smoker"]
NOTE = "the last row looks like a note or a total below the table, but counts as a row; remove it from the file"


@pytest.mark.parametrize(
    ("below", "number"),
    [
        ([], 0),
        ([["Source: office", "", "", ""]], 1),
        ([["Source: office"]], 1),
        ([["", "", "", ""], ["* provisional", "", "", ""], ["Source: office", "", "", ""]], 3),
        ([["Total", "", "", "12"]], 1),
        ([["Összesen:", "12", "412", "6"]], 1),
        ([["", "", "", ""]], 0),
        ([["F", "north", "", ""]], 0),
        ([["F", "", "34", ""]], 0),
    ],
)
def test_rows_below_the_table(below: list[list[str]], number: int) -> None:
    assert count_footer_rows([*BODY, *below], 4) == number


def test_sparse_rows_are_no_footer_where_others_are_sparse() -> None:
    assert count_footer_rows([*BODY, ["F", "", "", ""], *BODY, ["M", "", "", ""]], 4) == 0
    assert count_footer_rows([["F", ""], ["M", "x"]] * 5, 2) == 0


def written(path: Path, rows: list[list[str]], times: int = 1) -> Path:
    lines = [",".join(row) for row in [NAMES, *BODY * times, *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("times", [1, 3000])
def test_a_footer_of_a_text_file_is_noted_and_stays(tmp_path: Path, times: int) -> None:
    answer = idbits.inspect(written(tmp_path / "a.csv", [["Source: Zqx", "", "", ""]], times))
    assert NOTE in answer.notes
    assert answer.n_rows == len(BODY) * times + 1
    assert idbits.inspect(written(tmp_path / "b.csv", [], times)).notes == ()


def test_a_footer_of_a_workbook_is_noted(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [NAMES, *BODY, [], ["Source: Zqx"]]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    notes = idbits.inspect(tmp_path / "a.xlsx").notes
    assert any(note.startswith("the last") and "below the table" in note for note in notes)
    assert not any("Zqx" in note for note in notes)
