"""What advise refuses, each with one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

import idbits
from idbits.errors import InputError
from idbits.examples.registry import registry

PEOPLE = registry(100)
QID = ["birthdate", "zip", "gender"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a;x\nb;x;y\n", "line 2 of x.csv has 3 fields, but the first line has 2"),
        ("a;x;1\nb;x;2\nc;y;2\n", "level 2 of x.csv splits what level 1 had joined, for 1 value"),
        ("a;x\na;y\nb;y\n", "line 2 of x.csv gives a value other coarser values"),
        ("", "x.csv has no lines"),
    ],
)
def test_wrong_hierarchy_files(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.csv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        idbits.advise(pyarrow.table({"x": ["a", "b", "c"]}), ["x"], hierarchy={"x": tmp_path / "x.csv"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goal": "k_mn >= 5"}, 'did you mean "k_min"'),
        ({"goal": "nothing >= 5"}, "a goal can be about k_min, l_distinct"),
        ({"goal": "k_min"}, "is not a rule"),
        ({"goal": "l_distinct >= 2"}, "name the sensitive column"),
        ({"goal": "people_below <= 1%"}, "needs a number after it"),
        ({"goal": "k_min.zip >= 2"}, "takes no column"),
        ({"goal": "entropy_bits <= 5%"}, "cannot be a percentage"),
        ({"withhold": "101%"}, "0% to 100%"),
        ({"withhold": "many"}, "0% to 100%"),
        ({"sensitive": ["zip"]}, "cannot be a sensitive column"),
        ({"use_for": "zip"}, "cannot be the column of use_for="),
        ({"hierarchy": {"age": "band5"}}, 'column "age" is not in qid='),
        ({"hierarchy": {"birthdate": ["year", "month"]}}, "splits what the view before had joined"),
        ({"keep": ["sex"]}, r'column "sex" is not in qid='),
        ({"from_": ["birthdate"]}, "must name a column"),
        ({"to": {"zip": "prefix9"}}, 'no view "prefix9"'),
        ({"keep": ["zip"], "to": {"zip": "all"}}, "leave out to="),
        ({"from_": {"zip": "all"}, "to": {"zip": "prefix1"}}, "coarser than that of to="),
        ({"importance": {"zip": 0}}, "must be a number above 0"),
        ({"loss": "cell"}, 'did you mean "cells"'),
        ({"loss": "entropy:kept", "withhold": "60%"}, "ignores people who are withheld"),
        ({"method": "magic"}, "the method must be"),
        ({"risk": "people_below"}, "is not a risk"),
        ({"choose": 2}, "name the file with plan="),
        ({"population": PEOPLE}, "leave out population="),
        ({"ranks": {"zip": ["a"]}}, "is not sensitive"),
        ({"passes": 0}, "the number of passes"),
    ],
)
def test_wrong_questions(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        idbits.advise(PEOPLE, QID, **options)
