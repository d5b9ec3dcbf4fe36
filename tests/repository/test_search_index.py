"""The index of queries: compared with reading all entries, while others publish, and by what a query reads."""

from __future__ import annotations

import random

import pytest
import sqlalchemy as sa
from helpers import Publisher
from test_exclusive_parts import random_group

from idbits.repository import Repository
from idbits.repository.bounds import relation
from idbits.repository.conditions import implies, make_condition
from idbits.repository.search_index import SearchIndex

QIDS = [("gender",), ("age",), ("age:band5",), ("age:band5", "gender"), ("age", "gender"), ("education", "gender"),
        ("postcode",), ("postcode:prefix2",)]  # fmt: skip


def fields(generator: random.Random) -> dict[str, object]:
    """Return the quasi-identifier and population of a random entry, with one condition per attribute."""
    pairs = {"country": "n"} | dict(random_group(generator) if generator.random() < 0.8 else ())
    return {"qid": generator.choice(QIDS), "population": pairs, "n_people": generator.randint(1, 90) * 1000}


def related_by_reading_all(store: Repository, qid: tuple[str, ...], population: dict[str, str]) -> list[int]:
    mine = frozenset(make_condition(name, value) for name, value in population.items())
    found = []
    for entry in store.entries(limit=1000, status=("current", "superseded", "retracted")).entries:
        theirs = frozenset(make_condition(name, value) for name, value in entry.statement.population)
        near = theirs != mine and (implies(mine, theirs) or implies(theirs, mine))
        if near and relation(qid, entry.statement.qid) is not None:
            found.append(entry.sequence)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_same_entries_as_reading_all_while_others_publish(city: Publisher, seed: int) -> None:
    generator, index, sizes = random.Random(seed), SearchIndex(), set()
    # Without the rules, so that there are many entries.
    city.store._published.refuses = lambda *_: None  # type: ignore[method-assign]
    for _ in range(30):
        city.publish(**fields(generator))
        asked = fields(generator)
        qid, population = asked["qid"], asked["population"]
        assert isinstance(qid, tuple)
        assert isinstance(population, dict)
        with city.store.database.reading() as connection:
            found = index.related(connection, qid, tuple(population.items()))
        assert found == related_by_reading_all(city.store, qid, population)
        sizes.add(len(found))
    assert len(sizes) > 4


def test_a_query_reads_only_entries_that_it_touches_and_those_that_are_new(store: Repository) -> None:
    city = Publisher(store)
    for number in range(30):
        city.publish(population={"municipality": f"town {number}"})
    city.publish(population={"municipality": "town 3", "education": "high"}, n_people=600)
    asked = ["gender"], {"municipality": "town 3"}
    first = store.query(*asked)
    rows: list[int] = []

    plans = []

    def note(_: object, __: object, sql: str, given: object, *___: object) -> None:
        plans.append((sql, given))

    sa.event.listen(store.database.engine, "before_cursor_execute", note)
    assert store.query(*asked) == first
    sa.event.remove(store.database.engine, "before_cursor_execute", note)
    with store.database.engine.connect() as connection:
        for sql, given in plans:
            if "FROM entries" in sql:
                rows.append(len(connection.exec_driver_sql(sql, given).fetchall()))
    # The entry itself, twice (exact, and the same people), the narrower one, their numbers, and no new entries.
    assert sorted(rows) == [0, 1, 1, 1, 1]


def test_a_retracted_entry_is_no_longer_used(store: Repository) -> None:
    city = Publisher(store)
    city.publish(qid=("age",), population={"country": "n"}, n_people=9000, n_values=16, entropy_bits=3.5)
    asked = (["age"], {"country": "n", "municipality": "a"}, 4000)
    bounds = store.query(*asked).bounds
    refs = {ref for bound in bounds for ref in bound.refs}
    assert len(refs) == 1
    store.retract(next(iter(refs)), "wrong", by="city")
    assert not {ref for bound in store.query(*asked).bounds for ref in bound.refs}
