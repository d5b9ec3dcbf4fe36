"""The same table gives the same answer as a file or any kind of frame; and the next command is right."""

import shlex
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import idbits

ROWS = 60
COLUMNS: dict[str, list[Any]] = {
    "zip": [["1011", "9985", "0012"][i % 3] for i in range(ROWS)],
    "age": [20 + i % 7 for i in range(ROWS)],
    "income": [None if i % 11 == 0 else i % 4 + 0.5 for i in range(ROWS)],
    "born": [str(date(1980, 1, 1) + timedelta(days=40 * (i % 9))) for i in range(ROWS)],
}


def csv_file(folder: Path) -> Path:
    lines = ["zip,age,income,born"]
    lines += [
        ",".join("" if cell is None else str(cell) for cell in row) for row in zip(*COLUMNS.values(), strict=True)
    ]
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def parquet_file(folder: Path) -> Path:
    pyarrow.parquet.write_table(pa.table(COLUMNS), folder / "table.parquet")
    return folder / "table.parquet"


SOURCES: dict[str, Callable[[Path], Any]] = {
    "pyarrow": lambda _: pa.table(COLUMNS),
    "pandas": lambda _: pandas.DataFrame(COLUMNS),
    "polars": lambda _: polars.DataFrame(COLUMNS),
    "polars lazy": lambda _: polars.DataFrame(COLUMNS).lazy(),
    "csv": csv_file,
    "csv by its name": lambda folder: str(csv_file(folder)),
    "parquet": parquet_file,
}

QUESTIONS: dict[str, dict[str, Any]] = {
    "one": {"qid": ["zip"]},
    "all": {"qid": ["zip", "age", "income", "born"], "suppress": 2, "possible_values": 1000},
    "several": {"qid": [["zip"], ["age", "income"]]},
    "groups and values": {"qid": ["age"], "by": "zip", "values": True, "reveal": True},
    "nulls": {"qid": ["income"], "values": True, "where": "age >= 22"},
    "coarser": {"qid": ["born:year", "age:band5", "zip:prefix2", "age:top3"], "values": True},
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("source", [name for name in SOURCES if name != "pyarrow"])
def test_every_source_gives_the_same_answer(source: str, question: str, tmp_path: Path) -> None:
    options = QUESTIONS[question]
    reference = idbits.measure(pa.table(COLUMNS), **options).to_dict()
    found = idbits.measure(SOURCES[source](tmp_path), **options).to_dict()
    assert _without_notes(found) == _without_notes(reference)


def _without_notes(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_notes(value) for key, value in data.items() if key != "notes"}
    return [_without_notes(item) for item in data] if isinstance(data, list) else data


def test_what_is_no_source() -> None:
    with pytest.raises(idbits.InputError, match="not int"):
        idbits.measure(12, ["zip"])


@pytest.fixture
def days(tmp_path: Path) -> Path:
    """Return a table in which the birth date gives away most."""
    lines = ["birthdate,zip,sex"]
    lines += [f"{date(1950, 1, 1) + timedelta(days=30 * i)},{1000 + i // 2},{'FM'[i % 2]}" for i in range(300)]
    path = tmp_path / "people of today.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_next_command_looks_for_a_treatment(days: Path) -> None:
    words = shlex.split(idbits.measure(days, ["birthdate", "sex"]).next_command)
    assert words == ["idbits", "advise", str(days), "--qid", "birthdate,sex"]


def test_in_python_the_next_call_looks_for_a_treatment(days: Path) -> None:
    frame = pa.table({"age": list(range(30)), "sex": ["F", "M"] * 15})
    call = idbits.measure(frame, ["age", "sex"], rows_are_people=True).next_command
    assert call == "idbits.advise(frame, ['age', 'sex'], rows_are_people=True)"
    assert eval(call, {"idbits": idbits, "frame": frame}).goal == ("k_min >= 5",)


def test_if_no_treatment_is_possible_the_next_command_coarsens_the_most_telling_column(days: Path) -> None:
    words = shlex.split(idbits.measure(days, ["birthdate", "sex"], by="zip").next_command)
    assert words == ["idbits", "measure", str(days), "--qid", "birthdate:quarter,sex", "--by", "zip"]


def test_no_treatment_of_identifiers_is_proposed(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("email,age\n" + "".join(f"person{i}@example.org,{i % 50}\n" for i in range(300)))
    assert "advise" not in (idbits.measure(path, ["email", "age"]).next_command or "")
    with pytest.raises(idbits.InputError, match="identifies people"):
        idbits.advise(path, ["email", "age"])


def test_the_next_command_asks_the_same_people(days: Path) -> None:
    words = shlex.split(idbits.measure(days, ["birthdate"], where="sex = 'F'").next_command)
    assert "--where" in words


def test_where_nobody_is_exposed_the_next_command_looks_at_the_other_columns(days: Path) -> None:
    assert idbits.measure(days, ["sex"]).next_command == f"idbits inspect '{days}'"


def test_notes_tell_only_what_was_asked(days: Path) -> None:
    assert idbits.measure(days, ["birthdate"]).notes == ()
    assert idbits.measure(days, [["birthdate"], ["sex"]]).notes == ()
    (note,) = idbits.measure(days, ["birthdate:year"]).notes
    assert "year-month-day" in note
