"""The goal of a plan: who is withheld for it, and what happens if a table cannot meet it."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idbits
from idbits.studies.apply.rules import GroupedTable, withhold
from idbits.studies.shared.goals import parse_goals
from idbits.studies.shared.plans import Plan, PlannedColumn

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=7)


def holds(goal: str, kept: list[int]) -> bool:
    """Whether groups of these sizes meet a goal, from the definitions."""
    if not kept:
        return False
    people = sum(kept)
    return {
        "k_min >= 4": min(kept) >= 4,
        "singletons <= 1": kept.count(1) <= 1,
        "singletons <= 10%": Fraction(kept.count(1), people) <= Fraction(1, 10),
        "people_below.4 <= 20%": Fraction(sum(k for k in kept if k < 4), people) <= Fraction(1, 5),
        "mean_risk <= 30%": Fraction(len(kept), people) <= Fraction(3, 10),
        "mean_risk < 50%": Fraction(len(kept), people) < Fraction(1, 2),
    }[goal]


@given(SIZES, st.sampled_from(["singletons <= 1", "singletons <= 10%", "people_below.4 <= 20%", "mean_risk <= 30%"]))
def test_the_smallest_groups_are_withheld_and_not_one_more(sizes: list[int], goal: str) -> None:
    withheld = withhold(parse_goals([goal]), GroupedTable(np.array(sizes), {}, {}))
    kept = [size for size, out in zip(sizes, withheld.is_withheld, strict=True) if not out]
    ordered = sorted(sizes)
    tries = [ordered[number:] for number in range(len(ordered) + 1)]
    fewest = next((number for number, left in enumerate(tries) if holds(goal, left)), None)
    if fewest is None:
        return
    assert sorted(kept) == tries[fewest]
    assert withheld.people == sum(ordered[:fewest])


@given(SIZES)
def test_groups_that_break_a_rule_about_groups(sizes: list[int]) -> None:
    for goal, least in (("k_min >= 4", 4), ("k_min > 4", 5), ("k_min >= 3.5", 4)):
        withheld = withhold(parse_goals([goal]), GroupedTable(np.array(sizes), {}, {}))
        assert withheld.is_withheld.tolist() == [size < least for size in sizes]


def test_no_mean_risk_is_met_with_fewer_people_withheld() -> None:
    """Withholding the smallest groups first is the best one can do for the mean risk."""
    sizes = [1, 2, 2, 3, 7]
    withheld = withhold(parse_goals(["mean_risk <= 30%"]), GroupedTable(np.array(sizes), {}, {}))
    best = min(
        sum(sizes) - sum(kept)
        for number in range(1, len(sizes) + 1)
        for kept in itertools.combinations(sizes, number)
        if holds("mean_risk <= 30%", list(kept))
    )
    assert withheld.people == best


def plan(*goal: str, limit: float = 1.0, columns: dict[str, str] | None = None) -> Plan:
    planned = columns or {"age": "band10", "zip": "prefix1"}
    return Plan(goal, limit, tuple(PlannedColumn(name, view, 1) for name, view in planned.items()), "cells")


@pytest.fixture
def frame() -> pa.Table:
    draw = np.random.default_rng(3)
    n = 400
    return pa.table(
        {
            "age": draw.integers(20, 60, n),
            "zip": [str(code) for code in draw.integers(1000, 4000, n)],
            "illness": [None if i % 50 == 0 else "abcd"[i % 4] for i in draw.integers(0, 40, n)],
            "weight": draw.integers(50, 60, n),
        }
    )


def cells_of(path: Path) -> dict[tuple[str, str], Counter[str]]:
    import csv

    groups: dict[tuple[str, str], Counter[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            groups.setdefault((row["age"], row["zip"]), Counter())[row["illness"]] += 1
    return groups


def test_rules_about_a_sensitive_column(frame: pa.Table, tmp_path: Path) -> None:
    goal = ("k_min >= 5", "l_distinct.illness >= 3", "alpha.illness <= 0.6", "t_equal.illness <= 0.2")
    views = {"age": "band5", "zip": "prefix1"}
    answer = idbits.apply(frame, plan(*goal, columns=views), tmp_path / "a.csv")
    groups = cells_of(tmp_path / "a.csv")
    source = Counter(value.as_py() or "" for value in frame.column("illness"))
    share = {value: number / frame.num_rows for value, number in source.items()}
    values = {rule.rule: rule.value for rule in answer.rules}
    assert values["k_min >= 5"] == min(sum(cells.values()) for cells in groups.values())
    assert values["l_distinct.illness >= 3"] == min(map(len, groups.values())) >= 3
    assert values["alpha.illness <= 0.6"] == pytest.approx(
        max(max(cells.values()) / sum(cells.values()) for cells in groups.values()), rel=1e-12
    )
    distances = [
        sum(abs(cells[value] / sum(cells.values()) - share[value]) for value in share) / 2 for cells in groups.values()
    ]
    assert values["t_equal.illness <= 0.2"] == pytest.approx(max(distances), rel=1e-9)
    assert max(distances) <= 0.2 * (1 + 1e-9)
    assert all(rule.passed for rule in answer.rules)
    assert 0 < answer.withheld.people == frame.num_rows - sum(sum(cells.values()) for cells in groups.values())
    assert answer.withheld.by_rule["k_min >= 5"] <= answer.withheld.people


def test_figures_against_the_released_values(frame: pa.Table, tmp_path: Path) -> None:
    answer = idbits.apply(frame, plan("k_min >= 5", "t_equal.illness <= 0.25"), tmp_path / "a.csv")
    groups = cells_of(tmp_path / "a.csv")
    released = sum(groups.values(), Counter[str]())
    total = sum(released.values())
    distances = [
        sum(abs(cells[value] / sum(cells.values()) - released[value] / total) for value in released) / 2
        for cells in groups.values()
    ]
    rule = answer.rules[1]
    assert rule.released_value == pytest.approx(max(distances), rel=1e-9)
    assert rule.is_worse_released == any("worse against those of the file" in note for note in answer.notes)
    assert answer.rules[0].released_value is None


def test_numbers_have_an_order(frame: pa.Table, tmp_path: Path) -> None:
    answer = idbits.apply(frame, plan("t_ordered.weight <= 1"), tmp_path / "a.csv")
    assert 0 < answer.rules[0].value < 1


def refused(frame: pa.Table, tmp_path: Path, made: Plan, **options: Any) -> str:
    with pytest.raises(idbits.RefusedError) as error:
        idbits.apply(frame, made, tmp_path / "a.csv", **options)
    assert list(tmp_path.iterdir()) == []
    return str(error.value)


def test_a_limit_that_would_be_exceeded(frame: pa.Table, tmp_path: Path) -> None:
    needed = idbits.apply(frame, plan("k_min >= 30"), tmp_path / "all.csv").withheld.people
    for file in tmp_path.iterdir():
        file.unlink()
    assert 0 < needed < 400
    sentence = refused(frame, tmp_path, plan("k_min >= 30", limit=(needed - 1) / 400))
    assert sentence == (
        f"{needed} of 400 rows would have to be withheld, but the plan allows only {needed - 1}; no file was written"
    )
    exactly = idbits.apply(frame, plan("k_min >= 30", limit=needed / 400), tmp_path / "a.csv")
    assert exactly.withheld.people == needed


def test_nobody_would_be_left(frame: pa.Table, tmp_path: Path) -> None:
    assert refused(frame, tmp_path, plan("k_min >= 401")) == (
        "all 400 rows would have to be withheld to meet the goal; no file was written"
    )
    assert "all 400 people" in refused(frame, tmp_path, plan("k_min >= 401"), rows_are_people=True)


def test_a_rule_that_withholding_cannot_meet(frame: pa.Table, tmp_path: Path) -> None:
    assert refused(frame, tmp_path, plan("entropy_bits <= 0.5")) == (
        'the treated table does not meet "entropy_bits <= 0.5", so no file was written'
    )
    assert refused(frame, tmp_path, plan("k_hat >= 1000")).startswith("the treated table does not meet")


def test_wrong_goals(frame: pa.Table, tmp_path: Path) -> None:
    for goal, sentence in {
        "l_distinct.nothing >= 2": 'no column named "nothing"',
        "l_distinct.age >= 2": "must be in the file as it is",
        "k_max >= 2": "cannot be a goal",
        "t_hierarchical.illness <= 0.2": "hierarchy",
    }.items():
        with pytest.raises(idbits.InputError, match=sentence):
            idbits.apply(frame, plan(goal), tmp_path / "a.csv")
    with pytest.raises(idbits.InputError, match="must be in the file as it is"):
        idbits.apply(frame, plan("l_distinct.illness >= 2"), tmp_path / "a.csv", drop="illness")
    assert list(tmp_path.iterdir()) == []


def test_losses_from_their_definitions(frame: pa.Table, tmp_path: Path) -> None:
    answer = idbits.apply(frame, plan("k_min >= 5"), tmp_path / "a.csv")
    n, w = 400, answer.withheld.people
    ages, zips = frame.column("age").to_pylist(), frame.column("zip").to_pylist()
    treated = [(age // 10, code[0]) for age, code in zip(ages, zips, strict=True)]
    sizes = Counter(treated)
    out = [sizes[pair] < 5 for pair in treated]
    assert sum(out) == w
    lost, bits = [], 0.0
    for raw, view in ((ages, [a for a, _ in treated]), (zips, [z for _, z in treated])):
        domain = len(set(raw))
        stands_for = {value: len({r for r, v in zip(raw, view, strict=True) if v == value}) for value in set(view)}
        kept = sum(stands_for[v] / domain for v, gone in zip(view, out, strict=True) if not gone)
        lost.append(max(0, (kept + w - n / domain) / (n - n / domain)))
        counts, by_view = Counter(raw), Counter(view)
        bits -= sum(math.log2(counts[r] / by_view[v]) for r, v in zip(raw, view, strict=True))
        gone = Counter(v for v, is_out in zip(view, out, strict=True) if is_out)
        bits -= sum(number * math.log2(number / w) for number in gone.values())
    assert answer.loss["cells"] == pytest.approx(sum(lost) / 2, rel=1e-12)
    assert answer.loss["entropy_bits"] == pytest.approx(bits / n, rel=1e-12)
    left = [size for size in sizes.values() if size >= 5]
    assert answer.loss["discernibility"] == sum(size**2 for size in left) + w * n
    assert answer.loss["class_size"] == n / (len(left) + (w > 0))
