"""Predictions begin with what a survey designer asks: how many people will be unique, and which column to drop."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import idbits

PEOPLE = [{"age": n * n % 61, "town": n % 7 * (n % 3), "sex": "fm"[n * 5 % 13 % 2]} for n in range(900)]
COLUMNS = ("age", "town", "sex")


def expected_unique(columns: tuple[str, ...], k: int) -> float:
    counts = Counter(tuple(row[name] for name in columns) for row in PEOPLE)
    shares = [count / len(PEOPLE) for count in counts.values()]
    return k * math.fsum(p * (1 - p) ** (k - 1) for p in shares)


def head(answer: Any) -> str:
    """Return the verdict of an answer: its title and sentence."""
    return str(answer).partition("\n\n")[0].replace("\n", " ")


@pytest.mark.parametrize("k", [2, 40, 400])
@pytest.mark.parametrize("columns", [COLUMNS, ("town", "sex"), ("age", "town")])
def test_the_column_to_drop_by_counting_without_each(columns: tuple[str, ...], k: int) -> None:
    table = pa.Table.from_pylist(PEOPLE)
    for predict in (idbits.predict.singletons, idbits.predict.uniqueness):
        answer = predict(k, distribution=table, attributes=list(columns))
        assert answer.mean.exact == pytest.approx(expected_unique(columns, k))
        tried = {name: expected_unique(tuple(other for other in columns if other != name), k) for name in columns}
        assert {drop.column: drop.mean for drop in answer.dropping} == pytest.approx(tried, rel=1e-9, abs=1e-12)
        assert [drop.mean for drop in answer.dropping] == sorted(drop.mean for drop in answer.dropping)
        assert answer.drop == min(tried, key=lambda name: tried[name])
        data = answer.to_dict()
        assert data["drop"] == answer.drop
        assert data["dropping"][0] == {"column": answer.drop, "mean": answer.dropping[0].mean}
        # If hardly anyone is unique, nothing needs to be dropped.
        assert (f"Dropping {answer.drop} helps most" in head(answer)) == (answer.mean.exact > 0.5)


def test_a_drop_that_changes_nothing_is_not_proposed() -> None:
    table = pa.Table.from_pylist([{"code": n % 5, "same": n % 5 + 10} for n in range(40)])
    for predict in (idbits.predict.singletons, idbits.predict.uniqueness):
        answer = predict(8, distribution=table, attributes=["code", "same"])
        assert [drop.mean for drop in answer.dropping] == pytest.approx([answer.mean.exact] * 2)
        assert head(answer).endswith("Dropping a single column does not help.")
        assert "helps most" not in head(answer)


def test_a_single_value_is_singular() -> None:
    assert "There is only 1 value, so at least two people must share one." in head(
        idbits.predict.uniqueness(3, values=1)
    )


def test_a_single_column_cannot_be_dropped() -> None:
    answer = idbits.predict.singletons(40, distribution=pa.Table.from_pylist(PEOPLE), attributes=["age"])
    assert (answer.drop, answer.dropping) == (None, ())
    assert "Dropping" not in str(answer)
    assert idbits.predict.uniqueness(20, values=365).to_dict()["drop"] is None


def test_uniqueness_leads_with_the_people_of_singletons() -> None:
    for k in (2, 23, 300):
        unique, alone = idbits.predict.uniqueness(k, values=365), idbits.predict.singletons(k, values=365)
        assert unique.mean == alone.mean
        assert str(unique).splitlines()[0] == str(alone).splitlines()[0]
        assert str(unique).startswith("Expect ")
    assert "The chance that all 23 of them are unique is 49.27%." in head(idbits.predict.uniqueness(23, values=365))
    assert "only 365 values" in head(idbits.predict.uniqueness(366, values=365))
    assert idbits.predict.uniqueness(target="uniqueness<=1%", values=365).mean is None


@pytest.mark.parametrize(
    ("k", "values"), [(10, 1), (100, 2), (300, 365), (2_000, 3_000), (5_000, 5_001), (3_000, 10**9)]
)
def test_no_headline_is_a_power_of_ten(k: int, values: int) -> None:
    answers = [idbits.predict.uniqueness(k, values=values), idbits.predict.singletons(k, values=values)]
    answers += [idbits.predict.uniqueness(k, values=values, kappa=0.01)] if values > 1 else []
    for answer in answers:
        assert re.search(r"\de[-+]?\d|10\^", head(answer)) is None, head(answer)


def test_a_chance_too_small_for_a_float_is_not_called_impossible() -> None:
    answer = idbits.predict.uniqueness(3_000, values=3_500)
    assert answer.probability.exact == 0
    assert math.isfinite(answer.probability.log10)
    assert "is less than 1 in 100 billion." in head(answer)


def test_hardly_anyone() -> None:
    answer = idbits.predict.singletons(1_000, values=2)
    assert head(answer).startswith(
        "Expect hardly anyone of 1,000 people to be unique In at least nine cases out of ten"
    )
    assert "the number is 0." in head(answer)
    wide = idbits.predict.width("normal:mean=0,sd=1", [0.5, 500], k=1_000)
    assert str(wide).startswith("At width 0.5, expect ")
    assert str(idbits.predict.width("uniform:low=1,high=2", [500], k=1_000)).startswith(
        "At width 500, expect none of 1,000 people to be unique"
    )


def test_one_value_makes_nobody_unique() -> None:
    answer = idbits.predict.uniqueness(2, values=1)
    assert head(answer).startswith("Expect none of 2 people to be unique")
    assert "Distribution: 1 equally likely value (1 possible value" in " ".join(str(answer).split())


def test_a_chance_that_kappa_cannot_tell_is_not_shown_as_one() -> None:
    rough = next(
        answer
        for k, kappa in itertools.product((5, 20, 40), (0.5, 1.0, 2.0))
        if (answer := idbits.predict.uniqueness(k, values=50, kappa=kappa)).probability.is_rough
    )
    assert "cannot be determined from kappa" in head(rough)
