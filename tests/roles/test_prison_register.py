"""A prison register: people with several rows, an identifier, and two dates that are known by the day."""

from __future__ import annotations

import csv
import random
from datetime import date, timedelta
from pathlib import Path

import pytest

import idbits

NAMES = ["DOWNLOAD DATE", "IDENTIFIER", "LATEST ADMISSION DATE", "RACE", "GENDER", "AGE", "BOND AMOUNT", "OFFENSE"]


@pytest.fixture(params=["", " 12:00:00 AM", " 00:00:00"])
def register(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    draw = random.Random(4)
    rows = []
    for _ in range(150):
        person = "".join(draw.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=8))
        admitted = date(2016, 1, 1) + timedelta(days=draw.randrange(1500))
        known = [draw.choice(["BLACK", "WHITE", "HISPANIC", "ASIAN"]), draw.choice("MF"), draw.randint(18, 70)]
        for _ in range(draw.randint(1, 4)):
            seen = date(2019, 7, 1) + timedelta(days=draw.randrange(300))
            days = [f"{day:%m/%d/%Y}{request.param}" for day in (seen, admitted)]
            rows.append([days[0], person, days[1], *known, draw.randrange(500, 90_000), draw.choice("ABC")])
    path = tmp_path / "register.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([NAMES, *rows])
    return path


def test_the_identifier_is_not_suggested_and_both_dates_are_known_by_the_day(register: Path) -> None:
    columns = {column.column: column for column in idbits.inspect(register).columns}
    assert columns["IDENTIFIER"].role == "direct identifier"
    assert columns["IDENTIFIER"].suggested is None
    assert columns["IDENTIFIER"].views == ()
    for name in ("DOWNLOAD DATE", "LATEST ADMISSION DATE"):
        assert columns[name].role == "time"
        assert columns[name].suggested in (name, f"{name}:day")


def test_the_dates_are_measured_and_the_people_are_found(register: Path) -> None:
    answer = idbits.measure(register)
    assert [str(column[0]).removesuffix(":day") for column in answer.columns] == [
        "DOWNLOAD DATE", "LATEST ADMISSION DATE", "RACE", "GENDER", "AGE",
    ]  # fmt: skip
    assert answer.singletons > 0.9 * answer.n_rows
    data = answer.to_dict()
    assert data["verdict_level"] == "undecided"
    assert "IDENTIFIER" in data["verdict"]
