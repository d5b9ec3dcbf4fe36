"""Figures about sensitive columns are those of ``idbits disclosure`` on the same table, to the last digit."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.csv
import pytest

import idbits

RANKS = ["none", "cold", "flu", "gout"]
ILLNESSES = "none;mild;*\ncold;mild;*\nflu;bad;*\ngout;bad;*\n"
FIGURES = ["l_distinct", "l_entropy", "alpha", "t_equal", "t_ordered", "t_hierarchical", "beta", "enhanced_beta"]
FIGURES += ["delta_bits_present"]
LOOSE = [f"{figure}.illness {'>= 1' if figure.startswith('l_') else '<= 1000'}" for figure in FIGURES]


def people(n: int = 240) -> pyarrow.Table:
    """Return people whose illnesses first occur in another order than that of their ranks and of their hierarchy."""
    draw = random.Random(4)
    rows = [
        {
            "age": draw.randrange(20, 60),
            "sex": draw.choice("FM"),
            "illness": draw.choices(["flu", "none", "gout", "cold"], [3, 6, 1, 2])[0],
        }
        for _ in range(n)
    ]
    return pyarrow.Table.from_pylist([{"age": 33, "sex": "F", "illness": "flu"}, *rows])


@pytest.fixture
def hierarchy(tmp_path: Path) -> Path:
    file = tmp_path / "illnesses.csv"
    file.write_text(ILLNESSES, encoding="utf-8")
    return file


def disclosed(source: object, qid: list[str], hierarchy: Path) -> dict[str, Any]:
    answer = idbits.disclosure(
        source, qid, "illness", ranks={"illness": RANKS}, hierarchy={"illness": hierarchy}, null=[]
    )
    return answer["illness"].to_dict() | {"alpha": answer["illness"].alpha, "recursive": answer["illness"].recursive}


def test_figures_of_a_treatment_are_those_of_the_treated_table(hierarchy: Path) -> None:
    answer = idbits.advise(
        people(), ["age", "sex"], goal=["k_min >= 3", "recursive.2.illness < 1000", *LOOSE], withhold=0,
        ranks={"illness": RANKS}, hierarchy={"illness": str(hierarchy)},
    )  # fmt: skip
    checked = 0
    for point in (answer.best, *answer.points):
        columns = [name for name in point.columns or () if not name.endswith(":all")]
        if not columns or point.withheld:
            continue
        expected = disclosed(people(), columns, hierarchy)
        for figure in FIGURES:
            found = point.figures[f"{figure}.illness"]
            assert found == (math.inf if expected[figure] == "inf" else expected[figure]), (figure, columns)
        assert point.figures["recursive.2.illness"] == expected["recursive"]["2"]
        checked += 1
    assert checked >= 3


@pytest.mark.parametrize("method", ["nodes", "sets"])
def test_figures_of_a_written_file_are_those_of_its_rows(tmp_path: Path, hierarchy: Path, method: str) -> None:
    source, treated = people(), tmp_path / "treated.csv"
    goal = ["k_min >= 4", "t_ordered.illness <= 0.6", "t_hierarchical.illness <= 0.6"]
    options: dict[str, Any] = {"ranks": {"illness": RANKS}, "hierarchy": {"illness": str(hierarchy)}}
    idbits.advise(
        source, ["age", "sex"], goal=goal, withhold="10%", method=method, plan=tmp_path / "plan.json", **options
    )
    answer = idbits.apply(source, tmp_path / "plan.json", treated, **options)
    released = disclosed(treated, ["age", "sex"], hierarchy)
    rows = pyarrow.csv.read_csv(treated).to_pylist()
    assert len({row["illness"] for row in rows}) == len(RANKS)
    groups: dict[Any, Counter[str]] = {}
    for row in rows:
        groups.setdefault((row["age"], row["sex"]), Counter())[row["illness"]] += 1
    everyone = Counter(source["illness"].to_pylist())
    assert [rule.passed for rule in answer.rules] == [True] * 3
    ordered, hierarchical = answer.rules[1:]
    assert (ordered.released_value, hierarchical.released_value) == (released["t_ordered"], released["t_hierarchical"])
    assert ordered.value == pytest.approx(max(by_order(group, everyone) for group in groups.values()), rel=1e-12)


def by_order(group: Counter[str], everyone: Counter[str]) -> float:
    """Return the distance of a group by the order of illnesses, as it is defined."""
    k, n = group.total(), everyone.total()
    gaps = [
        abs(sum(group[value] for value in RANKS[:end]) / k - sum(everyone[value] for value in RANKS[:end]) / n)
        for end in range(1, len(RANKS))
    ]
    return sum(gaps) / (len(RANKS) - 1)
