"""``idbits advise``: exit codes, files and messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Run


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    lines = "".join(f"{20 + index % 12},{'FM'[index % 2]},{'flu' if index % 3 else 'gout'}\n" for index in range(48))
    path.write_text(f"age,sex,illness\n{lines}", encoding="utf-8")
    return path


def test_text_json_plan_and_chart(run: Run, people: Path, tmp_path: Path) -> None:
    plan, charts = tmp_path / "plan.json", tmp_path / "charts.json"
    asked = ("advise", people, "--qid", "age,sex", "--withhold", "20%", "--quiet")
    text = run(*asked, "--plan", plan, "--charts", charts)
    assert text.code == 0
    assert "The goal is reached" in text.out
    assert "--plan plan.json --out treated.csv" in " ".join(text.out.split())
    written = json.loads(plan.read_text(encoding="utf-8"))
    assert (written["schema"], written["kind"], written["goal"]) == ("idbits-plan/1", "idbits plan", ["k_min >= 5"])
    assert set(json.loads(charts.read_text(encoding="utf-8"))) == {"frontier"}
    answer = json.loads(run(*asked, "--json").out)
    assert [column["level"] for column in written["columns"]] == answer["best"]["levels"]
    assert answer["reached"]


def test_a_goal_that_is_not_reached_ends_with_1(run: Run, people: Path) -> None:
    ended = run("advise", people, "--qid", "age", "--goal", "k_min >= 100", "--quiet")
    assert ended.code == 1
    assert "The table has only 48 rows" in ended.out


def test_wrong_usage_ends_with_2_and_data_that_do_not_fit_with_3(run: Run, people: Path, tmp_path: Path) -> None:
    message = run("advise", people, "--qid", "age", "--goal", "k_min <= 5").failed(2)
    assert "needs >= or >" in message
    assert "--population" in run("advise", people, "--qid", "age", "--population", people).failed(2)
    (tmp_path / "age.csv").write_text("20;x\n21;x\n", encoding="utf-8")
    message = run("advise", people, "--qid", "age", "--hierarchy", f"age={tmp_path / 'age.csv'}").failed(3)
    assert "10 values (40 people)" in message
    # No cell value in any message.
    assert "22" not in message


def test_a_plan_never_replaces_the_source(run: Run, people: Path) -> None:
    before = people.read_bytes()
    assert "--plan" in run("advise", people, "--qid", "age", "--plan", people).failed(2)
    assert people.read_bytes() == before
