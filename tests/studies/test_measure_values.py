"""``--values``: labels only for values that at least 10 people have, the rest in one row, and a sum."""

import math
import re
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import idbits
from idbits.studies.measure.explain import explain_measure

COUNTS = {"Smith": 25, "Jones": 12, "Brown": 10, None: 11, "Rare9": 9, "Rare2": 2, "Rare1": 1}
NAMES = [name for name, people in COUNTS.items() for _ in range(people)]
N = len(NAMES)
TABLE = pa.table({"name": NAMES, "sex": ["F", "M"] * (N // 2)})


def part(people: int) -> float:
    return people / N * math.log2(N / people)


def test_values_with_ten_people_are_named_and_the_rest_folded() -> None:
    values = idbits.measure(TABLE, ["name"], values=True).to_dict()["values"]
    named, folded = values[:-1], values[-1]
    expected = [(["Smith"], 25), (["Jones"], 12), ([None], 11), (["Brown"], 10)]
    assert [(row["value"], row["people"]) for row in named] == expected
    for row in named:
        assert row["bits"] == pytest.approx(math.log2(N / row["people"]), rel=1e-12)
        assert row["entropy_bits"] == pytest.approx(part(row["people"]), rel=1e-12)
    assert (folded["value"], folded["folded_values"], folded["people"]) == (None, 3, 12)
    assert folded["entropy_bits"] == pytest.approx(part(9) + part(2) + part(1), rel=1e-12)


def test_values_add_up_to_the_whole() -> None:
    data = idbits.measure(TABLE, ["name"], values=True).to_dict()
    assert sum(row["people"] for row in data["values"]) == data["n_rows"]
    assert math.fsum(row["entropy_bits"] for row in data["values"]) == pytest.approx(data["entropy_bits"], rel=1e-12)


def test_the_sum_row_is_in_the_text() -> None:
    result = idbits.measure(TABLE, ["name"], values=True)
    (row,) = re.findall(r"^sum +\|.*$", str(result), flags=re.MULTILINE)
    assert str(N) in row
    assert f"{result.entropy_bits:.6f}" in row
    assert re.search(r"^3 other values +\| +12 ", str(result), flags=re.MULTILINE)


def test_rare_values_are_never_shown() -> None:
    result = idbits.measure(TABLE, ["name"], values=True)
    for shown in (str(result), result.to_json(), result._repr_html_(), repr(result)):
        assert "Rare" not in shown
        assert "Smith" in shown or shown == repr(result)


def test_reveal_shows_all_values_and_says_internal() -> None:
    result = idbits.measure(TABLE, ["name"], values=True, reveal=True)
    data = result.to_dict()
    assert {row["value"][0]: row["people"] for row in data["values"]} == COUNTS
    assert data["exposed"][0]["value"] == ["Rare1"]
    assert data["exposed"][0]["bits"] == pytest.approx(math.log2(N), rel=1e-12)
    for shown in (str(result), result._repr_html_()):
        assert "Rare1" in shown
        assert "INTERNAL" in shown


def test_the_json_of_revealed_values_says_internal() -> None:
    text = idbits.measure(TABLE, ["name"], values=True, reveal=True).to_json()
    assert "Rare1" in text
    assert "internal" in text.lower()


def test_values_of_several_columns() -> None:
    data = idbits.measure(TABLE, ["name", "sex"], values=True).to_dict()
    counted = Counter(zip(NAMES, TABLE["sex"].to_pylist(), strict=True))
    expected = {value: people for value, people in counted.items() if people >= 10}
    assert {tuple(row["value"]): row["people"] for row in data["values"] if row["value"] is not None} == expected
    assert data["values"][-1]["folded_values"] == len(counted) - len(expected)


def test_no_value_may_be_named() -> None:
    result = idbits.measure(pa.table({"name": ["Rare1", "Rare2", "Rare2"]}), ["name"], values=True)
    (folded,) = result.to_dict()["values"]
    assert (folded["folded_values"], folded["people"]) == (2, 3)
    assert folded["entropy_bits"] == pytest.approx(result.entropy_bits, rel=1e-12)


def test_values_of_a_counted_table() -> None:
    names = ["Smith", "Rare9", "Smith", "Nobody", "Rare1"]
    table = pa.table({"name": names, "how_many": [6, 9, 4, 0, 1]})
    values = idbits.measure(table, ["name"], count="how_many", values=True).to_dict()["values"]
    assert [(row["value"], row["people"]) for row in values] == [(["Smith"], 10), (None, 10)]


def test_values_that_top_put_together_are_one_value() -> None:
    result = idbits.measure(TABLE, ["name:top2"], values=True)
    values = {tuple(row["value"]): row["people"] for row in result.to_dict()["values"]}
    assert values == {("Smith",): 25, ("Jones",): 12, (None,): 11, ("(other values)",): 22}
    assert "Rare" not in result.to_json()


def test_values_do_not_go_with_a_population() -> None:
    with pytest.raises(idbits.InputError, match="values=True"):
        idbits.measure(TABLE, ["name"], population=TABLE, values=True)


TOWNS = {("A", "F"): 45, ("A", "M"): 5, ("B", "F"): 30, ("B", "M"): 24, ("C", "F"): 12, ("C", "M"): 3}
PEOPLE = [pair for pair, people in TOWNS.items() for _ in range(people)]
TWO = pa.table({"town": [town for town, _ in PEOPLE], "sex": [sex for _, sex in PEOPLE]})
"""Of 50 people in A, 45 are women: 5 men."""


@pytest.mark.parametrize(
    "qids", [[["town"], ["town", "sex"]], [["town", "sex"], ["sex"]], [["town"], ["town:prefix1"]]]
)
def test_lists_of_several_quasi_identifiers_could_be_subtracted(qids: list[list[str]]) -> None:
    with pytest.raises(idbits.InputError, match="values=True needs a single qid"):
        idbits.measure(TWO, qids, values=True)
    # The figures have no names, and with --reveal there is nothing to hide.
    assert len(idbits.measure(TWO, qids).measurements) == 2
    assert len(idbits.measure(TWO, qids, values=True, reveal=True).measurements) == 2
    # A list of one quasi-identifier is one list.
    assert idbits.measure(TWO, qids[:1], values=True).measurements[0].values is not None


@pytest.mark.parametrize(("qid", "by"), [("town,sex", "town"), ("sex", "town"), ("town", "town:prefix1")])
def test_values_could_be_subtracted_from_groups(qid: str, by: str) -> None:
    with pytest.raises(idbits.InputError, match="values=True and by= cannot be combined"):
        idbits.measure(TWO, qid, by=by, values=True)
    assert idbits.measure(TWO, qid, by=by, values=True, reveal=True).groups is not None


@pytest.mark.parametrize("options", [{"qid": [["town"], ["town", "sex"]]}, {"qid": "sex", "by": "town"}])
def test_no_sql_is_shown_for_lists_that_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(idbits.InputError, match="one at a time"):
        explain_measure("sqlite:///people.db", values=True, **options)


def test_sums_over_a_column_are_left_out_beside_folded_values() -> None:
    """The largest town has 54 people; if no size of a town is given, no rest of a town is known."""
    result = idbits.measure(TWO, "town,sex", values=True)
    assert result.values is not None
    assert [row.people for row in result.values.rows] == [45, 30, 24]
    data = result.to_dict()
    assert data["columns"] == []
    assert "--values" in data["notes"][-1]
    # Swapping the folded sizes changes nothing.
    swapped = {("A", "M"): ("C", "F"), ("C", "F"): ("C", "M"), ("C", "M"): ("A", "M")}
    pairs = [swapped.get(pair, pair) for pair in PEOPLE]
    other = pa.table({"town": [town for town, _ in pairs], "sex": [sex for _, sex in pairs]})
    assert idbits.measure(other, "town,sex", values=True).to_json() == result.to_json()
    for options in ({"values": True, "reveal": True}, {}):
        assert len(idbits.measure(TWO, "town,sex", **options).to_dict()["columns"]) == 2
    assert len(idbits.measure(TWO, "sex", values=True).to_dict()["columns"]) == 1
