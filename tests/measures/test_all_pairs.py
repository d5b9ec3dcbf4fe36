"""One test for all pairs of columns: it keeps its error rate, and it finds renamed and swapped columns."""

import numpy as np
import pytest

from idbits.measures.all_pairs_test import judge_all_pairs


def ranked(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_inverse=True)[1]


def columns(rng: np.random.Generator, rows: int = 80) -> list[np.ndarray]:
    """Columns that depend on each other, of several kinds."""
    base = rng.normal(size=rows)
    return [
        ranked(base), ranked(base + 0.2 * rng.normal(size=rows)), rng.integers(0, 3, rows),
        (rng.random(rows) < 0.05).astype(np.int64), np.zeros(rows, np.int64),
    ]  # fmt: skip


@pytest.mark.big
def test_the_error_rate_holds_for_all_pairs_at_once() -> None:
    error, runs, alarms = 0.05, 120, 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, 21])
        found = judge_all_pairs(columns(rng), columns(rng), np.ones((5, 5), bool), error, seed, "shuffles")
        alarms += bool((found.p_value <= error).any())
    # 6 are expected at most; 15 or more would happen in about one of 1,000 runs.
    assert alarms < 15


@pytest.mark.big
@pytest.mark.parametrize("kind", ["shuffles", "shifts"])
def test_swapped_columns_are_found(kind: str) -> None:
    for seed in range(2):
        rng = np.random.default_rng([seed, 22])
        first, second = rng.normal(size=(2, 1_200))
        labels = rng.integers(0, 4, 1_200)
        released = [second + 0.5 * rng.normal(size=1_200), first**3, np.array([2, 0, 3, 1])[labels]]
        originals = [ranked(first), ranked(second), labels]
        compared = ~np.eye(3, dtype=bool)
        found = judge_all_pairs(originals, [ranked(side) for side in released], compared, 0.001, seed, kind)
        assert found.p_value[1, 0] <= 0.001
        assert found.p_value[0, 1] <= 0.001
        # The pair of labels was not asked for.
        assert found.p_value[2, 2] == 1.0
        assert found.strength[2, 2] > 5
        assert found.p_value[2, 0] > 0.001


def test_few_shifts_cannot_say_much() -> None:
    codes = ranked(np.random.default_rng(0).normal(size=50))
    found = judge_all_pairs([codes], [codes], np.ones((1, 1), bool), 0.001, 0, "shifts")
    assert found.p_value[0, 0] == found.least == 1 / 50
