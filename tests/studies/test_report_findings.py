"""The headings of the evidence: sentences with their figures, right for nobody, one, some and everybody."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import idbits
from idbits.render.page import plain


def table(*values: str, **more: list[Any]) -> pa.Table:
    return pa.table({"a": list(values), **more})


def title(report: Any, name: str) -> str:
    return plain(next(section.title for section in report.page.sections if section.name == name))


PAIRS = "aabbccddee"


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("a", "The only row is unique"),
        ("abc", "Every row is unique"),
        (PAIRS, "No row is unique: the smallest group has 2 rows"),
        (PAIRS + "z", "One row of 11 is unique"),
        (PAIRS + "yz", "16.7% of the rows are unique"),
    ],
)
def test_how_many_are_unique(rows: str, found: str) -> None:
    assert title(idbits.report(table(*rows), ["a"], sections="sizes"), "sizes") == found
    people = idbits.report(table(*rows), ["a"], sections="sizes", rows_are_people=True)
    words = found.replace("No row", "Nobody").replace("Every row", "Everyone").replace("2 rows", "2 people")
    assert title(people, "sizes") == words.replace("only row", "only person").replace("One row", "One person").replace(
        "the rows", "the people"
    )


def test_unique_in_a_population_and_by_a_record_at_random() -> None:
    answer = idbits.report(table(*"aab"), ["a"], population=table(*"aabb"), sections="sizes")
    assert title(answer, "sizes") == "No row is unique in the population: the smallest group has 2 rows"
    records = table(*"abab", person=[1, 1, 2, 3])
    drawn = idbits.report(records, ["a"], person="person", knows="any-record", sections="sizes")
    assert title(drawn, "sizes") == "0% of the people are expected to be unique"


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("a", "There is only one row, so there is nothing to tell apart"),
        ("aa", "No bits are given away: every row has the same values"),
        ("abcd", "The column gives away all 2.00 bits that single out every row"),
        ("aabb", "The column gives away 1.00 of the 2.00 bits that single out every row"),
    ],
)
def test_how_many_bits_are_given_away(rows: str, found: str) -> None:
    assert title(idbits.report(table(*rows), ["a"], sections="bits"), "bits") == found
    twice = idbits.report(table(*rows, b=list(rows)), ["a", "b"], sections="bits")
    assert title(twice, "bits") == found.replace("The column gives", "The columns give")


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("aabb", "xxyy", "No combination of the columns makes any row unique"),
        ("aabb", "xyxy", "Without a, no row would be unique"),
        ("abcd", "wxyz", "No single column matters: without any one of them, 4 rows stay unique"),
        ("aab", "xxy", "No single column matters: without any one of them, 1 row stays unique"),
        ("aabc", "xyxx", "Without a, 1 instead of 4 rows would be unique"),
        ("aabbc", "xyxyx", "Without a, no row would be unique"),
    ],
)
def test_which_column_matters(a: str, b: str, found: str) -> None:
    report = idbits.report(table(*a, b=list(b)), ["a", "b"], sections="columns")
    assert title(report, "columns") == found
    without = {part.column: part.singletons_without for part in report.columns.contribution}
    # By b alone, only the one y is unique; by a alone, b and c are.
    assert (without if found.startswith("Without a, 1") else {"a": 1, "b": 2}) == {"a": 1, "b": 2}


def test_one_column_gives_away_its_bits() -> None:
    assert title(idbits.report(table(*"abcd"), ["a"], sections="columns"), "columns") == "a gives away 2.00 bits"
    many = idbits.report(
        table(*"aabb", b=list("wxyz")), ["a", "b"], population=table(*"aabb", b=list("wxyz")), sections="columns"
    )
    assert title(many, "columns") == "b gives away the most by itself: 2.00 bits"


@pytest.mark.parametrize(
    ("ill", "found"),
    [
        ("ffffff", "ill has one value, so nothing is to be learnt"),
        ("fcfcfc", "No group gives ill away"),
        ("ffffcc", "The ill of every row is given away by the group"),
        ("fffcfc", "The ill of 2 rows (33.3%) is given away by their group"),
    ],
)
def test_what_groups_give_away(ill: str, found: str) -> None:
    people = table(*"aabbcc", ill=list(ill))
    report = idbits.report(people, ["a"], sensitive="ill", sections="disclosure")
    assert title(report, "disclosure") == found


@pytest.mark.parametrize(
    ("rows", "ill", "found"),
    [
        ("abcdef", "fcfcfc", "Every row is unique, so no group hides ill"),
        ("aabbcd", "fcfcfc", "No group of several rows gives ill away"),
        (
            "a" * 20 + "bcdefg",
            "f" * 19 + "c" * 7,
            "No group of several rows gives ill away for certain, but that of 20",
        ),
    ],
)
def test_groups_do_not_hide_the_value_of_someone_who_is_unique(rows: str, ill: str, found: str) -> None:
    report = idbits.report(table(*rows, ill=list(ill)), ["a"], sensitive="ill", sections="disclosure")
    assert title(report, "disclosure").startswith(found)


def test_each_sensitive_column_has_its_own_finding() -> None:
    people = table(*"aabbcc", ill=list("ffffcc"), rich=list("ynynyn"))
    report = idbits.report(people, ["a"], sensitive=["ill", "rich"], sections="disclosure")
    assert [plain(section.title) for section in report.page.sections if section.name.startswith("disclosure")] == [
        "The ill of every row is given away by the group", "No group gives rich away",
    ]  # fmt: skip
    assert [section.topic for section in report.page.sections if section.name.startswith("disclosure")] == [
        "What groups give away about ill", "What groups give away about rich",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "options", "found"),
    [
        ("aaaaabbbbb", {}, "Every group has at least 5 rows as the table is"),
        ("aaaaabbb", {"goal": "k_min >= 3"}, "Every group has at least 3 rows as the table is"),
        ("ab", {}, "No treatment we tried gives every group 5 rows with at most 5% of the rows withheld"),
        ("aaaaabcdef", {}, "Every group has at least 5 rows if 100% of the detail is given up and no row is withheld"),
        ("a" * 19 + "b", {}, "Every group has at least 5 rows if 5.0% of the detail is given up and 1 row is withheld"),
    ],
)
def test_what_a_goal_takes(rows: str, options: dict[str, Any], found: str) -> None:
    assert title(idbits.report(table(*rows), ["a"], sections="changes", **options), "changes") == found


def test_what_is_learnt_about_the_other_columns() -> None:
    alike = idbits.report(table(*"aabb", b=list("xxyy")), ["a", "b"], sections="gain,sweep")
    assert title(alike, "gain") == "Someone who knows all other columns learns 1.00 bits about a on average"
    several = idbits.report(table(*"aabb", b=list("xxyy"), who=[1, 2, 1, 2]), ["a", "b"], person="who", sections="gain")
    assert title(several, "gain").endswith("learns 1.00 bits about a per record on average")
    unrelated = idbits.report(table(*"aabb", b=list("xyxy")), ["a", "b"], sections="gain")
    assert title(unrelated, "gain") == "The other columns of a row tell nothing about any of its cells"


def test_the_gain_of_the_most_exposed_as_a_column_becomes_coarser() -> None:
    ages = [n * n % 97 for n in range(40)]
    people = pa.table({"age": ages, "town": [age // 9 for age in ages]})
    report = idbits.report(people, ["age", "town"], sections="gain,sweep", rows_are_people=True)
    first, last = report.gain.sweep[0].rig_p95, report.gain.sweep[-1].rig_p95
    assert first > last
    assert title(report, "sweep") == (
        "At the coarsest view of age, at least 5% of the people have an information gain of "
        f"{last:.2f} bits or more, instead of {first:.2f}"
    )


def test_records_of_people_who_are_all_unique_or_not_at_all() -> None:
    unique = idbits.report(table(*"aabbcc", person=[1, 1, 2, 2, 3, 3]), ["a"], person="person")
    known = "the most telling record, a record at random or all records"
    assert title(unique, "people") == f"Everyone is unique, whether an attacker knows {known}"
    same = idbits.report(table(*"aaaaaa", person=[1, 1, 2, 2, 3, 3]), ["a"], person="person")
    assert title(same, "people") == f"Nobody is unique, whether an attacker knows {known}"


def test_saved_answers_say_what_they_found(tmp_path: Path) -> None:
    made = {
        "columns": idbits.columns(table(*"aabc", b=list("xyxx")), ["a", "b"]),
        "events": idbits.events(
            table(*"pqr", person=[1, 1, 2], day=["2020-01-01", "2020-01-02", "2020-01-01"]), "person", "day", "a"
        ),
    }
    files = []
    for name, answer in made.items():
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(answer.to_json(), encoding="utf-8")
    other = json.loads(made["columns"].to_json()) | {"command": "predict", "verdict": {"title": "As predicted"}}
    files.append(tmp_path / "predict.json")
    files[-1].write_text(json.dumps(other), encoding="utf-8")
    report = idbits.report(table(*"aabb"), ["a"], include=files, sections="saved")
    found = {
        section.topic: plain(section.title) for section in report.page.sections if section.name.startswith("saved")
    }
    assert found == {
        "Which columns together make people unique": "The 2 columns together make every row unique",
        "Events over time": "Every pair of events belongs to only one person",
        "Before anything is collected": "As predicted",
    }


def test_every_part_has_a_topic_and_a_finding() -> None:
    people = table(*"aabbcc" * 10, b=list("xyz" * 20), ill=list("fc" * 30))
    report = idbits.report(people, ["a", "b"], sensitive="ill", fraction=0.5, internal=True, reveal=True)
    sections = report.page.sections
    assert all(section.topic and section.title for section in sections)
    assert len({section.name for section in sections}) == len(sections)
    assert [section.topic for section in sections] == [
        "Rows", "Bits", "Columns", "What groups give away", "Information gain", "Population", "Treatments",
        *(["One column step by step"] if report.gain.sweep else []), "Values (internal)", "Not assessed", "Glossary",
        "Method",
    ]  # fmt: skip
    assert replace(sections[0], topic="").heading == sections[0].title
