"""Two releases of the same people: the figures, who is left out, and what is refused."""

import json
import math
import sqlite3
from pathlib import Path

import pyarrow
import pytest

import idbits
from idbits.errors import DataError, EngineError, InputError
from idbits.studies.overlap.study import overlap

ASKED = {"person": "id", "qid_a": "age", "qid_b": "zip", "sensitive": "ill"}
FIRST = pyarrow.table({"id": [1, 2, 3, 4, 5], "age": [30, 30, 40, 40, 40], "ill": ["flu", "hiv", "hiv", "copd", "flu"]})
SECOND = pyarrow.table(
    {"id": [4, 3, 2, 1, 6], "zip": ["b", "a", "b", "a", "b"], "ill": ["copd", "hiv", "hiv", "flu", "hiv"]}
)


def test_every_figure_of_a_small_example() -> None:
    answer = idbits.overlap(FIRST, SECOND, **ASKED)
    # Person 1 is in {flu, hiv} and {hiv, flu}; 2 in {flu, hiv} and {copd, hiv, hiv}: only hiv is left.
    assert (answer.people, answer.only_first, answer.only_second) == (4, 1, 1)
    assert (answer.changed, answer.empty, answer.l_min, answer.n_values) == (0, 0, 1, 3)
    assert answer.certain.both == 1
    assert answer.certain.new == 1
    assert (answer.certain.first, answer.certain.second) == (0, 0)
    assert (answer.joint.k_min, answer.joint.alone, answer.joint.certain) == (1, 4, 4)
    assert [(row.values, row.both) for row in answer.candidates] == [(1, 1), (2, 3), (3, 0)]
    prior = {"flu": 3 / 10, "hiv": 5 / 10, "copd": 2 / 10}
    joint = sum(-math.log2(prior[ill]) for ill in ("flu", "hiv", "hiv", "copd")) / 4
    assert answer.joint.gain_bits == pytest.approx(joint, rel=1e-12)
    assert answer.prior_entropy_bits == pytest.approx(-sum(p * math.log2(p) for p in prior.values()), rel=1e-12)
    assert answer.to_dict()["verdict_level"] == "bad"
    assert "1 of 4 people (25.00%)" in str(answer)


def test_no_value_is_shown() -> None:
    answer = overlap(FIRST, SECOND, **ASKED)
    for shown in (str(answer), answer.to_json()):
        assert "hiv" not in shown
        assert "copd" not in shown


def test_changed_values_are_said_and_contradictions_counted() -> None:
    other = pyarrow.table({"id": [1, 2, 3], "zip": ["a", "b", "c"], "ill": ["none", "none", "none"]})
    answer = overlap(FIRST, other, **ASKED)
    assert (answer.changed, answer.empty, answer.l_min, answer.gain_bits.both) == (3, 3, None, None)
    assert set(answer.reasons) == {"l_min", "gain_bits.both"}
    assert "differs between the releases" in str(answer)
    assert json.loads(answer.to_json())["l_min"] is None
    checked = overlap(FIRST, other, **ASKED, rules="l_min >= 2")
    assert (checked.rules[0].word, checked.exit_code) == ("ERROR", 3)


def test_identical_releases_add_nothing_by_joint_group() -> None:
    answer = overlap(FIRST, FIRST, **{**ASKED, "qid_b": "age"})
    assert answer.certain.new == 0
    assert answer.joint.gain_bits == pytest.approx(answer.gain_bits.first, rel=1e-12)
    assert answer.gain_bits.both is not None
    assert answer.gain_bits.both > answer.gain_bits.first


def test_a_constant_value_is_nothing_to_learn() -> None:
    same = FIRST.set_column(2, "ill", pyarrow.array(["flu"] * 5))
    answer = overlap(same, same, **{**ASKED, "qid_b": "age"})
    assert answer.to_dict()["verdict"] == "Nothing is to be learnt"
    assert (answer.gain_bits.both, answer.prior_entropy_bits) == (0.0, 0.0)


def test_a_value_that_nearly_everybody_has_is_not_given_away() -> None:
    # Persons 0 to 95 are well and 4 are ill; the ill of one release's group are apart in the other.
    n = 100
    ill = ["ill" if person in (0, 1, 50, 51) else "well" for person in range(n)]
    first = pyarrow.table({"id": range(n), "age": [person % 50 for person in range(n)], "ill": ill})
    second = pyarrow.table({"id": range(n), "zip": [person // 2 for person in range(n)], "ill": ill})
    answer = overlap(first, second, **ASKED)
    assert answer.certain.new == answer.certain.new_common


def test_ids_are_matched_by_their_text() -> None:
    texts = SECOND.set_column(0, "id", pyarrow.array(["4", "3", "2", "1", "6"]))
    assert overlap(FIRST, texts, **ASKED).to_dict() == overlap(FIRST, SECOND, **ASKED).to_dict()


@pytest.mark.parametrize(
    ("rule", "code"), [("certain.both <= 0", 1), ("certain.both <= 25%", 0), ("joint.k_min >= 2", 1)]
)
def test_rules(rule: str, code: int) -> None:
    assert overlap(FIRST, SECOND, **ASKED, rules=rule).exit_code == code


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"person": None}, InputError, "--person is missing"),
        ({"sensitive": None}, InputError, "--sensitive is missing"),
        ({"qid_a": "id"}, InputError, "identifies people"),
        ({"qid_a": "age,ill"}, InputError, "both known and secret"),
        ({"sensitive": "id"}, InputError, "both the person and the secret"),
        ({"qid_b": "age"}, InputError, "in the second release"),
        ({"count": "age"}, InputError, "person by person"),
        ({"where": "id > 9"}, DataError, "nobody in it"),
        ({"where": "id in (1, 5, 6) and not ill = 'flu'"}, DataError, "nobody in it"),
        ({"person": "age", "qid_a": "id"}, DataError, "more than one row"),
        ({"zones": "age,ill"}, InputError, "leave out"),
    ],
)
def test_what_is_refused(more: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        overlap(FIRST, SECOND, **{**ASKED, **more})


def test_nobody_in_both() -> None:
    with pytest.raises(DataError, match="nobody is in both releases"):
        overlap(FIRST.slice(4), SECOND, **ASKED)


def test_rows_do_not_leave_a_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "people.db") as database:
        FIRST.to_pandas().to_sql("people", database, index=False)
    database.close()
    with pytest.raises(EngineError, match="only counts leave a database"):
        overlap(f"sqlite:///{tmp_path}/people.db", SECOND, **ASKED, table="people")


def test_the_chart_has_people_by_values_left() -> None:
    rows = overlap(FIRST, SECOND, **ASKED).chart()["data"]["values"]
    assert {"values": "1", "release": "both", "people": 1} in rows
    assert sum(row["people"] for row in rows if row["release"] == "both") == 4
