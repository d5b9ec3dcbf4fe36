"""Compares the values of two tables on one cluster."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import PairCounts, Spectrum
from idbits.engines.base import PopulationMatch
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.remote import mapped, match_texts
from idbits.values.attributes import Attribute, Kind

__all__ = ["comparable_values", "compared_as_text", "match_frames", "pair_frames"]


def match_frames(
    release: SparkCounting,
    attributes: Sequence[Attribute],
    population: SparkCounting,
    population_attributes: Sequence[Attribute],
    n_population: int,
) -> PopulationMatch:
    """Combine the two counts in one frame and group again, so that null matches null."""
    values = _in_both_frames(release, attributes, population, population_attributes).where(F.col("people") > 0)
    more = F.count_if(F.col("people") > F.col("held"))
    rows = release.session.rows(
        values.groupBy("held").agg(F.count(F.lit(1)), F.sum("people"), more), "comparing with the population"
    )
    held = [(int(size), int(sets), int(people)) for size, sets, people, _ in rows if size]
    missing_values, missing_people = next(((int(s), int(p)) for size, s, p, _ in rows if not size), (0, 0))
    spectrum = Spectrum.against(held, n_population, sum(sets for _, sets, _ in held))
    return PopulationMatch(spectrum, missing_values, missing_people, sum(int(over) for size, *_, over in rows if size))


def pair_frames(
    first: SparkCounting,
    attributes: Sequence[Attribute],
    second: SparkCounting,
    second_attributes: Sequence[Attribute],
    *,
    null_is_value: bool,
) -> PairCounts:
    """Count values by how often each of two tables has them."""
    values = _in_both_frames(first, attributes, second, second_attributes)
    if not null_is_value:
        for index in range(len(attributes)):
            values = values.where(F.col(f"g{index}").isNotNull())
    rows = first.session.rows(values.groupBy("people", "held").agg(F.count(F.lit(1))), "comparing the tables")
    return PairCounts.of({(int(a), int(b)): int(n) for a, b, n in rows})


def _in_both_frames(
    first: SparkCounting,
    attributes: Sequence[Attribute],
    second: SparkCounting,
    second_attributes: Sequence[Attribute],
) -> DataFrame:
    """Return the people of each value in the first table (people) and in the second (held)."""
    by_text = compared_as_text(attributes, second_attributes)
    keys = first.keys(attributes)
    ours = _counted(first, attributes, by_text, keys).withColumn("held", F.lit(0).cast("bigint"))
    theirs = _counted(second, second_attributes, by_text, keys).select(
        *keys,
        F.lit(0).cast("bigint").alias("people"),
        F.col("people").alias("held"),
    )
    both = ours.unionByName(theirs).groupBy(*keys)
    return both.agg(F.sum("people").alias("people"), F.sum("held").alias("held"))


def compared_as_text(attributes: Sequence[Attribute], others: Sequence[Attribute]) -> list[bool]:
    """Return which attributes are compared by their text: numbers, and values of different kinds."""
    kinds = [(ours.result_kind, theirs.result_kind) for ours, theirs in zip(attributes, others, strict=True)]
    return [ours is not theirs or ours is Kind.NUMBER for ours, theirs in kinds]


def comparable_values(
    counting: SparkCounting,
    frame: DataFrame,
    attributes: Sequence[Attribute],
    by_text: Sequence[bool],
    keys: Sequence[str],
) -> DataFrame:
    """Return a frame whose values g0, g1, ... and marks o0, ... can be compared with those of another table.

    Different numbers may get the same text. What only this table merged is left out, since the other cannot have it.
    """
    for name in frame.columns:
        if name[0] == "o" and name[1:].isdigit() and name not in keys:
            frame = frame.where(~F.col(name)).drop(name)
    frame = frame.withColumns({name: F.lit(False) for name in keys if name not in frame.columns})
    texts = []
    for index, attribute in enumerate(attributes):
        if by_text[index]:
            texts.append((f"g{index}", attribute))
        elif attribute.result_kind is Kind.INTEGER:
            frame = frame.withColumn(f"g{index}", F.col(f"g{index}").cast("decimal(38,0)"))
    if not texts:
        return frame
    frame = counting.with_times_as_text(frame, attributes)
    counting.session.ship()
    names = {name for name, _ in texts}
    fields = ((column.name, column.dataType.simpleString()) for column in frame.schema.fields)
    schema = ", ".join(f"`{name}` {'string' if name in names else spark_type}" for name, spark_type in fields)
    with_texts: DataFrame = mapped(frame, match_texts(texts), schema)
    return with_texts


def _counted(
    counting: SparkCounting, attributes: Sequence[Attribute], by_text: Sequence[bool], keys: Sequence[str]
) -> DataFrame:
    """Return the people per value."""
    frame = comparable_values(counting, counting.grouped(attributes), attributes, by_text, keys)
    return frame.groupBy(*keys).agg(F.sum("people").alias("people")) if any(by_text) else frame
