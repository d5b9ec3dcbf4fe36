"""docs/explanation/scale.md shows the tables of experiments/scale.json, with the model fitted again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "scale.md").read_text(encoding="utf-8")
MOST_ERROR = 0.3


@pytest.fixture
def scale(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the experiment, whose files import each other."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "experiments"), *sys.path])
    import scale

    return scale


def test_the_page_shows_the_tables_of_the_runs(scale: Any) -> None:
    assert scale.with_tables(PAGE, scale.load()) == PAGE


def test_another_run_changes_the_tables(scale: Any) -> None:
    results = scale.load()
    run = next(run for run in results["runs"] if run["use"] == "fit")
    run["cpu_seconds"] *= 1.5
    assert scale.with_tables(PAGE, results) != PAGE


def test_the_model_predicts_runs_that_it_was_not_fitted_to(scale: Any) -> None:
    """Every question has a check, and every error is within the limit."""
    results = scale.load()
    models = scale.scale_tables.models(results)
    checks = [run for run in results["runs"] if run["use"] == "check"]
    assert {run["question"] for run in checks} == set(models) == set(scale.scale_tables.QUESTIONS)
    for run in checks:
        expected = models[run["question"]].predict(scale.scale_tables.Table.of_run(run))
        assert abs(expected / run["cpu_seconds"] - 1) <= MOST_ERROR, run


def test_the_fit_finds_the_costs_that_made_the_runs(scale: Any) -> None:
    model = scale.scale_tables.scale_model
    columns = ["birthdate", "zip", "sex"]
    runs = []
    for rows in (10**5, 10**6, 10**7, 10**8):
        table = model.Table.of_run({"columns": columns, "rows": rows})
        runs.append({"columns": columns, "rows": rows, "cpu_seconds": 2e-7 * rows + 1e-6 * table.merged_rows + 0.5})
    found = model.fit("spectrum", runs)
    assert list(found.seconds.values()) == pytest.approx([2e-7, 1e-6])
    assert found.fixed_seconds == pytest.approx(0.5)


def test_the_runs_on_the_cluster_gave_the_same_answer_in_as_many_jobs(scale: Any) -> None:
    runs = scale.load()["cluster"]["runs"]
    assert [run["what"] for run in runs] == ["undisturbed", "one stands still", "one is killed"]
    assert all(run["same_answer"] for run in runs)
    assert len({run["jobs"] for run in runs}) == 1
    for run in runs[1:]:
        done, every = run["tasks_done_before"]
        assert 0 < done < every
