"""Inventories of questions and tables: the quasi-identifiers worth publishing, most exposed first."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import Publisher

from idbits.errors import InputError
from idbits.repository import Repository

REGISTRY = {
    "name": "registry", "holder": "City", "columns": ["postcode", "gender", "birthdate", "marital status"],
    "population": {"City": "Amsterdam"}, "size": 872_680,
}  # fmt: skip
CONCERT = {
    "name": "audience survey",
    "where": "concert hall",
    "questions": ["postcode", "gender", "birthyear", "income"],
    "people": 2000,
}
HEALTH = {"name": "health survey", "where": "hospital", "questions": ["pc4", "gender", "age"], "people": 500}


@pytest.fixture
def filled(store: Repository) -> Repository:
    store.record_table(REGISTRY, by="t")
    for asked in (CONCERT, HEALTH):
        store.record_questionnaire(asked, by="t")
    return store


def test_matching(filled: Repository) -> None:
    found = [(match.qid, len(match.asked_in), match.people_asked) for match in filled.matches()]
    assert found == [
        (("gender", "postcode:prefix4"), 2, 2500),
        (("birthdate:year", "gender", "postcode"), 1, 2000),
    ]


def test_what_is_published_is_worth_no_more(filled: Repository) -> None:
    city = Publisher(filled)
    ref = city.publish(qid=("gender", "postcode:prefix4")).ref
    assert ("gender", "postcode:prefix4") not in [match.qid for match in filled.matches()]
    assert (ref,) in [match.published for match in filled.matches(published=True)]
    filled.retract(ref, "wrong", by="t")
    assert ("gender", "postcode:prefix4") in [match.qid for match in filled.matches()]


def test_other_people_do_not_match(filled: Repository) -> None:
    filled.record_questionnaire(
        {"name": "poll", "where": "Rotterdam", "questions": ["marital status"], "population": {"Town": "Rotterdam"}},
        by="t",
    )
    assert not any("marital status" in match.qid for match in filled.matches())
    filled.record_questionnaire(
        {"name": "poll", "where": "Noord", "questions": ["marital status"], "population": {"Town": "amsterdam"}}, by="t"
    )
    assert any("marital status" in match.qid for match in filled.matches())


def test_the_last_word_counts(filled: Repository) -> None:
    filled.record_table(REGISTRY | {"columns": ["gender"]}, by="t")
    assert len(filled.tables()) == 1
    assert [match.qid for match in filled.matches()] == [("gender",)]


@pytest.mark.parametrize(
    "change",
    [{"size": 0}, {"size": True}, {"columns": []}, {"columns": ["odd"]}, {"population": {}}, {"name": ""},
     {"holder": 5}, {"name": "a\nb"}],
)  # fmt: skip
def test_tables_that_do_not_fit(sqlite_store: Repository, change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        sqlite_store.record_table(REGISTRY | change, by="t")


@pytest.mark.parametrize("change", [{"people": 0}, {"questions": "age"}, {"questions": ["odd"]}, {"where": ""}])
def test_questionnaires_that_do_not_fit(sqlite_store: Repository, change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        sqlite_store.record_questionnaire(CONCERT | change, by="t")
