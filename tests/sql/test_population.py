"""A release looked up in a population: in the database where that holds both, else by values; the same figures."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
import sqlalchemy as sa

import idbits
from idbits.errors import DataError, InputError

TOWNS = ["Aa", "aa", "AA ", "Aá", None, "", "x" * 300]


def cells(i: int) -> dict[str, Any]:
    return {
        "town": TOWNS[i * i % len(TOWNS)],
        "age": i * 7 % 40 if i % 11 else None,
        "born": date(1950, 1, 1) + timedelta(days=i * 17 % 900) if i % 13 else None,
        "people": i % 4,
    }


POPULATION = [cells(i) for i in range(400)]
RELEASE = [*POPULATION[:120:3], *POPULATION[1:40:2]]
COLUMNS = [
    sa.Column("town", sa.String(400)),
    sa.Column("age", sa.Integer()),
    sa.Column("born", sa.Date()),
    sa.Column("people", sa.Integer()),
]
TYPES = pa.schema({"town": pa.string(), "age": pa.int64(), "born": pa.date32(), "people": pa.int64()})
CASES: dict[str, dict[str, Any]] = {
    "plain": {"qid": "town,age"},
    "one column": {"qid": "town"},
    "dates": {"qid": "born:month,town"},
    "coarser": {"qid": "age:band5,town:prefix1"},
    "filtered": {"qid": "town,age", "where": "age > 5"},
    "counted": {"qid": "town,age", "population_count": "people", "missing": "unbounded"},
    "counted twice": {"qid": "town", "count": "people", "population_count": "people"},
}


@pytest.fixture(scope="module")
def address(database: Any) -> str:
    database.fill("population", COLUMNS, POPULATION)
    database.fill("release", COLUMNS, RELEASE)
    return database.address


def frame(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=TYPES)


def figures(answer: Any) -> dict[str, Any]:
    left_out = ("source", "notes", "next", "n_other_columns")
    return {name: value for name, value in answer.to_dict().items() if name not in left_out}


@pytest.mark.big
@pytest.mark.parametrize("asked", list(CASES.values()), ids=list(CASES))
def test_the_same_figures_everywhere(
    address: str, asked: dict[str, Any], tmp_path: Path, recording: Callable[[], Any]
) -> None:
    expected = figures(idbits.measure(frame(RELEASE), population=frame(POPULATION), **asked))
    with recording() as crossed:
        inside = idbits.measure(address, table="release", population_table="population", **asked)
    assert figures(inside) == expected
    # Both are in one database: no value leaves it.
    assert [row for row in crossed.rows if any(_text(value) in ("Aa", "aa", "Aá", "x" * 300) for value in row)] == []
    named = idbits.measure(address, table="release", population=address, population_table="population", **asked)
    assert figures(named) == expected
    path = tmp_path / "population.parquet"
    pyarrow.parquet.write_table(frame(POPULATION), path)
    assert figures(idbits.measure(address, table="release", population=path, **asked)) == expected
    reverse = idbits.measure(frame(RELEASE), population=address, population_table="population", **asked)
    assert figures(reverse) == expected


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def test_values_that_the_population_does_not_hold(address: str, database: Any) -> None:
    database.fill("strangers", COLUMNS, [*RELEASE, {**cells(1), "town": "nowhere"}, {**cells(1), "town": "aA"}])
    with pytest.raises(DataError, match=r"2 values of the release \(2 records\)"):
        idbits.measure(address, "town", table="strangers", population_table="population")
    found = idbits.measure(address, "town", table="strangers", population_table="population", missing="unbounded")
    strangers = frame([*RELEASE, {**cells(1), "town": "nowhere"}, {**cells(1), "town": "aA"}])
    expected = idbits.measure(strangers, "town", population=frame(POPULATION), missing="unbounded")
    assert figures(found) == figures(expected)


def test_numbers_of_other_types(database: Any, address: str) -> None:
    """Whole numbers meet whole numbers, decimals and floats of the same value."""
    database.fill("release_types", [sa.Column("v", sa.Integer())], [{"v": i % 5} for i in range(20)])
    for number, kind in enumerate((sa.BigInteger(), sa.Numeric(12, 2), sa.Double(), sa.String(9))):
        name = f"population_types{number}"
        rows = [{"v": str(i % 5) if isinstance(kind, sa.String) else i % 5} for i in range(100)]
        database.fill(name, [sa.Column("v", kind)], rows)
        found = idbits.measure(address, "v", table="release_types", population_table=name)
        assert (found.k_min, found.figures.n_sets) == (20, 5), name


def test_on_the_command_line(address: str, run: Callable[..., Any]) -> None:
    question = ("measure", address, "--table", "release", "--qid", "town", "--quiet")
    assert run(*question, "--population-table", "population").code == 0
    assert "nothing" in run(*question, "--population-table", "nothing").failed(2)
    assert "--table" in run(*question, "--population", address).failed(2)


def test_a_population_that_lacks_a_column(address: str, database: Any) -> None:
    database.fill("narrow", [sa.Column("town", sa.String(20))], [{"town": "Aa"}])
    with pytest.raises(InputError, match=r'population.*"age"'):
        idbits.measure(address, "town,age", table="release", population_table="narrow")
