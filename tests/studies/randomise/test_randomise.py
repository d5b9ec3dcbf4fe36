"""``idbits.randomise``: each mechanism draws from its distribution."""

import json
import math

import numpy as np
import pyarrow
import pytest

import idbits
from idbits.errors import InputError, NotEstimableError
from idbits.measures.randomisers import exponential_places, response_places

ROWS = 40_000


def near(found: float, expected: float, rows: int = ROWS) -> bool:
    """Whether a share is within four standard errors of a probability."""
    return abs(found - expected) < 4 * math.sqrt(max(expected * (1 - expected), 1e-4) / rows)


def test_response_keeps_a_value_as_often_as_it_should() -> None:
    places = np.zeros(ROWS, np.int64)
    drawn = response_places(places, 4, 1.0, np.random.default_rng(0))
    kept = math.e / (math.e + 3)
    shares = np.bincount(drawn, minlength=4) / ROWS
    assert near(shares[0], kept)
    assert all(near(share, (1 - kept) / 3) for share in shares[1:])


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("epsilon", [0.5, 4.0, 40.0])
def test_exponential_draws_near_values_by_its_law(place: int, epsilon: float) -> None:
    values = np.array([-3.0, 0.0, 1.0, 1.5, 7.0])
    drawn = exponential_places(np.full(ROWS, place), values, 5, epsilon, np.random.default_rng(place))
    weights = np.exp(-epsilon * np.abs(values - values[place]) / (2 * 10.0))
    shares = np.bincount(drawn, minlength=5) / ROWS
    assert all(near(share, weight / weights.sum()) for share, weight in zip(shares, weights, strict=True))


def test_exponential_of_many_values_and_of_a_large_epsilon() -> None:
    rng = np.random.default_rng(1)
    values = np.sort(rng.normal(size=5_000))
    places = rng.integers(0, 5_000, 5_000)
    drawn = exponential_places(places, values, 5_000, 1e6, rng)
    assert np.abs(values[drawn] - values[places]).max() < 1e-3
    assert set(exponential_places(places, values, 5_000, 1e-9, rng) // 500) == set(range(10))


@pytest.mark.parametrize(("mechanism", "deviation"), [("laplace", math.sqrt(2)), ("gaussian", None)])
def test_noise_has_the_scale_it_should(mechanism: str, deviation: float | None) -> None:
    column = np.tile([0.5, 10.5], ROWS // 2)
    release = idbits.randomise(pyarrow.table({"x": column}), mechanism=mechanism, epsilon=2, delta=1e-3)
    noise = np.array(release.table.column("x")) - column
    expected = 10 / 2 * (deviation or math.sqrt(2 * math.log(1.25 / 1e-3)))
    assert noise.std() == pytest.approx(expected, rel=0.03)
    assert abs(noise.mean()) < 4 * expected / math.sqrt(ROWS)


def table() -> pyarrow.Table:
    return pyarrow.table(
        {
            "age": [31, None, 27, 60] * 20,
            "town": ["Eger", "Vác", None, "Ózd"] * 20,
            "day": pyarrow.array(range(80), pyarrow.int32()).cast(pyarrow.date32()),
        }
    )


@pytest.mark.parametrize("mechanism", ["exponential", "laplace", "gaussian", "response"])
def test_a_release_looks_like_its_table(mechanism: str) -> None:
    release = idbits.randomise(table(), mechanism=mechanism, epsilon=1.0)
    assert release.table.column_names == table().column_names
    assert release.table.num_rows == 80
    assert set(release.table.column("town").to_pylist()) <= {"Eger", "Vác", "Ózd", None}
    ages = release.table.column("age")
    assert pyarrow.types.is_integer(ages.type)
    if mechanism in ("laplace", "gaussian"):
        assert [age is None for age in ages.to_pylist()] == [age is None for age in table().column("age").to_pylist()]
        assert any("2 columns without numbers" in note for note in release.notes)
    else:
        assert set(ages.to_pylist()) <= {31, None, 27, 60}


def test_the_seed_decides() -> None:
    first, again, other = (
        idbits.randomise(table(), mechanism="laplace", epsilon=1, seed=seed).table for seed in (1, 1, 2)
    )
    assert first.equals(again)
    assert not first.equals(other)


@pytest.mark.big
def test_more_epsilon_leaks_more() -> None:
    rng = np.random.default_rng(0)
    original = pyarrow.table({"x": rng.normal(size=2_000)})
    for mechanism in ("exponential", "laplace", "gaussian"):
        found = []
        for epsilon in (0.01, 50.0):
            release = idbits.randomise(original, mechanism=mechanism, epsilon=epsilon)
            found.append(idbits.leak(original, release.table, mic_rows=100))
        assert found[0].columns[0].spearman < found[1].columns[0].spearman
        assert [answer.verdict for answer in found] == ["no leak seen", "leaks"]


def test_filters_and_columns_apply() -> None:
    release = idbits.randomise(table(), mechanism="response", epsilon=60, where="age >= 31", columns=["age", "town"])
    assert release.table.to_pydict() == {"age": [31, 60] * 20, "town": ["Eger", "Ózd"] * 20}


def test_it_is_labelled_experimental() -> None:
    release = idbits.randomise(table(), mechanism="response", epsilon=1)
    assert "experimental" in str(release)
    data = json.loads(release.to_json())
    assert data["experimental"] is True
    assert data["columns"][2]["values"][0].startswith("1970")
    assert "Eger" not in str(release)
    assert repr(release).startswith("Release(mechanism='response'")
    assert release.to_arrow() is release.table
    assert release.to_csv().splitlines()[0] == "age,town,day"


BAD = {
    "mechanism": ({"mechanism": "magic", "epsilon": 1}, InputError, "mechanism"),
    "epsilon": ({"mechanism": "laplace", "epsilon": 0}, InputError, "epsilon"),
    "infinite": ({"mechanism": "laplace", "epsilon": math.inf}, InputError, "epsilon"),
    "delta": ({"mechanism": "gaussian", "epsilon": 1, "delta": 1}, InputError, "delta"),
    "seed": ({"mechanism": "laplace", "epsilon": 1, "seed": -1}, InputError, "seed"),
    "count": ({"mechanism": "laplace", "epsilon": 1, "count": "age"}, InputError, "count="),
    "no rows": ({"mechanism": "laplace", "epsilon": 1, "where": "age > 99"}, NotEstimableError, "no rows"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    options, kind, words = BAD[name]
    with pytest.raises(kind, match=words):
        idbits.randomise(table(), **options)


def test_constant_and_empty_columns_pass_through() -> None:
    odd = pyarrow.table({"c": [1.0] * 5, "n": pyarrow.array([None] * 5, pyarrow.string()), "i": [math.inf, 1, 2, 3, 4]})
    for mechanism in ("exponential", "laplace", "gaussian", "response"):
        release = idbits.randomise(odd, mechanism=mechanism, epsilon=1).table.to_pydict()
        assert release["c"] == [1.0] * 5
        assert release["n"] == [None] * 5
