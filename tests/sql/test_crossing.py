"""What crosses: counts of counts, however many people there are; labels only where they were asked for."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

import idbits

N_PEOPLE = 20_000
# No cell but these begins so, and no count is as large.
MARK, LARGE = "zqx", 7_000_000_000


def cells(i: int) -> dict[str, Any]:
    # Towns of 1 to 200 people, one street a person for some of them.
    town = min(200, round(i**0.6))
    return {
        "name": f"{MARK}-name-{i}",
        "town": f"{MARK}-town-{town}" if i % 19 else None,
        "born": date(1930, 1, 1) + timedelta(days=i % 700),
        "born_text": (date(1930, 1, 1) + timedelta(days=i % 700)).isoformat(),
        "income": float(LARGE + 1000 * (i % 130)) + 0.5,
        "age": LARGE + i % 90,
        "digits": f"{LARGE + i % 50}",
        "people": i % 3 + 1,
    }


@pytest.fixture(scope="module")
def address(database: Any) -> str:
    columns = [
        sa.Column("name", sa.String(40)),
        sa.Column("town", sa.String(40)),
        sa.Column("born", sa.Date()),
        sa.Column("born_text", sa.String(20)),
        sa.Column("income", sa.Double().with_variant(mysql.DOUBLE(), "mysql", "mariadb")),
        sa.Column("age", sa.BigInteger()),
        sa.Column("digits", sa.String(20)),
        sa.Column("people", sa.Integer()),
    ]
    database.fill("crossing", columns, [cells(i) for i in range(N_PEOPLE)])
    return database.address


def is_count(value: Any) -> bool:
    """Whether a value that was fetched is a count: a whole number that is none of the cells."""
    whole = isinstance(value, int) or (isinstance(value, Decimal) and value == int(value))
    return whole and 0 <= value <= 3 * N_PEOPLE


def is_catalog(row: tuple[Any, ...]) -> bool:
    """Whether a row is about columns or servers, not about people."""
    return any(isinstance(value, str | bytes) for value in row) and not holds_cells(row)


def holds_cells(row: tuple[Any, ...]) -> bool:
    return any(
        MARK in str(value) or isinstance(value, date | datetime | float) or str(LARGE)[:5] in str(value)
        or str(value).startswith(("193", "1931"))
        for value in row
    )  # fmt: skip


PLAIN = {
    "one column": {"qid": "town"},
    "a key": {"qid": "name"},
    "all kinds": {"qid": "town,born,income,age"},
    "coarser": {"qid": "town:prefix10,born:month,income:round1000,age:band10"},
    "text that is read": {"qid": "born_text:week,digits:band10"},
    "top": {"qid": "town:top3,age:top5"},
    "counted": {"qid": "town", "count": "people"},
    "filtered": {"qid": "town", "where": f"town <> '{MARK}-town-1' and age >= {LARGE}"},
    "person": {"qid": "town", "person": "name"},
    "several": {"qid": [["town"], ["born", "town"]]},
    "withheld": {"qid": "town,born", "suppress": 5},
}


@pytest.mark.big
@pytest.mark.parametrize("asked", list(PLAIN.values()), ids=list(PLAIN))
def test_only_counts_cross(address: str, recording: Callable[[], Any], asked: dict[str, Any]) -> None:
    with recording() as crossed:
        answer = idbits.measure(address, table="crossing", **asked)
    assert crossed.rows
    fetched = [row for row in crossed.rows if not is_catalog(row)]
    assert [row for row in fetched if not all(map(is_count, row))] == []
    # One row for each size of a set; a few more for how many people and how many nulls there are.
    measured = getattr(answer, "measurements", [answer])
    sizes = sum(
        len(figures.spectrum.pairs()) for one in measured for figures in (one.figures, *(own for _, own in one.columns))
    )
    # Of people also the smallest groups, and the groups of all their records.
    assert len(fetched) <= sizes * (3 if "person" in asked else 1) + 30


def test_of_a_key_one_row_crosses(address: str, recording: Callable[[], Any]) -> None:
    with recording() as crossed:
        assert idbits.measure(address, "name", table="crossing").singletons == N_PEOPLE
    assert crossed.rows.count((1, N_PEOPLE)) == 1
    assert len(crossed.rows) < 30


def labels(crossed: Any) -> list[tuple[Any, ...]]:
    return [row for row in crossed.rows if holds_cells(row)]


def test_labels_of_values_cross_from_ten_people_on(address: str, recording: Callable[[], Any]) -> None:
    with recording() as crossed:
        answer = idbits.measure(address, "town", table="crossing", values=True)
    assert len(labels(crossed)) == len([row for row in answer.values.rows if row.value != (None,)])
    assert min(row[-1] for row in labels(crossed)) >= 10
    # There were others.
    assert answer.figures.people_below["10"] > 0


@pytest.mark.big
def test_labels_of_groups_cross_from_ten_people_on(address: str, recording: Callable[[], Any]) -> None:
    with recording() as crossed:
        answer = idbits.measure(address, "born", by="town", table="crossing")
    small = {f"{MARK}-town-{min(200, round(i**0.6))}" for i in range(3)}
    assert len(labels(crossed)) > 0
    assert [row for row in labels(crossed) if small & {_text(value) for value in row}] == []
    assert answer.groups.n_groups > len(answer.groups.rows)


def test_revealed_labels_cross_as_asked(address: str, recording: Callable[[], Any]) -> None:
    with recording() as crossed:
        answer = idbits.measure(address, "town", table="crossing", reveal=True)
    assert len(answer.exposed.rows) == 10
    assert 0 < len(labels(crossed)) <= 10


@pytest.mark.big
def test_profiles_are_counts(address: str, recording: Callable[[], Any]) -> None:
    with recording() as crossed:
        idbits.inspect(address, table="crossing")
    assert [row for row in crossed.rows if holds_cells(row)] == []


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
