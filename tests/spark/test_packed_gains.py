"""Information gain of rows that are one whole number each: every way to count it gives the answer of this machine."""

import math
import random
from contextlib import closing
from typing import Any

import pyarrow
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F  # noqa: N812

import clusters
import idbits
from idbits.engines.open import open_table
from idbits.engines.spark import gain_priors, gains, hashed_values, packed_gains, packed_rows, ranking
from idbits.engines.spark.gains import SparkBelievedRows
from idbits.engines.spark.levels import LevelCells
from idbits.measures.pif import above_rounding, curve_levels

WAYS: dict[str, list[tuple[Any, str, Any]]] = {
    "pivot": [(packed_rows, "_LEAST_TASKS", 0)],
    "long keys": [(packed_rows, "_LEAST_TASKS", 0), (packed_rows, "_INT_BITS", 0)],
    "no pivot": [(packed_rows, "_LEAST_TASKS", 10**6)],
    "few cohorts": [(packed_gains, "_FEWEST_ROWS", 0), (packed_gains, "_ROWS_PER_COHORT", 0)],
    "few cohorts, no pivot": [
        (packed_gains, "_FEWEST_ROWS", 0), (packed_gains, "_ROWS_PER_COHORT", 0), (packed_rows, "_LEAST_TASKS", 10**6),
    ],
    "merged": [(packed_gains, "_MOST_IN_MEMORY", 0)],
    "too many bits": [(packed_rows, "_MOST_BITS", 3)],
    "too many values": [(packed_rows, "_MOST_VALUES", 5)],
    "too many columns": [(hashed_values, "_MOST_COLUMNS", 2)],
    "the same hash": [(hashed_values, "hash_of", lambda column, value: F.lit(column) + F.lit(0) * F.length(value))],
}  # fmt: skip
PACKED = ["pivot", "long keys", "no pivot", "few cohorts", "few cohorts, no pivot", "merged"]
ASKED: list[dict[str, Any]] = [
    {"columns": ["zip", "sex", "age:band20"], "accuracy": {"zip": 0.5, "sex": 0}},
    {
        "columns": ["sex", "born:year", "zip:top2"],
        "prior": {"sex": pyarrow.table({"sex": ["M", "F"], "count": [10, 30]})},
        "growth": "given",
    },
]
MANY = pyarrow.table(
    {
        "zip": ["a", "b", None, "a", "c", None, "b"],
        "sex": ["M", "F", "M", "F", "F", "F", "M"],
        "n": [2**31 + 7, 3, 2**33 + 1, 0, 1, 2**32 - 1, 5],
    }
)
LIMITS = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def _few_rows_are_packed(monkeypatch):
    monkeypatch.setattr(gains, "_FEWEST_PACKED_ROWS", 0)


@pytest.fixture
def packed(monkeypatch):
    """Whether each attack packed its rows."""
    chosen: list[bool] = []
    layout = SparkBelievedRows._layout

    def noted(believed):
        made = layout(believed)
        chosen.append(made is not None)
        return made

    monkeypatch.setattr(gains.SparkBelievedRows, "_layout", noted)
    return chosen


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_same_gain(frame, people, same, on_cluster, monkeypatch, packed, way):
    for module, name, value in WAYS[way]:
        monkeypatch.setattr(module, name, value)
    same(
        idbits.gain(frame, columns=["zip", "sex", "age:band20"]),
        idbits.gain(people, columns=["zip", "sex", "age:band20"]),
    )
    assert packed == [way in PACKED]


@pytest.mark.parametrize("asked", ASKED, ids=["accuracy", "population"])
@pytest.mark.parametrize("way", ["pivot", "no pivot"])
def test_beliefs_of_packed_rows(frame, people, same, on_cluster, monkeypatch, packed, way, asked):
    for module, name, value in WAYS[way]:
        monkeypatch.setattr(module, name, value)
    same(idbits.gain(frame, **asked), idbits.gain(people, **asked))
    assert all(packed)


@pytest.mark.parametrize("way", ["pivot", "too many bits"])
@pytest.mark.parametrize("columns", [["zip", "sex"], ["zip"]], ids=str)
def test_more_people_than_a_float_has_digits(same, tmp_path, on_cluster, monkeypatch, way, columns):
    for module, name, value in WAYS[way]:
        monkeypatch.setattr(module, name, value)
    asked: dict[str, Any] = {"columns": columns, "count": "n"}
    same(idbits.gain(clusters.frame_of(MANY, tmp_path), **asked), idbits.gain(MANY, **asked))


@pytest.mark.parametrize("way", ["pivot", "too many bits"])
def test_sums_with_more_digits_than_a_float_are_rounded_once(same, tmp_path, on_cluster, monkeypatch, way):
    for module, name, value in WAYS[way]:
        monkeypatch.setattr(module, name, value)
    people = [5, 2**32 - 1, 2**32 - 1, 5]
    table = pyarrow.table({"zip": ["a", "b", "a", "b"], "sex": ["M", "M", "F", "F"], "n": people})
    asked: dict[str, Any] = {"columns": ["zip", "sex"], "count": "n"}
    same(idbits.gain(clusters.frame_of(table, tmp_path), **asked), idbits.gain(table, **asked))


def test_the_same_hash_in_two_columns(same, tmp_path, on_cluster, monkeypatch, packed):
    for module in (hashed_values, packed_rows, gain_priors):
        monkeypatch.setattr(module, "hash_of", lambda column, value: F.xxhash64(value))
    table = pyarrow.table({"home": ["a", "b", "b"], "work": ["a", "c", "a"]})
    asked: dict[str, Any] = {"columns": ["home", "work"]}
    same(idbits.gain(clusters.frame_of(table, tmp_path), **asked), idbits.gain(table, **asked))
    assert packed == [False]


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "t": st.sampled_from([None, "a", "A", "b"]),
            "f": st.sampled_from([None, 0.0, 0.5, float("nan")]),
            "i": st.integers(0, 3),
            "n": st.sampled_from([0, 1, 1, 2, 50, 10**9]),
        }
    ),
    min_size=1,
    max_size=20,
).filter(lambda rows: any(row["n"] for row in rows))


@given(rows=ROWS, accuracy=st.sampled_from([1.0, 1.0, 0.9]), pivot=st.booleans())
@LIMITS
def test_random_counted_tables(same, tmp_path, on_cluster, rows, accuracy, pivot):
    table = pyarrow.Table.from_pylist(rows)
    asked: dict[str, Any] = {"columns": ["t", "f", "i"], "count": "n", "accuracy": accuracy}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packed_rows, "_LEAST_TASKS", 0 if pivot else 10**6)
        same(idbits.gain(clusters.frame_of(table, tmp_path), **asked), idbits.gain(table, **asked))


@given(
    levels=st.lists(st.floats(-5, 70).map(lambda level: round(level, 2)), min_size=1, max_size=40),
    step=st.sampled_from([0.01, 0.25, 1.0]),
    number=st.integers(0, 40),
)
def test_cells_have_at_most_one_level(levels, step, number):
    for chosen in (levels, above_rounding([step * index for index in range(number)])):
        cells = LevelCells.of(chosen)
        if cells is not None:
            assert [level for level in cells.inside if not math.isinf(level)] == sorted(set(chosen))
            assert [cells.levels[below] for below, level in zip(cells.before, cells.inside, strict=True)
                    if not math.isinf(level)] == sorted(set(chosen))  # fmt: skip


def test_people_above_levels_are_those_that_python_counts(frame):
    levels = above_rounding(curve_levels(37.3))
    assert LevelCells.of(levels) is not None
    drawn = random.Random(3)
    near = [math.nextafter(level, end) for level in levels[::9] for end in (-math.inf, math.inf)]
    values = [*levels[::7], *near, *(drawn.uniform(-1, 50) for _ in range(100))]
    rows = [(value, drawn.randrange(1, 9)) for value in values]
    with closing(open_table(frame)) as table:
        counted = clusters.spark().createDataFrame(rows, "rig double, people bigint")
        found = ranking.FrameRanking(table.session, counted, "rig").people_above([*levels[50:], *levels[:50]])
    assert found == [sum(people for value, people in rows if value > level) for level in [*levels[50:], *levels[:50]]]


@pytest.mark.parametrize("before", [None, "true"])
def test_an_option_for_planning_is_restored(frame, before):
    name, options = packed_gains._ALL_KEYS, clusters.spark().conf
    if before is not None:
        options.set(name, before)
    try:
        with closing(open_table(frame)) as table, table.session.planning(name, "false"):
            assert options.get(name) == "false"
        assert options.get(name, None) == before
    finally:
        options.unset(name)
