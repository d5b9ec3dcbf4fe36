"""Links of tables in databases: the same answer as from frames; only counts leave a database that has both tables."""

import sqlite3
from pathlib import Path

import pyarrow
import pytest

import idbits
from idbits.errors import InputError

ROWS_A = [("1011", "F", "u", "1"), ("1011", "M", "v", "2"), ("1012", "F", "u", "3"), (None, "F", "v", "4")]
ROWS_B = [
    ("1011", "F", "u", "1"),
    ("1011", "M", "v", "7"),
    ("1012", "F", "w", "8"),
    ("1012", "F", "w", "3"),
    ("", None, "", "9"),
]
NAMES = ("zip", "sex", "name", "id")


@pytest.fixture
def sources(tmp_path: Path) -> tuple[str, list[pyarrow.Table]]:
    """Return the address of a database with tables a and b, and the same tables as frames."""
    path = tmp_path / "people.db"
    with sqlite3.connect(path) as connection:
        for name, rows in (("a", ROWS_A), ("b", ROWS_B)):
            connection.execute(f"CREATE TABLE {name} (zip TEXT, sex TEXT, name TEXT, id TEXT)")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)
    connection.close()
    frames = []
    for rows in (ROWS_A, ROWS_B):
        columns = [pyarrow.array(cells, pyarrow.string()) for cells in zip(*rows, strict=True)]
        frames.append(pyarrow.table(columns, names=list(NAMES)))
    return f"sqlite:///{path}", frames


@pytest.mark.parametrize(
    "options",
    [
        {"coverage": 0.5, "also": "name"},
        {"truth": "id"},
        {"sensitive": "name"},
        {"nulls": "ignore"},
        {"on": "zip~1,sex"},
        {"on": "zip~fold,sex~trim"},
    ],
)
def test_the_same_answer_as_from_frames(sources: tuple[str, list[pyarrow.Table]], options: dict[str, object]) -> None:
    address, frames = sources
    asked = {"on": "zip,sex", **options}
    if "zip~1" in str(asked["on"]):
        frames[1], kept = frames[1].slice(0, 4), {"where_b": "zip <> ''"}
    else:
        kept = {}
    expected = idbits.link(*frames, **asked).to_dict()
    both = idbits.link(address, address, table="a", table_b="b", **asked, **kept).to_dict()
    one = idbits.link(address, frames[1], table="a", **asked).to_dict()
    other = idbits.link(frames[0], address, table_b="b", **asked, **kept).to_dict()
    for answer in (expected, both, one, other):
        answer.pop("notes")
    assert expected == both == one == other


def test_only_counts_leave_a_database_that_has_both_tables(sources: tuple[str, list[pyarrow.Table]]) -> None:
    address, frames = sources
    both = idbits.link(address, address, "zip,sex", table="a", table_b="b")
    assert not any("fetched" in note for note in both.notes)
    one = idbits.link(address, frames[1], "zip,sex", table="a")
    assert any("fetched" in note for note in one.notes)


def test_records_need_rows(sources: tuple[str, list[pyarrow.Table]], tmp_path: Path) -> None:
    address, _ = sources
    with pytest.raises(InputError, match="records cannot be written"):
        idbits.link(address, address, "zip,sex", table="a", table_b="b", records=tmp_path / "links.csv")
