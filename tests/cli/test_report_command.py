"""``idbits report``: files, formats, saved answers, what must never be shown, and bad input."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import Run
from idbits.examples.registry import write_registry
from idbits.examples.visits import write_visits
from idbits.render import numbers


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "people.parquet"
    write_registry(path, 2_000)
    return path


@pytest.fixture(scope="module")
def rare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rare") / "rare.csv"
    towns = ["RareTown", *["Pest"] * 5, *["Szeged"] * 14]
    rows = [f"{'Common' if n % 3 else f'RareName{n}'},{towns[n % 20]}" for n in range(120)]
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


def test_an_ending_that_is_not_known_needs_a_format(run: Run, people: Path, tmp_path: Path) -> None:
    words = ("report", people, "--qid", "gender", "--quiet", "-o")
    ended = run(*words, tmp_path / "r.docx")
    assert ended.code == 2
    assert ".html" in ended.err
    assert run(*words, tmp_path / "r.txt", "--format", "md").code == 0
    assert run(*words, tmp_path / "report").code == 0
    assert (tmp_path / "report").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_no_rare_value_and_no_text_of_a_filter(run: Run, rare: Path) -> None:
    for kind in ("html", "md", "json"):
        words = ("--qid", "name,town", "--by", "town", "--where", "name <> 'Secret7'", "--format", kind)
        ended = run("report", rare, *words)
        assert ended.code == 0
        assert not [word for word in ("RareName", "RareTown", "Secret7") if word in ended.out + ended.err]
        assert "--where" in ended.out
        assert "Szeged" in ended.out
        # By subtraction it would be known which group of six the folded row is.
        assert "Pest" not in ended.out


def test_internal_pages_show_values_and_say_so(run: Run, rare: Path) -> None:
    ended = run("report", rare, "--qid", "name,town", "--internal", "--reveal", "--format", "html")
    assert "RareName" in ended.out
    assert "INTERNAL" in ended.out
    assert json.loads(run("report", rare, "--qid", "name", "--internal", "--json").out)["internal"] is True
    stamped = run("report", rare, "--qid", "name", "--internal").out
    assert "INTERNAL" in stamped
    assert "RareName" not in stamped
    assert run("report", rare, "--qid", "name", "--reveal").code == 2


def saved_answers(run: Run, people: Path, folder: Path) -> dict[str, Path]:
    """Save real answers of other commands."""
    write_visits(folder / "visits.parquet", people=200)
    commands: dict[str, tuple[Any, ...]] = {
        "events": ("events", folder / "visits.parquet", "--person", "patient", "--time", "date", "--attributes",
                   "place", "--points", "1..2", "--times", "month"),
        "leak": ("leak", people, people, "--columns", "zip,gender"),
        "columns": ("columns", people, "--candidates", "birthdate:year,zip,gender"),
        "gain": ("gain", people, "--columns", "zip:prefix1,gender"),
    }  # fmt: skip
    for name, words in commands.items():
        assert run(*words, "--json", "--quiet", "--out", folder / f"{name}.json").code == 0
    return {name: folder / f"{name}.json" for name in commands}


def test_saved_answers_become_sections(run: Run, people: Path, tmp_path: Path) -> None:
    saved = saved_answers(run, people, tmp_path)
    words = ["report", people, "--qid", "gender", "--quiet"]
    for path in saved.values():
        words += ["--include", path]
    page = run(*words).out
    told = {name: json.loads(path.read_text()) for name, path in saved.items()}
    period = told["events"]["period"]
    for text in ("Events over time", numbers.count(period["singletons"]),
                 "Unicity when time and attributes are coarser",
                 numbers.share(told["events"]["unicity"][1]["share"]), "The release leaks",
                 numbers.bits(told["leak"]["original_entropy_bits"]), "Permutation entropy by pattern length",
                 "Which columns together make people unique", numbers.bits(told["columns"]["together"]["entropy_bits"]),
                 "Saved answer: gain", numbers.decimal(told["gain"]["pif"])):  # fmt: skip
        assert text in page, text
    # The first sheet has marks and a chart of its own.
    # Each chart is drawn twice: sizes, bits and one column; two of the events, two of the leak, one of the columns.
    assert page.partition('class="evidence"')[2].count("<svg") == 2 * (3 + 2 + 2 + 1)
    assert "var(--risk)" in page
    included = json.loads(run(*words, "--json").out)["included"]
    assert [one["answer"] for one in included] == list(told.values())
    assert "Events over time" in run(*words, "--format", "md").out


def test_a_saved_answer_that_was_changed_is_refused_in_one_line(run: Run, people: Path, tmp_path: Path) -> None:
    saved = saved_answers(run, people, tmp_path)
    for name in ("events", "leak", "columns"):
        data = json.loads(saved[name].read_text())
        for key in ("days", "columns", "minimal"):
            data.pop(key, None)
        broken = tmp_path / "broken.json"
        broken.write_text(json.dumps(data))
        ended = run("report", people, "--qid", "gender", "--include", broken)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert f"not an answer of idbits {name}" in ended.err


def test_a_page_has_room_for_a_few_saved_answers(run: Run, people: Path) -> None:
    ended = run("report", people, "--qid", "gender", *["--include", "x.json"] * 9)
    assert ended.code == 2
    assert "at most 8" in ended.err


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
        (("--qid", "gender", "--qid", "zip"), "--qid"),
        (("--qid", "nobody"), '"nobody"'),
        (("--qid", "gender", "--format", "docx"), "html, md, json or pdf"),
        (("--qid", "gender", "--json", "--format", "md"), "contradict"),
        (("--qid", "gender", "--sections", "all"), '"all"'),
        (("--qid", "gender", "--include", "nowhere.json"), "cannot be opened"),
        (("--qid", "gender", "--features", "nobody"), '"nobody"'),
        (("--qid", "gender", "--seed", "-1"), "--seed must be at least 0"),
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


def test_output_that_cannot_be_written_is_said_before_anything_is_measured(
    run: Run, people: Path, tmp_path: Path
) -> None:
    for out in (tmp_path / "nowhere" / "r.html", tmp_path):
        ended = run("report", people, "--qid", "gender", "-o", out)
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert "cannot be written" in ended.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "code"), [("", 3), ("a,b\n", 3), ("a,b\n1,2\n", 0), ("a,b\n,\n,\n", 0), ("a,b\nx,\ny,\n", 0)]
)
def test_tables_with_hardly_anybody(run: Run, tmp_path: Path, text: str, code: int) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    for kind in ("html", "md", "json"):
        ended = run("report", path, "--qid", "a,b", "--format", kind, "--quiet")
        assert ended.code == code, ended.err
        assert ended.err.count("\n") == (1 if code else 0)
        assert bool(ended.out) is (code == 0)


def test_sets_of_a_population(run: Run, people: Path, tmp_path: Path) -> None:
    words = ("report", people, "--qid", "birthdate:year,gender", "--population", people, "--where", "gender = 'F'")
    ended = run(*words, "--format", "md")
    assert ended.code == 0
    assert "population of 2,000 people" in ended.out
    assert "We looked for no treatment: groups are those of the population" in ended.out
    assert f"--population {people}" in ended.out
    data = json.loads(run(*words, "--json").out)
    alone = json.loads(run("measure", *words[1:], "--json").out)
    assert data["measurement"]["singletons"] == alone["singletons"]
    assert data["columns"] is None
    assert data["reasons"]["columns"]
    assert run(*words, "--by", "gender").code == 2


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_is_told_where_the_page_is(people: Path, tmp_path: Path, quiet: bool) -> None:
    import pty

    above, below = pty.openpty()
    words = ["report", str(people), "--qid", "birthdate:year,gender", "-o", "r.html", *(["--quiet"] if quiet else [])]
    done = subprocess.run(
        [sys.executable, "-c", "from idbits.cli.main import main; main()", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=below,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=True,
        timeout=120,
    )
    os.write(below, b"end")
    said = b""
    while not said.endswith(b"end"):
        said += os.read(above, 10_000)
    os.close(above)
    os.close(below)
    assert done.stdout == b""
    assert (b"r.html." in said) is not quiet


@pytest.mark.parametrize(
    "options",
    [
        ["--person", "person", "--null-person", "drop"],
        ["--person", "person", "--null-person", "own", "--knows", "any-record"],
        ["--person", "person", "--null-person", "own", "--knows", "all-records", "--multiset"],
        ["--person", "person", "--null-person", "drop", "--household", "my home"],
        ["--household", "my home"],
        ["--rows-are-people"],
        ["--person", "person", "--null-person", "drop", "--population", "all.csv", "--population-person", "pid"],
    ],
)
def test_the_command_in_the_foot_makes_the_same_report_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{n // 2 if n % 9 else ''},{n // 6},{n % 4},{'FM'[n % 2]}" for n in range(60)]
    (tmp_path / "visits.csv").write_text("person,my home,age,sex\n" + "\n".join(rows) + "\n")
    (tmp_path / "all.csv").write_text("pid,age,sex\n" + "".join(f"{n // 3},{n % 4},{'FM'[n % 2]}\n" for n in range(90)))
    ended = run("report", "visits.csv", "--qid", "age,sex", *options, "--json", "--quiet")
    assert ended.code == 0, ended.err
    command = json.loads(ended.out)["origin"]["command"]
    for option in options:
        assert option in shlex.split(command)
    again = run(*shlex.split(command)[1:], "--json", "--quiet")
    assert again.out == ended.out
