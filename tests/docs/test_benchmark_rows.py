"""The table of benchmarks: rows replace only themselves, peers are pinned, and a part that fails stops no other."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import BENCH, bench_module

ROWS, PEER, RESULTS, ALL, PAGE = (bench_module(name) for name in ("rows", "peer", "results", "all", "table_page"))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a benchmark with ``--json`` write to a new table."""
    monkeypatch.setattr(ROWS, "_target", None)
    path = tmp_path / "results.json"
    parser = argparse.ArgumentParser()
    ROWS.add_json_option(parser)
    parser.parse_args(["--json", str(path)])
    return path


def rows_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return found


def test_without_the_option_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ROWS, "_target", None)
    monkeypatch.chdir(tmp_path)
    ROWS.record("a.b", "a task", 1.0)
    assert list(tmp_path.iterdir()) == []


def test_a_row_replaces_only_itself(table: Path) -> None:
    ROWS.record("a.first", "first", 1.0)
    ROWS.record("a.second", "second", 2.0)
    kept = rows_of(table)["a.second"]
    ROWS.record("a.first", "first", 3.0)
    assert rows_of(table)["a.first"]["ours"] == 3.0
    assert rows_of(table)["a.second"] == kept
    assert list(rows_of(table)) == ["a.first", "a.second"]


def test_a_row_has_its_ratio_its_goals_and_its_machine(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/somewhere/gain.py", "--rows", "10", "--json", str(table)])
    goals = [ROWS.at_most(0.5, "ratio"), ROWS.at_least(3), ROWS.at_most(1), ROWS.at_most(9, "memory_mb")]
    ROWS.record("a.b", "task", 2.0, peer="piflib", theirs=5.0, goals=goals, uses=["piflib"])
    row = rows_of(table)["a.b"]
    assert row["ratio"] == 0.4
    assert [goal["met"] for goal in row["goals"]] == [True, False, False, None]
    assert row["command"] == "python bench/gain.py --rows 10"
    assert row["versions"] == {"piflib": PEER.pinned_version("piflib")}
    machine = json.loads(table.read_text(encoding="utf-8"))["machines"][row["machine"]]
    assert machine["cores"] >= 1
    assert {"duckdb", "numpy"} <= machine["packages"].keys()
    assert row["busy_cores"] >= 0


def test_a_peer_that_cannot_be_had_is_a_row_with_the_reason(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ROWS.row_without_peer("a.b", "task", "piflib's gains", "piflib"):
        raise PEER.PeerUnavailable("no matching distribution")
    row = rows_of(table)["a.b"]
    assert (row["ours"], row["theirs"], row["error"]) == (None, None, "no matching distribution")
    assert "not available: no matching distribution" in capsys.readouterr().out
    assert "not measured, no matching distribution" in PAGE.page(RESULTS.load(table), [])


def test_a_machine_without_rows_is_forgotten(table: Path) -> None:
    ROWS.record("a.b", "task", 1.0)
    results = RESULTS.load(table)
    results["machines"]["unused"] = {}
    RESULTS.save(results, table)
    assert list(RESULTS.load(table)["machines"]) == [rows_of(table)["a.b"]["machine"]]


@pytest.mark.parametrize("name", PEER.PEERS)
def test_every_package_of_a_peer_is_pinned(name: str) -> None:
    lines = (BENCH / "peers" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0].partition("==")[0].lower() == name
    assert all(re.fullmatch(r"[\w.\[\]-]+==[\w.+!]+|# build: .+", line) for line in lines)


def test_each_peer_in_python_has_an_environment() -> None:
    assert set(PEER.PEERS) >= {"anonymeter", "antropy", "piflib", "pycanon", "scikit-mobility", "splink"}


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        ("Looking in links\nERROR: no distribution for x\n\n[notice] a new pip", "ERROR: no distribution for x"),
        ("Traceback\n  File ..\nKeyError: 'a'\n", "KeyError: 'a'"),
        ("error: /home/me/x/setup.py is missing", "error: setup.py is missing"),
        ("", "no message"),
    ],
)
def test_an_error_is_one_line_without_folders(printed: str, message: str) -> None:
    assert PEER.last_words(printed) == message


def test_a_part_that_fails_is_noted_and_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "good.py").write_text("print('fine')", encoding="utf-8")
    (tmp_path / "bench" / "bad.py").write_text("raise SystemExit('ValueError: no')", encoding="utf-8")
    target = tmp_path / "quick.json"
    parts = (ALL.Part("bad", "bad.py"), ALL.Part("good", "good.py"))
    for name, value in {"ROOT": tmp_path, "QUICK_RESULTS": target, "PARTS": parts}.items():
        monkeypatch.setattr(ALL, name, value)
    monkeypatch.setattr("sys.argv", ["all.py", "--quick"])
    with pytest.raises(SystemExit) as stopped:
        ALL.main()
    assert stopped.value.code == 1
    noted = RESULTS.load(target)["parts"]
    assert [(name, part["error"]) for name, part in noted.items()] == [("bad", "ValueError: no"), ("good", None)]


def test_a_part_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "slow.py").write_text("import time; time.sleep(60)", encoding="utf-8")
    monkeypatch.setattr(ALL, "ROOT", tmp_path)
    seconds, error = ALL.run(ALL.Part("slow", "slow.py"), tmp_path / "table.json", is_quick=False, timeout=1)
    assert seconds < 30
    assert error == "stopped after 1 s"


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(SystemExit, match="no such part: nothing"):
        ALL.chosen_parts("gain,nothing", with_long=False)


def test_long_parts_run_only_when_asked_for() -> None:
    usual, every = (ALL.chosen_parts(None, with_long=with_long) for with_long in (False, True))
    assert {part.name for part in every} - {part.name for part in usual} == {
        "spark-large", "events-full", "repository-million",
    }  # fmt: skip
