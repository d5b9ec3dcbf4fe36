"""Titles above a table, and --header-row: on the command line, in policies and in suggested commands."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from commands import Run

# No message may contain this text, which stands in titles and cells.
CELL = "zqx"
TABLE = "id,zip,age\n" + "".join(f"{CELL}{i},{1011 + i % 7},{20 + i % 5}\n" for i in range(40))
NOTE = "note: the column names are in row 3; 2 rows above them were skipped (change with --header-row)\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.csv").write_text(TABLE)
    Path("titled.csv").write_text(f"Zqx report ({CELL})\n\n{TABLE}")


def figures(run: Run, *words: object) -> dict[str, object]:
    ended = run("measure", *words, "--qid", "zip,age", "--json")
    assert (ended.code, CELL in ended.err.lower()) == (0, False)
    answer: dict[str, object] = json.loads(ended.out)
    return {name: answer[name] for name in ("n_rows", "spectrum", "entropy_bits", "nulls")}


def test_a_title_is_skipped_and_said(run: Run) -> None:
    ended = run("measure", "titled.csv", "--qid", "zip,age")
    assert (ended.code, ended.err) == (0, NOTE)
    assert CELL not in ended.out.lower()
    assert figures(run, "titled.csv") == figures(run, "plain.csv")


def test_the_row_can_be_given(run: Run) -> None:
    ended = run("measure", "titled.csv", "--qid", "zip,age", "--header-row", "3")
    assert (ended.code, ended.err) == (0, "")
    assert "idbits advise titled.csv --qid zip,age --header-row 3" in ended.out
    assert figures(run, "titled.csv", "--header-row", 3) == figures(run, "plain.csv", "--header-row", 1)


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("titled.csv").read_bytes())))
    assert figures(run, "-") == figures(run, "plain.csv")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--header-row", "0"], "--header-row"),
        (["--header-row", "-3"], "--header-row"),
        (["--header-row", "x"], "--header-row"),
        (["--header-row", "2"], "row 2 of titled.csv is empty; name the row with the column names (--header-row)"),
        (["--header-row", "99"], "titled.csv has only 43 rows; name the row with the column names (--header-row)"),
        (["--header-row", "3", "--no-header"], "leave out --no-header"),
    ],
)
def test_wrong_rows_are_refused(run: Run, words: list[str], said: str) -> None:
    ended = run("measure", "titled.csv", "--qid", "zip", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert CELL not in ended.err.lower()


def test_names_that_are_equal_are_refused_by_their_place(run: Run) -> None:
    Path("equal.csv").write_text(f"Zqx\n{CELL},zip,{CELL}\nA,1,B\nC,2,D\n")
    for words in ([], ["--header-row", "2"]):
        line = run("measure", "equal.csv", "--qid", "zip", *words).failed(3)
        assert line == "idbits: columns 1 and 3 of equal.csv have the same name; rename one of them\n"


def test_names_that_are_empty_are_numbered(run: Run) -> None:
    Path("empty.csv").write_text("Zqx\nid,,age\nA,1,20\nB,2,21\n")
    assert run("measure", "empty.csv", "--qid", "column2").code == 0
    assert run("measure", "empty.csv", "--qid", "column2", "--header-row", "2").code == 0


def test_a_doubt_is_part_of_a_missing_column(run: Run) -> None:
    Path("doubt.csv").write_text("Zqx,Office,Secret\nName,Zip,Age\nAnn,1011,34\nBob,1012,35\n")
    line = run("measure", "doubt.csv", "--qid", "Zip").failed(2)
    assert line.endswith('no column named "Zip"; row 2 may contain the column names (add --header-row 2)\n')
    assert CELL not in line.lower()
    assert run("measure", "doubt.csv", "--qid", "Zip", "--header-row", "2").code == 0


def test_missing_columns_of_a_titled_file_are_listed(run: Run) -> None:
    line = run("measure", "titled.csv", "--qid", "income").failed(2)
    assert line == 'idbits: titled.csv: no column named "income"; the columns are id, zip, age\n'


def test_a_policy(run: Run) -> None:
    ended = run("init", "titled.csv", "--header-row", "3", "-o", "policy.toml")
    assert ended.code == 0
    policy = Path("policy.toml").read_text()
    assert "header_row = 3\n" in policy
    assert run("check", "--policy", "policy.toml", "--quiet").code in (0, 1)
    Path("policy.toml").write_text(policy.replace("header_row = 3", "header_row = 99"))
    ended = run("check", "--policy", "policy.toml", "--quiet")
    assert "only 43 rows" in ended.out + ended.err
    for wrong in ('"3"', "true", "1.5"):
        Path("policy.toml").write_text(policy.replace("header_row = 3", f"header_row = {wrong}"))
        assert "must be a whole number" in run("check", "--policy", "policy.toml").failed(2)


def test_other_commands_skip_titles_too(run: Run) -> None:
    for words in (["inspect", "titled.csv"], ["columns", "titled.csv"], ["gain", "titled.csv"]):
        ended = run(*words)
        assert (ended.code, NOTE in ended.err) == (0, True)
        assert "zqx report" not in ended.out.lower()
    ended = run("predict", "singletons", "--k", "10", "--distribution", "titled.csv:age,zip")
    assert ended.code == 0
