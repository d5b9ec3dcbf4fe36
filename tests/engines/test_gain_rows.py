"""Information gain of people with several rows on every engine: the figures that plain Python's counts give."""

import pytest

from idbits.reading import OpenOptions
from idbits.studies.gain.study import gain_of_table
from idbits.studies.shared.persons import PersonOptions
from idbits.values.attributes import parse_attributes

NAMES = ["zip", "name", "n:band10"]
VISITS = [
    {"who": who, "zip": code, "name": name, "n": number}
    for who, code, name, number in [
        ("1", "01", "a", "5"), ("1", "02", "a", "15"), ("1", "01", "a", "5"), ("2", "01", "a", "5"),
        ("2", "02", "b", "7"), ("3", None, "b", "7"), ("3", "01", None, None), ("a", None, "b", "12"),
        ("A", "01", "a", "5"), (None, "02", "b", "7"), (None, "02", "b", "7"), (None, "03", None, "40"),
        ("é", "02", "a", "15"),
    ]
]  # fmt: skip
ON_A_CLUSTER = [
    ("visits", "drop", "named:name"), ("visits", "own", "strongest"), ("one each", "drop", "knows:1"),
]  # fmt: skip
ONE_EACH = [VISITS[index] for index in (0, 3, 5, 7, 8, 9, 12)]


@pytest.mark.parametrize("attacker", ["strongest", "named:name", "knows:1"])
@pytest.mark.parametrize(("rows", "null_person"), [("visits", "drop"), ("visits", "own"), ("one each", "drop")])
def test_gain_of_people(engine, rows, null_person, attacker):
    # Each takes many seconds on a cluster, where every kind of rows and every attacker is tried once.
    if engine.name == "spark" and (rows, null_person, attacker) not in ON_A_CLUSTER:
        return
    table_rows = VISITS if rows == "visits" else ONE_EACH
    person = PersonOptions(column="who", null_person=null_person)
    answers = []
    for table in (engine.loaded(table_rows, ["who", *NAMES]), engine.reference(table_rows)):
        attributes = parse_attributes(NAMES, table.columns)
        answers.append(gain_of_table(table, attributes, OpenOptions(), person=person, attacker=attacker).to_dict())
    found, expected = answers
    assert found.pop("notes") is not None
    expected.pop("notes")
    # Rows of equal gain come in the order of their numbers, which a database does not have.
    for data in answers:
        data["most_exposed"] = sorted(map(str, data["most_exposed"]))
    assert found == expected
    assert (found["n_people"], found["n_rows"]) == {
        ("visits", "drop"): (6, 10), ("visits", "own"): (9, 13), ("one each", "drop"): (6, 6),
    }[rows, null_person]  # fmt: skip
    assert ("rig_sum" in found) == (rows == "visits")
