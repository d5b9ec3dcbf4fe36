"""Nothing that programs or people rely on changes unseen: answers, help, names, exit codes and schemas are frozen.

A change that is meant goes into the files by ``make freeze``, and so into the review.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import surface
from frozen_commands import ANSWERS, BIG, SHARED, TEXTS

HINT = "make freeze writes the frozen files anew, if this change is meant"
NAMES = {path.stem: path for path in sorted((surface.FILES / "help").glob("*.txt"))}


@pytest.fixture(scope="module", autouse=True)
def folder() -> Iterator[Path]:
    with surface.folder_of_tables() as made:
        yield made


def needs_shared_data(command: str) -> None:
    if SHARED in command and not surface.SHARED_DATA.is_dir():
        pytest.skip(f"real data are not there: no folder {surface.SHARED_DATA} (IDBITS_SHARED_DATA says where it is)")


def same_text(file: Path, new: str) -> None:
    old = file.read_text(encoding="utf-8")
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "frozen", "now", lineterm="", n=1)
    assert old == new, "\n".join([HINT, *lines])


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.big] * (name in BIG)) for name in ANSWERS])
def test_the_json_of_a_command_is_the_frozen_one(name: str) -> None:
    needs_shared_data(ANSWERS[name])
    old = json.loads((surface.FILES / "json" / f"{name}.json").read_text(encoding="utf-8"))
    assert [*surface.differences(old, surface.answer(ANSWERS[name]))] == [], HINT


def test_the_json_of_the_repository_is_the_frozen_one() -> None:
    old = json.loads((surface.FILES / "json" / "repository.json").read_text(encoding="utf-8"))
    assert [*surface.differences(old, surface.story())] == [], HINT


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_of_an_answer_is_the_frozen_one(name: str) -> None:
    same_text(surface.FILES / "text" / f"{name}.txt", surface.text(TEXTS[name]))


def test_the_help_of_every_command_is_the_frozen_one() -> None:
    now = {name.replace(" ", "-") or "idbits": shown for name, shown in surface.helps().items()}
    assert set(now) == set(NAMES), HINT
    for name, shown in now.items():
        same_text(NAMES[name], shown)


def test_exit_codes_and_their_lines_are_the_frozen_ones() -> None:
    same_text(surface.FILES / "exit-codes.txt", surface.exit_codes())


def test_python_names_and_signatures_are_the_frozen_ones() -> None:
    same_text(surface.FILES / "python.txt", surface.python_names())


def test_addresses_of_the_server_are_the_frozen_ones() -> None:
    same_text(surface.FILES / "routes.txt", surface.routes())


def test_schemas_are_the_frozen_ones() -> None:
    now = surface.schemas()
    assert {path.name for path in surface.FILES.glob("*.schema.json")} == set(now), HINT
    for name, schema in now.items():
        same_text(surface.FILES / name, schema)


def test_the_list_of_keys_fits_the_frozen_answers() -> None:
    files = (surface.FILES / "json").glob("*.json")
    answers = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
    same_text(surface.FILES / "keys.txt", surface.keys(answers))


def test_every_frozen_file_is_compared() -> None:
    assert {file.stem for file in (surface.FILES / "json").iterdir()} == {*ANSWERS, "repository"}
    assert {file.stem for file in (surface.FILES / "text").iterdir()} == set(TEXTS)
