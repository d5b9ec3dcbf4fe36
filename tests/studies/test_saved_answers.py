"""Saved answers become results again, figure by figure; what is no answer is refused, whatever it holds."""

import json
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

import idbits
from idbits.errors import InputError
from idbits.examples.visits import visits
from idbits.studies.report.saved import answer_from

VISITS = visits(people=40, seed=3, first=date(2005, 1, 1), last=date(2005, 3, 1))
NUMBERS = pa.table({"a": [n * 37 % 101 for n in range(120)], "b": [n % 7 for n in range(120)]})
RELEASED = pa.table({"a": [n * 37 % 101 + n % 3 for n in range(120)], "b": [5 - n % 4 for n in range(120)]})


def answers() -> dict[str, Any]:
    asked = {"person": "patient", "time": "date", "attributes": "place"}
    return {
        "events": idbits.events(VISITS, **asked, points="1..2,all", times="month"),
        "events by week": idbits.events(VISITS, **asked | {"time": "date:week"}),
        "leak": idbits.leak(NUMBERS, RELEASED, order=3, scales=2, conditional=True),
        "leak of a constant": idbits.leak(NUMBERS, pa.table({"a": [1] * 120, "b": [2] * 120})),
        "columns": idbits.columns(NUMBERS, ["a", "b"]),
        "many columns": idbits.columns(pa.table({f"c{n}": [r // (n + 1) % 3 for r in range(60)] for n in range(12)})),
    }


@pytest.fixture(scope="module")
def saved() -> dict[str, str]:
    return {name: answer.to_json() for name, answer in answers().items()}


@pytest.mark.big
def test_a_saved_answer_says_the_same_again(saved: dict[str, str]) -> None:
    for name, text in saved.items():
        made = answer_from(json.loads(text))
        assert made is not None, name
        assert json.loads(made.to_json()) == json.loads(text), name


def test_other_commands_are_shown_key_by_key() -> None:
    assert answer_from({"command": "measure"}) is None


@pytest.mark.big
@pytest.mark.parametrize("name", ["events", "leak", "columns"])
@pytest.mark.parametrize("junk", [None, "x", 1.5, [], {}, [None], [{"date": 1}], True, {"asked": []}])
def test_whatever_a_key_holds_it_is_refused_or_shown(saved: dict[str, str], name: str, junk: Any) -> None:
    whole = json.loads(saved[name])
    refused = 0
    for key in whole:
        for changed in ({**whole, key: junk}, {other: value for other, value in whole.items() if other != key}):
            data = {**changed, "command": name}
            try:
                answer = answer_from(data)
            except InputError:
                refused += 1
            else:
                assert answer is not None
    assert refused > len(whole) / 2
