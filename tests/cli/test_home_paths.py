"""A path that begins with ~ means the home folder, in quotes, in Python and in files; spaces in it do no harm."""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path

import pytest

import idbits
from commands import Run
from idbits.storage import expand_home

TABLE = "zip,age\n" + "".join(f"{1011 + i % 7},{20 + i % 50}\n" for i in range(200))
FILE = "~/my data/the people.csv"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / "my data").mkdir(parents=True)
    (home / "my data" / "the people.csv").write_text(TABLE)
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path / "work")
    return home


def test_the_home_folder(home: Path) -> None:
    assert expand_home("~/x.csv") == f"{home}/x.csv"
    assert expand_home(Path("~/x.csv")) == f"{home}/x.csv"
    assert expand_home("x~.csv") == "x~.csv"
    assert expand_home("~nobody-of-this-name/x.csv") == "~nobody-of-this-name/x.csv"


def test_a_file_of_that_very_name_is_that_file() -> None:
    Path("~people.csv").write_text("zip\n1\n")
    assert idbits.measure("~people.csv", ["zip"]).n_rows == 1
    Path("~").mkdir()
    Path("~/x.csv").write_text("zip\n1\n2\n")
    assert idbits.measure("~/x.csv", ["zip"]).n_rows == 2


@pytest.mark.parametrize("source", [FILE, Path(FILE), [FILE], "~/my data", "~/my data/*.csv"])
def test_sources_in_python(source: object) -> None:
    assert idbits.measure(source, ["zip"]).n_rows == 200


def test_other_paths_in_python(home: Path) -> None:
    assert idbits.measure(FILE, ["zip"], population=FILE).n_rows == 200
    assert idbits.predict.singletons(k=10, distribution=f"{FILE}:age:band5,zip").mean.exact is not None
    idbits.gain(FILE, cells="~/my data/cells.csv")
    assert (home / "my data" / "cells.csv").is_file()


def test_archives_in_the_home_folder(home: Path) -> None:
    with zipfile.ZipFile(home / "my data" / "people.zip", "w") as archive:
        archive.writestr("people.csv", TABLE)
    assert idbits.measure("~/my data/people.zip", ["zip"]).n_rows == 200


def test_sqlite_addresses(home: Path) -> None:
    import sqlite3

    with sqlite3.connect(home / "people.db") as connection:
        connection.execute("CREATE TABLE people (zip TEXT)")
        connection.execute("INSERT INTO people VALUES ('1011')")
    connection.close()
    assert idbits.measure("sqlite:///~/people.db", ["zip"], table="people").n_rows == 1
    assert idbits.measure("~/people.db", ["zip"], table="people").n_rows == 1


def test_the_command_line(run: Run, home: Path) -> None:
    ended = run("measure", FILE, "--qid", "zip,age", "--population", FILE, "-o", "~/my data/an answer.txt")
    assert (ended.code, ended.out) == (0, "")
    assert "200 people" in (home / "my data" / "an answer.txt").read_text()
    assert not Path("~").exists()


def test_an_output_never_replaces_its_source(run: Run, home: Path) -> None:
    line = run("measure", FILE, "--qid", "zip", "-o", FILE).failed(2)
    assert "is read by this command" in line
    assert (home / "my data" / "the people.csv").read_text() == TABLE


def test_suggested_commands_work_as_they_are(run: Run) -> None:
    for question in (["measure", FILE, "--qid", "zip,age"], ["inspect", FILE], ["gain", FILE]):
        words = shlex.split(run(*question).out.splitlines()[-1])
        assert words[0] == "idbits"
        assert words[2] == FILE
        assert run(*words[1:]).code == 0


def test_distributions_in_files(run: Run) -> None:
    for source in (f"{FILE}:age", f"{FILE}:age:band5,zip", "~/my data/*.csv:zip:prefix2"):
        assert run("predict", "singletons", "--k", "10", "--distribution", source).code == 0


def test_policies(run: Run, home: Path) -> None:
    assert run("init", FILE, "-o", "~/my data/a policy.toml").code == 0
    policy = home / "my data" / "a policy.toml"
    assert f'source = "{FILE}"' in policy.read_text()
    ended = run("check", "--policy", "~/my data/a policy.toml", "--json")
    assert ended.code in (0, 1)
    (home / "baseline.json").write_text(ended.out)
    assert run("check", "--policy", policy, "--baseline", "~/baseline.json").code in (0, 1)


def test_reports_and_charts(run: Run, home: Path) -> None:
    assert run("report", FILE, "--qid", "zip", "-o", "~/my data/a report.html").code == 0
    assert (home / "my data" / "a report.html").is_file()
    assert run("randomise", FILE, "--mechanism", "response", "--epsilon", "3", "--out", "~/released.csv").code == 0
    assert run("leak", FILE, "~/released.csv").code == 0


def test_a_questionnaire(run: Run, home: Path) -> None:
    survey = f'population = 100\n[[questions]]\nname = "age"\ndistribution = "{FILE}:age"\n'
    (home / "a survey.toml").write_text(survey)
    assert run("questionnaire", "~/a survey.toml").code == 0


def test_missing_files(run: Run) -> None:
    assert "the people.csv" in run("measure", "~/my data/people.csv", "--qid", "zip").failed(2)
