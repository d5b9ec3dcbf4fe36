"""Information gain of people with several rows: against rows counted one by one, and laws."""

import json
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits
from idbits.errors import ColumnNotFoundError, DataError, InputError
from idbits.studies.gain.verdict import gain_verdict
from idbits.studies.shared.beside import NOTHING_BESIDE
from idbits.studies.shared.python_words import python_sentence
from idbits.studies.shared.units import Unit

NAMES = "abc"
TABLES = st.lists(
    st.tuples(st.integers(0, 6), *[st.none() | st.sampled_from("xyz")] * 3), min_size=1, max_size=20
).filter(lambda rows: len(rows) == 1 or len({person for person, *_ in rows}) > 1)


def frame_of(rows):
    columns = {"person": [row[0] for row in rows]}
    return pyarrow.table(columns | {name: [row[index + 1] for row in rows] for index, name in enumerate(NAMES)})


def by_hand(rows, cells, threshold=1.0):
    """Return the figures of people from the cells of each row, person by person."""
    own = defaultdict(list)
    for index, (person, *_) in enumerate(rows):
        own[person].append(index)
    having = defaultdict(set)
    for person, *values in rows:
        having[tuple(values)].add(person)
    rig = [math.fsum(row) for row in cells]
    cohort = [len(having[tuple(values)]) for _, *values in rows]
    share = [bits / number for bits, number in zip(rig, cohort, strict=True)]
    largest = np.array([max(rig[index] for index in of) for of in own.values()])
    sums = np.array([math.fsum(rig[index] for index in of) for of in own.values()])
    best = np.array([max(share[index] for index in of) for of in own.values()])
    return {
        "n_rows": len(rows),
        "n_people": len(own),
        "rig": summary(largest),
        "rig_sum": summary(sums),
        "mics": min(cohort),
        "people_alone": sum(any(cohort[index] == 1 for index in of) for of in own.values()),
        "pif": max(best),
        "rows_at_pif": int((best >= best.max() - 1e-9).sum()),
        "people_at_threshold": int((best >= threshold - 1e-9).sum()),
        "percentile_pif": float(np.percentile(largest, 80)),
    }, cohort


def summary(numbers):
    high = {"p50": 50, "p95": 95, "max": 100}
    return {"mean": float(numbers.mean())} | {key: float(np.percentile(numbers, level)) for key, level in high.items()}


@pytest.mark.big
@settings(max_examples=40)
@given(TABLES, st.sampled_from(["strongest", "named:a", "knows:1"]))
def test_every_figure_is_about_people(twin, cells, rows, attacker):
    table = frame_of(rows)
    options = {"person": "person", "attacker": attacker, "percentile": 80.0}
    answer = idbits.gain(table, **options, columns="a,b,c", cells=True)
    book = twin([tuple(values) for _, *values in rows])
    if attacker == "knows:1":
        own, most = book.over_subsets(1)
        largest, _ = by_hand(rows, most)
        for key in ("rig", "pif", "people_at_threshold", "mics"):
            assert answer.to_dict()["maximum"][key] == pytest.approx(largest[key], abs=1e-11), key
    else:
        own = book.cells([0] if attacker == "named:a" else None)
    expected, cohort = by_hand(rows, own)
    data = answer.to_dict()
    if expected["n_people"] == expected["n_rows"]:
        del expected["rig_sum"]
        assert "rig_sum" not in data
    for key, value in expected.items():
        assert data[key] == pytest.approx(value, abs=1e-11), key
    # Cells are those of the rows, and so are features.
    assert np.array(cells(answer)) == pytest.approx(np.array(own), abs=1e-11)
    assert answer.cells.column("cohort").to_pylist() == cohort
    assert answer.cells.num_rows == len(rows)
    without = idbits.gain(table.drop(["person"]), attacker=attacker, columns="a,b,c").to_dict()
    assert [feature["fig_bits"] for feature in data["features"]] == [f["fig_bits"] for f in without["features"]]
    assert data["dependence"] == without["dependence"]
    curve = {point["bits"]: point["people"] for point in data["rig_curve"]}
    assert curve[0.0] == sum(value > 1e-12 for value in largest_of(rows, own))
    assert all(point["share"] == point["people"] / data["n_people"] for point in data["rig_curve"])


def largest_of(rows, own):
    largest = defaultdict(float)
    for (person, *_), row in zip(rows, own, strict=True):
        largest[person] = max(largest[person], math.fsum(row))
    return largest.values()


@settings(max_examples=15)
@given(st.lists(st.tuples(*[st.sampled_from("xyz")] * 3), min_size=1, max_size=15))
def test_with_one_row_per_person_every_figure_is_that_of_rows(values):
    table = frame_of([(number, *value) for number, value in enumerate(values)])
    wanted = {"growth": "greedy", "sweep": "a:prefix1", "columns": "a,b,c"}
    plain = idbits.gain(table.drop(["person"]), **wanted).to_dict()
    data = idbits.gain(table, **wanted, person="person").to_dict()
    assert (plain.pop("unit"), data.pop("unit")) == ("rows", "people")
    assert (plain.pop("identifiers"), data.pop("identifiers")) == ([], ["person"])
    for key in ("verdict", "verdict_level", "verdict_reasons", "reasons"):
        plain.pop(key)
        data.pop(key)
    for key in ("person", "rows_per_person", "rows_without_person", "null_person", "unique_by_all_records"):
        data.pop(key)
    assert data == plain


@settings(max_examples=15)
@given(TABLES)
def test_the_sum_is_at_least_the_largest_and_equal_rows_change_no_largest(rows):
    figures = idbits.gain(frame_of(rows), person="person", columns="a,b,c").figures
    assert figures.people_alone <= figures.n_people <= figures.n_rows
    assert figures.pif <= figures.rig["max"] + 1e-12
    if figures.rig_sum is not None:
        assert all(figures.rig_sum[key] >= figures.rig[key] - 1e-12 for key in figures.rig)


def test_versions_sweeps_and_growth_count_people():
    rows = [(1, "x", "x", "x"), (1, "y", "x", "y"), (2, "x", "x", "x"), (2, "y", "y", "z"), (3, "y", "y", "z")]
    table = frame_of(rows)
    treated = table.set_column(3, "c", pyarrow.array(["x"] * 5))
    answer = idbits.gain(table, person="person", compare=treated, sweep="c:top1", growth="given", columns="a,b,c")
    after = idbits.gain(treated, person="person", columns="a,b,c")
    assert answer.comparison.figures == after.figures
    assert (answer.comparison.figures.n_people, answer.comparison.figures.n_rows) == (3, 5)
    swept = idbits.gain(table, person="person", columns="a,b,c:top1").figures
    step = answer.sweep[1]
    assert (step.pif, step.mics, step.people_at_threshold) == (swept.pif, swept.mics, swept.people_at_threshold)
    assert answer.growth.steps[-1].rig_p95 == answer.figures.rig["p95"]
    assert [step.mics for step in answer.growth.steps] == [
        idbits.gain(table, person="person", columns=names).mics for names in ("a", "a,b", "a,b,c")
    ]
    original, compared = answer.comparison.rig_curves[0][1:]
    assert original <= 3
    assert compared <= 3
    with pytest.raises(InputError, match='the table to compare with has no column named "person"'):
        idbits.gain(table, person="person", compare=treated.drop(["person"]), columns="a,b")
    # If everyone has one row, the treated table need not say who is who.
    once = table.take([0, 2, 4])
    assert idbits.gain(once, person="person", compare=once.drop(["person"]), columns="a,b").comparison is not None


VISITS = pyarrow.table({"who": [1, 1, 2, 2, None], "place": list("abaab"), "day": [1, 2, 1, 2, 1]})


def test_rows_without_a_person_are_refused_left_out_or_people():
    with pytest.raises(DataError, match='column "who" is empty in 1 row'):
        idbits.gain(VISITS, person="who")
    dropped = idbits.gain(VISITS, person="who", null_person="drop", cells=True)
    assert (dropped.n_people, dropped.n_rows, dropped.people.rows_without_person) == (2, 4, 1)
    assert dropped.cells.column("row").to_pylist() == [1, 2, 3, 4]
    # Figures of features are those of the rows that are left.
    rest = idbits.gain(VISITS.slice(0, 4), person="who")
    assert dropped.figures == rest.figures
    own = idbits.gain(VISITS, person="who", null_person="own")
    assert (own.n_people, own.n_rows) == (3, 5)
    assert "counts as one person each" in " ".join(str(own).split())
    once = VISITS.take([0, 2, 4])
    left = idbits.gain(once, person="who", null_person="drop", columns="place,day")
    plain = idbits.gain(once.slice(0, 2).drop(["who"]), columns="place,day")
    assert left.figures == plain.figures


def test_missing_values_of_rows_that_are_left_out_do_not_count():
    table = pyarrow.table({"who": [1, 1, 2, None], "place": ["a", None, "b", None], "day": [1, 2, 3, 4]})
    nulls = {f.column: f.nulls for f in idbits.gain(table, person="who", null_person="drop").features}
    assert nulls == {"place": 1, "day": 0}
    assert idbits.gain(table, person="who", null_person="own").features[0].nulls == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"person": "whom"}, ColumnNotFoundError, "whom"),
        ({"person": "who", "columns": "who,day"}, InputError, "take it out of columns="),
        ({"person": "who", "count": "day"}, InputError, "cannot be combined with count="),
        ({"person": "who", "rows_are_people": True}, InputError, "rows_are_people=True cannot be combined"),
        ({"null_person": "own"}, InputError, "need person="),
        ({"person": "who", "where": "who = 1"}, DataError, "has only one value"),
        ({"person": "who", "null_person": "drop", "analysis": "day"}, DataError, "analysis= needs one row per person"),
    ],
)
def test_wrong_questions_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        idbits.gain(VISITS, **options)


def test_the_answer_says_who_the_people_are():
    data = json.loads(idbits.gain(VISITS, person="who", null_person="own").to_json())
    assert (data["person"], data["unit"], data["null_person"]) == ("who", "people", "own")
    assert data["rows_per_person"] == {"min": 1, "median": 2.0, "mean": 5 / 3, "max": 2}
    assert data["rig_sum"]["mean"] >= data["rig"]["mean"]
    text = " ".join(str(idbits.gain(VISITS, person="who", null_person="own")).split())
    assert "5 records of 3 people, 1 to 2 per person" in text
    assert "all other columns of a record" in text
    assert "a person's most telling record" in text


def test_the_best_verdict_needs_an_attacker_who_knows_all_records():
    # Every record is shared by two people, but each pair of records belongs to one person.
    pairs = [(1, "ab"), (2, "bc"), (3, "cd"), (4, "da")]
    table = pyarrow.table({
        "who": [person for person, values in pairs for _ in values],
        "place": [value for _, values in pairs for value in values],
    })  # fmt: skip
    answer = idbits.gain(table, person="who", columns="place")
    data = answer.to_dict()
    assert (data["verdict"], data["unique_by_all_records"]) == ("Identifiers are still in the table", 4)
    assert "finds 4 of 4 people (100%)" in data["verdict_reasons"][1]
    # Without the column that identifies people, the verdict depends on all records.
    released = gain_verdict(replace(answer, beside=NOTHING_BESIDE))
    assert (released.level, released.title) == ("warn", "Some people can be singled out by all their records")
    twice = pyarrow.concat_tables([table, table.set_column(0, "who", [[n + 10 for n in table["who"].to_pylist()]])])
    fine = idbits.gain(twice, person="who", columns="place")
    assert gain_verdict(replace(fine, beside=NOTHING_BESIDE)).level == "good"
    assert fine.people.unique_by_all_records == 0
    unique = idbits.gain(VISITS, person="who", null_person="own", threshold=0.01).to_dict()
    assert unique["unique_by_all_records"] is None
    assert "one record" in unique["reasons"]["unique_by_all_records"]


def test_rows_are_not_called_people():
    table = pyarrow.table({"zip": ["1", "1", "2", "2", "3"], "sex": ["F", "M", "F", "M", "F"]})
    answer = idbits.gain(table, compare=table, sweep="zip:prefix1", growth="given")
    asked = python_sentence(Unit.ROWS.unknown_people)
    text = " ".join(str(answer).split())
    assert asked in text
    for word in ("people", "person", "everyone", "nobody"):
        assert word not in text.replace(asked, "").lower(), word
    assert "people" not in json.dumps(answer.people_above()["title"])
    assert "people" in str(idbits.gain(table, rows_are_people=True))


@pytest.mark.big
def test_unique_people_are_those_of_measure(shared_data: Path):
    source = shared_data / "shopping-visits.parquet"
    for columns, unique in (("store_id,week", 375), ("store_id,quantity", 1313)):
        answer = idbits.gain(source, columns=columns, person="household_id")
        assert (answer.people_alone, answer.n_people, answer.n_rows) == (unique, 2469, 1_469_307)
        assert answer.mics == 1
