"""Plans: what advise writes is what apply reads, and other files are refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from idbits.errors import InputError
from idbits.studies.shared.plans import HierarchyFile, Plan, PlannedColumn, read_plan

PLAN = Plan(
    goal=("k_min >= 5",),
    withhold_limit=0.04,
    columns=(
        PlannedColumn("born", "year:band5", 3),
        PlannedColumn("zip", "level 2", 2, HierarchyFile("zip.csv", "ab" * 32)),
        PlannedColumn("job", "all", 4),
        PlannedColumn("sex", "as is", 0),
    ),
    loss="cells",
    expected={"n_rows": 10, "withheld": 1, "figures": {"k_min": 5}, "loss": {"cells": 0.25}},
)


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    PLAN.write(tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json") == PLAN


def test_attributes_of_planned_columns() -> None:
    assert [column.attribute for column in PLAN.columns] == ["born:year:band5", None, None, "sex"]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("schema", "idbits/1", "is not a plan"),
        ("goal", "k_min >= 5", '"goal" must be a list'),
        ("withhold_limit", 4, '"withhold_limit" must be a share'),
        ("withhold_limit", True, '"withhold_limit" must be a share'),
        ("columns", [], '"columns" must be a list'),
        ("columns", [{"column": "zip"}], 'needs a "column" and a "view"'),
        ("columns", [{"column": "zip", "view": "all", "level": -1}], '"level" of a column'),
        ("columns", [{"column": "zip", "view": "all", "level": 1, "hierarchy": {}}], '"hierarchy" needs'),
        ("columns", [{"column": "zip", "view": "all", "level": 1}] * 2, "names a column twice"),
        ("method", "magic", '"method" must be'),
        ("method", "local", 'needs "passes"'),
        ("method", "sets", 'needs a "fingerprint"'),
        ("passes", [["all"]], "one view per column"),
        ("fingerprint", "ab", 'needs a "fingerprint", and no other'),
        ("seed", "one", '"seed" a whole number'),
        ("columns", [{"column": "zip", "view": "all", "level": 1, "importance": 0}], '"importance" of a column'),
        ("columns", [{"column": "zip", "view": "all", "level": 1, "ladder": "all"}], '"ladder" a list'),
        ("expected", [], '"expected" an object'),
    ],
)
def test_a_damaged_plan_is_refused(tmp_path: Path, key: str, value: Any, message: str) -> None:
    data = PLAN.to_dict() | {key: value}
    (tmp_path / "plan.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_plan(tmp_path / "plan.json")


def test_files_that_are_no_plans(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be opened"):
        read_plan(tmp_path / "none.json")
    (tmp_path / "plan.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="not valid JSON"):
        read_plan(tmp_path / "plan.json")
