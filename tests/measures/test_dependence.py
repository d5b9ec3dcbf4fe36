"""Correlations against slow reference versions; the dependence test on cases that are leaks and cases that are not."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.measures.dependence import (
    average_ranks,
    distance_correlation,
    equal_cells,
    fine_cells,
    information_cells,
    pearson,
    spearman,
)
from idbits.measures.dependence_test import Pair, arrangements, judge

POINTS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=70)


def both(points: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.array(points, np.float64).T
    return x, y


def constant(*columns: np.ndarray) -> bool:
    return any(column.min() == column.max() for column in columns)


def distance_twin(x: np.ndarray, y: np.ndarray) -> float:
    """Distance correlation from all pairs of rows."""

    def centred(values: np.ndarray) -> np.ndarray:
        distances = np.abs(values[:, None] - values[None, :])
        return distances - distances.mean(0) - distances.mean(1)[:, None] + distances.mean()

    a, b = centred(x), centred(y)
    return math.sqrt(max(0.0, (a * b).mean()) / math.sqrt((a * a).mean() * (b * b).mean()))


@given(POINTS)
def test_distance_correlation_is_what_all_pairs_give(points: list[tuple[int, int]]) -> None:
    x, y = both(points)
    found = distance_correlation(x, y)
    if constant(x, y):
        assert found is None
    else:
        assert found == pytest.approx(distance_twin(x, y), abs=1e-6)


def test_distance_correlation_of_many_rows() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=1_500)
    for y in (rng.normal(size=1_500), np.abs(x), x + rng.normal(size=1_500), -3 * x + 1):
        assert distance_correlation(x, y) == pytest.approx(distance_twin(x, y), abs=1e-9)


@given(POINTS)
def test_pearson_and_spearman(points: list[tuple[int, int]]) -> None:
    x, y = both(points)
    if constant(x, y):
        assert pearson(x, y) is None
        assert spearman(x.astype(int), y.astype(int)) is None
        return
    assert pearson(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
    ranks = [[np.mean(np.flatnonzero(np.sort(side) == value)) for value in side] for side in (x, y)]
    assert spearman(x.astype(int), y.astype(int)) == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_very_large_and_very_small_numbers(scale: float) -> None:
    x = np.array([1.0, 2.0, 3.0, 5.0])
    assert pearson(x * scale, x) == pytest.approx(1.0)
    assert distance_correlation(x * scale, x) == pytest.approx(1.0)


def test_cells() -> None:
    codes = np.repeat(np.arange(40), 25)
    assert information_cells(codes % 20) is not None
    assert (information_cells(codes // 2) == codes // 2).all()
    assert len(set(information_cells(np.arange(1000)).tolist())) == fine_cells(1000) == 8
    for cells in (2, 4, 8, 16):
        fine, coarse = equal_cells(codes, cells), equal_cells(codes, cells // 2 or 1)
        assert (fine // 2 == coarse).all()


def test_ranks_and_arrangements() -> None:
    assert average_ranks(np.array([2, 2, 0])).tolist() == [2.5, 2.5, 1.0]
    assert average_ranks(np.array([10**12, 10**12, -1])).tolist() == [2.5, 2.5, 1.0]
    assert math.exp(arrangements(np.arange(5))) == pytest.approx(120)


def pair(x: np.ndarray, y: np.ndarray) -> Pair:
    codes = [np.unique(side, return_inverse=True)[1] for side in (x, y)]
    numbers = [side.astype(np.float64) if side.dtype.kind in "if" else c for side, c in zip((x, y), codes, strict=True)]
    return Pair(codes[0], codes[1], numbers[0], numbers[1])


Make = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


def relabelled(labels: int, rows: int) -> Make:
    def make(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        x = rng.integers(0, labels, rows)
        return x, rng.permutation(labels)[x]

    return make


def mapped(change: Callable[[np.ndarray], np.ndarray], rows: int = 200) -> Make:
    def make(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        x = rng.normal(size=rows)
        return x, change(x)

    return make


def noisy(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=200)
    return x, x + 0.3 * rng.normal(size=200)


def noisy_few(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=15)
    return x, x + 0.05 * rng.normal(size=15)


LEAKS: dict[str, Make] = {
    "noise in 15 rows": noisy_few,
    "copy": mapped(lambda x: x),
    "copy of 12 rows": mapped(lambda x: x, 12),
    "reversed": mapped(lambda x: -x),
    "monotone": mapped(np.exp),
    "square": mapped(np.square),
    "wave": mapped(lambda x: np.sin(3 * x)),
    "rounded": mapped(np.round),
    "sign": mapped(np.sign),
    "noise": noisy,
    "5 labels": relabelled(5, 100),
    "50 labels": relabelled(50, 200),
    "200 labels": relabelled(200, 1000),
}


@pytest.mark.big
@pytest.mark.parametrize("name", LEAKS)
def test_dependence_is_seen(name: str) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        assert judge([pair(*LEAKS[name](rng))], 0.01, seed)[0].leaks, f"seed {seed}"


def independent(rng: np.random.Generator) -> list[Pair]:
    rows = 80
    return [
        pair(rng.normal(size=rows), rng.normal(size=rows)),
        pair(rng.integers(0, 4, rows), rng.integers(0, 60, rows)),
        pair((rng.random(rows) < 0.03).astype(int), (rng.random(rows) < 0.03).astype(int)),
        pair(rng.exponential(size=rows) ** 4, rng.integers(0, 2, rows)),
    ]


@pytest.mark.big
def test_independent_tables_are_no_leaks_but_for_the_stated_error() -> None:
    tables, error = 250, 0.05
    alarms = 0
    for seed in range(tables):
        rng = np.random.default_rng([seed, 99])
        alarms += any(found.leaks for found in judge(independent(rng), error, seed))
    # 12.5 are expected at most; 25 or more would happen in about one of 1,000 runs.
    assert alarms < 25


@pytest.mark.big
def test_p_values_of_independent_columns_are_uniform() -> None:
    found = []
    for seed in range(300):
        rng = np.random.default_rng([seed, 7])
        found.append(judge([pair(rng.normal(size=40), rng.normal(size=40))], 0.01, seed)[0].p_value)
    for level in (0.1, 0.25, 0.5, 0.75):
        share = np.mean(np.array(found) <= level)
        assert abs(share - level) < 4 * math.sqrt(level * (1 - level) / 300)


def test_the_same_seed_gives_the_same_judgement() -> None:
    rng = np.random.default_rng(0)
    pairs = independent(rng)
    assert judge(pairs, 0.01, 3) == judge(pairs, 0.01, 3) == judge(pairs, 0.01, 3, threads=2)
    assert judge(pairs, 0.01, 3) != judge(pairs, 0.01, 4)


def test_chance_information_is_that_of_shuffles() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 8, 300), rng.integers(0, 8, 300)
    found = judge([pair(x, y)], 0.01, 0)[0].chance_information_bits
    # (8 - 1)(8 - 1) / (2 n ln 2), to first order.
    assert found == pytest.approx(49 / (600 * math.log(2)), rel=0.15)


def test_many_columns_are_judged_at_a_stricter_level() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    found = judge([pair(x, x)] + [pair(rng.normal(size=60), rng.normal(size=60)) for _ in range(29)], 0.01, 0)
    assert found[0].threshold == pytest.approx(0.01 / 30)
    assert [item.leaks for item in found] == [True] + [False] * 29
    assert judge([], 0.01, 0) == []
