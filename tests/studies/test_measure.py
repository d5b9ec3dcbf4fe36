"""``measure`` agrees with counting the rows one by one."""

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pandas
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits

Check = Callable[..., None]

ROWS = [
    ("1011", "F", 34), ("1011", "F", 34), ("1011", "M", 34), ("9985", "M", 34), ("9985", None, 71),
    ("9985", None, 71), (None, None, 71), ("1011", "F", 12), ("4032", "F", 12), ("4032", "F", 12), ("4032", "F", 12),
]  # fmt: skip
NAMES = ("zip", "sex", "age")


def table_of(rows: list[tuple[object, ...]], names: tuple[str, ...] = NAMES) -> pa.Table:
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("names", [("zip",), ("sex",), ("age", "sex"), NAMES])
def test_figures_are_those_of_the_rows(check: Check, names: tuple[str, ...]) -> None:
    chosen = [tuple(row[NAMES.index(name)] for name in names) for row in ROWS]
    result = idbits.measure(table_of(ROWS), list(names))
    data = result.to_dict()
    check(data, chosen)
    assert data["qid"] == list(names)
    assert data["nulls"] == {name: sum(row[NAMES.index(name)] is None for row in ROWS) for name in names}
    assert [row["column"] for row in data["columns"]] == list(names)
    for row in data["columns"]:
        alone = idbits.measure(table_of(ROWS), [row["column"]]).to_dict()
        assert {key: alone[key] for key in row if key != "column"} == {k: v for k, v in row.items() if k != "column"}


@pytest.mark.big
@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from([0, 1, -0.0, 2.5, math.nan, None])),
        min_size=1,
        max_size=60,
    )
)
def test_random_tables(check: Check, rows: list[tuple[str | None, float | None]]) -> None:
    table = pa.table({"word": [row[0] for row in rows], "number": pa.array([row[1] for row in rows], pa.float64())})
    data = idbits.measure(table, ["word", "number"]).to_dict()
    equal = [(word, None if number is None or math.isnan(number) else number + 0.0) for word, number in rows]
    check(data, equal)
    assert data["nulls"] == {"word": sum(r[0] is None for r in equal), "number": sum(r[1] is None for r in equal)}


def test_one_person_alone(check: Check) -> None:
    data = idbits.measure(pa.table({"zip": ["1011"]}), ["zip"]).to_dict()
    check(data, ["1011"])
    assert data["degree_of_anonymity"] is None
    assert data["reasons"]["degree_of_anonymity"]
    assert data["guaranteed_singletons"] == 1


def test_everybody_alike_and_everybody_alone() -> None:
    alike = idbits.measure(pa.table({"x": ["same"] * 64}), ["x"])
    assert (alike.entropy_bits, alike.k_hat, alike.singletons, alike.degree_of_anonymity) == (0.0, 64.0, 0, 1.0)
    alone = idbits.measure(pa.table({"x": list(range(64))}), ["x"])
    assert (alone.entropy_bits, alone.k_hat, alone.singletons, alone.degree_of_anonymity) == (6.0, 1.0, 64, 0.0)
    assert alone.guaranteed_singletons == 64.0


def test_several_quasi_identifiers_are_each_measured(check: Check) -> None:
    several = idbits.measure(table_of(ROWS), [["zip"], ["zip", "sex"], "age,sex"])
    assert [list(one.qid) for one in several] == [["zip"], ["zip", "sex"], ["age", "sex"]]
    data = several.to_dict()
    assert len(several) == len(data["measurements"]) == 3
    for one in data["measurements"]:
        check(one, [tuple(row[NAMES.index(name)] for name in one["qid"]) for row in ROWS])
        alone = idbits.measure(table_of(ROWS), one["qid"]).to_dict()
        # The columns of the others are measured, so they are not beside it.
        beside = ("added", "not_measured")
        assert {key: one[key] for key in one if key not in beside} == {
            key: alone[key] for key in alone if key not in beside
        }


def test_a_list_of_names_is_one_quasi_identifier() -> None:
    assert idbits.measure(table_of(ROWS), "zip, sex").qid == ("zip", "sex")
    assert idbits.measure(table_of(ROWS), ["zip", "sex"]).qid == ("zip", "sex")
    assert idbits.measure(table_of(ROWS), ["zip", "zip"]).qid == ("zip",)


def test_count_column_weighs_rows(check: Check) -> None:
    table = pa.table({"age": [1, 2, 3, 3], "sex": ["F", "M", "F", "M"], "people": [3, 1, 2, 5]})
    data = idbits.measure(table, ["age", "sex"], count="people").to_dict()
    check(data, Counter({(1, "F"): 3, (2, "M"): 1, (3, "F"): 2, (3, "M"): 5}))
    assert data["columns"][0]["n_sets"] == 3
    assert data["columns"][0]["k_max"] == 7


def test_zero_rows_stay_possible_values(check: Check) -> None:
    table = pa.table({"age": [1, 2, 3, 3], "people": [3.0, 0.0, 2.0, 2.0]})
    data = idbits.measure(table, ["age"], count="people").to_dict()
    check(data, Counter({1: 3, 2: 0, 3: 4}))
    assert (data["n_sets"], data["n_values"], data["n_rows"]) == (2, 3, 7)


def test_zero_rows_of_several_columns_stay_possible_values(check: Check) -> None:
    table = pa.table({"age": [1, 1, 2], "sex": ["F", "M", "F"], "people": [3, 0, 2]})
    data = idbits.measure(table, ["age", "sex"], count="people").to_dict()
    check(data, Counter({(1, "F"): 3, (1, "M"): 0, (2, "F"): 2}))
    assert data["columns"][1]["n_values"] == 2
    assert data["columns"][1]["n_sets"] == 1


@pytest.mark.parametrize("bad", [[1, -1], [1.0, 0.5], ["1", "x"], [1, None]])
def test_bad_counts_are_refused_with_their_number(bad: list[object]) -> None:
    with pytest.raises(idbits.DataError, match=r"\b1 row") as caught:
        idbits.measure(pa.table({"age": [1, 2], "people": bad}), ["age"], count="people")
    assert '"people"' in str(caught.value)


def test_possible_values_set_kappa(check: Check) -> None:
    table = pa.table({"x": ["a", "a", "b"]})
    check(idbits.measure(table, ["x"], possible_values=10).to_dict(), ["a", "a", "b"], possible_values=10)
    with pytest.raises(idbits.InputError, match="2 values occur"):
        idbits.measure(table, ["x"], possible_values=1)


def test_where_narrows(check: Check) -> None:
    kept = [row for row in ROWS if row[2] >= 30 and row[0] is not None]
    data = idbits.measure(table_of(ROWS), ["zip", "sex"], where="age >= 30 and zip is not null").to_dict()
    check(data, [row[:2] for row in kept])
    with pytest.raises(idbits.NotEstimableError, match="filter"):
        idbits.measure(table_of(ROWS), ["zip"], where="age > 1000")


def test_columns_narrow() -> None:
    table = table_of(ROWS)
    assert idbits.measure(table, ["zip"], columns=["zip", "age"]).n_other_columns == 1
    assert idbits.measure(table, ["zip"]).n_other_columns == 2
    with pytest.raises(idbits.ColumnNotFoundError, match="sex"):
        idbits.measure(table, ["sex"], columns="zip,age")
    filtered = idbits.measure(table, ["zip"], columns=["zip"], where="age >= 30")
    assert filtered.n_rows == sum(row[2] >= 30 for row in ROWS)


def test_a_person_column_is_not_silently_coarsened_back() -> None:
    table = pa.table({"id": ["p1", "p2", "q1"], "zip": list("aab")})
    with pytest.raises(idbits.IdbitsError):
        idbits.measure(table, ["zip"], person="id:prefix1")


def test_suppression(check: Check) -> None:
    rows = ["a"] * 6 + ["b"] * 3 + ["c", "d"]
    told = idbits.measure(pa.table({"x": rows}), ["x"], suppress=3).to_dict()["suppression"]
    assert (told["threshold"], told["withheld_people"], told["withheld_sets"]) == (3, 2, 2)
    assert told["share"] == pytest.approx(2 / 11)
    check(told["remaining"], rows[:9])
    nobody = idbits.measure(pa.table({"x": rows}), ["x"], suppress=7).to_dict()["suppression"]
    assert (nobody["withheld_people"], nobody["remaining"], nobody["share"]) == (11, None, 1.0)
    assert nobody["reasons"]["remaining"]


def test_as_many_people_as_can_be_counted() -> None:
    half = 2**62
    table = pa.table({"x": ["a", "b"], "people": [half, half - 1]})
    result = idbits.measure(table, ["x"], count="people")
    assert (result.n_rows, result.k_min, result.k_max) == (2**63 - 1, half - 1, half)
    assert result.entropy_bits == pytest.approx(1)
    with pytest.raises(idbits.DataError, match="more than"):
        idbits.measure(pa.table({"x": ["a", "b"], "people": [half, half]}), ["x"], count="people")


@pytest.mark.parametrize(
    ("source", "qid"),
    [
        (pa.table({"zip": ["a"]}), []),
        (pa.table({"zip": ["a"]}), ""),
        (pa.table({"zip": ["a"]}), [[]]),
        (pa.table({}), ["zip"]),
        (pandas.Series(["a"], name="zip"), ["zip"]),
        ({"zip": ["a"]}, ["zip"]),
    ],
    ids=["no names", "empty text", "no names in a list", "no columns", "series", "dictionary"],
)
def test_what_cannot_be_asked_is_the_callers_error(source: object, qid: object) -> None:
    with pytest.raises(idbits.InputError):
        idbits.measure(source, qid)


def test_adult_has_the_published_figures(shared_data: Path) -> None:
    with (shared_data / "adult.csv").open() as file:
        names = file.readline().strip().split(";")
    assert len(names) == 9
    result = idbits.measure(shared_data / "adult.csv", names)
    assert (result.n_rows, result.n_sets, result.singletons) == (30_162, 19_502, 15_512)
    assert result.mean_risk == 0.6465751607983555
