"""Reports about people with several rows, households and rows: the figures, and the word for what is counted."""

import html
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idbits
from idbits.examples.registry import registry
from idbits.render.page import Section, plain

# The hand-made example of the specification: the values of each person.
HAND_MADE = pa.table({"person": [1, 1, 2, 3, 4, 4], "value": ["a", "b", "a", "b", "b", "c"]})
KNOWN = ["the most telling record", "a record at random", "all records"]


def section(report: idbits.Report, name: str = "people") -> Section:
    return next(part for part in report.page.sections if part.name == name)


def test_the_attackers_stand_side_by_side_in_the_first_section() -> None:
    report = idbits.report(HAND_MADE, ["value"], person="person")
    assert report.page.sections[0].name == "people"
    people = section(report)
    (attackers,) = people.tables
    unique = [list(row[:3]) for row in attackers.rows]
    assert unique == [[KNOWN[0], "25.00%", "1"], [KNOWN[1], "12.50%", "0.50"], [KNOWN[2], "100%", "4"]]
    assert attackers.emphasis == (0,)
    (figure,) = people.figures
    assert [(bar.name, bar.value, bar.shown, bar.meaning) for bar in figure.chart.rows] == [
        (KNOWN[0], 0.25, "25.0%", "r1"), (KNOWN[1], 0.125, "12.5%", "r2"), (KNOWN[2], 1.0, "100%", "r2"),
    ]  # fmt: skip
    by = "25.0% by the most telling record, 12.5% by a record at random and 100% by all records"
    assert people.title == f"People who are unique: {by}"
    assert "25.00% by the most telling record, 12.50% by a record at random and 100% by all records" in figure.words
    assert "6 records of 4 people" in plain(people.text[0])
    assert "1 to 2 records per person, 1.50 on average, median 1.50." in plain(people.text[0])
    assert report.page.subject.startswith("4 people with 6 records. Columns")


@pytest.mark.parametrize(
    ("knows", "unique"), [("one-record", "25.00%"), ("any-record", "12.50%"), ("all-records", "100%")]
)
def test_the_other_figures_are_those_of_the_chosen_attacker(knows: str, unique: str) -> None:
    report = idbits.report(HAND_MADE, ["value"], person="person", knows=knows)
    assert report.measurement.to_dict() == idbits.measure(HAND_MADE, ["value"], person="person", knows=knows).to_dict()
    assert report.page.tiles[1].shown == unique
    sizes = section(report, "sizes").figures[0].table
    assert sizes is not None
    assert sizes.rows[0][2] == unique
    known = KNOWN[["one-record", "any-record", "all-records"].index(knows)]
    assert f"an attacker who knows {known}." in section(report).text[1]
    assert [bar.name for bar in section(report).figures[0].chart.rows if bar.meaning == "r1"] == [known]


VALUES = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcd")), min_size=3, max_size=24)


@given(VALUES.filter(lambda rows: 1 < len({person for person, _ in rows}) < len(rows)))
def test_every_attackers_share_is_that_of_a_slow_count(rows: list[tuple[int, str]]) -> None:
    values = defaultdict(list)
    for person, value in rows:
        values[person].append(value)
    having = Counter(value for own in values.values() for value in set(own))
    whole = Counter(frozenset(own) for own in values.values())
    one = sum(min(having[value] for value in own) == 1 for own in values.values())
    drawn = math.fsum(sum(having[value] == 1 for value in own) / len(own) for own in values.values())
    everything = sum(whole[frozenset(own)] == 1 for own in values.values())
    table = pa.table({"person": [person for person, _ in rows], "value": [value for _, value in rows]})
    report = idbits.report(table, ["value"], person="person", sections="people")
    bars = section(report).figures[0].chart.rows
    assert [bar.value for bar in bars] == pytest.approx([number / len(values) for number in (one, drawn, everything)])


def test_changes_need_one_row_per_person() -> None:
    table = pa.table({"person": [1, 1, 2, 3, 4, 4], "a": list("abacbb"), "b": list("xxyyxy")})
    report = idbits.report(table, ["a", "b"], person="person")
    data = json.loads(report.to_json())
    assert data["sections"][0] == "people"
    shown = [part.name for part in report.page.sections]
    assert "changes" not in shown
    assert {"columns", "gain"} <= set(shown)
    reason = "people in this table have several rows, and this study needs one row per person"
    assert {"columns", "gain"}.isdisjoint(data["reasons"])
    assert data["changes"]["reasons"]["smallest"] == reason
    assert report.page.advice == (f"We looked for no treatment: {reason}.",)


def with_missing(n: int = 40) -> pa.Table:
    return pa.table(
        {
            "person": [None if n % 10 == 3 else n for n in range(n)],
            "age": [n % 7 for n in range(n)],
            "sex": ["FM"[n % 2] for n in range(n)],
        }
    )


def test_rows_without_a_person_that_are_left_out_are_in_no_figure() -> None:
    table = with_missing()
    report = idbits.report(table, ["age", "sex"], person="person", null_person="drop")
    kept = [row for row in table.to_pylist() if row["person"] is not None]
    groups = Counter((row["age"], row["sex"]) for row in kept)
    assert report.measurement.n_people == len(kept) == 36
    assert report.measurement.singletons == sum(k == 1 for k in groups.values())
    filtered = idbits.report(table.filter(pa.compute.is_valid(table["person"])), ["age", "sex"], rows_are_people=True)
    assert report.columns.subsets == filtered.columns.subsets
    assert report.gain.figures == filtered.gain.figures
    # Changes of rows would count those that are left out.
    assert report.changes.tried == ()
    assert plain(section(report).items[-1]) == "4 rows without a person are left out."


def test_rows_that_are_a_person_each_are_studied_like_all_others() -> None:
    table = with_missing()
    report = idbits.report(table, ["age", "sex"], person="person", null_person="own")
    plainly = idbits.report(table, ["age", "sex"], rows_are_people=True)
    assert report.gain is not None
    assert report.gain.figures == plainly.gain.figures
    assert report.changes == plainly.changes
    assert report.columns.to_dict() == plainly.columns.to_dict()
    assert "4 rows have no person and count as one person each" in plain(section(report).items[-1])


def test_missing_values_of_people_are_said() -> None:
    table = pa.table({"person": [1, 1, 2, 2, 3, 3], "a": ["x", None, "x", "x", "x", "x"]})
    said = map(plain, section(idbits.report(table, ["a"], person="person")).items)
    assert "1 person is unique only through a missing value, which counts as a value." in list(said)


def test_households_of_the_hand_made_example() -> None:
    """Households {30F, 32M}, {30F, 5M}, {70F}: everybody's household has somebody unique."""
    table = pa.table({"home": [1, 1, 2, 2, 3], "who": ["30F", "32M", "30F", "5M", "70F"]})
    report = idbits.report(table, ["who"], household="home")
    people = section(report)
    assert people.topic == "People who live together"
    assert people.title == "A guess finds somebody of a person's household 100% of the time"
    (found,) = people.tables
    assert [list(row) for row in found.rows] == [
        ["a member is unique", "5", "100%"],
        ["the household has a value of its own", "5", "100%"],
        ["the members together are unique", "5", "100%"],
    ]
    assert "A guess finds somebody of a person's household 100% of the time on average" in people.items[0]
    assert report.to_dict()["measurement"]["household"]["n_households"] == 3
    alone = idbits.report(table.take([0, 2, 4]), ["who"], household="home")
    # r = 0.5, 0.5, 1.
    assert "66.67% of the time on average" in section(alone).items[0]
    assert "5 people. Columns" in report.page.subject


def test_households_of_people_with_several_rows_follow_the_attackers() -> None:
    table = pa.table({"person": [1, 1, 2, 3, 4], "home": ["x", "x", "x", "y", "y"], "a": list("abaab")})
    report = idbits.report(table, ["a"], person="person", household="home")
    people = section(report)
    assert [block.title for block in people.tables] == [
        "If an attacker knows this about a person",
        "People who are found through their household (home)",
    ]
    assert report.measurement.to_dict() == idbits.measure(table, ["a"], person="person", household="home").to_dict()


def test_the_section_is_there_if_it_applies_or_is_asked_for() -> None:
    table = registry(200)
    assert "people" not in idbits.report(table, ["zip"]).sections
    single = table.append_column("id", pa.array(range(200)))
    report = idbits.report(single, ["zip"], person="id")
    assert "people" not in report.sections
    assert report.page.subject.startswith("200 people, each with one row. Columns")
    asked = idbits.report(single, ["zip"], person="id", sections="people")
    assert [plain(item) for item in section(asked).items] == ["Everyone has one row: no id occurs twice."]
    nobody = idbits.report(table, ["zip"], sections="people")
    assert "each row counts by itself" in section(nobody).text[0]


def test_people_in_categories_are_people() -> None:
    table = pa.table({"person": [1, 1, 2, 3, 3, 4] * 4, "a": list("ababca") * 4, "g": ["x", "y"] * 12})
    report = idbits.report(table, ["a"], by="g", person="person")
    (block,) = section(report, "sizes").tables
    assert block.columns[1] == "people"
    assert block.rows[-1][:2] == ["overall", "4"]


def test_a_population_of_people_with_several_rows() -> None:
    population = pa.table({"pid": [1, 1, 2, 3, 3, 4], "a": list("abbabc")})
    release = pa.table({"person": [7, 7, 8], "a": list("abc")})
    options: dict[str, Any] = {"population": population, "population_person": "pid", "person": "person"}
    report = idbits.report(release, ["a"], **options)
    assert report.measurement.to_dict() == idbits.measure(release, ["a"], **options).to_dict()
    assert "no figures for all records" in " ".join(section(report).text)
    assert [row[1] for row in section(report).tables[0].rows][2] == "-"
    assert len(section(report).figures[0].chart.rows) == 2
    assert "population_person='pid'" in report.origin.command
    with pytest.raises(idbits.InputError, match="population_person= needs population= and person="):
        idbits.report(release, ["a"], person="person", population_person="pid")


def texts(report: idbits.Report) -> Iterator[str]:
    """Yield every text of a page: sentences, tables, and the axes of charts; not the notes about reading."""
    page = report.page
    yield from (page.subject, page.verdict.title, *page.verdict.reasons, *page.advice)
    for tile in page.tiles:
        yield from (tile.label, tile.meaning)
    for part in page.sections:
        yield from (
            part.title,
            part.topic,
            *part.text,
            *(item for item in part.items if not item.startswith("While reading")),
        )
        yield from (text for term in part.terms for text in (term.name, term.meaning))
        tables = [*part.tables, *(figure.table for figure in part.figures if figure.table is not None)]
        for table in tables:
            yield from (table.title, *table.columns, table.caption, *(cell for row in table.rows for cell in row))
        for figure in part.figures:
            yield from (figure.words, figure.title)
            if isinstance(figure.chart, dict):
                yield from re.findall('"title": "([^"]*)"', json.dumps(figure.chart))
            else:
                drawings = figure.chart.wide("words") + figure.chart.narrow("words")
                yield from map(html.unescape, re.findall("<text[^>]*>(.*?)</text>", drawings))


PEOPLE = re.compile(r"\b(people|persons?|every(one|body)|(no|some)body)\b", re.IGNORECASE)
ABOUT_REAL_PEOPLE = (
    "We assumed one row per person.",
    "Which rows belong to the same person: we assumed one row per person, because we found no column that tells.",
    "Guesses from similar values, and what other columns reveal about people once they are found.",
    "Suppose an attacker knows all cells of a person's row but one.",
    "Someone who knows all other columns of a person learns nothing from this table that they did not expect.",
    "Coarser values protect people and lose relationships between the columns.",
    "Columns that an attacker may already know about a person. Not for columns that name a person by themselves, such "
    "as a patient number: remove those first.",
)
TABLES: dict[str, tuple[Any, dict[str, Any]]] = {
    "registry": (registry(300), {"qid": ["birthdate:year", "zip:prefix1", "gender"], "by": "gender"}),
    "unique": (registry(300), {"qid": ["birthdate", "zip", "gender"], "internal": True, "reveal": True}),
    "nobody at risk": (pa.table({"a": ["x"] * 20, "b": ["y"] * 20}), {"qid": ["a", "b"]}),
    "within categories": (
        pa.table({"x": ["a"] * 40 + ["b"] * 40, "place": (["north"] + ["south"] * 39) * 2}),
        {"qid": "x", "by": "place"},
    ),
    "one row": (pa.table({"a": ["x"], "b": ["y"]}), {"qid": ["a", "b"]}),
    "the same few values": (pa.table({"a": ["x"] * 3}), {"qid": ["a"]}),
    "no change helps": (pa.table({"id": [f"{n:09}" for n in range(50)], "b": list(range(50))}), {"qid": ["id", "b"]}),
    "not many small groups": (pa.table({"a": [n // 3 for n in range(30)]}), {"qid": ["a"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", list(TABLES))
def test_rows_are_never_called_people(name: str) -> None:
    table, options = TABLES[name]
    report = idbits.report(table, **options)
    assert report.measurement.unit == "rows"
    assert "We assumed one row per person." in report.page.subject
    strange = []
    for text in texts(report):
        for allowed in ABOUT_REAL_PEOPLE:
            text = text.replace(allowed, "")
        strange += [text] if PEOPLE.search(text) else []
    assert strange == []


@pytest.mark.parametrize("name", list(TABLES))
def test_people_are_not_called_rows(name: str) -> None:
    table, options = TABLES[name]
    report = idbits.report(table, **options, rows_are_people=True)
    assert "assumed" not in report.page.subject
    numbers = [
        text for text in texts(report) if re.search(r"\d rows?\b(?! with the largest gain)|\b(no|every) row\b", text)
    ]
    assert numbers == []
    assert "rows" not in [column for part in report.page.sections for table in part.tables for column in table.columns]


def all_together() -> pa.Table:
    """Every value has at least 5 people, and nobody else has both values of a person."""
    pairs = list(combinations("abcdefg", 2))
    return pa.table(
        {"person": [index for index, _ in enumerate(pairs) for _ in range(2)], "v": [v for pair in pairs for v in pair]}
    )


def test_further_reasons_stand_wherever_the_verdict_does() -> None:
    report = idbits.report(all_together(), ["v"], person="person")
    more = [plain(reason) for reason in report.verdict.more]
    assert more[0] == "An attacker who knows all records of a person finds 21 of 21 people (100%)."
    assert "The table also has person, which identifies people by itself." in more[1]
    page = re.search('<section class="verdict.*?</section>', report.to_html(), re.DOTALL)[0]
    notebook = re.search('<div class="verdict.*?</div>', report._repr_html_())[0]
    assert [re.sub("<.*?>", "", text) for text in re.findall("<p>(.*?)</p>", page)[1:]] == more
    assert re.findall("<p>(.*?)</p>", notebook)[2:] == more
    assert "\n\n".join(["", *more, ""]) in report.to_markdown().replace("\\", "")
    assert " ".join(more) in " ".join(str(report).split())
    assert report.to_dict()["verdict_reasons"][1:] == more


def test_records_are_no_people_and_the_page_names_no_option() -> None:
    """Two columns may identify people: none is taken, and nothing is said about people."""
    draw = random.Random(2)
    rows = range(2_000)
    table = pa.table(
        {
            "patient_id": [f"P{draw.randrange(400):05}" for _ in rows],
            "customer_no": [f"C{draw.randrange(350):05}" for _ in rows],
            "age --by": [draw.randrange(20, 60) for _ in rows],
        }
    )
    report = idbits.report(table, ["age --by"])
    assert report.measurement.unit == "records"
    assert report.verdict.level == "undecided"
    assert report.verdict.title == "These are records, not people: 2,000 records"
    assert plain(report.verdict.sentence) == "The columns patient_id and customer_no may identify people."
    assert "Every record in the table (2,000) shares its age --by with at least" in plain(report.verdict.more[0])
    assert report.page.subject.startswith("2,000 records. Columns")
    assert not re.search(r"--(?!by)[a-z]", report.to_markdown().partition("How this page was made")[0])


def test_names_in_further_reasons_have_no_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    report = idbits.report(all_together(), ["v"], person="person")
    marked = replace(report.page_verdict, more=("About \u2068<b>zip\u2069.",))
    monkeypatch.setitem(report.__dict__, "page_verdict", marked)
    assert "<p>About <bdi>&lt;b&gt;zip</bdi>.</p>" in report.to_html()
    assert "About <b>zip." in str(report)
