"""Policies, baselines, saved answers, resume folders and repositories of earlier versions open, and say the same."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import surface
from fixtures import EVENTS, FOLDERS, SAVED, WRITTEN_BY, saved_answers, write_fixtures, write_visits

import idbits
from idbits import predict
from idbits.errors import InputError
from idbits.studies.shared.presentation import Answer

INCLUDED = ("columns", "events", "gain", "leak", "measure")
"""Answers that the report shows."""
CLASSES = [
    kind
    for module in (idbits, predict)
    for kind in (getattr(module, name) for name in module.__all__)
    if isinstance(kind, type) and issubclass(kind, Answer)
]


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
    path = written / "saved" / f"{name}.json"
    if not path.exists():
        # Questions that came later; those that a version saves are counted in the last test.
        return
    saved = json.loads(path.read_text())
    today = json.loads(surface.run(f"{SAVED[name]} --json").out)
    assert {key for key in saved if key not in today} == set()
    assert saved["schema"] == today["schema"]


def test_every_saved_answer_comes_back_as_an_object(written: Path) -> None:
    for path in saved_answers(written):
        saved = json.loads(path.read_text())
        back = json.loads(opened(saved).to_json())
        assert [*lost(saved, back | {key: saved[key] for key in ("schema", "command", "version")})] == [], path.name


def opened(saved: dict[str, Any]) -> Answer:
    """Return a saved answer as an object of the class that takes it."""
    for kind in CLASSES:
        if kind.command == saved["command"]:
            try:
                return kind.from_dict(saved)
            except InputError:
                continue
    raise AssertionError(f"no class takes an answer of {saved['command']}")


def lost(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Give the paths of what an answer had and has no more, or has otherwise; keys may be added."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key == "reasons":
                # Sentences, which may change in any version.
                continue
            yield from lost(value, new[key], f"{path}.{key}") if key in new else [f"{path}.{key}"]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from lost(before, after, f"{path}[{index}]")
    elif old != new:
        yield path


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


def test_entries_of_an_export_are_imported(written: Path) -> None:
    if not (written / "export.jsonl").exists():
        assert written_by(written) == "0.1.0"
        return
    assert surface.run("repository keygen --key other-key.pem").code == 0
    public = json.loads(surface.run("repository accounts --json --repository repository.db").out)["accounts"]
    (written / "office.pub").write_text(next(row["public_key"] for row in public if row["name"] == "office"))
    trusted = surface.run("repository trust office --public-key office.pub --holder Office --repository imported.db")
    assert trusted.code == 0, trusted.err
    imported = surface.run("repository import export.jsonl --json --repository imported.db")
    assert imported.code == 0, imported.err
    assert surface.run("repository verify --repository imported.db").code == 0


def test_a_plan_is_carried_out(written: Path) -> None:
    if not (written / "plan.json").exists():
        assert written_by(written) == "0.1.0"
        return
    applied = surface.run("apply people.parquet --plan plan.json --out again.csv --json")
    assert applied.code == 0, applied.err
    receipt, now = json.loads((written / "receipt.json").read_text()), json.loads(applied.out)
    assert now["after"] == receipt["after"]


def test_decisions_verify_and_more_are_recorded(written: Path) -> None:
    if not (written / "decisions.jsonl").exists():
        assert written_by(written) == "0.1.0"
        return
    assert len(idbits.list_decisions(written).records) == 1
    check = idbits.verify_decisions(written)
    assert check.verified
    idbits.decide(written / "report.json", "refuse", by="A. Example", why="a trial")
    assert idbits.verify_decisions(written).verified
    assert len(idbits.list_decisions(written).records) == 2


def written_by(folder: Path) -> str:
    """Return the version that wrote a folder, as its baseline says."""
    return str(json.loads((folder / "baseline.json").read_text())["version"])


def test_this_version_writes_what_later_ones_must_open(tmp_path: Path) -> None:
    write_fixtures(tmp_path / "new")
    assert {path.stem for path in (tmp_path / "new" / "saved").iterdir()} == {*SAVED}
    newest = WRITTEN_BY / idbits.__version__
    if newest.exists():
        assert names_below(newest) == names_below(tmp_path / "new")


def names_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
