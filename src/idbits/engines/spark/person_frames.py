"""The frames that count people on the cluster, from the distinct pairs of value and person.

All figures of a question are collected at once, by one job: each row begins with the figure that it counts. Rows
without a person that are people of their own stay together if they have the same value; ``people`` is then the number
of people that a pair stands for. Every step groups by values, so a lost partition is rebuilt identically.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.engines.spark.counting import SparkCounting
from idbits.values.attributes import Attribute

__all__ = [
    "N_NUMBERS", "PersonFrames", "cells_of_row", "figure", "listed", "only_home", "with_null_flags", "with_people",
]  # fmt: skip

N_NUMBERS = 5
"""The most numbers that a row of a figure has."""


def figure(name: str, frame: DataFrame, *numbers: Column, text: Column | None = None) -> DataFrame:
    """Return a frame of numbers in the form in which all figures are collected."""
    cells = [numbers[index] if index < len(numbers) else F.lit(None) for index in range(N_NUMBERS)]
    category = [F.col(column) for column in ("g0", "o0") if column in frame.columns]
    return frame.select(
        F.lit(name).alias("figure"),
        (F.lit(None).cast("string") if text is None else text).alias("listed"),
        *(cell.cast("bigint").alias(f"n{index}") for index, cell in enumerate(cells)),
        *category,
    )


def cells_of_row(row: Row) -> tuple[Any, ...]:
    """Return the list of a collected figure, if it has one, and its numbers."""
    texts = [] if row["listed"] is None else [row["listed"]]
    return (*texts, *(row[f"n{index}"] for index in range(N_NUMBERS) if row[f"n{index}"] is not None))


def listed(items: Column) -> Column:
    """Return an array of structs of whole numbers as text, in an order."""
    texts = F.transform(F.array_sort(items), lambda item: F.concat_ws(":", item.getField("a"), item.getField("b")))
    return F.array_join(texts, ",")


def with_null_flags(frame: DataFrame, indices: Sequence[int]) -> DataFrame:
    """Add whether some, and whether all of the values of some attributes are null."""
    nulls = [
        F.col(f"g{index}").isNull() & (~F.col(f"o{index}") if f"o{index}" in frame.columns else F.lit(True))
        for index in indices
    ]
    some, everything = reduce(lambda a, b: a | b, nulls), reduce(lambda a, b: a & b, nulls)
    return frame.withColumns({"some_null": some, "all_null": everything})


class PersonFrames:
    """Builds the frames on the people of one table.

    Args:
        pairs: the values by their columns, the person p, ``n_rows``, ``people``, ``some_null`` and ``all_null``.
        values: the columns of a value.
        category: the columns of a category, if people are counted within categories.
        population: the values with the number of people (``held``) of a population, whose people make the groups.
    """

    def __init__(
        self,
        pairs: DataFrame,
        values: Sequence[str],
        category: Sequence[str] = (),
        population: DataFrame | None = None,
    ) -> None:
        self._values, self._category = list(values), list(category)
        self._both = None if population is None else pairs.unionByName(population, allowMissingColumns=True)
        group = Window.partitionBy(*self._category, *self._values)
        size = F.sum("people" if self._both is None else "held").over(group)
        # People without a name have one value, which distinguishes them.
        own = F.when(F.col("p").isNull(), F.struct(*self._values))
        sized = (pairs if self._both is None else self._both).withColumns({"k": F.coalesce(size, F.lit(0)), "own": own})
        self._pairs = sized.where(F.col("people").isNotNull())

    @classmethod
    def of(
        cls,
        counting: SparkCounting,
        persons: Persons,
        attributes: Sequence[Attribute],
        by: Attribute | None = None,
    ) -> PersonFrames:
        """Return the frames of a table."""
        before = [] if by is None else [by]
        person = Attribute(persons.column, counting.source.kinds[persons.column])
        everything = [*before, *attributes, person]
        n_category, n_values = len(counting.keys(before)), len(counting.keys([*before, *attributes]))
        keys = counting.keys(everything)
        grouped = with_null_flags(
            counting.grouped(everything), range(len(before), len(before) + len(attributes))
        ).withColumnRenamed(keys[-1], "p")
        return cls(with_people(grouped, persons), keys[n_category:n_values], keys[:n_category])

    def people(self, request: PersonRequest) -> DataFrame:
        """Return one row per person, with an array of what is needed of each value."""
        value = F.struct(*self._values).alias("value")
        item = F.struct(F.col("k").alias("a"), F.col("n_rows").alias("b"), value)
        needs_items = request.records or request.needs_lists
        return self._pairs.groupBy(*self._category, "p", "own").agg(
            F.sum("n_rows").alias("n_rows"),
            F.min("k").alias("k"),
            F.max((F.col("k") == 1) & ~F.col("some_null")).alias("has_full"),
            F.min("all_null").alias("only_nulls"),
            F.max("people").alias("people"),
            *([F.collect_list(item).alias("items")] if needs_items else []),
        )

    def figures(self, people: DataFrame, request: PersonRequest) -> list[DataFrame]:
        """Return the figures of a request; ``people`` is the frame of people."""
        total = F.sum("people").alias("total")
        by_null = ((F.col("k") == 1) & ~F.col("has_full")).alias("by_null")
        counted = people.groupBy(*self._category, "n_rows", "k", by_null, "only_nulls").agg(total)
        made = [figure("people", counted, *map(F.col, ("n_rows", "k", "by_null", "only_nulls", "total")))]
        held = people.where(F.col("k") > 0)
        if request.records:
            of_pair, size = F.col("item.b").alias("of_pair"), F.col("item.a").alias("k")
            exploded = held.select(*self._category, "n_rows", "people", F.explode("items").alias("item"))
            counted = exploded.groupBy(*self._category, "n_rows", of_pair, size).agg(total)
            made.append(figure("records", counted, *map(F.col, ("n_rows", "of_pair", "k", "total"))))
        if request.profiles:
            lists = held.groupBy(*self._category, listed(F.col("items")).alias("listed")).agg(total)
            made.append(figure("profiles", lists, F.col("total"), text=F.col("listed")))
        if request.sets:
            made.append(self._alike(people, "sets", F.transform("items", lambda item: item.getField("value"))))
        if request.multisets:
            with_rows = F.transform("items", lambda item: F.struct(item.getField("value"), item.getField("b")))
            made.append(self._alike(people, "multisets", with_rows))
        return made

    def _alike(self, people: DataFrame, name: str, items: Column) -> DataFrame:
        """Count the groups of people with the same items by their number of people."""
        sizes = people.groupBy(*self._category, F.array_sort(items)).agg(F.sum("people").alias("size"))
        groups = sizes.groupBy(*self._category, "size").agg(F.count(F.lit(1)).alias("groups"))
        return figure(name, groups, F.col("size"), F.col("groups"))

    def missing_and_overfull(self) -> DataFrame:
        """Count the values that the population does not have, and those that fewer people have there."""
        assert self._both is not None
        having, held = (F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in ("people", "held"))
        values = self._both.groupBy(*self._values).agg(having, held)
        missing = F.count_if((F.col("people") > 0) & (F.col("held") == 0)).alias("missing")
        overfull = F.count_if((F.col("held") > 0) & (F.col("people") > F.col("held"))).alias("overfull")
        return figure("values", values.agg(missing, overfull), F.col("missing"), F.col("overfull"))

    def people_in_several(self, people: DataFrame) -> DataFrame:
        """Count the people with rows in several categories."""
        named = people.where(F.col("p").isNotNull()).groupBy("p").agg(F.count(F.lit(1)).alias("categories"))
        number = named.where(F.col("categories") > 1).agg(F.count(F.lit(1)).alias("number"))
        return figure("several", number, F.col("number"))


def with_people(grouped: DataFrame, persons: Persons) -> DataFrame:
    """Return the pairs of a grouped frame, whose ``people`` are rows: their rows, and their people."""
    nobody = F.col("p").isNull()
    if not persons.null_is_own:
        grouped = grouped.where(~nobody)
    rows = F.col("people")
    return grouped.withColumns(
        {"n_rows": F.when(nobody, F.lit(1)).otherwise(rows), "people": F.when(nobody, rows).otherwise(F.lit(1))}
    )


def only_home(value: Sequence[str]) -> Column:
    """Return whether exactly one household has a value; people without a household (home) have one of their own."""
    group = Window.partitionBy(*value)
    low, high = F.min("home").over(group), F.max("home").over(group)
    own = F.sum(F.when(F.col("home").isNull(), F.col("people")).otherwise(F.lit(0))).over(group)
    return F.when(low.isNull(), own == 1).otherwise((low == high) & (own == 0))
