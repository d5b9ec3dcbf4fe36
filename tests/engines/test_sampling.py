"""Rows drawn by hash: always the same ones, never more than allowed; no rows leave databases and clusters."""

from collections import Counter

import numpy as np
import pytest

from idbits.engines.backends.sampling import MOST_DRAWN
from idbits.values.attributes import Kind

ELSEWHERE = ("postgresql", "mariadb", "sqlite", "spark")


def people(n):
    return [
        {
            "id": f"P{i:06}",
            "case": str(1000 + i // 3),
            "sex": "FM"[i % 2],
            "town": f"t{i % 7}",
            "gap": None if i % 4 else "x",
        }
        for i in range(n)
    ]


def opened(engine, rows, used, sampled):
    table = engine(rows)
    table.load(used, sampled)
    return table


def test_a_small_table_is_drawn_whole(engine):
    rows = people(300)
    sample = opened(engine, rows, ["sex"], ["id", "town", "gap"]).draw_sample()
    if engine.name in ELSEWHERE:
        assert sample is None
        return
    assert (sample.n_rows, sample.n_drawn, sample.codes.shape) == (300, 300, (300, 3))
    assert list(sample.profiles) == ["id", "town", "gap"]
    reference = engine.reference(rows)
    for name, profile in sample.profiles.items():
        whole = reference.profile(name)
        assert (profile.people, profile.null_people) == (whole.people, whole.null_people)
        assert (profile.distinct, profile.unique_people) == (whole.distinct, whole.unique_people)
        assert profile.most_frequent == whole.most_frequent
    assert sorted(Counter(sample.codes[:, 1].tolist()).values()) == sorted(
        Counter(row["town"] for row in rows).values()
    )


@pytest.mark.parametrize("engine", ["duckdb-csv", "duckdb-parquet", "duckdb-pandas"], indirect=True)
def test_a_large_table_is_drawn_in_part_and_always_alike(engine):
    rows = people(40_000)
    first, second = (opened(engine, rows, ["sex"], ["id", "case", "town"]).draw_sample() for _ in range(2))
    assert first.n_rows == 40_000
    assert MOST_DRAWN * 0.7 < first.n_drawn <= MOST_DRAWN
    assert np.array_equal(first.codes, second.codes)
    assert first.profiles == second.profiles
    assert first.profiles["id"].distinct == first.n_drawn
    # Each of the 7 towns is drawn about as often as it occurs.
    shares = np.bincount(first.codes[:, 2].astype(int)) / first.n_drawn
    assert np.abs(shares - 1 / 7).max() < 0.02


@pytest.mark.parametrize("engine", ["duckdb-csv", "duckdb-parquet"], indirect=True)
def test_the_filter_applies_to_the_sample(engine):
    from idbits.reading import OpenOptions

    table = engine(people(300), None, OpenOptions(where="sex = 'F'"))
    table.load(["town"], ["id", "sex"])
    sample = table.draw_sample()
    assert (sample.n_rows, sample.n_drawn, sample.profiles["sex"].distinct) == (150, 150, 1)


def test_distinct_values_are_counted_in_all_rows(engine):
    rows = people(301)
    table = opened(engine, rows, ["case", "gap"], [])
    expected = {} if engine.name in ELSEWHERE else {"case": 101, "gap": 1}
    assert table.count_values(["case", "gap"]) == expected


def test_all_rows_of_a_value_are_hashed_or_none(engine):
    rows = people(300)
    table = opened(engine, rows, ["case", "sex", "town"], [])
    hashed = table.hashed_rows("case", ["sex", "town"])
    if engine.name in ELSEWHERE:
        assert hashed is None
        return
    assert hashed.shape == (300, 3)
    assert set(Counter(hashed[:, 0].tolist()).values()) == {3}
    assert len(set(hashed[:, 1].tolist())) == 2
    assert len(set(map(tuple, hashed.tolist()))) == len({(r["case"], r["sex"], r["town"]) for r in rows})


@pytest.mark.parametrize("engine", ["duckdb-parquet"], indirect=True)
def test_few_rows_are_hashed_of_a_large_table(engine):
    rows = [{"case": str(i // 3), "sex": "FM"[i % 2]} for i in range(90_000)]
    hashed = opened(engine, rows, ["case", "sex"], []).hashed_rows("case", ["sex"])
    assert MOST_DRAWN * 0.5 < len(hashed) <= MOST_DRAWN
    assert set(Counter(hashed[:, 0].tolist()).values()) == {3}


def test_values_that_never_repeat_have_no_rows(engine):
    hashed = opened(engine, people(50), ["id", "sex"], []).hashed_rows("id", ["sex"])
    if engine.name.startswith("duckdb"):
        assert hashed.shape == (0, 2)


def test_rising_numbers(ordered_engine):
    rows = [{"up": str(i), "down": str(-i), "as_float": f"{i}.0"} for i in range(200)]
    table = ordered_engine(rows)
    table.load(["up", "down", "as_float"])
    if ordered_engine.name in ELSEWHERE:
        assert table.rising_pairs("up") is None
        return
    assert table.rising_pairs("up") == table.rising_pairs("as_float") == (199, 199)
    assert table.rising_pairs("down") == (0, 199)


@pytest.mark.parametrize(
    ("cells", "span"), [(["3", "9", "5"], 7), (["3.0", "4.0"], 2), (["-2", "2"], 5), (["x", "y"], 0)]
)
def test_spans(engine, cells, span):
    table = opened(engine, [{"c": cell} for cell in cells], ["c"], [])
    assert table.profile("c").span == (0 if engine.name in ELSEWHERE else span)


def test_no_rows(typed_engine):
    table = typed_engine([], {"id": Kind.INTEGER, "sex": Kind.TEXT})
    table.load(["id"], ["id", "sex"])
    sample = table.draw_sample()
    if typed_engine.name not in ELSEWHERE:
        assert (sample.n_rows, sample.n_drawn) == (0, 0)
        assert table.hashed_rows("id", []).shape == (0, 1)


@pytest.mark.parametrize("count", [None, "n"])
def test_unique_people_of_columns_that_are_loaded_and_of_others(engine, count):
    rows = [
        {"zip": "01234", "name": "é", "n": "1"},
        {"zip": None, "name": "e", "n": "0"},
        {"zip": "1234", "name": "é", "n": "3"},
        {"zip": "01234", "name": "É ", "n": "1"},
        {"zip": None, "name": "E", "n": "1"},
    ]
    table = engine.loaded(rows, ["zip"], count=count)
    expected = {"zip": 1, "name": 3} if count is None else {"zip": 1, "name": 2}
    assert table.unique_people(["zip", "name"]) == (expected if table.draw_sample() is not None else {})
