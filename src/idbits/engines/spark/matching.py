"""Compares a release with a population if Spark has both."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum
from idbits.engines.base import PopulationMatch
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.remote import mapped, match_texts
from idbits.values.attributes import Attribute, Kind

__all__ = ["match_frames"]


def match_frames(
    release: SparkCounting,
    attributes: Sequence[Attribute],
    population: SparkCounting,
    population_attributes: Sequence[Attribute],
    n_population: int,
) -> PopulationMatch:
    """Combine the two counts in one frame and group again, so that null matches null."""
    kinds = [
        (ours.result_kind, theirs.result_kind) for ours, theirs in zip(attributes, population_attributes, strict=True)
    ]
    by_text = [ours is not theirs or ours is Kind.NUMBER for ours, theirs in kinds]
    ours = _counted(release, attributes, by_text).withColumn("held", F.lit(0).cast("bigint"))
    theirs = _counted(population, population_attributes, by_text).select(
        *(f"g{index}" for index in range(len(attributes))),
        F.lit(0).cast("bigint").alias("people"),
        F.col("people").alias("held"),
    )
    values = (
        ours.unionByName(theirs)
        .groupBy(*(f"g{index}" for index in range(len(attributes))))
        .agg(F.sum("people").alias("people"), F.sum("held").alias("held"))
        .where(F.col("people") > 0)
    )
    more = F.count_if(F.col("people") > F.col("held"))
    rows = release.session.rows(
        values.groupBy("held").agg(F.count(F.lit(1)), F.sum("people"), more), "comparing with the population"
    )
    held = [(int(size), int(sets), int(people)) for size, sets, people, _ in rows if size]
    missing_values, missing_people = next(((int(s), int(p)) for size, s, p, _ in rows if not size), (0, 0))
    spectrum = Spectrum.against(held, n_population, sum(sets for _, sets, _ in held))
    return PopulationMatch(spectrum, missing_values, missing_people, sum(int(over) for size, *_, over in rows if size))


def _counted(counting: SparkCounting, attributes: Sequence[Attribute], by_text: Sequence[bool]) -> DataFrame:
    """Return the people per value; numbers and values of different kinds as texts that make them comparable."""
    frame = counting.grouped(attributes)
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
    keys = [f"g{index}" for index in range(len(attributes))]
    with_texts: DataFrame = mapped(frame, match_texts(texts), schema)
    # Values with the same text are merged.
    return with_texts.groupBy(*keys).agg(F.sum("people").alias("people"))
