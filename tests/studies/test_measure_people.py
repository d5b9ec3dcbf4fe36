"""People with several rows: every figure of three attackers against a slow count of people, not of rows."""

import dataclasses
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idbits
from idbits.errors import DataError, InputError
from idbits.render.blocks import Level
from idbits.studies.measure.text import verdict
from idbits.studies.shared.beside import NOTHING_BESIDE

PERSONS = {1: "ab", 2: "a", 3: "b", 4: "bc"}
"""The hand-made example of the specification: the values of each person."""


def frame(rows: list[tuple[Any, ...]], names: str = "person value") -> pyarrow.Table:
    columns = names.split()
    return pyarrow.table({name: [row[index] for row in rows] for index, name in enumerate(columns)})


HAND_MADE = frame([(person, value) for person, values in PERSONS.items() for value in values])


def sizes_by_attacker(rows: list[tuple[Any, Any]]) -> dict[str, list[list[tuple[int, float]]]]:
    """Return, for each person, the group sizes of each attacker with their probabilities; counted by sets."""
    values: dict[Any, list[Any]] = defaultdict(list)
    for person, value in rows:
        values[person].append(value)
    having = Counter(value for own in values.values() for value in set(own))
    whole = Counter(frozenset(own) for own in values.values())
    multi = Counter(frozenset(Counter(own).items()) for own in values.values())
    people = list(values.values())
    return {
        "one-record": [[(min(having[value] for value in own), 1.0)] for own in people],
        "any-record": [[(having[value], 1 / len(own)) for value in own] for own in people],
        "all-records": [[(whole[frozenset(own)], 1.0)] for own in people],
        "multiset": [[(multi[frozenset(Counter(own).items())], 1.0)] for own in people],
    }


def check_figures(answer: idbits.Measurement, people: list[list[tuple[int, float]]]) -> None:
    """Hold every figure against the groups of each person."""
    n = len(people)
    bits = [sum(part * math.log2(n / k) for k, part in own) for own in people]

    def expected(holds: Any) -> float:
        return sum(part for own in people for k, part in own if holds(k))

    assert answer.n_people == n
    assert answer.singletons == pytest.approx(expected(lambda k: k == 1))
    for below in (2, 5, 10):
        assert answer.people_below[str(below)] == pytest.approx(expected(lambda k, t=below: k < t))
    for exactly in range(1, 11):
        assert answer.people_exactly[str(exactly)] == pytest.approx(expected(lambda k, t=exactly: k == t))
    assert answer.entropy_bits == pytest.approx(np.mean(bits), abs=1e-12)
    assert answer.k_hat == pytest.approx(n / 2 ** np.mean(bits))
    assert answer.mean_risk == pytest.approx(sum(part / k for own in people for k, part in own) / n)
    assert answer.k_min == min(k for own in people for k, _ in own)
    assert answer.k_max == max(k for own in people for k, _ in own)
    assert answer.bits_quantiles["p25"] == pytest.approx(np.quantile(bits, 0.25), abs=1e-12)
    assert answer.bits_quantiles["max"] == pytest.approx(max(bits), abs=1e-12)
    assert answer.guaranteed_singletons <= answer.singletons + 1e-9
    for row in answer.gain_table:
        assert row.people == pytest.approx(expected(lambda k, b=row.bits: k * 2**b <= n))
        assert row.share == pytest.approx(row.people / n)


TABLES = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from("abcde") | st.none(), st.sampled_from("xy") | st.none()),
    min_size=1,
    max_size=40,
).filter(lambda rows: len(rows) == 1 or len({person for person, _, _ in rows}) > 1)


@given(TABLES)
def test_every_attacker_counts_people(rows: list[tuple[int, str | None, str | None]]) -> None:
    table = frame(rows, "person a b")
    sizes = sizes_by_attacker([(person, (a, b)) for person, a, b in rows])
    for knows, people in sizes.items():
        options = {"knows": "all-records", "multiset": True} if knows == "multiset" else {"knows": knows}
        answer = idbits.measure(table, ["a", "b"], person="person", **options)
        check_figures(answer, people)
        assert answer.n_rows == len(rows)
    alone = sizes_by_attacker([(person, a) for person, a, _ in rows])["one-record"]
    column = idbits.measure(table, ["a", "b"], person="person").columns[0][1]
    assert column.singletons == sum(own[0][0] == 1 for own in alone)


@given(TABLES)
def test_knowing_more_makes_nobody_less_unique(rows: list[tuple[int, str | None, str | None]]) -> None:
    table = frame(rows, "person a b")
    for knows in ("one-record", "any-record", "all-records"):
        one, two = (idbits.measure(table, qid, person="person", knows=knows) for qid in (["a"], ["a", "b"]))
        assert one.singletons <= two.singletons + 1e-12
        assert one.entropy_bits <= two.entropy_bits + 1e-12
    attackers = {attacker.knows: attacker for attacker in two.people.attackers}
    assert attackers["one-record"].singletons <= attackers["all-records"].singletons
    assert attackers["any-record"].singletons <= attackers["one-record"].singletons + 1e-12


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), min_size=1, max_size=20))
def test_with_one_row_per_person_all_figures_are_those_without_person(rows: list[tuple[str, str]]) -> None:
    table = frame([(number, *row) for number, row in enumerate(rows)], "person a b")
    plain = idbits.measure(table, ["a", "b"]).figures
    for knows in ("one-record", "any-record", "all-records"):
        answer = idbits.measure(table, ["a", "b"], person="person", knows=knows)
        assert answer.figures.to_dict() == plain.to_dict()
        assert answer.spectrum == plain.spectrum
        assert {attacker.singletons for attacker in answer.people.attackers} == {plain.singletons}


def test_the_hand_made_example() -> None:
    answers = {
        knows: idbits.measure(HAND_MADE, ["value"], person="person", knows=knows)
        for knows in ("one-record", "any-record", "all-records")
    }
    assert {knows: answer.singletons for knows, answer in answers.items()} == {
        "one-record": 1, "any-record": 0.5, "all-records": 4,
    }  # fmt: skip
    assert answers["one-record"].to_dict()["people_by_k"] == [[1, 1], [2, 2], [3, 1]]
    assert answers["one-record"].to_dict()["spectrum"] is None
    assert answers["all-records"].to_dict()["spectrum"] == [[1, 4]]
    data = answers["one-record"].to_dict()
    assert data["rows_per_person"] == {"min": 1, "median": 1.5, "mean": 1.5, "max": 2}
    assert (data["person"], data["knows"], data["n_rows"], data["n_people"]) == ("person", "one-record", 6, 4)
    assert [attacker["share"] for attacker in data["person_attackers"]] == [0.25, 0.125, 1.0]
    for key in ("n_sets", "set_sizes", "kappa_nats", "renyi_bits", "spectrum"):
        assert data[key] is None
        assert key in data["reasons"]


GOLDEN = [
    ("store_id,week", 375, 50.580127, 2469, 2469),
    ("store_id", 147, 23.346183, 1759, 2463),
    ("product_id", 2068, 69.816618, 2469, 2469),
    ("store_id,quantity", 1313, 49.546676, 2430, 2469),
]


@pytest.mark.big
@pytest.mark.parametrize(("qid", "one", "drawn", "whole", "multiset"), GOLDEN)
def test_golden_values(shared_data: Path, qid: str, one: int, drawn: float, whole: int, multiset: int) -> None:
    source = shared_data / "shopping-visits.parquet"
    answer = idbits.measure(source, qid, person="household_id", knows="all-records", multiset=True)
    assert (answer.n_people, answer.singletons) == (2469, multiset)
    answer = idbits.measure(source, qid, person="household_id")
    assert [attacker.singletons for attacker in answer.people.attackers] == [one, pytest.approx(drawn, abs=5e-7), whole]


def test_nobody_is_unique_under_any_attacker() -> None:
    pairs = frame([(1, "a"), (2, "a"), (3, "b"), (4, "b")])
    assert idbits.measure(pairs, ["value"], person="person").singletons == 0
    doubled = pyarrow.concat_tables([pairs, pairs])
    answer = idbits.measure(doubled, ["value"], person="person")
    assert [attacker.singletons for attacker in answer.people.attackers] == [0, 0, 0]


def test_the_verdict_is_good_only_if_all_records_pass() -> None:
    # Each value is shared by five people, but no two people have the same pair of values.
    rows = [(person, value) for person in range(25) for value in (f"a{person % 5}", f"b{person // 5}")]
    answer = idbits.measure(frame(rows), ["value"], person="person")
    assert (answer.singletons, answer.people_below["5"]) == (0, 0)
    # The column of persons is an identifier by itself, so no verdict is good; here only the records count.
    found = verdict(dataclasses.replace(answer, beside=NOTHING_BESIDE))
    assert (found.level, "25 of 25" in " ".join(found.reasons)) == (Level.WARN, True)
    same = idbits.measure(
        frame([(person, value) for person in range(25) for value in "ab"]), ["value"], person="person"
    )
    assert verdict(dataclasses.replace(same, beside=NOTHING_BESIDE)).level is Level.GOOD
    assert same.to_dict()["verdict"] == "Identifiers are still in the table"


NULLS = [(1, "a"), (None, "a"), (None, "b"), (2, "b"), (2, "c")]


def test_rows_without_a_person() -> None:
    table = frame(NULLS)
    with pytest.raises(DataError, match=r"empty in 2 rows.*null_person="):
        idbits.measure(table, ["value"], person="person")
    dropped = idbits.measure(table, ["value"], person="person", null_person="drop")
    assert (dropped.n_people, dropped.n_rows, dropped.singletons) == (2, 3, 2)
    own = idbits.measure(table, ["value"], person="person", null_person="own")
    assert (own.n_people, own.n_rows, own.singletons) == (4, 5, 1)
    assert "overstate" in " ".join(str(own).split())
    with pytest.raises(DataError, match="empty in every row"):
        idbits.measure(frame([(None, "a")]), ["value"], person="person", null_person="drop")


def test_a_constant_column_identifies_nobody() -> None:
    with pytest.raises(DataError, match="has only one value"):
        idbits.measure(frame([(1, "a"), (1, "b")]), ["value"], person="person")
    assert idbits.measure(frame([(1, "a")]), ["value"], person="person").singletons == 1


def test_a_unique_column_is_said_to_be_so() -> None:
    assert "Everyone has one row" in str(idbits.measure(frame([(1, "a"), (2, "a")]), ["value"], person="person"))


def test_missing_values_are_reported() -> None:
    rows = [(1, None), (1, None), (2, None), (2, "x"), (3, "x"), (4, "x"), (4, None)]
    answer = idbits.measure(frame([*rows, (5, None)]), ["value"], person="person")
    assert answer.people.null_people == 2
    lone = idbits.measure(frame([(1, None), (1, "x"), (2, "x"), (2, "x")]), ["value"], person="person")
    assert (lone.singletons, lone.people.unique_by_null_people) == (1, 1)
    assert "unique only through a missing value" in " ".join(str(lone).split())


def test_categories_count_a_person_wherever_they_have_rows() -> None:
    rows = [(1, "a", "N"), (1, "b", "S"), (2, "a", "N"), (3, "b", "S"), (3, "b", "S")]
    answer = idbits.measure(frame(rows, "person value town"), ["value"], by="town", person="person", reveal=True)
    groups = {group.label: group.figures for group in answer.groups.rows}
    assert {label: (figures.n_people, figures.n_rows) for label, figures in groups.items()} == {
        "N": (2, 2),
        "S": (2, 3),
    }
    assert {label: figures.singletons for label, figures in groups.items()} == {"N": 0, "S": 0}
    assert answer.to_dict()["people_in_several"] == 1


def test_a_population_of_people() -> None:
    population = frame([(1, "a"), (2, "a"), (2, "a"), (3, "a"), (3, "b"), (4, "b"), (5, "c")])
    release = frame([(1, "a"), (3, "a"), (3, "b"), (5, "c")])
    answer = idbits.measure(release, ["value"], person="person", population=population, population_person="person")
    assert answer.n_reference == 5
    assert answer.to_dict()["people_by_k"] == [[1, 1], [2, 1], [3, 1]]
    assert answer.entropy_bits == pytest.approx((math.log2(5) + math.log2(5 / 2) + math.log2(5 / 3)) / 3)
    assert answer.people.attacker("all-records").figures is None
    with pytest.raises(InputError, match="all-records"):
        idbits.measure(release, ["value"], person="person", population=population, knows="all-records")
    more = pyarrow.concat_tables([release, frame([(9, "a"), (9, "z")])])
    with pytest.raises(DataError, match="lacks 1 value"):
        idbits.measure(more, ["value"], person="person", population=population, population_person="person")
    answer = idbits.measure(
        more, ["value"], person="person", population=population, population_person="person", missing="unbounded"
    )
    assert (answer.n_people, answer.population.unbounded_people) == (3, 1)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"knows": "two-records", "person": "person"}, "knows= must be"),
        ({"knows": "all-records"}, "need person="),
        ({"null_person": "drop"}, "need person="),
        ({"null_person": "ignore", "person": "person"}, "null_person= must be"),
        ({"multiset": True, "person": "person"}, "multiset=True needs"),
        ({"person": "person", "count": "value"}, "cannot be combined"),
        ({"household": "person", "knows": "any-record", "person": "person"}, "any-record"),
        ({"population_person": "person"}, "population_person= needs"),
        ({"person": "persno"}, 'did you mean "person"'),
    ],
)
def test_wrong_questions(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        idbits.measure(HAND_MADE, ["value"], **options)


@pytest.mark.parametrize("option", [{"values": True}, {"suppress": 5}, {"reveal": True}])
def test_lists_of_values_need_one_row_per_person(option: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="one row per person"):
        idbits.measure(HAND_MADE, ["value"], person="person", **option)


HOUSES = [("h1", "30F"), ("h1", "32M"), ("h2", "30F"), ("h2", "5M"), ("h3", "70F")]


def test_households() -> None:
    answer = idbits.measure(frame(HOUSES, "house value"), ["value"], household="house")
    home = answer.household
    assert (home.n_households, home.risk.mean, home.people_with_a_unique_member) == (3, 1.0, 5)
    assert (home.distinct_households, home.people_in_unique_households) == (3, 5)
    few = idbits.measure(frame([HOUSES[0], HOUSES[2], HOUSES[4]], "house value"), ["value"], household="house")
    assert few.household.risk.mean == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert few.household.composition.singletons == 1
    assert few.to_dict()["household"]["composition"]["n_people"] == 3


def test_twins_are_certain_although_nobody_is_unique() -> None:
    rows = [("h1", "8F"), ("h1", "8F"), ("h2", "40F"), ("h3", "40F"), (None, "40F")]
    home = idbits.measure(frame(rows, "house value"), ["value"], household="house").household
    assert (home.people_without, home.n_households, home.sizes) == (1, 4, ((1, 3), (2, 1)))
    assert (home.distinct_households, home.distinct_people) == (1, 2)
    assert home.risk.p95 == pytest.approx(np.quantile([0.75, 0.75, 1 / 3, 1 / 3, 1 / 3], 0.95))


def test_a_person_has_one_household() -> None:
    rows = [(1, "h1", "a"), (1, "h2", "a"), (2, "h2", "b")]
    with pytest.raises(DataError, match="1 person has rows in several households"):
        idbits.measure(frame(rows, "person house value"), ["value"], person="person", household="house")
