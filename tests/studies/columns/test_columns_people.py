"""Combinations of columns for people with several rows: every figure against a slow count of people, not of rows."""

import itertools
import json
import math
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits
from idbits.errors import ColumnNotFoundError, DataError, InputError
from idbits.studies.columns.bounds import GroupBounds, RecordBounds
from idbits.studies.columns.verdict import columns_verdict
from idbits.studies.shared.beside import NOTHING_BESIDE
from idbits.studies.shared.python_words import python_sentence
from idbits.studies.shared.units import Unit

ATTACKERS = ["one-record", "any-record", "all-records"]
NAMES = "abcdefghijklmnop"


def frame_of(rows, n_columns):
    """Return a table of (person, values); a value of 0 is null."""
    columns = {"person": [row[0] for row in rows]}
    for column, name in enumerate(NAMES[:n_columns]):
        columns[name] = [f"v{row[column + 1]}" if row[column + 1] else None for row in rows]
    return pyarrow.table(columns)


def records_of(rows, columns):
    people = defaultdict(list)
    for person, *values in rows:
        people[person].append(tuple(values[column] for column in columns))
    return list(people.values())


def groups_by_hand(rows, columns, knows):
    """Return, for each person, (group size, probability) pairs, by comparing people with people."""
    people = records_of(rows, columns)
    k = {value: sum(value in other for other in people) for own in people for value in own}
    if knows == "one-record":
        return [[(min(k[value] for value in own), Fraction(1))] for own in people]
    if knows == "any-record":
        return [[(k[value], Fraction(1, len(own))) for value in own] for own in people]
    return [[(sum(set(own) == set(other) for other in people), Fraction(1))] for own in people]


def uniques(groups):
    return sum(part for own in groups for k, part in own if k == 1)


@st.composite
def tables(draw, most_columns=4):
    n_columns = draw(st.integers(1, most_columns))
    sizes = [draw(st.integers(1, 4)) for _ in range(n_columns)]
    row = st.tuples(st.integers(0, 6), *(st.integers(0, size - 1) for size in sizes))
    rows = draw(st.lists(row, min_size=1, max_size=25))
    if len({person for person, *_ in rows}) == 1 < len(rows):
        rows[0] = (7, *rows[0][1:])
    return rows, n_columns


@pytest.mark.big
@pytest.mark.parametrize("knows", ATTACKERS)
@settings(max_examples=30)
@given(tables(), st.sampled_from([0.1, 0.5, 0.8, 1.0]))
def test_every_figure_is_about_people(knows, drawn, share) -> None:
    rows, n_columns = drawn
    names = tuple(NAMES[:n_columns])
    answer = idbits.columns(frame_of(rows, n_columns), list(names), share, person="person", knows=knows)
    n = len({person for person, *_ in rows})
    masks = [c for size in range(1, n_columns + 1) for c in itertools.combinations(range(n_columns), size)]
    groups = {tuple(names[c] for c in columns): groups_by_hand(rows, columns, knows) for columns in masks}
    assert (answer.n_people, answer.n_rows) == (n, len(rows))
    assert {subset.columns for subset in answer.subsets} == set(groups)
    several = n < len(rows)
    for subset in answer.subsets:
        figures, own = subset.figures, groups[subset.columns]
        assert figures.singletons == pytest.approx(float(uniques(own)), abs=1e-12)
        assert figures.k_min == min(k for of in own for k, _ in of)
        bits = sum(float(part) * math.log2(n / k) for of in own for k, part in of) / n
        assert figures.entropy_bits == pytest.approx(bits, abs=1e-12)
        assert (figures.distinction is None) == (several and knows != "all-records")
    for entry in answer.minimal:
        reached = {columns for columns, own in groups.items() if uniques(own) >= Fraction(str(entry.share)) * n}
        minimal = {columns for columns in reached if not any(set(part) < set(columns) for part in reached)}
        assert {subset.columns for subset in entry.sets} == minimal
    total = math.fsum(part.shapley_bits for part in answer.contribution)
    assert total == pytest.approx(answer.together.entropy_bits, abs=1e-9)
    for column, part in enumerate(answer.contribution):
        rest = tuple(name for name in names if name != names[column])
        if rest:
            assert part.singletons_without == pytest.approx(float(uniques(groups[rest])), abs=1e-12)


@pytest.mark.big
@settings(max_examples=20)
@given(tables())
def test_measure_says_the_same(drawn) -> None:
    rows, n_columns = drawn
    table = frame_of(rows, n_columns)
    for knows in ATTACKERS:
        answer = idbits.columns(table, list(NAMES[:n_columns]), person="person", knows=knows)
        for subset in answer.subsets:
            measured = idbits.measure(table, list(subset.columns), person="person", knows=knows)
            figures = subset.figures
            assert (figures.entropy_bits, figures.singletons) == (measured.entropy_bits, measured.singletons)
            assert (figures.k_min, figures.n_sets) == (measured.k_min, measured.n_sets)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=20))
@settings(max_examples=10)
def test_with_one_row_per_person_every_figure_is_that_of_rows(values) -> None:
    rows = [(number, *value) for number, value in enumerate(values)]
    table, names = frame_of(rows, 3), list("abc")
    plain = idbits.columns(table.drop(["person"]), names, max_bits=2, min_k=2)
    about_people = ("person", "knows", "rows_per_person", "rows_without_person", "null_person")
    for knows in ATTACKERS:
        data = idbits.columns(table, names, max_bits=2, min_k=2, person="person", knows=knows).to_dict()
        assert data.pop("unit") == "people"
        assert data["rows_per_person"] == {"min": 1, "median": 1.0, "mean": 1.0, "max": 1}
        expected = plain.to_dict()
        assert expected.pop("unit") == "rows"
        # The column that identifies people is an identifier, which no table should be handed over with.
        assert (data.pop("verdict_level"), data.pop("identifiers")) == ("bad", ["person"])
        for key in (*about_people, "verdict", "verdict_level", "verdict_reasons", "identifiers"):
            data.pop(key, None)
            expected.pop(key, None)
        assert data == expected
    stated = idbits.columns(table.drop(["person"]), names, max_bits=2, min_k=2, rows_are_people=True).to_dict()
    assert stated.pop("unit") == "people"
    assert {key: stated[key] for key in expected} == expected


@given(tables())
@settings(max_examples=15)
def test_a_column_never_makes_anybody_less_unique(drawn) -> None:
    rows, n_columns = drawn
    for knows in ATTACKERS:
        answer = idbits.columns(frame_of(rows, n_columns), list(NAMES[:n_columns]), person="person", knows=knows)
        figures = {frozenset(subset.columns): subset.figures for subset in answer.subsets}
        for small, large in itertools.permutations(figures, 2):
            if small < large:
                assert figures[small].singletons <= figures[large].singletons + 1e-12
                assert figures[small].entropy_bits <= figures[large].entropy_bits + 1e-12
                assert figures[small].k_min >= figures[large].k_min


# Each column by itself says nothing about these people, and both together single out both of them.
CROSSED = [(1, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1)]


@pytest.mark.parametrize("knows", ATTACKERS)
def test_columns_can_give_away_more_together_than_the_sum_of_their_parts(knows: str) -> None:
    answer = idbits.columns(frame_of(CROSSED, 2), ["a", "b"], person="person", knows=knows)
    figures = {subset.columns: subset.figures for subset in answer.subsets}
    assert (figures["a",].entropy_bits, figures["b",].entropy_bits) == (0, 0)
    assert (figures["a", "b"].entropy_bits, figures["a", "b"].singletons) == (1, 2)
    # Bounds of groups would skip the pair; those of people with several rows do not.
    known = {mask: figures[names] for mask, names in ((1, ("a",)), (2, ("b",)))}
    assert not RecordBounds(known, [1, 1], knows_one_record=True).allow(3, 2)
    assert RecordBounds(known, [2, 2], knows_one_record=True).allow(3, 2)
    assert RecordBounds(known, [1, 1], knows_one_record=False).allow(3, 2)
    as_groups = {mask: idbits.columns(frame_of(CROSSED, 2), ["a", "b"]).subsets[-1].figures for mask in known}
    flat = {mask: type(of)(0.0, 0, 4, 0.25, 0.0, 1) for mask, of in as_groups.items()}
    assert not GroupBounds(flat, [2, 2], 4).allow(3, 2)


def wide(n_columns=11, n_people=25, seed=4):
    draw = np.random.default_rng(seed)
    sizes = draw.integers(2, 5, n_columns)
    persons = draw.integers(0, n_people, 70)
    return [(int(person), *(int(draw.integers(0, size)) for size in sizes)) for person in persons], n_columns


@pytest.mark.big
@pytest.mark.parametrize("knows", ATTACKERS)
def test_a_search_misses_nothing(knows: str) -> None:
    rows, n_columns = wide()
    names = tuple(NAMES[:n_columns])
    answer = idbits.columns(
        frame_of(rows, n_columns), list(names), [0.3, 0.6], max_size=3, person="person", knows=knows, min_k=2
    )
    n = answer.n_people
    groups = {
        columns: groups_by_hand(rows, columns, knows)
        for size in (1, 2, 3)
        for columns in itertools.combinations(range(n_columns), size)
    }
    named = {tuple(names[c] for c in columns): own for columns, own in groups.items()}
    assert answer.complete
    found = 0
    for entry in answer.minimal:
        reached = {columns for columns, own in named.items() if uniques(own) >= Fraction(str(entry.share)) * n}
        minimal = {columns for columns in reached if not any(set(part) < set(columns) for part in reached)}
        assert {subset.columns for subset in entry.sets} == minimal
        found += len(minimal)
    assert found
    fitting = {columns for columns, own in named.items() if min(k for of in own for k, _ in of) >= 2}
    largest = {columns for columns in fitting if not any(set(columns) < set(other) for other in fitting)}
    assert {subset.columns for subset in answer.budget.sets} == largest
    together = [(k, part) for own in groups_by_hand(rows, range(n_columns), knows) for k, part in own]
    assert answer.together.singletons == pytest.approx(float(sum(part for k, part in together if k == 1)))
    plain = {subset.columns: subset.figures.singletons for subset in answer.subsets}
    assert plain == pytest.approx(
        {columns: float(uniques(named[columns])) for columns in plain if columns in named}
        | {columns: plain[columns] for columns in plain if columns not in named}
    )


def test_a_search_leaves_out_what_larger_combinations_rule_out() -> None:
    # Only the first column tells people apart: nothing without it can reach the share.
    rows = [(person, person, *(0,) * 10) for person in range(20) for _ in range(2)]
    answer = idbits.columns(
        frame_of([(p, v + 1, *rest) for p, v, *rest in rows], 11), list(NAMES[:11]), person="person", max_size=3
    )
    assert [subset.columns for subset in answer.minimal[0].sets] == [("a",)]
    assert answer.minimal[0].complete
    # Pairs are always counted; no combination of three is.
    assert all(len(subset.columns) in (1, 2, 10, 11) or "a" in subset.columns for subset in answer.subsets)


GOLDEN = {("store_id",): (147, 1759), ("store_id", "week"): (375, 2469), ("store_id", "quantity"): (1313, 2430)}


@pytest.mark.big
def test_golden_values(shared_data: Path) -> None:
    source = shared_data / "shopping-visits.parquet"
    names = ["store_id", "week", "quantity"]
    for index, knows in enumerate(("one-record", "all-records")):
        answer = idbits.columns(source, names, person="household_id", knows=knows)
        found = {subset.columns: subset.figures.singletons for subset in answer.subsets}
        assert {columns: found[columns] for columns in GOLDEN} == {key: value[index] for key, value in GOLDEN.items()}
        assert (answer.n_people, answer.n_rows) == (2469, 1_469_307)
    drawn = idbits.columns(source, names, person="household_id", knows="any-record")
    found = {subset.columns: subset.figures.singletons for subset in drawn.subsets}
    assert found["store_id",] == pytest.approx(23.346183, abs=1e-6)
    assert found["store_id", "week"] == pytest.approx(50.580127, abs=1e-6)


VISITS = pyarrow.table({
    "who": [1, 1, 2, 2, 3, None], "place": ["a", "b", "a", "b", "a", "b"], "day": [1, 2, 2, 1, 1, 3],
})  # fmt: skip


def test_rows_without_a_person_are_refused_left_out_or_people() -> None:
    with pytest.raises(DataError, match='column "who" is empty in 1 row'):
        idbits.columns(VISITS, ["place", "day"], person="who")
    dropped = idbits.columns(VISITS, ["place", "day"], person="who", null_person="drop")
    assert (dropped.n_people, dropped.n_rows, dropped.people.rows_without_person) == (3, 5, 1)
    assert "1 row without a who is left out." in " ".join(str(dropped).split())
    own = idbits.columns(VISITS, ["place", "day"], person="who", null_person="own")
    assert (own.n_people, own.n_rows) == (4, 6)
    assert "counts as one person each" in " ".join(str(own).split())
    # With one row each, the people who are left are those of a table without the row.
    once = VISITS.take([0, 2, 4, 5])
    left = idbits.columns(once, ["place", "day"], person="who", null_person="drop")
    rows = idbits.columns(once.slice(0, 3), ["place", "day"])
    assert [subset.figures for subset in left.subsets] == [subset.figures for subset in rows.subsets]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"person": "whom"}, ColumnNotFoundError, "whom"),
        ({"person": "who", "candidates": ["who", "day"]}, InputError, 'column "who" identifies people'),
        ({"person": "who", "candidates": ["who:band2", "day"]}, InputError, "take it out of candidates="),
        ({"person": "who", "count": "day"}, InputError, "cannot be combined with count="),
        ({"person": "who", "rows_are_people": True}, InputError, "rows_are_people=True cannot be combined"),
        ({"person": "who", "knows": "two"}, InputError, "knows= must be"),
        ({"knows": "all-records"}, InputError, "need person="),
        ({"null_person": "own"}, InputError, "need person="),
        ({"person": "who", "null_person": "drop", "where": "who = 1"}, DataError, "has only one value"),
    ],
)
def test_wrong_questions_are_refused(options, error, message) -> None:
    with pytest.raises(error, match=message):
        idbits.columns(VISITS, **({"candidates": ["place", "day"]} | options))


def test_records_need_one_row_per_person(tmp_path: Path) -> None:
    file = tmp_path / "records.csv"
    with pytest.raises(DataError, match="records= needs one row per person"):
        idbits.columns(VISITS, ["place"], person="who", null_person="drop", records=file)
    with pytest.raises(DataError, match="rows without a person"):
        idbits.columns(VISITS.take([0, 2, 5]), ["place"], person="who", null_person="drop", records=file)
    assert not file.exists()
    once = idbits.columns(VISITS.take([0, 2, 4]), ["place"], person="who", records=file)
    assert once.records.rows == 3


def test_the_person_column_is_not_a_candidate() -> None:
    answer = idbits.columns(VISITS.slice(0, 5), person="who")
    assert set(answer.candidates) == {"place", "day"}
    assert all(column.column != "who" for column in answer.left_out)


def test_what_does_not_exist_has_a_reason() -> None:
    data = json.loads(idbits.columns(VISITS, ["place"], person="who", null_person="own").to_json())
    figures = data["together"]
    assert [figures[key] for key in ("distinction", "separation", "n_sets")] == [None] * 3
    assert all(key in data["reasons"] for key in ("distinction", "separation", "n_sets"))
    assert (data["person"], data["knows"], data["unit"]) == ("who", "one-record", "people")
    whole = json.loads(
        idbits.columns(VISITS, ["place"], person="who", null_person="own", knows="all-records").to_json()
    )
    assert whole["together"]["distinction"] == 0.75
    assert "distinction" not in whole["reasons"]


def test_the_best_verdict_needs_an_attacker_who_knows_all_records() -> None:
    # Every value is shared by two people, but each pair of values belongs to one person.
    pairs = [(1, "ab"), (2, "bc"), (3, "cd"), (4, "da")]
    table = pyarrow.table({
        "who": [person for person, values in pairs for _ in values],
        "place": [value for _, values in pairs for value in values],
    })  # fmt: skip
    answer = idbits.columns(table, ["place"], person="who")
    data = answer.to_dict()
    assert answer.together.singletons == 0
    assert (data["verdict_level"], data["together_all_records"]["singletons"]) == ("bad", 4)
    assert data["verdict"] == "Identifiers are still in the table"
    assert "finds 4 of 4 people (100%)" in data["verdict_reasons"][1]
    # Without the column that identifies people, the verdict depends on all records.
    released = columns_verdict(replace(answer, beside=NOTHING_BESIDE))
    assert (released.level, released.title) == ("warn", "Some people can be singled out by all their records")
    twice = pyarrow.concat_tables([table, table.set_column(0, "who", [[n + 10 for n in table["who"].to_pylist()]])])
    fine = columns_verdict(replace(idbits.columns(twice, ["place"], person="who"), beside=NOTHING_BESIDE))
    assert (fine.level, fine.title) == ("good", "Nobody is unique with these columns")
    known = idbits.columns(twice, ["place"], person="who", knows="all-records")
    assert columns_verdict(replace(known, beside=NOTHING_BESIDE)).level == "good"
    assert "together_all_records" not in known.to_dict()


def test_rows_are_not_called_people() -> None:
    table = pyarrow.table({"zip": ["1", "1", "2", "2", "3"], "sex": ["F", "M", "F", "M", "F"]})
    for answer, says in ((idbits.columns(table, min_k=2), "rows"), (idbits.columns(table, min_k=9), "rows")):
        asked = python_sentence(Unit.ROWS.unknown_people)
        text = " ".join(str(answer).split())
        assert asked in text
        assert says in text
        for word in ("people", "person", "everyone", "nobody"):
            assert word not in text.replace(asked, "").lower(), word
        charts = json.dumps(answer.charts())
        assert "people" not in charts
    people = str(idbits.columns(table, min_k=2, rows_are_people=True))
    assert "of people" in people
    counted = idbits.columns(pyarrow.table({"zip": ["1", "2"], "n": [1, 3]}), ["zip"], count="n")
    assert counted.unit == "people"


def test_a_saved_answer_about_people_can_be_included_in_a_report(tmp_path: Path) -> None:
    from idbits.studies.report.saved import read_saved

    answer = idbits.columns(VISITS, ["place", "day"], person="who", null_person="own")
    (tmp_path / "columns.json").write_text(answer.to_json())
    saved = read_saved(tmp_path / "columns.json", internal=False).result
    assert (saved.people, saved.unit, saved.n_people) == (answer.people, answer.unit, 4)
    assert saved.subsets == answer.subsets
