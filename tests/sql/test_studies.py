"""The other studies on a table in a database: the same answers as on the same rows in a frame, and clear refusals."""

import random
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

import pyarrow
import pytest
import sqlalchemy as sa

import databases
import idbits

DRAWN = random.Random(1)
PEOPLE = [
    {
        "born": date(1950, 1, 1) + timedelta(days=DRAWN.randrange(900)),
        "zip": DRAWN.choice(["1011", "1012", "9985", None, "é", "É"]),
        "sex": DRAWN.choice("MF"),
        "age": DRAWN.randrange(90),
    }
    for _ in range(600)
]
TABLE = sa.Table(
    "studied",
    sa.MetaData(),
    sa.Column("born", sa.Date()),
    sa.Column("zip", sa.String(20)),
    sa.Column("sex", sa.String(5)),
    sa.Column("age", sa.Integer()),
)
STUDIES: dict[str, Any] = {
    "columns": lambda source, **reading: idbits.columns(source, ["born:year", "zip", "sex", "age:band10"], **reading),
    "gain": lambda source, **reading: idbits.gain(source, columns=["zip", "sex", "age:band5"], **reading),
    "events": lambda source, **reading: idbits.events(source, "zip", "born", attributes="sex", **reading),
    "population": lambda source, **reading: idbits.population(
        source, ["born:year", "zip", "age"], people=9_000, **reading
    ),
    "weighted population": lambda source, **reading: idbits.population(
        source, ["zip", "sex"], weight="age", where="age >= 1", **reading
    ),
    "inspect": lambda source, **reading: idbits.inspect(source, **reading),
}


@pytest.fixture(scope="module", params=["postgresql", "mariadb"])
def address(request: pytest.FixtureRequest) -> str:
    """A database with types of its own."""
    found = {"postgresql": databases.postgresql_address, "mariadb": databases.mariadb_address}[request.param]()
    databases.fill(found, TABLE, PEOPLE)
    return found


@pytest.mark.parametrize("study", STUDIES)
def test_the_same_answer_as_from_a_frame(address, study):
    ask = STUDIES[study]
    ours, theirs = ask(address, table="studied").to_dict(), ask(pyarrow.Table.from_pylist(PEOPLE)).to_dict()
    for answer in (ours, theirs):
        for key in ("notes", "source"):
            with suppress(KeyError):
                del answer[key]
    assert ours == theirs


@pytest.mark.parametrize("study", ["columns", "gain"])
def test_more_than_the_memory_holds_is_refused(address, study, monkeypatch):
    monkeypatch.setattr("idbits.engines.codes._VALUE_BYTES", 10**7)
    with pytest.raises(idbits.EngineError, match="memory="):
        STUDIES[study](address, table="studied", memory="64MB")


def test_what_needs_the_rows_themselves_is_refused(address, tmp_path):
    with pytest.raises(idbits.InputError, match="rows"):
        idbits.columns(address, ["zip", "sex"], records=tmp_path / "records.csv", table="studied")
    with pytest.raises(idbits.InputError, match="rows"):
        idbits.gain(address, columns=["zip", "sex"], cells=tmp_path / "cells.parquet", table="studied")
    with pytest.raises(idbits.InputError, match="order"):
        idbits.randomise(address, mechanism="response", epsilon=1, table="studied")
    assert list(tmp_path.iterdir()) == []
