"""Conditions: which views of an attribute determine which, and which values they imply."""

from __future__ import annotations

import itertools
import random
from datetime import date, timedelta
from typing import Any

import pytest

from idbits.repository.conditions import implied_condition, implies, is_finer, make_condition
from idbits.values.attributes import Kind, parse_attribute
from idbits.values.plain import transform_column

VIEWS = ["birthdate", "birthdate:day", "birthdate:week", "birthdate:month", "birthdate:quarter", "birthdate:year",
         "birthdate:monthofyear", "birthdate:year:band5", "birthdate:year:band10"]  # fmt: skip


AGES = [
    "age",
    "age:band5",
    "age:band10",
    "age:band7",
    "age:cap90",
    "age:cap80",
    "age:cap90:band5",
    "age:round5",
    "age:round10",
]


CODES = ["postcode", "postcode:prefix4", "postcode:prefix2", "postcode:prefix4:prefix3"]


@pytest.mark.parametrize("views", [VIEWS, AGES, CODES])
def test_what_determines_what_is_so_in_data(views: list[str]) -> None:
    generator = random.Random(5)
    days = [(date(1999, 12, 20) + timedelta(days=generator.randrange(800))).isoformat() for _ in range(3000)]
    columns: dict[str, list[Any]] = {
        "birthdate": days,
        "age": [generator.randrange(110) for _ in days],
        "postcode": [f"{generator.randrange(1000, 1300)}{generator.choice('AB')}" for _ in days],
    }
    kinds = {"birthdate": Kind.TEXT, "age": Kind.INTEGER, "postcode": Kind.TEXT}
    seen = {}
    for name in views:
        attribute = parse_attribute(name, kinds)
        seen[name] = transform_column(columns[attribute.column], [1] * len(days), attribute, "ymd")
    for fine, coarse in itertools.product(views, views):
        together = len(set(zip(seen[fine], seen[coarse], strict=True)))
        if is_finer(fine, coarse):
            assert together == len(set(seen[fine])), f"{fine} does not determine {coarse}"
    assert is_finer("birthdate", "birthdate:week")
    assert not is_finer("birthdate:week", "birthdate:year")


def test_values_follow_as_the_engine_makes_them() -> None:
    for fine, value, coarse, expected in [
        ("age", "34", "age:band5", "30"), ("age:band5", "30", "age:band10", "30"), ("age", "97", "age:cap90", "90"),
        ("postcode", "1011AB", "postcode:prefix4", "1011"), ("postcode:prefix4", "1011", "postcode:prefix2", "10"),
        ("birthdate", "1985-05-17", "birthdate:year", "1985"), ("birthdate:month", "1985-05", "birthdate:year", "1985"),
        ("birthdate:quarter", "1985-Q2", "birthdate:year:band10", "1980"),
        ("birthdate", "1985-05-17", "birthdate:month", "1985-05"),
    ]:  # fmt: skip
        assert implied_condition(make_condition(fine, value), coarse) == make_condition(coarse, expected)
    assert implied_condition(make_condition("age", "unknown"), "age:band5") is None
    assert implied_condition(make_condition("age:band5", "30"), "age") is None
    assert implies({("a", "1"), ("b", "2")}, {("a", "1")})
    assert not implies({("a", "1")}, {("a", "1"), ("b", "2")})
