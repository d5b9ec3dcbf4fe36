"""The data of a measurement: the keys scripts rely on, JSON without NaN, a reason beside each null."""

import json
import math
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import idbits
from idbits.studies.shared.serialisation import to_json

# SPEC section 11, word for word: keys may be added, never renamed.
KEYS = [
    "n_rows", "n_sets", "k_min", "k_max", "singletons", "entropy_bits", "max_entropy_bits", "k_hat",
    "guaranteed_singletons", "spectrum", "gain_table", "set_sizes", "people_at_most", "people_below",
    "people_exactly", "mean_risk", "nulls", "columns", "values", "degree_of_anonymity", "kappa_nats", "n_values",
    "bits_quantiles", "renyi_bits", "groups",
]  # fmt: skip
NESTED_KEYS = {
    "set_sizes": ["min", "q1", "median", "mean", "q3", "max"],
    "people_at_most": ["1", "5", "10", "50", "100"],
    "people_below": ["2", "5", "10"],
    "people_exactly": [str(k) for k in range(1, 11)],
    "renyi_bits": ["0", "1", "2", "inf"],
    "nulls": ["zip", "sex"],
}
MAIN_KEYS = ["n_rows", "n_sets", "k_min", "k_max", "singletons", "entropy_bits", "k_hat", "guaranteed_singletons"]

TABLE = pa.table({"zip": ["a"] * 12 + ["b"] * 3 + ["c"], "sex": ["F", "M"] * 8, "town": ["X"] * 11 + ["Y"] * 5})


SHAPES = {
    "plain": {"qid": ["zip", "sex"]},
    "one column": {"qid": ["zip"]},
    "groups": {"qid": ["zip"], "by": "town"},
    "one group": {"qid": ["zip"], "by": "town", "where": "town = 'X'"},
    "values": {"qid": ["zip"], "values": True},
    "revealed": {"qid": ["zip", "sex"], "by": "town", "values": True, "reveal": True},
    "suppressed": {"qid": ["zip"], "suppress": 5},
    "all suppressed": {"qid": ["zip"], "suppress": 500},
    "population": {"qid": ["zip", "sex"], "population": pa.concat_tables([TABLE] * 3)},
    "one person": {"qid": ["zip", "sex"], "where": "zip = 'c'"},
    "several": {"qid": [["zip"], ["zip", "sex"]], "by": "town"},
}


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """Return a result of every shape."""
    return {shape: idbits.measure(TABLE, **options) for shape, options in SHAPES.items()}


def objects(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Walk all objects of some JSON data."""
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            yield from objects(item, f"{path}.{key}")
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from objects(item, f"{path}[{position}]")


@pytest.mark.big
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "several"])
def test_every_promised_key_is_there(answers: dict[str, Any], shape: str) -> None:
    data = json.loads(answers[shape].to_json())
    assert [key for key in KEYS if key not in data] == []
    assert data["schema"] == "idbits/1"


@pytest.mark.parametrize("key", NESTED_KEYS)
def test_promised_keys_within(answers: dict[str, Any], key: str) -> None:
    assert list(answers["plain"].to_dict()[key]) == NESTED_KEYS[key]


def test_promised_shapes_of_lists(answers: dict[str, Any]) -> None:
    data = answers["groups"].to_dict()
    assert all(len(pair) == 2 for pair in data["spectrum"])
    assert all(list(row) == ["bits", "people", "share"] for row in data["gain_table"])
    for row in data["columns"] + data["groups"]:
        assert [key for key in MAIN_KEYS if key not in row] == []
    assert [row["column"] for row in data["columns"]] == ["zip"]
    assert answers["plain"].to_dict()["values"] == []
    assert answers["plain"].to_dict()["groups"] == []
    assert answers["values"].to_dict()["values"]


def test_several_quasi_identifiers_are_under_measurements(answers: dict[str, Any]) -> None:
    data = json.loads(answers["several"].to_json())
    assert data["schema"] == "idbits/1"
    assert len(data["measurements"]) == 2
    for one in data["measurements"]:
        assert [key for key in KEYS if key not in one] == []


@pytest.mark.parametrize("shape", SHAPES)
def test_json_is_one_object_with_the_same_numbers(answers: dict[str, Any], shape: str) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    text = answers[shape].to_json()
    data = json.loads(text, parse_constant=refuse)
    for key in ("schema", "command", "version"):
        data.pop(key)
    assert data == answers[shape].to_dict()
    assert "\n" not in text


# A figure that was not requested is not missing; null values and folded rows are explained by other keys.
NOT_ASKED = {"suppression", "population", "value", "label", "prosecutor", "marketer", "journalist"}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_null_has_a_reason_beside_it(answers: dict[str, Any], shape: str) -> None:
    unexplained = [
        f"{path}.{key}"
        for path, item in objects(json.loads(answers[shape].to_json()))
        for key, value in item.items()
        if value is None and key not in NOT_ASKED and key not in item.get("reasons", {}) and "folded_values" not in item
    ]
    assert unexplained == []


@pytest.mark.parametrize("shape", SHAPES)
def test_reasons_are_only_for_nulls(answers: dict[str, Any], shape: str) -> None:
    for _, item in objects(answers[shape].to_dict()):
        for key, reason in item.get("reasons", {}).items():
            assert item[key] is None
            assert isinstance(reason, str)
            assert reason


def test_attackers_have_the_names_others_use(answers: dict[str, Any]) -> None:
    data = answers["plain"].to_dict()
    risks = {"max": 1 / data["k_min"], "mean": data["mean_risk"]}
    assert data["attackers"]["prosecutor"] == risks
    assert data["attackers"]["marketer"] == {"mean": data["mean_risk"]}
    against = answers["population"].to_dict()
    assert against["attackers"]["journalist"] == {"max": 1 / against["k_min"], "mean": against["mean_risk"]}
    assert against["attackers"]["prosecutor"] is None


def test_infinities_are_words() -> None:
    assert json.loads(to_json({"a": [math.inf, -math.inf, {"b": (1.5, None, True)}]})) == {
        "a": ["inf", "-inf", {"b": [1.5, None, True]}]
    }


def test_nan_never_gets_out() -> None:
    with pytest.raises(ValueError):
        to_json({"a": math.nan})


def test_numbers_are_not_rounded() -> None:
    assert json.loads(to_json({"a": 0.1 + 0.2, "b": 2**62 + 1})) == {"a": 0.30000000000000004, "b": 2**62 + 1}


def test_arrow_of_one(answers: dict[str, Any]) -> None:
    table = answers["plain"].to_arrow()
    data = answers["plain"].to_dict()
    assert table.column_names == ["k", "sets", "people"]
    assert [[row["k"], row["sets"]] for row in table.to_pylist()] == data["spectrum"]
    assert sum(table["people"].to_pylist()) == data["n_rows"]


def test_arrow_of_several(answers: dict[str, Any]) -> None:
    rows = answers["several"].to_arrow().to_pylist()
    for row, data in zip(rows, answers["several"].to_dict()["measurements"], strict=True):
        assert row["qid"] == data["qid"]
        assert row["entropy_bits"] == data["entropy_bits"]
        assert row["set_size_median"] == data["set_sizes"]["median"]
        assert row["people_at_most_5"] == data["people_at_most"]["5"]
