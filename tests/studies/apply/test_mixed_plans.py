"""Plans of mixed coarseness, carried out: what is written for each row, and the tables that such a plan fits."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import idbits
from idbits.studies.shared.plans import Plan, read_plan

TOWNS = {"Aa": "north", "Bo": "north", "Ci": "north", "Du": "north", "El": "south", "Fo": "south", "Utrecht": "south"}


def people(seed: int = 3, n: int = 400) -> pa.Table:
    draw = np.random.default_rng(seed)
    names = [*TOWNS, None]
    return pa.table(
        {
            "age": pa.array([None if draw.random() < 0.05 else int(draw.integers(18, 60)) for _ in range(n)]),
            "town": [names[i] for i in draw.integers(0, len(names), n)],
            "income": [float(value) for value in draw.integers(-20, 60, n) / 2],
            "ill": ["abc"[i] for i in draw.integers(0, 3, n)],
        }
    )


def hierarchy(folder: Path, *, south: str = "south") -> Path:
    lines = [f"{town};{south if part == 'south' else part};*" for town, part in TOWNS.items()]
    (folder / "towns.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder / "towns.csv"


def stands_for(written: Any, raw: Any, column: str) -> bool:
    """Whether a cell of the file may have been the raw value."""
    text = None if written in (None, "") else str(written).removeprefix("'")
    if text is None or text == "*":
        return text == "*" or raw is None
    if text.startswith("{"):
        return ("missing" if raw is None else str(raw)) in text[1:-1].split("|")
    if ".." in text:
        low, high = text.split("..")
        low_number = -np.inf if low == "missing" else float(low)
        return (raw is None and low == "missing") or (raw is not None and low_number <= raw <= float(high))
    if raw is None:
        return False
    return text == str(raw) or (column == "town" and text == TOWNS[raw])


@pytest.mark.parametrize("end", [".csv", ".parquet"])
def test_every_cell_of_groups_of_similar_people_stands_for_its_raw_value(tmp_path: Path, end: str) -> None:
    towns = hierarchy(tmp_path)
    source, qid = people(), ["age", "town", "income"]
    plan = idbits.advise(source, qid, method="sets", goal="k_min >= 6", hierarchy={"town": towns}).plan
    out = tmp_path / f"out{end}"
    answer = idbits.apply(source, plan, out, hierarchy={"town": towns}, rows="kept")
    if end == ".csv":
        lines = out.read_text(encoding="utf-8").splitlines()[1:]
        written: list[Any] = [dict(zip(source.column_names, line.split(","), strict=True)) for line in lines]
    else:
        written = pq.read_table(out).to_pylist()
    for row, raw in zip(written, source.to_pylist(), strict=True):
        assert row["ill"] == raw["ill"]
        for column in qid:
            assert stands_for(row[column], raw[column], column), (row, raw)
    sizes = Counter(tuple(row[column] for column in qid) for row in written)
    assert min(sizes.values()) == answer.after.k_min >= 6
    assert len(sizes) == answer.after.n_sets == plan.expected["figures"]["n_sets"]
    kinds = {text[:1] == "{" for text in {str(row["town"]) for row in written}}
    assert kinds == {True, False}
    assert idbits.measure(out, qid).figures.to_dict() == answer.after.to_dict()


def test_a_plan_of_similar_people_fits_its_own_table_only(tmp_path: Path) -> None:
    source = people()
    idbits.advise(source, ["age", "income"], method="sets", plan=tmp_path / "plan.json")
    text = (tmp_path / "plan.json").read_text(encoding="utf-8")
    assert json.loads(text)["fingerprint"]
    assert "Utrecht" not in text
    shuffled = source.take(np.random.default_rng(0).permutation(source.num_rows))
    for name, table in (("a.csv", source), ("b.csv", shuffled)):
        idbits.apply(table, tmp_path / "plan.json", tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    pq.write_table(source, tmp_path / "people.parquet")
    idbits.apply(tmp_path / "people.parquet", tmp_path / "plan.json", tmp_path / "c.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()
    with pytest.raises(idbits.InputError, match="made for another table"):
        idbits.apply(source.slice(1), tmp_path / "plan.json", tmp_path / "d.csv")
    assert not (tmp_path / "d.csv").exists()
    with pytest.raises(idbits.InputError, match="no mapping="):
        idbits.apply(source, tmp_path / "plan.json", tmp_path / "d.csv", mapping=tmp_path / "m.json")


def test_local_passes_by_hand(tmp_path: Path) -> None:
    # People aged 30 or 31 stay as they are; of the rest, those in their twenties are enough for a band of 10.
    ages = [30] * 8 + [31] * 8 + [21, 22, 23, 24, 25] + [41]
    source = pa.table({"age": ages, "note": ["x"] * 22})
    idbits.advise(source, ["age"], method="local", withhold="5%", plan=tmp_path / "plan.json")
    plan = read_plan(tmp_path / "plan.json")
    assert plan.passes == (("as is",), ("band10",))
    answer = idbits.apply(source, plan, tmp_path / "a.csv")
    assert Counter((tmp_path / "a.csv").read_text().splitlines()[1:]) == {"30,x": 8, "31,x": 8, "20-29,x": 5}
    assert answer.withheld.people == answer.withheld.by_rule["k_min >= 5"] == 1
    assert answer.to_dict()["columns"] == [{"column": "age", "view": "mixed", "values_before": 8, "values_after": 3}]
    # The plan fits other tables, which are counted and checked anew.
    other = pa.table({"age": [30] * 5 + [50, 52, 54, 56, 58, 59] * 5, "note": ["y"] * 35})
    second = idbits.apply(other, plan, tmp_path / "b.csv")
    assert second.withheld.people == 0
    assert set((tmp_path / "b.csv").read_text().splitlines()[1:]) == {
        "30,y",
        "50,y",
        "52,y",
        "54,y",
        "56,y",
        "58,y",
        "59,y",
    }
    with pytest.raises(idbits.RefusedError, match="would have to be withheld"):
        idbits.apply(pa.table({"age": [1, 20, 90] * 2, "note": ["z"] * 6}), plan, tmp_path / "c.csv")


def test_a_text_of_two_levels_gets_its_view(tmp_path: Path) -> None:
    """The town Utrecht stays as it is for some people; others get the part of the country with the same name."""
    towns = hierarchy(tmp_path, south="Utrecht")
    source = pa.table({"town": ["Utrecht"] * 6 + ["El", "El", "Fo", "Fo", "Fo"] + ["Aa"] * 7, "note": ["x"] * 18})
    plan = idbits.advise(source, ["town"], method="local", hierarchy={"town": towns}, withhold=0).plan
    assert plan.method == "local"
    answer = idbits.apply(source, plan, tmp_path / "a.csv", hierarchy={"town": towns})
    assert Counter((tmp_path / "a.csv").read_text().splitlines()[1:]) == {
        "Utrecht,x": 6, "Utrecht (level 1),x": 5, "Aa,x": 7,
    }  # fmt: skip
    assert answer.after.n_sets == plan.expected["figures"]["n_sets"] == 3


def test_a_given_up_cell_must_be_a_new_text(tmp_path: Path) -> None:
    source = pa.table({"a": ["*"] * 6 + ["b", "c", "d", "e", "f"], "note": ["x"] * 11})
    plan = idbits.advise(source, ["a"], method="local", withhold=0).plan
    with pytest.raises(idbits.InputError, match="already a value"):
        idbits.apply(source, plan, tmp_path / "a.csv")
    idbits.apply(source, plan, tmp_path / "a.csv", blank="?")
    assert Counter((tmp_path / "a.csv").read_text().splitlines()[1:]) == {"*,x": 6, "?,x": 5}


@pytest.mark.parametrize("method", ["sets", "local"])
@pytest.mark.parametrize("end", [".csv", ".parquet"])
def test_the_adult_table_in_mixed_coarseness(tmp_path: Path, shared_data: Path, method: str, end: str) -> None:
    folder = shared_data.parent / "golden" / "advise"
    columns = ["sex", "age", "education", "workclass"]
    files = {name: folder / f"adult_hierarchy_{name}.csv" for name in columns}
    source, reading = shared_data / "adult.csv", {"delimiter": ";"}
    options: dict[str, Any] = {"goal": ["k_min >= 5", "l_distinct.occupation >= 2"], "withhold": "1%"}
    plan: Plan = idbits.advise(source, columns, method=method, hierarchy=files, **options, **reading).plan
    answer = idbits.apply(source, plan, tmp_path / f"a{end}", hierarchy=files, **reading)
    expected = plan.expected
    assert answer.withheld.people == expected["withheld"]
    for name in ("k_min", "n_sets", "entropy_bits", "mean_risk", "k_hat", "singletons"):
        assert getattr(answer.after, name) == pytest.approx(expected["figures"][name], rel=1e-12)
    assert answer.loss["cells"] == pytest.approx(expected["loss"]["cells"], rel=1e-12)
    assert [rule.passed for rule in answer.rules] == [True, True]
    assert answer.rules[1].value == expected["figures"]["l_distinct.occupation"]
