"""The first sheet of a report: every check against its limit, what reaches the goal, and people by group size."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

import idbits
from idbits.errors import InputError
from idbits.render.first_page import Standing
from idbits.render.numbers import count, share
from idbits.render.page import plain
from idbits.studies.report.first_page import first_page, report_number


def people(n: int = 400) -> pa.Table:
    return pa.table({
        "age": [20 + (n_row * n_row) % 151 for n_row in range(n)],
        "sex": ["FM"[n_row % 2] for n_row in range(n)],
        "illness": ["abc"[n_row % 7 % 3] for n_row in range(n)],
    })  # fmt: skip


def sizes_by_hand(table: pa.Table, columns: list[str]) -> list[int]:
    """Return the size of each row's group."""
    rows = list(zip(*(table.column(name).to_pylist() for name in columns), strict=True))
    groups = Counter(rows)
    return [groups[row] for row in rows]


TABLE = people()
QID = ["age", "sex"]
SIZES = sizes_by_hand(TABLE, QID)
REPORT = idbits.report(TABLE, QID, sections="bits,disclosure", sensitive="illness")


def sick_people() -> pa.Table:
    """Return people of whom those of two ages are all ill, and nearly all others are not; two are unique."""
    rows = [(20 + 3 * number % 31, "FM"[number % 2], "abc"[number % 3]) for number in range(300)]
    rows += [(75, "F", "a"), (75, "F", "b")] * 6 + [(57, "F", "a")] * 2 + [(63, "M", "a"), (88, "M", "b")]
    ills = ["none" if number % 40 else "gout" for number in range(300)] + ["flu"] * 12 + ["gout"] * 2 + ["none"] * 2
    return pa.table(dict(zip((*QID, "job"), zip(*rows, strict=True), strict=True)) | {"illness": ills})


SICK = sick_people()


@pytest.mark.parametrize("goal", [5, 7])
def test_counts_are_those_of_the_rows(goal: int) -> None:
    page = first_page(idbits.report(TABLE, QID, sections="bits", goal=f"k_min >= {goal}"))
    rows = {row.name: row for row in page.checks}
    unique, small = rows["Rows that are unique"], rows[f"Rows in groups smaller than {goal}"]
    assert unique.result == count(sum(size == 1 for size in SIZES))
    assert small.result == count(sum(size < goal for size in SIZES))
    assert (unique.standing, small.standing) == (
        Standing.OVER if 1 in SIZES else Standing.WITHIN,
        Standing.OVER if min(SIZES) < goal else Standing.WITHIN,
    )
    assert page.bars is not None
    for each in page.bars.bins:
        assert each.before == sum(each.least <= size <= (each.most or len(SIZES)) for size in SIZES)
    # An edge is at the goal, and nobody is counted twice or left out.
    assert goal in [each.least for each in page.bars.bins]
    assert sum(each.before for each in page.bars.bins) == len(SIZES)


def test_the_treated_bars_are_those_of_the_treated_table() -> None:
    page, advice = first_page(REPORT), REPORT.treatments.advice
    assert advice is not None
    assert advice.reached
    assert page.bars is not None
    assert sum(each.after or 0 for each in page.bars.bins) == len(SIZES) - advice.best.withheld
    assert not any(each.after for each in page.bars.bins if each.least < 5)
    figures = {plain(row.name): (row.before, row.after) for row in page.reach.figures}
    assert figures["Smallest group"] == (count(min(SIZES)), count(advice.best.figures["k_min"]))
    assert figures["Rows in the table"] == ("400", count(400 - advice.best.withheld))
    assert "illness given away by groups" in figures
    assert "what groups of the treated table give away" not in page.not_assessed


def test_what_is_given_away_is_counted_by_hand() -> None:
    groups: dict[tuple[object, ...], list[str]] = {}
    for *key, illness in zip(*(TABLE.column(name).to_pylist() for name in (*QID, "illness")), strict=True):
        groups.setdefault(tuple(key), []).append(illness)
    given = sum(len(group) for group in groups.values() if len(group) > 1 and len(set(group)) == 1)
    row = next(row for row in first_page(REPORT).checks if "given away" in row.name)
    assert row.result == count(given)
    assert row.standing is (Standing.OVER if given >= 4 else Standing.WITHIN)


def test_nothing_is_within_the_limit_if_everyone_is_unique() -> None:
    people = pa.table({"zip": [str(1000 + n) for n in range(40)], "illness": ["flu", "cold"] * 20})
    report = idbits.report(people, "zip", sections="bits,disclosure", sensitive="illness")
    row = next(row for row in first_page(report).checks if "given away" in row.name)
    assert (row.result, row.detail, row.standing) == ("all unique", "so no group hides it", Standing.OVER)


def treated_table(goal: str, folder: Path) -> Path:
    idbits.advise(SICK, QID, goal=goal, plan=folder / "plan.json")
    idbits.apply(SICK, folder / "plan.json", folder / "treated.csv")
    return folder / "treated.csv"


@pytest.mark.big
@pytest.mark.parametrize("goal", ["k_min >= 5", "l_distinct.job >= 2", "mean_risk <= 5.5%"])
def test_what_the_treated_table_gives_away_is_counted_in_its_rows(tmp_path: Path, goal: str) -> None:
    report = idbits.report(SICK, QID, sections="bits,disclosure", sensitive="illness", goal=goal)
    with treated_table(goal, tmp_path).open(encoding="utf-8", newline="") as file:
        groups: dict[tuple[str, str], list[str]] = {}
        for row in csv.DictReader(file):
            groups.setdefault((row["age"], row["sex"]), []).append(row["illness"])
    # Being certain of "none", which nearly everybody has, says nothing.
    given = sum(len(group) for group in groups.values() if len(group) > 1 and set(group) in ({"flu"}, {"gout"}))
    people = sum(map(len, groups.values()))
    assert given
    assert report.treatments.given_away == {"illness": given}
    (row,) = (row for row in first_page(report).reach.figures if "given away" in row.name)
    assert row.after == share(given / people)
    assert row.standing is (Standing.WITHIN if given < 0.01 * people else Standing.OVER)
    assert people < SICK.num_rows


def test_no_row_of_the_treated_table_is_promised_that_nobody_measured() -> None:
    page = first_page(idbits.report(TABLE, QID, sections="bits"))
    assert not [row for row in page.reach.figures if "given away" in row.name]
    assert "what groups give away about sensitive columns" in page.not_assessed


def test_a_table_that_reaches_the_goal_is_within_and_says_so() -> None:
    rows = list(product(range(20), "FM")) * 6
    table = pa.table({"age": [age for age, _ in rows], "sex": [sex for _, sex in rows]})
    page = first_page(idbits.report(table, QID, sections="bits"))
    assert {row.standing for row in page.checks} == {Standing.WITHIN}
    assert page.tone == "good"
    assert page.reach.title == "The table reaches the goal of 5 rows per group as it is"
    stricter = first_page(idbits.report(table, QID, sections="bits", goal="k_min >= 7"))
    # The verdict is about groups of 5; the box must not look better than its rows.
    assert (stricter.tone, stricter.checks[-1].standing) == ("warn", Standing.OVER)


def test_columns_that_name_a_person_are_named_measured_or_not() -> None:
    mails = [f"person{number}@example.org" for number in range(400)]
    table = TABLE.append_column("email", [mails])
    for qid in (QID, [*QID, "email"]):
        row = first_page(idbits.report(table, qid, sections="bits")).checks[0]
        assert (plain(row.result), row.standing) == ("email", Standing.OVER)
    assert first_page(REPORT).checks[0].standing is Standing.WITHIN


def test_people_outside_the_population_are_over() -> None:
    population = TABLE.slice(100)
    table = pa.table({"age": [20, 99], "sex": ["F", "F"]})
    page = first_page(idbits.report(table, QID, population=population, missing="unbounded", sections="bits"))
    unique = page.checks[1]
    assert unique.standing is Standing.OVER
    assert "1 person not in the population" in unique.detail or "1 row not in the population" in unique.detail
    assert page.bars is None
    assert page.reach.title == "We looked for no treatment"


def test_the_number_is_the_hash_of_the_json_file_and_the_time_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    digest = hashlib.sha256((REPORT.to_json() + "\n").encode()).hexdigest().upper()
    assert report_number(REPORT) == f"{digest[:4]}-{digest[4:8]}"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    page = first_page(idbits.report(TABLE, QID, sections="bits"))
    assert page.date == "Measured on 14 November 2023"
    assert "14 November 2023 22:13 UTC" in page.provenance
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(InputError, match="SOURCE_DATE_EPOCH must be a whole number"):
        idbits.report(TABLE, QID, sections="bits")


def test_the_running_line_cannot_leave_its_style(tmp_path: object) -> None:
    html = idbits.report(TABLE, QID, sections="bits").to_html()
    style = html[html.index("<style>") : html.index("</style>")]
    assert "@bottom-left" in style
    assert "\\000061\\000020\\000074" in style
