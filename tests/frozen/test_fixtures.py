"""Policies, baselines, saved answers, resume folders and repositories of earlier versions open, and say the same."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import surface
from fixtures import EVENTS, FOLDERS, SAVED, write_visits

INCLUDED = [name for name in SAVED if name not in ("inspect", "singletons", "questionnaire")]


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda folder: str(folder.name))
def written(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Give a copy of what a version wrote beside the tables that it was about, as the current folder."""
    with surface.folder_of_tables() as here:
        shutil.copytree(request.param, here, dirs_exist_ok=True)
        write_visits(here)
        yield here


def test_there_is_a_folder_of_the_first_version() -> None:
    assert "0.1.0" in [folder.name for folder in FOLDERS]


@pytest.mark.parametrize("policy", ["policy.toml", "init.toml"])
def test_a_policy_and_its_baseline_are_read(written: Path, policy: str) -> None:
    ended = surface.run(f"check --policy {policy} --baseline baseline.json --json")
    assert ended.code == 1, ended.err
    answer = json.loads(ended.out)
    assert answer["passed"] is False
    assert all(rule["passed"] is not None for rule in answer["rules"])


def test_a_baseline_shows_no_change_of_the_same_table(written: Path) -> None:
    answer = json.loads(surface.run("check --policy policy.toml --baseline baseline.json --json").out)
    kept = json.loads((written / "baseline.json").read_text())
    if "causes" not in kept["rules"][0]:
        # Since then, a rule that is broken also says which columns break it: the first three are.
        for rule in kept["rules"][:3]:
            rule["causes"] = ["birthdate:year"]
            rule["reason"] = "; ".join(filter(None, ["the rule holds without birthdate:year", rule["reason"]]))
        for rule in kept["rules"][3:]:
            rule["causes"] = []
    assert answer["rules"] == kept["rules"]


@pytest.mark.parametrize("name", INCLUDED)
def test_a_saved_answer_goes_into_a_report(written: Path, name: str) -> None:
    ended = surface.run(f"report few.parquet --qid gender --include saved/{name}.json --sections saved -o {name}.html")
    assert ended.code == 0, ended.err
    assert f"{name}.json" in (written / f"{name}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SAVED)
def test_no_key_of_a_saved_answer_is_gone(written: Path, name: str) -> None:
    saved = json.loads((written / "saved" / f"{name}.json").read_text())
    today = json.loads(surface.run(f"{SAVED[name]} --json").out)
    assert {key for key in saved if key not in today} == set()
    assert saved["schema"] == today["schema"]


def test_a_resume_folder_is_carried_on(written: Path) -> None:
    """Version 0.1.0 kept no digests, so that its months are counted again; then the folder is carried on."""
    saved = json.loads((written / "resumed.json").read_text())
    stamps = []
    for _ in range(2):
        ended = surface.run(f"{EVENTS} --json")
        assert ended.code == 0, ended.err
        now = json.loads(ended.out)
        assert [saved["days"], saved["excluded"]] == [now["days"], now["excluded"]]
        assert saved["period"].items() <= now["period"].items()
        stamps.append({path.name: path.stat().st_mtime_ns for path in (written / "resume").glob("days-*.json")})
    assert stamps[0]
    assert stamps[0] == stamps[1], "the months were counted again"


def test_a_repository_verifies_and_answers(written: Path) -> None:
    verified = surface.run("repository verify --repository repository.db")
    assert verified.code == 0, verified.err + verified.out
    query = "query --qid gender --population City=Amsterdam --json --repository"
    found = json.loads(surface.run(f"{query} repository.db").out)
    assert len(found["exact"]) == 1
    assert found["exact"][0]["statement"]["n_people"] == 2_000


def test_a_repository_takes_a_new_entry(written: Path) -> None:
    shutil.copy(written / "repository.db", written / "more.db")
    assert surface.run("repository keygen").code == 0
    key = "data/signing-key.pem.pub"
    added = surface.run(f"repository add other --role publisher --public-key {key} --holder Other --repository more.db")
    assert added.code == 0, added.err
    published = surface.run(
        "publish people.parquet --qid gender --population City=Utrecht --date 2021-01-01 --repository more.db"
    )
    assert published.code == 0, published.err
    with sqlite3.connect(written / "more.db") as database:
        assert database.execute("SELECT count(*) FROM entries").fetchone() == (3,)
    database.close()


def test_a_backup_is_restored(written: Path) -> None:
    restored = surface.run("repository restore backup.jsonl --repository restored.db")
    assert restored.code == 0, restored.err
    assert surface.run("repository verify --repository restored.db").code == 0
