"""Two zonings: the figures, what is shown and what is not, rules, and tables from every place."""

import json
import random
import sqlite3
from pathlib import Path

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import idbits
from idbits.errors import DataError, InputError
from idbits.studies.overlap.study import overlap

BLOCKS = pyarrow.table(
    {"town": ["a1", "a1", "a2", "a2"], "post": ["b1", "b2", "b2", "b9"], "n": [50, 3, 40, 0], "one": ["x"] * 4}
)


def test_the_example_of_the_specification() -> None:
    answer = idbits.overlap(BLOCKS, zones="town,post", count="n")
    data = json.loads(answer.to_json())
    assert data["zones"] == ["town", "post"]
    assert (data["n_atoms"], data["n_components"], data["threshold"], data["smallest"]) == (3, 1, 10, 3)
    assert data["isolated"] == {"groups": 1, "people": 3, "atoms": 1}
    assert data["published_small"] == {"zones": 0, "people": 0}
    assert data["groups"] == [{"people": 3, "atoms": 1, "zones_added": 1, "zones_taken": 1, "added_from": "town"}]
    assert (data["verdict_level"], data["reasons"]) == ("bad", {})
    assert "a group of 3 people" in data["verdict_reasons"][0]


def test_zones_are_named_only_on_request_or_in_larger_groups() -> None:
    hidden, shown = (overlap(BLOCKS, zones=["town", "post"], count="n", reveal=reveal) for reveal in (False, True))
    for text in (str(hidden), hidden.to_json()):
        assert "a1" not in text
        assert "b1" not in text
    assert (shown.groups[0].added, shown.groups[0].taken, shown.internal) == (("a1",), ("b1",), True)
    larger = pyarrow.table({"town": ["a1", "a1", "a2"], "post": ["b1", "b2", "b2"], "n": [50, 15, 40]})
    assert overlap(larger, zones="town,post", count="n", below=20).groups[0].added == ("a1",)


def test_rows_are_not_called_people() -> None:
    rows = pyarrow.table({"a": ["x"] * 12 + ["y"] * 14, "b": ["p"] * 10 + ["q"] * 16})
    answer = overlap(rows, zones="a,b")
    assert (answer.smallest, answer.unit) == (2, "rows")
    assert "people," not in answer.to_json()
    assert "a group of 2 rows" in str(answer)
    assert overlap(rows, zones="a,b", rows_are_people=True).unit == "people"


def test_nothing_is_isolated() -> None:
    grid = pyarrow.table({"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"], "n": [30, 4, 4, 30]})
    answer = overlap(grid, zones="a,b", count="n")
    assert (answer.smallest, answer.groups, answer.sizes) == (None, (), ())
    data = answer.to_dict()
    assert (data["verdict_level"], data["smallest"]) == ("good", None)
    assert list(answer.reasons) == ["smallest"]


def test_small_zones_are_reported_apart() -> None:
    nested = pyarrow.table({"a": ["x", "y", "z"], "b": ["p", "p", "q"], "n": [4, 60, 70]})
    answer = overlap(nested, zones="a,b", count="n")
    assert (answer.published_small.zones, answer.published_small.people, answer.isolated.groups) == (1, 4, 0)
    assert answer.to_dict()["verdict_level"] == "warn"
    assert "1 zone has fewer than 10 people" in str(answer)


def test_a_missing_zone_counts_as_a_zone() -> None:
    table = pyarrow.table({"a": ["x", "x", None], "b": ["p", None, None], "n": [50, 3, 40]})
    answer = overlap(table, zones="a,b", count="n", reveal=True)
    assert (answer.smallest, answer.null_zones) == (3, (40, 43))
    assert "a 40 and b 43" in " ".join(str(answer).split())


def test_a_constant_column_is_a_note() -> None:
    answer = overlap(BLOCKS, zones="town,one", count="n")
    assert answer.notes == ('column "one" has only one zone, so there is nothing to subtract',)
    assert not answer.groups


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"zones": "town"}, "exactly two columns"),
        ({"zones": "town,post,one"}, "exactly two columns"),
        ({"zones": "town,town"}, "twice"),
        ({"zones": "town,posst"}, "did you mean"),
        ({"zones": "town,post", "below": 1}, "2 to 1,000,000,000"),
        ({"zones": "town,post", "sensitive": "one"}, "leave out"),
        ({}, "name two columns of zones"),
        ({"zones": "town,post", "rules": "smallest >= 20"}, "below 20"),
        ({"zones": "town,post", "rules": "smalest >= 5"}, "did you mean"),
        ({"zones": "town,post", "rules": "smallest <= 5%"}, "cannot be a percentage"),
    ],
)
def test_wrong_questions(more: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        overlap(BLOCKS, count="n", **more)


def test_nobody_and_several_rows_per_person() -> None:
    with pytest.raises(DataError, match="nothing to compare"):
        overlap(BLOCKS, zones="town,post", count="n", where="n = 0")
    with pytest.raises(DataError, match="more than one row"):
        overlap(BLOCKS, zones="town,post", person="one")


@pytest.mark.parametrize(
    ("rule", "passed", "value"),
    [
        ("isolated.people <= 0", False, 3),
        ("isolated.people <= 5%", True, 3 / 93),
        ("isolated.people <= 1%", False, 3 / 93),
        ("smallest >= 3", True, 3),
        ("smallest >= 5", False, 3),
        ("published_small.zones == 0", True, 0),
    ],
)
def test_rules(rule: str, passed: bool, value: float) -> None:
    answer = overlap(BLOCKS, zones="town,post", count="n", rules=[rule])
    assert [(outcome.rule, outcome.passed, outcome.value) for outcome in answer.rules] == [(rule, passed, value)]
    assert answer.exit_code == (0 if passed else 1)


def test_no_small_group_meets_a_limit_on_the_smallest() -> None:
    answer = overlap(BLOCKS, zones="town,post", count="n", below=3, rules=["smallest >= 3", "smallest < 3"])
    assert [outcome.passed for outcome in answer.rules] == [True, False]


def test_an_incomplete_search_meets_no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idbits.studies.overlap.zones.isolate", _searching_two_zones)
    block = pyarrow.table({
        "a": [0, 0, 0, 1, 1, 2], "b": [0, 1, 2, 1, 2, 2], "n": [50, 2, 3, 50, 2, 50],
    })  # fmt: skip
    answer = overlap(block, zones="a,b", count="n")
    assert (answer.not_searched.atoms, answer.not_searched.people) == (3, 7)
    assert answer.to_dict()["verdict_level"] == "undecided"
    checked = overlap(block, zones="a,b", count="n", rules=["isolated.people <= 0", "isolated.groups >= 1"])
    assert [(rule.word, rule.value) for rule in checked.rules] == [("ERROR", None), ("FAIL", 0)]
    assert checked.exit_code == 3
    assert "too large to search" in str(checked)


def _searching_two_zones(*given: object) -> object:
    from idbits.measures.differencing import isolate

    return isolate(*given[:2], most_zones=2)  # type: ignore[arg-type]


def test_the_same_answer_from_every_place(tmp_path: Path) -> None:
    frame = BLOCKS.to_pandas()
    frame.to_csv(tmp_path / "blocks.csv", index=False)
    pyarrow.parquet.write_table(BLOCKS, tmp_path / "blocks.parquet")
    with sqlite3.connect(tmp_path / "blocks.db") as database:
        frame.to_sql("blocks", database, index=False)
    database.close()
    expected = overlap(BLOCKS, zones="town,post", count="n", reveal=True).to_dict()
    assert isinstance(frame, pandas.DataFrame)
    for source, more in (
        (tmp_path / "blocks.csv", {}),
        (tmp_path / "blocks.parquet", {}),
        (frame, {}),
        (polars.from_arrow(BLOCKS), {}),
        (f"sqlite:///{tmp_path}/blocks.db", {"table": "blocks"}),
    ):
        assert overlap(source, zones="town,post", count="n", reveal=True, **more).to_dict() == expected


def test_the_order_of_rows_does_not_matter() -> None:
    draw = random.Random(8)
    rows = [(f"a{draw.randrange(40)}", f"b{draw.randrange(40)}", draw.choice([1, 2, 3, 30])) for _ in range(90)]
    answers = []
    for _ in range(5):
        draw.shuffle(rows)
        columns = dict(zip(("a", "b", "n"), map(list, zip(*rows, strict=True)), strict=True))
        table = pyarrow.table(columns)
        answers += [overlap(table, zones="a,b", count="n", reveal=reveal).to_json() for reveal in (False, True)]
    assert len(set(answers[::2])) == len(set(answers[1::2])) == 1
    assert json.loads(answers[0])["isolated"]["groups"] > 3


def test_views_of_columns_and_charts() -> None:
    answer = overlap(BLOCKS, zones="town:prefix1,post", count="n")
    assert answer.n_zones == (1, 2)
    chart = overlap(BLOCKS, zones="town,post", count="n").chart()
    assert {"people": 3, "groups": 1} in chart["data"]["values"]
    assert {"people": 4, "groups": 0} in chart["data"]["values"]
