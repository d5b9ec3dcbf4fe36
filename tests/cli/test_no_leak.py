"""No value that fewer than 10 people have is ever printed, unless --reveal; then the answer says INTERNAL."""

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest

from commands import Run


def rows() -> list[tuple[str, str, str]]:
    """Return people whose names, towns and days are shared by 1, 2, 9, 10 or more people."""
    names = ["Common"] * 50 + ["Ten"] * 10 + ["RareNine"] * 9 + ["RareTwo"] * 2 + [f"RareOne{i:03}" for i in range(29)]
    towns = (["Szeged"] * 45 + ["RareTown"] * 5) * 2
    days = [f"19{50 + i // 4}-0{1 + i % 3}-17" for i in range(100)]
    return list(zip(names, towns, days, strict=True))


ROWS = rows()
COMMON = {
    cell for position in range(3) for cell, people in Counter(row[position] for row in ROWS).items() if people >= 10
}
RARE = {cell for row in ROWS for cell in row} - COMMON


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("leak") / "people.csv"
    path.write_text("name,town,day,id\n" + "".join(",".join(row) + f",RareId{i}\n" for i, row in enumerate(ROWS)))
    return path


QIDS = [("name",), ("name,town",), ("day", "town,name"), ("name:top2,day:year",)]
OPTIONS = [("--by", "town"), ("--values",), ("--suppress", "5", "--where", "id <> 'RareId3'")]


def leaked(text: str) -> list[str]:
    return sorted(value for value in {*RARE, "RareId"} if value in text)


@pytest.mark.big
@pytest.mark.parametrize("qids", QIDS, ids=" ".join)
@pytest.mark.parametrize("shown", ["--plain", "--json"])
def test_rare_values_stay_inside(run: Run, people: Path, qids: tuple[str, ...], shown: str) -> None:
    words = [word for qid in qids for word in ("--qid", qid)]
    for chosen in itertools.product([False, True], repeat=len(OPTIONS)):
        options = [word for option, taken in zip(OPTIONS, chosen, strict=True) if taken for word in option]
        ended = run("measure", people, *words, *options, shown)
        # Lists that could be subtracted from each other are refused.
        is_refused = "--values" in options and (len(qids) > 1 or "--by" in options)
        assert ended.code == (2 if is_refused else 0)
        assert (leaked(ended.out), leaked(ended.err)) == ([], [])


def test_common_values_are_shown(run: Run, people: Path) -> None:
    told = run("measure", people, "--qid", "name", "--values").out
    assert all(value in told for value in ("Common", "Ten"))
    told = run("measure", people, "--qid", "name", "--by", "town").out
    assert all(value in told for value in ("Szeged", "RareTown"))


def test_person_column_stays_inside(run: Run, people: Path) -> None:
    for shown in ("--plain", "--json"):
        assert leaked(run("measure", people, "--qid", "name", "--person", "id", "--values", shown).out) == []


def test_population_stays_inside(run: Run, people: Path) -> None:
    for shown in ("--plain", "--json"):
        ended = run("measure", people, "--qid", "name,day", "--population", people, shown)
        assert (ended.code, leaked(ended.out)) == (0, [])


@pytest.mark.parametrize("options", [(), ("--values",), ("--by", "day"), ("--json",), ("--values", "--json")])
def test_reveal_shows_rare_values_and_says_so(run: Run, people: Path, options: tuple[str, ...]) -> None:
    told = run("measure", people, "--qid", "name", "--reveal", *options).out
    assert "RareOne000" in told
    assert "INTERNAL" in told.upper()


def test_reveal_of_several_says_so_or_shows_nothing(run: Run, people: Path) -> None:
    for shown in ("--plain", "--json"):
        told = run("measure", people, "--qid", "name", "--qid", "town", "--reveal", "--values", shown).out
        assert not leaked(told) or "INTERNAL" in told.upper()


def test_the_exposed_are_the_rarest(run: Run, people: Path) -> None:
    data = json.loads(run("measure", people, "--qid", "name", "--reveal", "--json").out)
    assert [row["people"] for row in data["exposed"][:10]] == [1] * 10
    assert [row["value"] for row in data["exposed"][:2]] == [["RareOne000"], ["RareOne001"]]
