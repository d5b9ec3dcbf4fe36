"""Names, aliases and transforms of attributes."""

from __future__ import annotations

import time
from typing import Any

import pytest
from helpers import Publisher

from idbits.errors import InputError
from idbits.repository import Repository
from idbits.repository.vocabulary import BUILT_IN, Vocabulary, read_concept

WORDS = Vocabulary(BUILT_IN)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("PostalCode", "postcode"), ("postal_code:prefix04", "postcode:prefix4"), ("PC4", "postcode:prefix4"),
        ("pc4:prefix2", "postcode:prefix2"), ("BirthYear", "birthdate:year"), ("sex", "gender"),
        ("age:band10:band5", "age:band10"), ("birthmonth:year", "birthdate:year"), ("age:cap80:cap90", "age:cap80"),
        ("birthdate:week:month", "birthdate:week:month"), ("age:band5:band7", "age:band5:band7"),
        ("Leeftijd:band5", "age:band5"), ("City", "municipality"), ("CarOwner", "car owner"),
    ],
)  # fmt: skip
def test_names(said: str, meant: str) -> None:
    assert WORDS.resolve(said).name == meant


@pytest.mark.parametrize("name", ["shoe size", "", ":", "age:prefix", "age:year", "x" * 1000, "age:band5:odd"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError):
        WORDS.resolve(name)


def test_every_built_in_name_stands_for_one_thing() -> None:
    seen: dict[str, str] = {}
    for concept in BUILT_IN:
        for name in (concept.name, *(alias for alias, _ in concept.aliases)):
            key = name.casefold().replace(" ", "")
            assert seen.setdefault(key, concept.name) == concept.name, name


def test_extending(store: Repository) -> None:
    store.extend_vocabulary({"name": "shoe size", "kind": "number", "aliases": {"maat": "", "big": "band10"}}, by="t")
    assert store.vocabulary().resolve("BIG").name == "shoe size:band10"
    store.extend_vocabulary({"name": "gender", "aliases": {"sukupuoli": ""}}, by="t")
    assert store.vocabulary().resolve("Sukupuoli").name == "gender"
    assert store.vocabulary().resolve("sex").name == "gender"
    again = Repository(store.database)
    assert again.vocabulary().resolve("maat").name == "shoe size"
    Publisher(store).publish(qid=("shoe size:band10",))


@pytest.mark.parametrize(
    "concept",
    [
        {"name": "gender", "kind": "number"}, {"name": "sex"}, {"name": "x", "aliases": {"city": ""}},
        {"name": "x", "aliases": {"pc4": "prefix2"}}, {"name": "birthyear"}, {"name": ""}, {"name": "a:b"},
        {"name": "x", "kind": "odd"}, {"name": "x", "aliases": {"y": "odd"}}, {"name": "x" * 61},
        {"name": "x", "description": "a\nb"}, {"name": "<b>"}, {"name": "x", "aliases": {"": ""}},
        {"name": "postcode", "aliases": {"pc4": "prefix3"}},
    ],
)  # fmt: skip
def test_what_a_name_stands_for_never_changes(sqlite_store: Repository, concept: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        sqlite_store.extend_vocabulary(concept, by="t")
    assert sqlite_store.head()[0] == 0


def test_long_transforms_of_an_alias_are_refused_before_they_are_read() -> None:
    """Another server could send millions of them, which would fill the memory."""
    with pytest.raises(InputError, match="at most 100 characters"):
        read_concept({"name": "x", "kind": "date", "aliases": {"y": ":".join(["year"] * 1000)}})


def test_a_concept_that_is_repeated_very_often_is_read_quickly() -> None:
    many = [read_concept({"name": "x", "aliases": {f"alias {i % 100}": ""}}) for i in range(100_000)]
    began = time.process_time()
    (concept,) = Vocabulary(many).concepts
    assert time.process_time() - began < 5
    assert concept.aliases == tuple((f"alias {i}", "") for i in range(100))
