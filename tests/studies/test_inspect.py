"""The columns of a table, without any value."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import ClassVar

import pandas
import pytest

import idbits

PEOPLE = 400


def frame() -> pandas.DataFrame:
    numbers = range(PEOPLE)
    return pandas.DataFrame(
        {
            "person_id": [f"P{number:05}" for number in numbers],
            "zip": [f"{number % 40:04}" for number in numbers],
            "born": [f"{1940 + number % 60}-{number % 12 + 1:02}-{number % 28 + 1:02}" for number in numbers],
            "height": [150 + number / 7 for number in numbers],
            "diagnosis": [f"C{number % 9}" for number in numbers],
            "remark": [f"patient {number} came in with a long story about many things" for number in numbers],
            "country": ["HU"] * PEOPLE,
            "nothing": [None] * PEOPLE,
            "aantal": [number % 17 for number in numbers],
            "padded": ["x " if number % 3 else "x" for number in numbers],
            "dirty": ["NA" if number % 50 == 0 else str(number % 30) for number in numbers],
        }
    )


@pytest.fixture(params=["frame", "csv"])
def inspected(request: pytest.FixtureRequest, tmp_path: Path) -> idbits.Inspection:
    if request.param == "frame":
        return idbits.inspect(frame())
    frame().to_csv(tmp_path / "people.csv", index=False)
    return idbits.inspect(tmp_path / "people.csv")


def test_roles_are_guessed_with_a_reason(inspected: idbits.Inspection) -> None:
    roles = {column.column: column.role for column in inspected.columns}
    assert roles == {
        "person_id": "direct identifier", "zip": "quasi-identifier", "born": "quasi-identifier",
        "height": "measurement", "diagnosis": "sensitive", "remark": "free text", "country": "constant",
        "nothing": "empty", "aantal": "count", "padded": "quasi-identifier", "dirty": "quasi-identifier",
    }  # fmt: skip
    assert all(column.reason for column in inspected.columns)


def test_counts_are_those_of_the_rows(inspected: idbits.Inspection) -> None:
    table = frame()
    assert inspected.n_rows == PEOPLE
    for column in inspected.columns:
        cells = table[column.column].dropna()
        counts = cells.value_counts()
        assert (column.distinct, column.nulls) == (cells.nunique(), PEOPLE - len(cells))
        assert column.unique == int((counts == 1).sum())


def test_what_looks_odd_is_told_in_numbers(inspected: idbits.Inspection) -> None:
    odd = {column.column: " ".join(column.odd) for column in inspected.columns}
    assert "266 values have leading or trailing spaces" in odd["padded"]
    assert "8 values cannot be read as numbers" in odd["dirty"]
    assert "--null" in odd["dirty"]
    assert "400 codes have a leading zero" in odd["zip"]
    assert odd["country"] == ""


def test_no_value_is_shown(inspected: idbits.Inspection) -> None:
    shown = str(inspected) + inspected.to_json() + inspected._repr_html_()
    for value in ("P00001", "1940-01-01", "long story", "C3", "0039"):
        assert value not in shown


def test_what_may_be_cells_of_a_first_row_is_withheld(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("Kovacs Zq7x,1985-03-04,1011\nNagy,1990-01-02,1012\n")
    inspected = idbits.inspect(tmp_path / "people.csv")
    assert [column.column for column in inspected.columns] == ["column1", "column2", "column3"]
    assert "Zq7x" not in str(inspected) + inspected.to_json()
    assert any("--no-header" in note for note in inspected.notes)
    assert idbits.inspect(tmp_path / "people.csv", header=False).n_rows == 2


def test_progress_does_not_show_what_may_be_cells(tmp_path: Path) -> None:
    class Listening:
        labels: ClassVar[list[str]] = []

        def step(self, label: str, fraction: object = None) -> AbstractContextManager[None]:
            self.labels.append(label)
            return nullcontext()

    (tmp_path / "people.csv").write_text("Kovacs Zq7x,1985-03-04,1011\nNagy,1990-01-02,1012\n")
    idbits.inspect(tmp_path / "people.csv", progress=Listening())
    idbits.columns(tmp_path / "people.csv", progress=Listening())
    assert Listening.labels
    assert not any(cell in " ".join(Listening.labels) for cell in ("Zq7x", "1985", "1011"))


def test_a_counted_table_has_people(tmp_path: Path) -> None:
    (tmp_path / "counted.csv").write_text("age,n\n30,36372.0\n31,0\n32,5\n")
    inspected = idbits.inspect(tmp_path / "counted.csv", count="n")
    assert inspected.n_rows == 36377
    assert "36,377 people" in str(inspected)


@pytest.mark.parametrize(("count", "told"), [(None, "1 row, 2 columns."), ("n", "1 person, 1 column.")])
def test_one_row_is_told_as_one(tmp_path: Path, count: str | None, told: str) -> None:
    (tmp_path / "one.csv").write_text("age,n\n30,1\n")
    assert told in str(idbits.inspect(tmp_path / "one.csv", count=count))
