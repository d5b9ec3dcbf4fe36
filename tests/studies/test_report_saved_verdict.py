"""A saved answer without charts of its own begins with its verdict, as the command printed it."""

import json

import pyarrow as pa

import idbits
from idbits.studies.report.result import Included
from idbits.studies.report.saved_text import saved_section


def test_a_saved_questionnaire_begins_with_who_is_left_and_what_to_drop() -> None:
    ten = [0.1] * 10
    survey = {"population": 5_000, "questions": [{"name": name, "shares": ten} for name in ("town", "work", "age")]}
    saved = json.loads(idbits.questionnaire(survey).to_json())
    section = saved_section(Included("survey.json", saved), 1)
    assert section.title == "Expect 5 people to share all answers: 5 people at best, 5 people at worst"
    assert section.text[0].startswith("5,000 people may answer 3 questions. About 34 of them (0.67%) will be unique.")
    assert "Dropping town helps most: 50 people would share all answers" in section.text[0]
    figures = {row[0] for row in section.tables[0].rows}
    assert "drop" in figures
    assert not any(name.startswith("verdict") for name in figures)


def test_a_saved_prediction_begins_with_unique_people() -> None:
    saved = json.loads(idbits.predict.uniqueness(300, values=365).to_json())
    section = saved_section(Included("birthdays.json", saved), 1)
    assert section.title.startswith("Expect 132.1 of 300 people to be unique")
    assert "less than 1 in 100 billion" in section.text[0]


def test_an_answer_without_a_verdict_or_with_a_strange_one_is_still_shown() -> None:
    for verdict in ({}, {"verdict": None}, {"verdict": 5, "verdict_reasons": "x"}, {"verdict_reasons": [1, None]}):
        section = saved_section(
            Included("x.json", {"command": "predict width", "version": "0.1.0", "k": 5} | verdict), 1
        )
        assert section.text[0].startswith("From the saved answer")


def test_a_saved_report_begins_with_the_title_of_its_verdict() -> None:
    saved = json.loads(idbits.report(pa.table({"a": list("aabc")}), ["a"], sections="sizes").to_json())
    section = saved_section(Included("report.json", saved), 1)
    assert section.title == saved["verdict"]["title"] == "Do not hand this over as it is"
    assert section.text[0].startswith("2 of 4 rows (50.00%) are unique")


def test_the_heading_of_a_saved_link_counts_records_that_alone_fit_a_person() -> None:
    """Of four records, two share a and fit the same person: they match exactly one person, but not as the only ones."""
    for records, found in (("aabb", "no record matches"), ("aabc", "50.0% of the records match")):
        people = pa.table({"key": ["a", "b", "c"]})
        linked = idbits.link(pa.table({"key": list(records)}), people, on=["key"])
        assert linked.records.crowded + linked.records.one_to_one == 4
        section = saved_section(Included("link.json", json.loads(linked.to_json())), 1)
        assert section.title.endswith(f": {found} a person one to one")
