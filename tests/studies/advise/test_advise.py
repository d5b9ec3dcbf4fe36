"""Advice on small tables whose best treatment is known, and what it refuses."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import idbits
from idbits.errors import DataError, InputError
from idbits.examples.registry import registry
from idbits.studies.advise.result import Advice
from idbits.studies.shared.plans import read_plan

PEOPLE = registry(1_500)
QID = ["birthdate", "zip", "gender"]


def small_table() -> pyarrow.Table:
    """Return 24 people: ages 20 to 31 twice, and an illness."""
    ages = [20 + index % 12 for index in range(24)]
    illness = ["flu" if index % 3 else "gout" for index in range(24)]
    return pyarrow.table({"age": ages, "sex": ["F", "M"] * 12, "illness": illness})


@pytest.fixture(scope="module")
def advice() -> Advice:
    return idbits.advise(PEOPLE, QID)


def test_the_best_treatment_is_measured_as_it_is_promised(advice: Advice) -> None:
    kept = [name for name in advice.best.columns or () if not name.endswith(":all")]
    measured: Any = idbits.measure(PEOPLE, kept, suppress=5).to_dict()
    assert advice.reached
    assert advice.optimal
    figures = measured["suppression"]["remaining"]
    assert measured["n_rows"] - figures["n_rows"] == advice.best.withheld > 0
    for key in ("k_min", "singletons", "mean_risk", "entropy_bits", "k_hat", "n_sets"):
        assert advice.best.figures[key] == figures[key]
    assert advice.best.figures["people_below"] == figures["people_below"]


def test_points_without_withholding_are_measured_alike(advice: Advice) -> None:
    for point in advice.points:
        if point.withheld or point.columns is None:
            continue
        kept = [name for name in point.columns if not name.endswith(":all")]
        if kept:
            measured = idbits.measure(PEOPLE, kept).to_dict()
            assert {key: measured[key] for key in ("k_min", "entropy_bits", "people_below")} == {
                key: point.figures[key] for key in ("k_min", "entropy_bits", "people_below")
            }


def test_no_treatment_on_the_frontier_beats_another(advice: Advice) -> None:
    for first, second in itertools.permutations(advice.points, 2):
        no_worse = first.risk <= second.risk and first.loss["cells"] <= second.loss["cells"]
        assert not (no_worse and (first.risk, first.loss["cells"]) != (second.risk, second.loss["cells"]))
    assert advice.frontier_complete
    assert advice.nodes.measured == advice.nodes.lattice == 7 * 5 * 2


def test_the_optimum_by_hand() -> None:
    # 24 people aged 20 to 31: bands of 5 and of 10 both leave a group of 4.
    table = small_table()
    wide = idbits.advise(table, ["age"], goal="k_min >= 5", withhold="17%")
    assert (wide.best.columns, wide.best.withheld) == (("age:band5",), 4)
    assert wide.best.loss["cells"] == pytest.approx((20 * 5 / 12 + 4 - 2) / (24 - 2))
    none = idbits.advise(table, ["age"], goal="k_min >= 5", withhold=0)
    assert (none.best.columns, none.best.withheld) == (("age:all",), 0)


def test_sensitive_values_by_hand() -> None:
    table = small_table()
    answer = idbits.advise(table, ["age", "sex"], goal=["k_min >= 2", "l_distinct.illness >= 2"], withhold=0)
    kept = [name for name in answer.best.columns or () if not name.endswith(":all")]
    assert answer.reached
    assert answer.best.figures["l_distinct.illness"] >= 2
    frame = table.to_pylist()

    def view(row: dict[str, Any], name: str) -> object:
        column, _, band = name.partition(":band")
        return row[column] // int(band) if band else row[column]

    groups: dict[tuple[object, ...], Counter[str]] = {}
    for row in frame:
        groups.setdefault(tuple(view(row, name) for name in kept), Counter())[row["illness"]] += 1
    assert min(len(counts) for counts in groups.values()) == answer.best.figures["l_distinct.illness"]
    assert max(max(counts.values()) / counts.total() for counts in groups.values()) == pytest.approx(
        answer.best.figures["alpha.illness"]
    )


def test_a_column_that_is_kept_stays_as_it_is() -> None:
    answer = idbits.advise(PEOPLE, QID, keep=["gender"], from_={"birthdate": "year"}, to={"zip": "prefix1"})
    assert answer.best.columns is not None
    assert answer.best.columns[2] == "gender"
    assert answer.best.levels is not None
    assert answer.best.levels[0] >= 3
    assert answer.best.levels[1] <= 3
    assert answer.as_is.levels == (0, 0, 0)
    assert answer.as_is.loss["cells"] == 0
    whole = idbits.advise(PEOPLE, QID)
    same = [point for point in whole.points if point.levels == answer.best.levels]
    for point in same:
        assert point.column_loss == pytest.approx(answer.best.column_loss) or point.withheld != answer.best.withheld


def test_importance_moves_the_loss_elsewhere() -> None:
    plain = idbits.advise(PEOPLE, QID)
    weighed = idbits.advise(PEOPLE, QID, importance={"birthdate": 50})
    assert weighed.best.column_loss[0] <= plain.best.column_loss[0]


def test_ladders_and_levels_of_a_hierarchy_file(tmp_path: Path) -> None:
    lines = "\n".join(f"{age};{age // 4 * 4};{age // 12 * 12}" for age in range(20, 40))
    (tmp_path / "age.csv").write_text(f"{lines}\n", encoding="utf-8")
    answer = idbits.advise(
        small_table(), ["age"], hierarchy={"age": tmp_path / "age.csv"}, goal="k_min >= 5", withhold=0
    )
    (ladder,) = answer.ladders
    assert ladder.views == ("as is", "level 1", "level 2", "all")
    assert ladder.values == (12, 3, 2, 1)
    assert answer.best.columns == ("age:level 1",)
    # 20 lines in the file: each value of level 1 stands for 4 of them.
    assert answer.best.loss["cells"] == pytest.approx((24 * 4 / 20 - 24 / 20) / (24 - 24 / 20))
    assert answer.plan.columns[0].hierarchy is not None


def test_a_null_stays_null_up_to_the_last_level(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,z\nb,z\nc,y\n", encoding="utf-8")
    table = pyarrow.table({"x": ["a", "b", None, None] * 3})
    answer = idbits.advise(table, ["x"], hierarchy={"x": tmp_path / "x.csv"}, goal="k_min >= 6", withhold=0)
    assert answer.ladders[0].values == (3, 2, 1)
    assert answer.best.columns == ("x:level 1",)


def test_values_that_a_hierarchy_lacks(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a;x\nb;x\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"1 value \(2 people\) of column \"x\" is not in x.csv"):
        idbits.advise(pyarrow.table({"x": ["a", "b", "c", "c"]}), ["x"], hierarchy={"x": tmp_path / "x.csv"})


def test_text_needs_ranks_for_ordered_closeness() -> None:
    table = small_table()
    with pytest.raises(InputError, match="text, which has no order"):
        idbits.advise(table, ["age"], goal="t_ordered.illness <= 0.2")
    with pytest.raises(DataError, match=r"1 value \(8 people\) has no place in the order"):
        idbits.advise(table, ["age"], goal="t_ordered.illness <= 0.2", ranks={"illness": ["flu"]})
    answer = idbits.advise(table, ["age"], goal="t_ordered.illness <= 0.2", ranks=["illness=flu,gout"])
    assert answer.best.figures["t_ordered.illness"] <= 0.2


def test_identifiers_are_not_made_coarser() -> None:
    table = pyarrow.table({"ssn": [f"{index * 7919 % 10**9:09}" for index in range(200)], "age": [30, 40] * 100})
    with pytest.raises(InputError, match="ssn identifies people"):
        idbits.advise(table, ["ssn", "age"])
    answer = idbits.advise(table, ["age"])
    assert answer.beside.identifiers == ("ssn",)


def test_a_goal_that_no_treatment_reaches() -> None:
    table = small_table()
    answer = idbits.advise(table, ["age"], goal="k_min >= 25")
    assert not answer.reached
    assert "The table has only 24 rows" in str(answer)
    kept = idbits.advise(table, ["age", "sex"], keep=["age", "sex"], goal="k_min >= 3", withhold=0)
    assert not kept.reached
    assert kept.rules[0].rule == "k_min >= 3"
    assert not kept.rules[0].passed
    assert '"k_min >= 3" fails' in " ".join(str(kept).split())


def test_several_rows_per_person_are_an_error() -> None:
    table = small_table().append_column("who", [["a", "a", *map(str, range(22))]])
    with pytest.raises(DataError, match="more than one row"):
        idbits.advise(table, ["age"], person="who")


def test_counted_rows_are_people() -> None:
    table = pyarrow.table({"age": [20, 21, 22, 30], "n": [4, 3, 6, 5]})
    answer = idbits.advise(table, ["age"], count="n", withhold=0)
    people = pyarrow.table({"age": [20] * 4 + [21] * 3 + [22] * 6 + [30] * 5})
    alone = idbits.advise(people, ["age"], withhold=0)
    assert answer.best == alone.best
    assert answer.n_rows == 18


def test_combined_rows_give_the_same_answer_as_single_ones() -> None:
    rows: Counter[tuple[str, ...]] = Counter(
        (str(born)[:4], code[:2], gender)
        for born, code, gender in zip(*(PEOPLE[name].to_pylist() for name in QID), strict=True)
    )
    columns = dict(zip(QID, zip(*reversed(rows), strict=True), strict=True))
    combined = pyarrow.table(
        {name: list(values) for name, values in columns.items()} | {"n": list(reversed(rows.values()))}
    )
    single = pyarrow.table(dict(zip(QID, zip(*rows.elements(), strict=True), strict=True)))
    one = idbits.advise(combined, QID, count="n", method="all", goal="k_min >= 9")
    other = idbits.advise(single, QID, method="all", goal="k_min >= 9")
    assert one.best == other.best
    assert one.points == other.points
    assert one.alternatives == other.alternatives


def test_all_methods_meet_the_goal(advice: Advice) -> None:
    every = idbits.advise(PEOPLE, QID, method="all", withhold=0)
    sets, local = every.alternatives.sets, every.alternatives.local
    assert sets is not None
    assert local is not None
    for point in (sets, local):
        assert point.meets
        assert point.figures["k_min"] >= 5
        assert point.columns is None
        assert point.loss["mutual"] is None
        assert "loss.mutual" in point.reasons
    assert every.best.loss["cells"] == min(sets.loss["cells"], local.loss["cells"], every.best.loss["cells"])
    assert advice.alternatives.local is None
    assert "local" in advice.alternatives.reasons


@pytest.mark.parametrize("loss", ["cells:geometric", "entropy", "discernibility", "class_size"])
def test_each_loss_steers(loss: str) -> None:
    best = idbits.advise(PEOPLE, QID, loss=loss).best
    key = {"cells:geometric": "cells_geometric", "entropy": "entropy_bits"}.get(loss, loss)
    for other in ("cells", "entropy", "discernibility"):
        assert best.loss[key] <= idbits.advise(PEOPLE, QID, loss=other).best.loss[key] + 1e-12


def test_relationships_beyond_chance_steer() -> None:
    # Income depends on age alone, so only age must keep its detail.
    table = pyarrow.table(
        {
            "age": [20 + index % 40 for index in range(800)],
            "zip": [str(1000 + index * 7 % 97) for index in range(800)],
            "income": [str(1000 * ((20 + index % 40) // 5)) for index in range(800)],
        }
    )
    answer = idbits.advise(table, ["age", "zip", "income"], loss="mutual", withhold=0)
    by_cells = idbits.advise(table, ["age", "zip", "income"], withhold=0)
    assert answer.best.columns is not None
    assert answer.best.columns[1] == "zip:all"
    assert answer.best.loss["mutual"] <= by_cells.best.loss["mutual"]
    with pytest.raises(DataError, match="no two columns are related beyond chance"):
        idbits.advise(PEOPLE.slice(0, 300), QID, loss="mutual")


def test_the_prediction_of_a_column() -> None:
    ages = [20 + index % 40 for index in range(400)]
    table = pyarrow.table({"age": ages, "sex": ["F", "M"] * 200, "old": [str(age >= 40) for age in ages]})
    answer = idbits.advise(table, ["age", "sex"], use_for="old", goal="k_min >= 50", withhold=0)
    model = answer.best.loss["model"]
    assert model["majority"] == 0.5
    assert model["before"] == 1.0
    assert 0.5 <= model["after"] <= 1.0
    assert answer.best.loss["mutual"] is not None


def test_large_lattices_are_searched_exactly_or_as_long_as_allowed() -> None:
    whole = idbits.advise(PEOPLE, QID)
    pruned = idbits.advise(PEOPLE, QID, max_nodes=1)
    assert pruned.best == whole.best
    assert pruned.optimal
    assert not pruned.frontier_complete
    assert pruned.nodes.measured < pruned.nodes.lattice
    short = idbits.advise(PEOPLE, QID, max_nodes=1, max_seconds=1e-9)
    assert short.reached
    assert not short.optimal
    assert short.lower_bound <= whole.best.loss["cells"] <= short.best.loss["cells"] + 1e-12
    assert "the time limit was reached" in " ".join(str(short).split())


def test_the_anytime_search_is_seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    from idbits.studies.advise import search

    monkeypatch.setattr(search, "MOST_EXACT_NODES", 1)
    first, second = (idbits.advise(PEOPLE, QID, max_nodes=1, seed=3) for _ in range(2))
    assert first.best == second.best
    assert not first.optimal
    assert first.best.loss["cells"] == idbits.advise(PEOPLE, QID).best.loss["cells"]


@pytest.mark.parametrize(
    ("loss", "key"),
    [
        ("cells", "cells"),
        ("cells:geometric", "cells_geometric"),
        ("entropy", "entropy_bits"),
        ("discernibility", "discernibility"),
        ("class_size", "class_size"),
    ],
)
def test_the_bound_has_the_unit_of_the_loss_and_is_not_above_the_optimum(
    monkeypatch: pytest.MonkeyPatch, loss: str, key: str
) -> None:
    from idbits.studies.advise import search

    whole = idbits.advise(PEOPLE, QID, loss=loss)
    assert whole.lower_bound == pytest.approx(whole.best.loss[key], rel=1e-12)
    monkeypatch.setattr(search, "MOST_EXACT_NODES", 1)
    short = idbits.advise(PEOPLE, QID, loss=loss, max_nodes=1, max_seconds=0.001)
    assert not short.optimal
    assert 0 < short.lower_bound <= whole.best.loss[key] * (1 + 1e-12)
    if loss in ("cells", "cells:geometric", "entropy"):
        # These 70 treatments are few enough to be one block.
        assert short.lower_bound == pytest.approx(whole.best.loss[key], rel=1e-12)
    shown = re.search(r"it cannot be below ([\d.]+\d)", " ".join(str(short).split()))
    assert shown is not None
    assert 0 <= short.lower_bound - float(shown[1]) < 1e-4


def test_ctrl_c_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    from idbits.measures.treatment import anytime
    from idbits.studies.advise import search

    monkeypatch.setattr(search, "MOST_EXACT_NODES", 1)
    seen = 0

    def interrupted(self: anytime.AnytimeSearch, node: tuple[int, ...]) -> Any:
        nonlocal seen
        seen += 1
        if seen > 30:
            raise KeyboardInterrupt
        return real(self, node)

    real = anytime.AnytimeSearch._at
    monkeypatch.setattr(anytime.AnytimeSearch, "_at", interrupted)
    answer = idbits.advise(PEOPLE, QID, max_nodes=1)
    assert answer.interrupted
    assert answer.reached
    assert "stopped with Ctrl-C" in " ".join(str(answer).split())


def test_plans_of_the_best_and_of_the_frontier(tmp_path: Path, advice: Advice) -> None:
    idbits.advise(PEOPLE, QID, plan=tmp_path / "best.json")
    plan = read_plan(tmp_path / "best.json")
    assert plan.goal == ("k_min >= 5",)
    assert [column.level for column in plan.columns] == list(advice.best.levels or ())
    assert plan.expected["withheld"] == advice.best.withheld
    assert plan.expected["figures"]["k_min"] == advice.best.figures["k_min"]
    idbits.advise(PEOPLE, QID, plan=tmp_path / "first.json", choose=1)
    first = read_plan(tmp_path / "first.json")
    assert first.goal == ()
    assert {column.view for column in first.columns} == {"as is"}
    with pytest.raises(InputError, match="choose 1 to"):
        idbits.advise(PEOPLE, QID, plan=tmp_path / "none.json", choose=10_000)
    assert not (tmp_path / "none.json").exists()
    assert not plan.passes
    idbits.advise(PEOPLE, QID, plan=tmp_path / "sets.json", method="sets")
    sets = read_plan(tmp_path / "sets.json")
    assert (sets.method, len(sets.fingerprint or "")) == ("sets", 64)
    assert {column.view for column in sets.columns} == {"mixed"}


def test_a_ladder_that_begins_with_a_view() -> None:
    answer = idbits.advise(PEOPLE, ["birthdate:year", "gender"])
    assert answer.ladders[0].views == ("as is", "year:band5", "year:band10", "all")
    assert answer.plan.columns[0].view in ("year", "year:band5", "year:band10", "all")
    assert answer.plan.columns[0].column == "birthdate"


def test_json_has_no_nan_and_points_explain_what_is_missing(advice: Advice) -> None:
    data = json.loads(advice.to_json())
    assert data["best"]["loss"]["model"] is None
    assert data["best"]["reasons"]["loss.model"]
    assert data["reached"] is True
    assert data["as_is"]["withheld"] == 0
    assert data["given_up"]["columns"] == ["birthdate:all", "zip:all", "gender:all"]


def test_the_chart_has_the_frontier_and_the_chosen_treatment(advice: Advice) -> None:
    chart: Any = advice.charts()["frontier"]
    layers = chart["layer"]
    assert len(layers[1]["data"]["values"]) == len(advice.points)
    assert layers[-1]["data"]["values"][0]["text"] == "chosen"
    assert len(layers[0]["data"]["values"]) <= 2_000


@pytest.mark.parametrize("method", ["sets", "local"])
def test_a_method_that_is_not_possible(method: str) -> None:
    with pytest.raises(InputError, match=f"method='{method}' is not possible here: the goal has"):
        idbits.advise(small_table(), ["age"], goal="mean_risk <= 10%", method=method)


def test_another_way_that_loses_as_much_says_so(advice: Advice) -> None:
    same = replace(advice.best, withheld=0)
    text = " ".join(str(replace(advice, alternatives=replace(advice.alternatives, sets=same))).split())
    lost = re.search(r"would withhold no rows and lose as much detail \((\d+\.\d\d)%\)", text)
    assert lost is not None
    assert float(lost[1]) == pytest.approx(100 * advice.detail_lost(advice.best), abs=0.005)


def test_mixed_coarseness_that_misses_the_goal_leaves_the_closest_treatment() -> None:
    answer = idbits.advise(small_table(), ["age"], goal="l_distinct.illness >= 3", method="sets")
    assert not answer.reached
    assert answer.best.levels is not None
    assert answer.plan.method == "nodes"
    assert answer.plan.goal == ()
