"""Laws of samples and their populations, for tables of any kind (population.md, 8.10)."""

import csv
import itertools
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits

QID = ["a", "b", "c"]
LIMITS = settings(max_examples=8, deadline=None)


@st.composite
def tables(draw: st.DrawFn, least: int = 100, most: int = 180) -> pyarrow.Table:
    """Return tables whose columns depend on each other, from nearly all unique to hardly anybody unique."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(least, most))
    share = draw(st.sampled_from([0.08, 0.2, 0.5]))
    first = rng.geometric(share, n)
    second = first // 2 + rng.geometric(0.6, n)
    third = np.where(rng.random(n) < 0.1, None, rng.choice(["x", "y", "z"], n))
    return pyarrow.table({"a": first.astype(str), "b": second, "c": third.tolist()})


def asked(table: pyarrow.Table, **more: Any) -> idbits.PopulationAnswer:
    return idbits.population(table, QID, rows_are_people=True, **more)


@LIMITS
@given(tables(least=1), st.booleans())
def test_the_whole_population_is_what_measure_says(table: pyarrow.Table, by_fraction: bool) -> None:
    answer = asked(table, **({"fraction": 1.0} if by_fraction else {"people": len(table)}))
    measured = idbits.measure(table, QID)
    assert (answer.method, answer.estimability) == ("exact", "exact")
    assert answer.uniques.value == answer.tau1.value == answer.tau2.value == measured.singletons
    assert answer.unique_share.value == measured.singletons / len(table)
    assert answer.correctness.value == measured.mean_risk
    assert answer.entropy_bits.value == measured.entropy_bits
    assert answer.k_hat.value == measured.k_hat
    assert {limit: figure.value for limit, figure in answer.people_below.items()} == measured.people_below


@LIMITS
@given(tables(), st.sampled_from([0.004, 0.1, 0.5]), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(table: pyarrow.Table, fraction: float, draw: Any) -> None:
    order = list(range(len(table)))
    draw.shuffle(order)
    assert asked(table.take(order), fraction=fraction).to_dict() == asked(table, fraction=fraction).to_dict()


@LIMITS
@given(tables(), st.sampled_from([0.1, 0.5]))
def test_other_names_of_values_change_only_what_is_drawn(table: pyarrow.Table, fraction: float) -> None:
    """Draws go by a hash of the values, so resampled parts of the interval may change; nothing else may."""
    renamed = table.set_column(0, "a", pyarrow.array([f"value {text}" for text in table["a"].to_pylist()]))
    first, second = (asked(each, fraction=fraction) for each in (table, renamed))
    assert second.estimators == first.estimators
    assert (second.bounds, second.sample) == (first.bounds, first.sample)
    assert first.fit is not None
    assert second.fit is not None
    assert second.fit.parameters == first.fit.parameters
    assert (second.fit.columns, second.fit.probability) == (first.fit.columns, first.fit.probability)


@LIMITS
@given(tables(), st.sampled_from([0.004, 0.1, 0.5]))
def test_more_people_never_raise_the_risk_and_pi_is_within_its_bounds(table: pyarrow.Table, fraction: float) -> None:
    n = len(table)
    answer = asked(table, fraction=fraction, sizes=[1, n // 2, n, n + 1, 2 * n, 30 * n, 10**9])
    for name in ("unique_share", "correctness"):
        known = [getattr(size, name) for size in answer.sizes if getattr(size, name) is not None]
        assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(known))
    if answer.bounds is not None:
        low, high = answer.bounds.pi
        pi = answer.pi
        assert pi.low is not None
        assert pi.high is not None
        assert low <= pi.low <= pi.high <= high
        assert pi.value is None or pi.low <= pi.value <= pi.high


@settings(max_examples=5, deadline=None)
@given(tables(), st.sampled_from([0.3, 0.6]))
def test_the_sum_over_records_is_tau1(table: pyarrow.Table, fraction: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "risk.csv"
        try:
            answer = asked(table, fraction=fraction, records=path)
        except idbits.NotEstimableError:
            assert not path.exists()
            return
        with path.open(encoding="utf-8", newline="") as file:
            total = math.fsum(float(row["p_unique"]) for row in csv.DictReader(file))
    assert total == pytest.approx(answer.tau1.value, abs=1e-9)
