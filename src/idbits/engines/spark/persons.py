"""Counts people and households on the cluster, which returns only counts and, for categories, labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Value
from idbits.engines.backends.persons import (
    HouseholdCounts,
    PersonCategories,
    PersonCounts,
    PersonMatch,
    PersonRecord,
    PersonRequest,
    Persons,
    require_people,
)
from idbits.engines.counted_people import counted_households, counted_people
from idbits.engines.people_rows import people_rows_of_records
from idbits.engines.person_match import match_by_text
from idbits.engines.spark.distinct import shown_value
from idbits.engines.spark.household_frames import HouseholdFrames
from idbits.engines.spark.matching import comparable_values, compared_as_text
from idbits.engines.spark.person_frames import PersonFrames, cells_of_row, figure, with_null_flags, with_people
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.backends.gains import PeopleRows
    from idbits.engines.base import Table
    from idbits.engines.spark.counting import SparkCounting
    from idbits.engines.spark.session import ClusterSession
    from idbits.reading import OpenOptions

    class ClusterTable(Table, Protocol):
        """A table on a cluster."""

        session: ClusterSession
        counting: SparkCounting

        def few(self, frame: DataFrame, label_text: str, what: str) -> list[Row]: ...


__all__ = ["SparkPersonCounting"]

_COUNTING = "counting people"


class SparkPersonCounting:
    """Counts people where the rows are; all counts of a question are collected at once."""

    def person_counts(
        self: ClusterTable,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonCounts:
        """Count people by the values of their records."""
        require_people(options.count is not None)
        frames = PersonFrames.of(self.counting, persons, attributes)
        with self.counting.kept(frames.people(request)) as people:
            found = _collected(self, frames.figures(people, request))
        return counted_people(found, request).counts

    def person_counts_by_column(
        self: ClusterTable,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> list[PersonCounts]:
        """Count people by each of the attributes alone."""
        return [self.person_counts(persons, (attribute,), request, options) for attribute in attributes]

    def person_categories(
        self: ClusterTable,
        persons: Persons,
        by: Attribute,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
        *,
        at_least: int = 1,  # noqa: ARG002 (categories are identified by their labels)
    ) -> PersonCategories:
        """Count people within each category."""
        require_people(options.count is not None)
        frames = PersonFrames.of(self.counting, persons, attributes, by)
        with self.counting.kept(frames.people(request)) as people:
            made = [*frames.figures(people, request), frames.people_in_several(people)]
            rows = _rows(self, made, by)
        found: dict[Value, dict[str, list[tuple[Any, ...]]]] = {}
        several = 0
        for row in rows:
            if row["figure"] == "several":
                several = int(row["n0"])
            else:
                figures = found.setdefault(shown_value(row, 0, by), {})
                figures.setdefault(row["figure"], []).append(cells_of_row(row))
        counts = tuple((label, counted_people(figures, request).counts) for label, figures in found.items())
        return PersonCategories(counts, several)

    def person_match(
        self: ClusterTable,
        persons: Persons,
        attributes: Sequence[Attribute],
        population: Table,
        population_persons: Persons | None,
        population_attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonMatch:
        """Compare people with a population, on the cluster if it has both."""
        from idbits.engines.spark.table import SparkTable

        require_people(options.count is not None)
        if isinstance(population, SparkTable) and population.session.spark is self.session.spark:
            return _match(self, persons, attributes, population, population_persons, population_attributes, request)
        self.counting.note(
            "the distinct records were fetched from Spark, without the names of people, to compare them with the "
            "population, which is elsewhere"
        )
        return match_by_text(self, persons, attributes, population, population_persons, population_attributes, request)

    def person_records(self: ClusterTable, persons: Persons, attributes: Sequence[Attribute]) -> list[PersonRecord]:
        """Return the distinct records of each person; the names of people stay on the cluster."""
        everything = [*attributes, Attribute(persons.column, self.counting.source.kinds[persons.column])]
        keys = self.counting.keys(everything)
        grouped = self.counting.with_times_as_text(self.counting.grouped(everything), attributes)
        pairs = with_people(grouped.withColumnRenamed(keys[-1], "p"), persons)
        values = F.struct(*keys[:-1], "n_rows", "people")
        of_person = pairs.groupBy("p").agg(F.collect_list(values).alias("items"))
        frame = of_person.select(F.col("p").isNull().alias("nobody"), "items")
        records: list[PersonRecord] = []
        number = 0
        for row in self.few(frame, "fetching records", "the table has"):
            for item in row["items"]:
                value = tuple(shown_value(item, index, attribute) for index, attribute in enumerate(attributes))
                if row["nobody"]:
                    people = int(item["people"])
                    records += [(number + index, value, 1) for index in range(people)]
                    number += people
                else:
                    records.append((number, value, int(item["n_rows"])))
            number += 1
        return records

    def people_rows(self: ClusterTable, persons: Persons, attributes: Sequence[Attribute]) -> PeopleRows:
        """Return the distinct records of people as codes, with numbers instead of the names of people."""
        self.counting.note(
            "the distinct records were fetched from Spark, with numbers instead of the names of people, to compute the "
            "information gain of people"
        )
        return people_rows_of_records(self.person_records(persons, attributes), len(attributes))

    def household_counts(
        self: ClusterTable,
        household: str,
        persons: Persons | None,
        attributes: Sequence[Attribute],
        options: OpenOptions,
        *,
        by_set: bool = False,
    ) -> HouseholdCounts:
        """Count households."""
        require_people(options.count is not None)
        frames = HouseholdFrames(self.counting, household, persons, attributes, by_set=by_set)
        found = _collected(self, frames.figures())
        several, without = (sum(map(int, column)) for column in zip(*found["checked"], strict=True))
        if several:
            return HouseholdCounts((), 0, several, (), 0, 0, 0, ())
        return counted_households(found.get("risks", ()), found.get("compositions", ()), without)


def _rows(table: ClusterTable, figures: Sequence[DataFrame], by: Attribute | None = None) -> list[Row]:
    together = reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), figures)
    if by is not None:
        together = table.counting.with_times_as_text(together, [by])
    return table.few(together, _COUNTING, "the counts of people have")


def _collected(table: ClusterTable, figures: Sequence[DataFrame]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of figures by their names, from one job."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for row in _rows(table, figures):
        found.setdefault(row["figure"], []).append(cells_of_row(row))
    return found


def _match(
    table: ClusterTable,
    persons: Persons,
    attributes: Sequence[Attribute],
    population: ClusterTable,
    population_persons: Persons | None,
    population_attributes: Sequence[Attribute],
    request: PersonRequest,
) -> PersonMatch:
    keys = table.counting.keys(attributes)
    by_text = compared_as_text(attributes, population_attributes)
    ours = _comparable_pairs(table.counting, persons, attributes, by_text, keys)
    theirs, n_population = _held(population, population_persons, population_attributes, by_text, keys)
    frames = PersonFrames(ours, keys, population=theirs)
    wanted = replace(request, sets=False, multisets=False)
    with table.counting.kept(frames.people(wanted)) as people:
        figures = [*frames.figures(people, wanted), frames.missing_and_overfull(), n_population]
        found = _collected(table, figures)
    counted = counted_people(found, wanted)
    ((missing_values, overfull_values),) = found["values"]
    ((number,),) = found["population"]
    return PersonMatch(counted.counts, int(number), int(missing_values), counted.missing_people, int(overfull_values))


def _comparable_pairs(
    counting: SparkCounting,
    persons: Persons,
    attributes: Sequence[Attribute],
    by_text: Sequence[bool],
    keys: Sequence[str],
) -> DataFrame:
    """Return the pairs of value and person, with values that can be compared with those of another table."""
    everything = [*attributes, Attribute(persons.column, counting.source.kinds[persons.column])]
    grouped = counting.grouped(everything).withColumnRenamed(f"g{len(attributes)}", "p")
    values = comparable_values(counting, grouped, attributes, by_text, keys)
    if any(by_text):
        values = values.groupBy(*keys, "p").agg(F.sum("people").alias("people"))
    return with_people(with_null_flags(values, range(len(attributes))), persons)


def _held(
    population: ClusterTable,
    persons: Persons | None,
    attributes: Sequence[Attribute],
    by_text: Sequence[bool],
    keys: Sequence[str],
) -> tuple[DataFrame, DataFrame]:
    """Return the people of a population who have each value, and the figure of their number."""
    counting = population.counting
    if persons is None:
        frame = comparable_values(counting, counting.grouped(attributes), attributes, by_text, keys)
        everyone = counting.rows.agg(F.coalesce(counting.people, F.lit(0)).alias("number"))
    else:
        frame = _comparable_pairs(counting, persons, attributes, by_text, keys)
        person = Attribute(persons.column, counting.source.kinds[persons.column])
        people = with_people(counting.grouped([person]).withColumnRenamed("g0", "p"), persons)
        everyone = people.agg(F.coalesce(F.sum("people"), F.lit(0)).alias("number"))
    held = frame.groupBy(*keys).agg(F.sum("people").alias("held")).where(F.col("held") > 0)
    return held, figure("population", everyone, F.col("number"))
