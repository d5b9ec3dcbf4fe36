"""``idbits report``: files, formats, saved answers, what must never be shown, and bad input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from idbits.examples.registry import write_registry

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "people.parquet"
    write_registry(path, 2_000)
    return path


@pytest.fixture(scope="module")
def rare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rare") / "rare.csv"
    rows = [f"{'Common' if n % 3 else f'RareName{n}'},{'Szeged' if n % 20 else 'RareTown'}" for n in range(120)]
    path.write_text("name,town\n" + "\n".join(rows) + "\n")
    return path


def test_formats_by_name_and_by_option(run: Run, people: Path, tmp_path: Path) -> None:
    words = ("report", people, "--qid", "birthdate:year,gender", "--quiet")
    for name, start in (("r.html", "<!doctype html>"), ("r.md", "# What"), ("r.json", "{")):
        assert run(*words, "-o", tmp_path / name).code == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    assert run(*words, "--format", "md").out == (tmp_path / "r.md").read_text(encoding="utf-8")
    assert run(*words, "--json").out == (tmp_path / "r.json").read_text(encoding="utf-8")
    assert run(*words).out == (tmp_path / "r.html").read_text(encoding="utf-8")


def test_no_rare_value_and_no_text_of_a_filter(run: Run, rare: Path) -> None:
    for kind in ("html", "md", "json"):
        words = ("--qid", "name,town", "--by", "town", "--where", "name <> 'Secret7'", "--format", kind)
        ended = run("report", rare, *words)
        assert ended.code == 0
        assert not [word for word in ("RareName", "RareTown", "Secret7") if word in ended.out + ended.err]
        assert "--where" in ended.out
        assert "Szeged" in ended.out


def test_internal_pages_show_values_and_say_so(run: Run, rare: Path) -> None:
    ended = run("report", rare, "--qid", "name,town", "--internal", "--reveal", "--format", "html")
    assert "RareName" in ended.out
    assert "INTERNAL" in ended.out
    assert json.loads(run("report", rare, "--qid", "name", "--internal", "--json").out)["internal"] is True
    stamped = run("report", rare, "--qid", "name", "--internal").out
    assert "INTERNAL" in stamped
    assert "RareName" not in stamped
    assert run("report", rare, "--qid", "name", "--reveal").code == 2


EVENTS = {
    "schema": "idbits/1", "command": "events", "version": "0.1.0", "n_people": 12, "person": "<b>id</b>",
    "days": [{"date": f"2005-01-{day:02}", "weekday": "Mon", "n_pairs": 9, "entropy_bits": 3.0}
             for day in range(1, 29)],
    "period": {"n_pairs": 99, "entropy_bits": 6.5, "spectrum": [[1, 99]]},
    "unicity": [{"points": 2, "share": 0.5, "low": None, "high": 1.0}], "notes": [], "reasons": {},
}  # fmt: skip


def test_saved_answers_become_sections(run: Run, people: Path, tmp_path: Path) -> None:
    saved = tmp_path / "events.json"
    saved.write_text(json.dumps(EVENTS))
    leak = tmp_path / "leak.json"
    leak.write_text(json.dumps({"schema": "idbits/1", "command": "leak", "version": "0.1.0", "verdict": "leaks",
                                "rho1": 0.9, "columns": [{"column": "age", "mic": 0.41}]}))  # fmt: skip
    words = ("report", people, "--qid", "gender", "--include", saved, "--include", leak, "--quiet")
    page = run(*words).out
    for text in ("Events over time", "6.50", "2005-01-15", "13 more rows", "&lt;b&gt;id&lt;/b&gt;", "mic", "0.41"):
        assert text in page
    assert "2005-01-16" not in page
    included = json.loads(run(*words, "--json").out)["included"]
    assert [one["answer"]["command"] for one in included] == ["events", "leak"]
    assert included[0]["answer"] == EVENTS


def test_an_answer_of_measure_can_be_included(run: Run, people: Path, tmp_path: Path) -> None:
    saved = tmp_path / "m.json"
    assert run("measure", people, "--qid", "zip", "--json", "--out", saved, "--quiet").code == 0
    assert run("report", people, "--qid", "gender", "--include", saved, "--quiet").code == 0
    revealed = tmp_path / "i.json"
    run("measure", people, "--qid", "zip", "--json", "--reveal", "--out", revealed, "--quiet")
    assert run("report", people, "--qid", "gender", "--include", revealed).code == 2
    assert run("report", people, "--qid", "gender", "--include", revealed, "--internal", "--quiet").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "say which columns"),
        (("--qid", "gender", "--qid", "zip"), "one page for each"),
        (("--qid", "nobody"), "there is no column"),
        (("--qid", "gender", "--format", "pdf"), "html, md or json"),
        (("--qid", "gender", "--json", "--format", "md"), "contradict"),
        (("--qid", "gender", "--sections", "all"), "there is no section"),
        (("--qid", "gender", "--include", "nowhere.json"), "cannot be opened"),
        (("--qid", "gender", "--features", "nobody"), "there is no column"),
        (("--qid", "gender", "--seed", "-1"), "a seed is 0 or more"),
    ],
)
def test_bad_questions(run: Run, people: Path, words: tuple[str, ...], told: str) -> None:
    ended = run("report", people, *words)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"schema": "idbits/2", "command": "leak"}', "[" * 100_000, "\xff"])
def test_what_is_no_saved_answer_is_refused(run: Run, people: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="latin-1")
    ended = run("report", people, "--qid", "gender", "--include", path)
    assert ended.code == 2
    assert ended.err.count("\n") == 1


def test_the_page_is_never_written_over_data(run: Run, people: Path) -> None:
    assert run("report", people, "--qid", "gender", "-o", people).code == 2


def test_nobody_left(run: Run, people: Path) -> None:
    assert run("report", people, "--qid", "gender", "--where", "gender = 'none'").code == 3
