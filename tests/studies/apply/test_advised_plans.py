"""Plans of ``idbits advise``, carried out: the file gives the figures that the advice promised."""

from __future__ import annotations

import csv
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import idbits
from idbits.studies.shared.plans import read_plan


def table(seed: int, n: int = 500) -> pa.Table:
    draw = np.random.default_rng(seed)
    ages = draw.integers(18, 70, n)
    return pa.table(
        {
            "age": pa.array([None if i % 40 == 0 else int(age) for i, age in enumerate(ages)]),
            "zip": [str(code) for code in draw.integers(1000, 1400, n)],
            "born": [date(1960, 1, 1) + timedelta(int(days)) for days in draw.integers(0, 9000, n)],
            "town": [["Aa", "Bo", "Ci", "Du", None][i] for i in draw.integers(0, 5, n)],
            "school": [f"school of {int(age) // 8}" for age in ages],
            "illness": ["abcd"[i] for i in (ages // 20 + draw.integers(0, 2, n)) % 4],
        }
    )


def write_hierarchy(path: Path) -> Path:
    path.write_text("Aa;north;*\nBo;north;*\nCi;south;*\nDu;south;*\nEl;south;*\n")
    return path


def check(
    source: Any, folder: Path, end: str, options: dict[str, Any], apply_options: dict[str, Any]
) -> dict[str, Any]:
    """Advise, carry the plan out, and compare what was promised with what is in the file."""
    idbits.advise(source, plan=folder / f"plan{end}.json", **options)
    plan = read_plan(folder / f"plan{end}.json")
    answer = idbits.apply(source, plan, folder / f"out{end}", **apply_options)
    expected = plan.expected
    assert answer.withheld.people == expected["withheld"]
    data = answer.to_dict()
    for name in ("k_min", "singletons", "people_below", "mean_risk", "entropy_bits", "k_hat"):
        promised, found = expected["figures"][name], data["after"][name]
        if name == "people_below":
            assert {key: found[key] for key in found if key in promised} == {
                key: promised[key] for key in promised if key in found
            }
        else:
            assert found == pytest.approx(promised, rel=1e-12), name
    for name in ("cells", "cells_geometric", "entropy_bits", "discernibility", "class_size", "mutual"):
        promised, found = expected["loss"][name], data["loss"][name]
        assert promised is found is None or found == pytest.approx(promised, rel=1e-9, abs=1e-12), name
        assert (data["loss"][name] is None) == (f"loss.{name}" in data["reasons"])
    assert data["loss"]["model"] == expected["loss"]["model"]
    for rule in data["rules"]:
        key = rule["rule"].split()[0]
        if key in expected["figures"]:
            assert rule["value"] == pytest.approx(expected["figures"][key], rel=1e-9)
    return data


@pytest.mark.parametrize("end", [".csv", ".parquet"])
@pytest.mark.parametrize(
    "options",
    [
        {"qid": "age,zip,born"},
        {"qid": "age,zip", "withhold": "0%"},
        {"qid": "age,zip,town", "goal": ["k_min >= 4", "l_distinct.illness >= 2", "t_equal.illness <= 0.5"]},
        {"qid": "age,zip", "goal": ["mean_risk <= 10%", "singletons <= 1%"], "withhold": "20%"},
        {"qid": "zip,born", "loss": "entropy", "withhold": "10%"},
        {"qid": "age,born:year", "importance": {"age": 7}, "use_for": "illness", "goal": "k_min >= 12"},
        {"qid": "age,school,town", "goal": "k_min >= 20", "from_": {"age": "band5"}},
        {"qid": "age,school", "use_for": "illness", "goal": "k_min >= 20", "loss": "mutual", "seed": 5},
        {"qid": "age,zip,born,town", "method": "sets"},
        {"qid": "age,born:month,town", "method": "sets", "importance": {"town": 9}, "withhold": "0%"},
        {"qid": "age,zip,town", "method": "sets", "goal": ["k_min >= 4", "l_distinct.illness >= 2"]},
        {"qid": "zip,born:year,town", "method": "sets", "goal": "t_equal.illness <= 0.3"},
        {"qid": "age,zip,born", "method": "local", "withhold": "2%"},
        {"qid": "age,zip,town", "method": "local", "withhold": "10%", "goal": ["k_min >= 3", "t_equal.illness <= 0.5"]},
        {"qid": "zip,born:year,town", "method": "local", "withhold": "0%", "from_": {"zip": "prefix3"}},
        {"qid": "age,zip,born", "method": "all"},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_every_promise_is_kept(tmp_path: Path, end: str, options: dict[str, Any]) -> None:
    used = [name.partition(":")[0] for name in options["qid"].split(",")]
    others = [name for name in ("age", "zip", "born", "town", "school") if name not in used]
    check(table(1), tmp_path, end, options, {"drop": others})


def test_hierarchy_files_are_given_again_and_recognised(tmp_path: Path) -> None:
    towns = write_hierarchy(tmp_path / "towns.csv")
    options = {
        "qid": "town,age",
        "hierarchy": {"town": towns},
        "goal": "k_min >= 12",
        "withhold": "2%",
        "to": {"age": "band10"},
    }
    data = check(table(2), tmp_path, ".csv", options, {"drop": "zip,born,school", "hierarchy": {"town": towns}})
    assert data["hierarchies"] == [{"column": "town", "sha256": data["plan"]["columns"][0]["hierarchy"]["sha256"]}]
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert {row["town"] for row in csv.DictReader(file)} <= {"north", "south", "", "Aa", "Bo", "Ci", "Du", "*"}
    plan = idbits.advise(table(2), **options).plan
    with pytest.raises(idbits.InputError, match="needs its hierarchy file again"):
        idbits.apply(table(2), plan, tmp_path / "b.csv", drop="zip,born,school")
    towns.write_text(towns.read_text() + "Fo;south;*\n")
    with pytest.raises(idbits.InputError, match="not the file that the plan was made with"):
        idbits.apply(table(2), plan, tmp_path / "b.csv", drop="zip,born,school", hierarchy={"town": towns})
    with pytest.raises(idbits.InputError, match="takes no hierarchy"):
        idbits.apply(
            table(2), out=tmp_path / "b.csv", qid="age:band10", drop="zip,born,school", hierarchy={"town": towns}
        )


def test_a_table_with_values_that_the_hierarchy_lacks(tmp_path: Path) -> None:
    towns = write_hierarchy(tmp_path / "towns.csv")
    plan = idbits.advise(table(2), qid="town,age", hierarchy={"town": towns}, keep=["town"]).plan
    other = table(2).set_column(3, "town", pa.array(["Zz"] * 500))
    with pytest.raises(idbits.DataError, match=r"1 value \(500 people\) .* not in towns.csv"):
        idbits.apply(other, plan, tmp_path / "b.csv", drop="zip,born,school", hierarchy={"town": towns})


def test_the_adult_table(tmp_path: Path, shared_data: Path) -> None:
    """ARX's hierarchies and its table: 30,162 people, 9 columns."""
    golden = shared_data.parent / "golden" / "advise"
    columns = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation",
               "salary-class"]  # fmt: skip
    hierarchies = {name: next(golden.rglob(f"*{name}.csv")) for name in columns}
    options = {
        "qid": columns, "hierarchy": hierarchies, "goal": "k_min >= 5", "withhold": "4%", "loss": "cells:geometric",
        "delimiter": ";",
    }  # fmt: skip
    source = shared_data / "adult.csv"
    data = check(source, tmp_path, ".csv", options, {"hierarchy": hierarchies, "delimiter": ";"})
    # The optimum of ARX's own tests.
    assert data["loss"]["cells_geometric"] == pytest.approx(0.26611081915757495, rel=1e-9)
    assert (data["withheld"]["people"], data["source"]["rows"]) == (1178, 30162)
    receipt = json.loads((tmp_path / "out.csv.receipt.json").read_text())
    assert len(receipt["hierarchies"]) == 9


@pytest.mark.parametrize("end", [".csv", ".parquet"])
@pytest.mark.parametrize("goal", [["k_min >= 4"], ["k_min >= 3", "l_distinct.illness >= 2"]], ids=lambda goal: goal[-1])
def test_every_treatment_of_the_frontier_is_measured_alike_in_its_file(
    tmp_path: Path, end: str, goal: list[str]
) -> None:
    source, others = table(4, 250), ["zip", "born", "school"]
    advice = idbits.advise(source, ["age", "town"], goal=goal, method="all", withhold="10%")
    every = [(point, advice.plan_of(number)) for number, point in enumerate(advice.points, 1)]
    for method in ("sets", "local"):
        single = idbits.advise(source, ["age", "town"], goal=goal, method=method, withhold="10%")
        assert single.plan.method == method
        every.append((single.best, single.plan))
    assert len(every) >= 5
    for number, (point, plan) in enumerate(every):
        file = tmp_path / f"{number}{end}"
        answer = idbits.apply(source, plan, file, drop=others)
        measured = idbits.measure(file, ["age", "town"])
        assert answer.withheld.people == point.withheld
        assert {rule.rule for rule in answer.rules} == (set(goal) if point.meets else set())
        for name in ("k_min", "n_sets", "singletons", "mean_risk", "entropy_bits", "k_hat"):
            assert getattr(measured, name) == getattr(answer.after, name) == point.figures[name], (number, name)
        for name in ("cells", "discernibility", "class_size"):
            assert answer.loss[name] == pytest.approx(point.loss[name], rel=1e-12, abs=1e-12)
