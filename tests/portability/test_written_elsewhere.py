"""Files as other systems write them: lines end with CR LF, a mark at the beginning, backslashes, capitals."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

import pytest
import surface
from frozen_commands import ANSWERS

import idbits
from idbits.cli.streams import write_as_elsewhere
from idbits.studies.init import study as init_study
from idbits.studies.shared.column_source import split_source

MARK = b"\xef\xbb\xbf"


@pytest.fixture
def folder() -> Iterator[Path]:
    with surface.folder_of_tables() as here:
        yield here


def with_crlf(*names: str, mark: bool = False) -> None:
    for name in names:
        content = Path(name).read_bytes()
        assert b"\r" not in content
        Path(name).write_bytes((MARK if mark else b"") + content.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize("mark", [False, True])
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("questionnaire", ["survey.toml"]),
        ("check", ["policy.toml"]),
        ("report-about", ["about.toml"]),
        ("measure-csv", ["people.csv"]),
        ("overlap-zones", ["blocks.csv"]),
        ("leak", ["original.csv", "released.csv"]),
    ],
)
def test_files_with_crlf_give_the_frozen_answer(folder: Path, name: str, files: list[str], mark: bool) -> None:
    with_crlf(*files, mark=mark)
    old = json.loads((surface.FILES / "json" / f"{name}.json").read_text(encoding="utf-8"))
    assert [*surface.differences(old, surface.answer(ANSWERS[name]))] == []


def test_a_plan_with_crlf(folder: Path) -> None:
    with_crlf("apply-plan.json")
    assert surface.run("apply few.parquet --plan apply-plan.json --out treated.csv").code in (0, 1)


def test_decisions_with_crlf_are_read_and_continued(folder: Path) -> None:
    (folder / "report.json").write_text(
        surface.run("report few.parquet --qid gender --format json").out, encoding="utf-8"
    )
    for why in ("first", "second"):
        idbits.decide("report.json", "refuse", by="A. Example", why=why)
    with_crlf("decisions.jsonl")
    assert idbits.verify_decisions().verified
    idbits.decide("report.json", "refuse", by="A. Example", why="third")
    assert idbits.verify_decisions().verified
    assert [record.why for record in idbits.list_decisions().records] == ["first", "second", "third"]
    changed = Path("decisions.jsonl").read_bytes().replace(b'"why":"second"', b'"why":"secand"')
    Path("decisions.jsonl").write_bytes(changed)
    assert not idbits.verify_decisions().verified


def test_a_backup_and_keys_with_crlf(folder: Path) -> None:
    surface.story()
    with_crlf("backup.jsonl", "data/signing-key.pem", "data/signing-key.pem.pub")
    restored = surface.run("repository restore backup.jsonl --repository restored.db")
    assert restored.code == 0, restored.err
    assert surface.run("repository verify --repository restored.db").code == 0
    again = surface.run("publish people.parquet --qid gender --population City=Ede --date 2020-01-01")
    assert again.code == 0, again.err


def test_a_changed_row_of_a_backup_with_crlf_is_refused(folder: Path) -> None:
    surface.story()
    with_crlf("backup.jsonl")
    content = Path("backup.jsonl").read_bytes()
    Path("backup.jsonl").write_bytes(content.replace(b"Office", b"Oficce"))
    assert surface.run("repository restore backup.jsonl --repository restored.db").code != 0


def test_a_drive_is_not_a_file(folder: Path) -> None:
    assert split_source("C:/data/ages.csv:age:band5,sex") == ("C:/data/ages.csv", ["age:band5", "sex"])
    ended = surface.run(r"predict uniqueness --k 3 --distribution 'C:\data\ages.csv:age'")
    assert ended.code == 2
    assert r"C:\data\ages.csv does not exist" in ended.err


def test_a_name_with_a_backslash_is_a_name_here(folder: Path) -> None:
    name = "a\\b.csv"
    os.rename("people.csv", name)  # noqa: PTH104
    assert idbits.measure(name, "gender").n_rows == 2_000


def test_a_policy_has_slashes_on_every_system(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The separator of Windows, whose paths cannot be opened here."""
    monkeypatch.setattr(init_study.os, "sep", "\\")
    source = str(PureWindowsPath("data", "people.csv"))
    assert init_study._beside(Path.cwd(), source) == "data/people.csv"


def test_endings_of_names_in_capitals(folder: Path) -> None:
    for name in ("people.csv", "people.parquet"):
        Path(name).rename(name.upper())
    assert idbits.measure("PEOPLE.CSV", "gender").n_rows == idbits.measure("PEOPLE.PARQUET", "gender").n_rows
    assert surface.run("report PEOPLE.PARQUET --qid gender --sections bits -o PAGE.HTML").code == 0
    assert Path("PAGE.HTML").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_two_outputs_that_differ_in_case_are_one(folder: Path) -> None:
    ended = surface.run("apply few.parquet --qid gender --out Treated.csv --receipt treated.CSV")
    assert (ended.code, "name the same file" in ended.err) == (2, True), ended.err


def test_pipes_get_utf_8_and_plain_line_ends() -> None:
    for environment, expected in (({}, "Zoë\n".encode()), ({"PYTHONIOENCODING": "cp1252"}, b"Zo\xeb\r\n")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="\r\n")
        write_as_elsewhere(stream, environment)
        stream.write("Zoë\n")
        stream.flush()
        assert stream.buffer.getvalue() == expected  # type: ignore[attr-defined]
