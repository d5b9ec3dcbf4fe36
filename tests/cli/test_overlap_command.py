"""``idbits overlap`` as a command: options, exit codes, files."""

import json
from pathlib import Path

import pytest

from commands import Run


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    path = tmp_path / "blocks.csv"
    path.write_text("town,post,n\na1,b1,50\na1,b2,3\na2,b2,40\n", encoding="utf-8")
    return path


@pytest.fixture
def releases(tmp_path: Path) -> tuple[Path, Path]:
    paths = (tmp_path / "first.csv", tmp_path / "second.csv")
    rows = [f"{person},{person % 4},{person % 6},{'xyz'[person % 3]}" for person in range(24)]
    for path, kept in zip(paths, (rows[:20], rows[4:]), strict=True):
        path.write_text("\n".join(["id,age,zip,ill", *kept]) + "\n", encoding="utf-8")
    return paths


def test_zones_as_text_json_and_chart(run: Run, blocks: Path, tmp_path: Path) -> None:
    asked = ("overlap", blocks, "--zones", "town,post", "--count", "n")
    text, data = run(*asked, "--chart", tmp_path / "chart.json"), run(*asked, "--json")
    assert (text.code, data.code) == (0, 0)
    assert "isolates small groups" in text.out
    assert "--count n --reveal" in " ".join(text.out.split())
    assert json.loads(data.out)["isolated"]["people"] == 3
    bars = json.loads((tmp_path / "chart.json").read_text())["data"]["values"]
    assert bars == [{"people": people, "groups": int(people == 3)} for people in range(1, 10)]
    assert "a1" not in text.out + text.err + data.out


def test_the_next_command_works_and_names_the_zones(run: Run, blocks: Path) -> None:
    ended = run("overlap", blocks, "--zones", "town,post", "--count", "n", "--reveal")
    assert ended.code == 0
    assert "town a1" in ended.out
    assert "internal use only" in ended.out


def test_a_broken_rule_is_exit_code_1_and_still_an_answer(run: Run, blocks: Path) -> None:
    asked = ("overlap", blocks, "--zones", "town,post", "--count", "n")
    broken = run(*asked, "--rule", "isolated.people <= 0", "--rule", "smallest >= 2", "--json")
    assert broken.code == 1
    assert [rule["passed"] for rule in json.loads(broken.out)["rules"]] == [False, True]
    assert run(*asked, "--rule", "smallest >= 2").code == 0


def test_two_releases(run: Run, releases: tuple[Path, Path]) -> None:
    asked = ("overlap", *releases, "--person", "id", "--qid-a", "age", "--qid-b", "zip", "--sensitive", "ill")
    ended = run(*asked, "--json")
    answer = json.loads(ended.out)
    assert ended.code == 0
    assert (answer["people"], answer["only_first"], answer["only_second"]) == (16, 4, 4)
    assert answer["certain"] == {"first": 0, "second": 16, "both": 16, "new": 0, "new_common": 0}
    assert run(*asked, "--rule", "certain.both <= 10%").code == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--zones", "town"], 2, "exactly two columns"),
        (["--zones", "town,post,n"], 2, "exactly two columns"),
        (["--zones", "town,pots"], 2, 'did you mean "post"?'),
        ([], 2, "name two columns of zones"),
        (["--zones", "town,post", "--below", "0"], 2, "must be 2 to"),
        (["--zones", "town,post", "--where", "n > 99"], 3, "nothing to compare"),
        (["--zones", "town,post", "--rule", "k_min >= 2"], 2, "idbits overlap --json lists them"),
    ],
)
def test_errors_are_one_line(run: Run, blocks: Path, words: list[str], code: int, message: str) -> None:
    ended = run("overlap", blocks, *words)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err
    assert len(ended.err.splitlines()) == 1


def test_the_sources_are_not_overwritten(run: Run, blocks: Path) -> None:
    before = blocks.read_text()
    assert run("overlap", blocks, "--zones", "town,post", "--chart", blocks).code == 2
    assert blocks.read_text() == before
