"""After a restart the repository reads only counts, and verifies only the entries that a new one is compared with."""

from __future__ import annotations

import gc
import json
import random
from datetime import date
from typing import Any

import pytest
import sqlalchemy as sa
from helpers import Publisher, statement
from test_exclusive_parts import random_entry

from idbits.canonical import canonical
from idbits.errors import RefusedError, RepositoryError
from idbits.measures.entropy_bounds import shares_entropy_bits
from idbits.repository import Repository, SigningKey, schema
from idbits.repository import entries as entries_module
from idbits.repository.counted_groups import GroupCount
from idbits.repository.small_groups import PublishedCounts
from idbits.repository.statements import Cell, Cells, Statement, counts_in, counts_of, read_statement


def distributed(people: dict[tuple[str | None, ...], int], **given: Any) -> dict[str, Any]:
    """Return the fields of a statement with a complete distribution."""
    everyone = sum(people.values())
    return {
        "n_people": everyone,
        "n_values": len(people) + 1,
        "entropy_bits": shares_entropy_bits(number / everyone for number in people.values()),
        "distribution": Cells(tuple(Cell(value, number) for value, number in people.items()), 0, 0),
        **given,
    }


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"population": {"municipality": "Den  Haag", "gender": "ｆ"}, "holder": "The_City", "date": "2020-02-29"},
        distributed({("F",): 600, ("m",): 390, (None,): 10}),
        distributed({("F", "0"): 600, ("m", None): 400}, qid=("gender", "postcode")),
    ],
)
def test_counts_are_read_from_the_text_as_from_the_statement(given: dict[str, Any]) -> None:
    text = canonical(statement(**given).to_dict())
    assert counts_in(text) == counts_of(read_statement(json.loads(text)))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"distribution":null}', '{"distribution":{},"date":"x"}'])
def test_a_text_that_is_no_statement_has_no_counts(text: str) -> None:
    assert counts_in(text) is None


def forge(store: Repository, population: dict[str, str]) -> str:
    """Add an entry that a stranger signed, and return its reference."""
    stranger, made = SigningKey.generate(), statement(qid=("religion",), population=population)
    text = canonical(made.to_dict())
    with store.database.engine.begin() as connection:
        copied = dict(connection.execute(sa.select(schema.entries)).first()._mapping)
        forged = {
            "ref": entries_module.reference(text), "sequence": 99, "statement": text,
            "signature": stranger.sign(text), "public_key": stranger.public_key,
            "qid": entries_module.qid_key(["religion"]),
            "population": entries_module.population_key(made.population),
        }  # fmt: skip
        connection.execute(schema.entries.insert().values(**copied | forged))
    return str(forged["ref"])


def test_a_forged_entry_stops_what_is_compared_with_it(store: Repository) -> None:
    city = Publisher(store)
    city.publish(population={"municipality": "Utrecht"})
    ref = forge(store, {"municipality": "Delft"})
    for opened in (store, Repository(store.database)):
        city.store = opened
        with pytest.raises(RepositoryError, match=f"{ref} was changed after signing, so nothing can be published"):
            city.publish(qid=("age",), population={"municipality": "Delft"})
        # A part of the forged population is compared with it, too; and a second attempt is as good as the first.
        for _ in range(2):
            with pytest.raises(RepositoryError, match="nothing can be published"):
                city.publish(qid=("age",), population={"municipality": "Delft", "gender": "f"}, n_people=500)
        city.publish(qid=("age",), population={"municipality": "Utrecht"})


def test_a_text_that_does_not_match_its_reference_stops_everything(city: Publisher) -> None:
    ref = city.publish().ref
    with city.store.database.engine.begin() as connection:
        connection.execute(sa.text("DROP TRIGGER entries_no_update"))
        connection.execute(sa.text("UPDATE entries SET statement = replace(statement, '1000', '1001')"))
    city.store = Repository(city.store.database)
    with pytest.raises(RepositoryError, match=f"{ref} was changed"):
        city.publish(population={"municipality": "elsewhere"})


def as_statement(counts: list[GroupCount]) -> Statement | None:
    """Return a statement with these counts, and as many people as its cells; None if its conditions contradict."""
    population, people = tuple(sorted(counts[0].group)), counts[0].people
    given: dict[str, Any] = {"date": date.fromordinal(counts[0].day).isoformat()}
    if len(counts) > 1:
        new = [dict(count.group - counts[0].group) for count in counts[1:]]
        cells = {tuple(value.values()): count.people for value, count in zip(new, counts[1:], strict=True)}
        given |= distributed(cells, qid=tuple(new[0]))
    named = {name.partition(":")[0] for name, _ in population}
    return (
        statement(**{"n_people": people, "population": population, **given}) if len(named) == len(population) else None
    )


def test_a_restarted_repository_decides_like_one_that_verified_and_compared_everything(city: Publisher) -> None:
    generator, numbers, texts, decisions = random.Random(5), dict[str, int](), set[str](), []
    everything = PublishedCounts(floor=100, is_whole=city.store.vocabulary().is_whole)
    for _ in range(45):
        made = as_statement(random_entry(generator, numbers))
        text = canonical(made.to_dict()) if made is not None else ""
        if made is None or text in texts:
            continue
        texts.add(text)
        wanted = everything.refuses(counts_of(made))
        restarted = Repository(city.store.database)
        try:
            restarted.publish(text, city.signing.sign(text), city.signing.public_key)
            decided = None
            everything.add(counts_of(made))
        except RefusedError as refused:
            decided = refused.rule
        assert decided == wanted
        decisions.append(decided)
    assert len(set(decisions)) >= 3
    assert decisions.count(None) >= 8


def test_the_collector_runs_again_after_reading(city: Publisher) -> None:
    city.publish()
    assert gc.isenabled()
