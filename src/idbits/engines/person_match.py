"""Compares the people of a release with a population on another engine, by the text of their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.counts import Value
from idbits.engines.backends.persons import PersonMatch, PersonRequest, Persons
from idbits.engines.base import labels_to_compare
from idbits.engines.plain_persons import match_records, people_by_value
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["match_by_text"]

Records = dict[int, Counter[tuple[Value, ...]]]


def match_by_text(
    release: Table,
    persons: Persons,
    attributes: Sequence[Attribute],
    population: Table,
    population_persons: Persons | None,
    population_attributes: Sequence[Attribute],
    request: PersonRequest,
) -> PersonMatch:
    """Compare people with a population; works for any two engines."""
    sizes, n_population = _sizes(population, population_persons, population_attributes)
    return match_records(_records(release, persons, attributes), sizes, n_population, request)


def _sizes(
    population: Table, persons: Persons | None, attributes: Sequence[Attribute]
) -> tuple[Counter[tuple[Value, ...]], int]:
    """Return the people who have each value, and the number of all people."""
    if persons is not None:
        records = _records(population, persons, attributes)
        return people_by_value(records), len(records)
    histogram = population.histogram(attributes)
    people: Counter[tuple[Value, ...]] = Counter()
    for value, number in zip(histogram.values, histogram.people, strict=True):
        people[labels_to_compare(value)] += number
    return people, people.total()


def _records(table: Table, persons: Persons, attributes: Sequence[Attribute]) -> Records:
    records: Records = {}
    for person, value, rows in table.person_records(persons, attributes):
        records.setdefault(person, Counter())[labels_to_compare(value)] += rows
    return records
