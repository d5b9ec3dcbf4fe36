"""What reaches the goal of a report: counted by hand, equal to ``idbits advise``, and carried out by its commands."""

import csv
import datetime
import math
import random
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

import idbits
from commands import Run, run
from idbits.examples.registry import registry
from idbits.studies.report import treatments
from idbits.studies.shared.goal_words import goal_in_words
from idbits.studies.shared.units import Unit

__all__ = ["run"]

QID = ["birthdate", "zip", "gender"]
PEOPLE = registry(1_000)
REPORT = idbits.report(PEOPLE, QID)


def seen(attribute: str, row: dict[str, Any]) -> Any:
    """Return a row's value of an attribute: a second way to compute the few transforms that are tried here."""
    column, *steps = attribute.split(":")
    value = row[column]
    for step in steps:
        if step == "month":
            value = (value.year, value.month)
        elif step == "quarter":
            value = (value.year, (value.month - 1) // 3)
        elif step == "year":
            value = value.year
        elif step.startswith("band"):
            value = value - value % int(step[4:])
        elif step.startswith("prefix"):
            value = value[: int(step[6:])]
        else:
            raise AssertionError(step)
    return value


def groups_after(columns: tuple[str, ...], least: int, withheld: int) -> list[int]:
    """Return the sizes of the groups that are left, after checking how many rows are withheld."""
    sizes = Counter(tuple(seen(name, row) for name in columns) for row in PEOPLE.to_pylist()).values()
    small = sum(size for size in sizes if size < least)
    assert withheld in (0, small)
    return [size for size in sizes if size >= least or not withheld]


def entropy(sizes: Iterable[int]) -> float:
    """Return the bits of groups of these sizes: -sum k/n log2 k/n."""
    listed = list(sizes)
    n = sum(listed)
    return math.fsum(size / n * math.log2(n / size) for size in listed)


def test_every_change_is_what_a_count_by_hand_says() -> None:
    assert len(REPORT.changes.tried) >= 5
    for change in REPORT.changes.tried:
        sizes = groups_after(change.columns, 5, change.withheld)
        assert change.figures.singletons == sum(size == 1 for size in sizes)
        assert change.figures.k_min == min(sizes)
        assert change.figures.people_below == {
            str(least): sum(size for size in sizes if size < least) for least in (2, 5, 10)
        }
        assert change.figures.entropy_bits == pytest.approx(entropy(sizes), abs=1e-12)
        assert change.halves == (2 * change.figures.singletons <= REPORT.measurement.singletons)


def test_each_goal_is_reached_as_the_report_says() -> None:
    five, ten = REPORT.treatments.suggested
    assert [item.treatment.goal for item in (five, ten)] == [("k_min >= 5",), ("k_min >= 10",)]
    for item, least in ((five, 5), (ten, 10)):
        best = item.treatment.best
        columns = tuple(name for name in best.columns or () if not name.endswith(":all"))
        sizes = groups_after(columns, least, best.withheld)
        assert min(sizes) == best.figures["k_min"] >= least
        assert best.figures["entropy_bits"] == pytest.approx(entropy(sizes), abs=1e-12)
        assert f"{entropy(sizes):.2f} bits are given away" in REPORT.to_markdown()
        assert best.withheld <= 0.05 * PEOPLE.num_rows
    page = REPORT.to_markdown()
    assert "The goal is that every group has at least 5 rows. Publish " in page
    assert "For groups of at least 10 rows: publish " in page


@pytest.mark.parametrize(("goal", "withhold"), [(None, "5%"), ("k_min >= 10", 0.02), ("people_below.3 <= 1%", "0%")])
def test_the_treatment_is_that_of_advise(goal: str | None, withhold: str | float) -> None:
    mine = idbits.report(PEOPLE, QID, goal=goal, withhold=withhold, sections="bits")
    alone = idbits.advise(PEOPLE, QID, goal=goal, withhold=withhold).to_dict()
    data = mine.to_dict()
    for name in ("goal", "withhold_limit", "nodes", "optimal", "reached", "best", "as_is", "ladders", "rules"):
        assert data["advice"][name] == alone[name]
    assert data["treatments"][0]["best"] == alone["best"]
    for treatment in data["treatments"][1:]:
        apart = idbits.advise(PEOPLE, QID, goal=treatment["goal"], withhold=withhold).to_dict()
        assert treatment["best"] == apart["best"]
    assert mine.changes.smallest is not None
    assert mine.changes.smallest.figures.singletons == alone["best"]["figures"]["singletons"]


def test_columns_stay_as_they_are_if_that_is_asked() -> None:
    kept = idbits.report(PEOPLE, QID, keep="zip", withhold="10%", sections="bits")
    for item in kept.treatments.suggested:
        assert (item.treatment.best.columns or ())[1] == "zip"
    with pytest.raises(idbits.InputError, match="keep="):
        idbits.report(PEOPLE, QID, keep="income")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"goal": "k_mn >= 5"}, 'did you mean "k_min"'),
        ({"goal": []}, "at least one rule"),
        ({"goal": "l_distinct.zip >= 2"}, "is in qid="),
        ({"goal": "l_distinct.illness >= 2"}, "illness"),
        ({"withhold": "101%"}, "0% to 100%"),
    ],
)
def test_a_wrong_goal_is_an_error(options: dict[str, Any], error: str) -> None:
    with pytest.raises(idbits.InputError, match=error):
        idbits.report(PEOPLE, QID, **options)


def test_a_goal_that_is_not_reached_is_said() -> None:
    few = idbits.report(PEOPLE.slice(0, 7), QID)
    page = few.to_markdown()
    assert "For groups of at least 10 rows: the table has only 7 rows, so no group can have 10." in page
    assert few.treatments.suggested[1].commands == ()
    strict = idbits.report(PEOPLE, QID, goal="k_min >= 900", withhold=0, keep=["gender"])
    assert strict.changes.smallest is None
    assert "No treatment that we tried reaches it while withholding at most 0% of the rows" in strict.to_markdown()
    assert strict.next_commands == strict.treatments.suggested[1].commands


def test_a_table_that_is_too_large_for_a_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treatments, "_VISITED_ROWS", 10)
    monkeypatch.setattr(treatments, "_CLIMBED_ROWS", 10)
    large = idbits.report(PEOPLE, QID, sections="changes")
    assert large.treatments.advice is None
    assert large.to_dict()["treatments"] == []
    assert "too many rows and columns" in large.to_dict()["reasons"]["advice"]
    assert "We looked for no treatment: the table has too many rows and columns" in large.to_markdown()


def test_a_limited_search_gives_the_same_page_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(1)
    wide = pa.table({f"c{n}": [draw.randrange(4 + 3 * n) for _ in range(300)] for n in range(9)})
    monkeypatch.setattr(treatments, "_VISITED_ROWS", 1000)
    first, second = (idbits.report(wide, wide.column_names, sections="changes") for _ in range(2))
    assert first.treatments.advice is not None
    assert not first.treatments.advice.optimal
    assert "others may lose less detail" in first.to_markdown()
    assert first.to_html() == second.to_html()
    assert first.to_json() == second.to_json()


def test_relationships_count_beyond_chance_only() -> None:
    """Income depends on age alone. The ZIP codes of few people each share many bits with both, all of them chance."""
    draw = random.Random(3)
    ages = [draw.randrange(18, 90) for _ in range(800)]
    columns = {"age": ages, "zip": [str(1000 + draw.randrange(400)) for _ in ages]}
    people = pa.table(columns | {"income": [age // 12 + draw.randrange(2) for age in ages]})
    assert idbits.report(people, ["age", "zip", "income"]).changes.utility_pairs == (("age", "income"),)
    apart = idbits.report(people, ["age", "zip"]).changes
    assert apart.utility_bits == 0
    assert {change.utility for change in apart.tried} == {None}
    assert "beyond chance" in apart.tried[0].to_dict()["reasons"]["utility"]


def carried_out(report: idbits.Report, number: int, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands of a treatment as they stand, and compare the written file with what the report says."""
    monkeypatch.chdir(folder)
    item = report.treatments.suggested[number]
    assert item.commands
    for command in item.commands:
        words = shlex.split(command)
        assert words[0] == "idbits"
        ended = run(*words[1:])
        assert ended.code == 0, ended
    best = item.treatment.best
    qid = [attribute.partition(":")[0] for attribute in report.measurement.qid]
    written = idbits.measure("treated.csv", qid, null=[])
    for name in ("k_min", "singletons", "entropy_bits", "k_hat", "mean_risk"):
        assert getattr(written, name) == best.figures[name], name
    # The size that the goal names is counted, too.
    named = {"3"} if item.treatment.goal == ("people_below.3 <= 1%",) else set()
    assert best.figures["people_below"].keys() - written.people_below.keys() == named
    assert written.people_below == {
        key: value for key, value in best.figures["people_below"].items() if key not in named
    }
    assert written.n_rows == report.measurement.n_rows - best.withheld
    counted_by_hand(folder / "treated.csv", qid, best.figures, {2, 5, 10, *map(int, named)})


def counted_by_hand(path: Path, qid: list[str], figures: dict[str, Any], below: set[int]) -> None:
    """Compare what a report says of a treatment with the rows of the treated file."""
    with path.open(encoding="utf-8", newline="") as file:
        sizes = Counter(tuple(row[name] for name in qid) for row in csv.DictReader(file)).values()
    assert (sum(sizes), len(sizes), min(sizes)) == (figures["n_people"], figures["n_sets"], figures["k_min"])
    assert figures["singletons"] == sum(size == 1 for size in sizes)
    assert figures["people_below"] == {str(least): sum(size for size in sizes if size < least) for least in below}
    assert figures["entropy_bits"] == pytest.approx(entropy(sizes), abs=1e-12)
    assert figures["k_hat"] == pytest.approx(sum(sizes) / 2 ** entropy(sizes), rel=1e-12)
    assert figures["mean_risk"] == pytest.approx(len(sizes) / sum(sizes), rel=1e-12)


@pytest.mark.parametrize("goal", [None, "people_below.3 <= 1%", "l_distinct.illness >= 2"])
def test_the_commands_do_what_the_report_says(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, goal: str | None
) -> None:
    draw = random.Random(5)
    rows = [
        {
            "born": datetime.date(1930, 1, 1) + datetime.timedelta(days=draw.randrange(25_000)),
            "home, town": draw.choice(["other", "Ede", "Oss", "Epe", *(f"town {n}" for n in range(30))]),
            "sex": draw.choice("FM"),
            "patient_id": f"{number:08}",
            "illness": draw.choice(["none", "flu", "cold"]),
        }
        for number in range(400)
    ]
    source = tmp_path / "my people.csv"
    pyarrow.csv.write_csv(pa.Table.from_pylist(rows), source)
    report = idbits.report(str(source), ["born", "home, town", "sex"], goal=goal, withhold="10%")
    assert any("--drop patient_id" in command for command in report.next_commands)
    carried_out(report, 0, tmp_path, run, monkeypatch)


def test_the_calls_for_a_table_in_memory_can_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (call,) = REPORT.next_commands
    treated = eval(call, {"idbits": idbits, "frame": PEOPLE})
    best = REPORT.treatments.suggested[0].treatment.best
    assert treated.after.k_min == best.figures["k_min"]
    assert treated.withheld.people == best.withheld


def test_goals_in_words() -> None:
    words = goal_in_words(["l_distinct.illness >= 2", "mean_risk < 5%", "singletons <= 3"], Unit.ROWS)
    assert words == (
        "every group has at least 2 different values of illness, a guess within the group is right less than 5% of the "
        "time and at most 3 rows are unique"
    )
    assert goal_in_words(["t_equal.illness <= 0.2"], Unit.ROWS) == '"t_equal.illness <= 0.2" holds'
