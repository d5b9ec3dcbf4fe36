"""Attributes in Spark: a column's value, coarsened step by step.

Transforms that Spark can express are expressions on rows. Those that need exact decimal arithmetic (``band`` of
fractions, numbers in texts) or all values (``top``) are done once per distinct value, and rows are joined with the
results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark import dates, values
from idbits.engines.spark.remote import coarser_values, label_texts, mapped
from idbits.engines.spark.session import ClusterSession
from idbits.engines.spark.source import SparkSource
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.readings import TextReadings
from idbits.values.zones import Zone

__all__ = ["AttributeExpressions", "expressible"]

BatchMapping = Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]


def expressible(attribute: Attribute) -> int:
    """Return how many transforms, from the first, Spark can express.

    >>> from idbits.values.attributes import parse_attribute
    >>> expressible(parse_attribute("n:prefix2:band5:top3", {"n": Kind.TEXT}))
    1
    """
    for index, (transform, kind) in enumerate(attribute.steps()):
        exact = transform.wants_numbers and transform.result_kind(kind) is not Kind.INTEGER
        if transform.name == "top" or exact:
            return index
    return len(attribute.transforms)


def _first(attribute: Attribute, number: int) -> Attribute:
    return Attribute(attribute.column, attribute.kind, attribute.transforms[:number])


class AttributeExpressions:
    """The values of the attributes of one table."""

    def __init__(self, source: SparkSource, session: ClusterSession, zone: Zone | None) -> None:
        self._source = source
        self._session = session
        self._zone = zone
        self.readings = TextReadings()
        # The zones of instants, and which times are in the far future.
        self.zones: dict[Attribute, Zone] = {}
        self.far: set[Attribute] = set()

    def stem(self, attribute: Attribute) -> Attribute:
        """Return the longest prefix of an attribute that Spark can express."""
        return _first(attribute, expressible(attribute))

    def expression(self, attribute: Attribute) -> Column:
        """Return the value of an attribute that Spark can express on rows."""
        value, spark_type = self._source.value(attribute.column), self._source.type_of(attribute.column)
        for index, (transform, kind) in enumerate(attribute.steps()):
            value = self._step(value, transform, kind, _first(attribute, index), spark_type)
            spark_type = "int" if transform.wants_dates else spark_type
        return value

    def _step(self, value: Column, transform: Transform, kind: Kind, before: Attribute, spark_type: str) -> Column:
        if transform.name == "prefix":
            assert transform.argument is not None
            return F.substring(value.cast("string"), 1, min(int(transform.argument), 2**31 - 1))
        if transform.wants_dates:
            if kind is Kind.TEXT:
                reading = self.readings.dates[before]
                is_far = before in self.far
                value = dates.date_from_text(value, reading.forms, reading.order, self._zone, is_far=is_far)
            elif before in self.zones:
                value = dates.in_zone(value, self.zones[before], is_far=before in self.far)
            return values.coarser_date(value, transform.name)
        return values.coarser_integer(value, transform, spark_type)

    def dictionary(self, attribute: Attribute, counted: DataFrame) -> DataFrame:
        """Return a frame (raw, value, other) from the distinct values (raw, people) of a column.

        ``other`` marks the values merged by ``top``.
        """
        begin = expressible(attribute)
        staged = counted.select("raw", "people", F.col("raw").alias("value"), F.lit(False).alias("other"))
        for index, (transform, kind) in enumerate(attribute.steps()):
            if index < begin:
                continue
            before = _first(attribute, index)
            if transform.name == "top":
                staged = self._top(staged, transform, before)
            else:
                if kind is Kind.TEXT and self.readings.commas[before]:
                    staged = staged.withColumn("value", F.translate("value", ",", "."))
                staged = self._python(staged, coarser_values(transform), "value")
        return staged.select("raw", "value", "other")

    def _python(self, staged: DataFrame, function: BatchMapping, *texts: str) -> DataFrame:
        """Map a frame on the workers with a function that converts some columns to text."""
        self._session.ship()
        fields = ((column.name, column.dataType.simpleString()) for column in staged.schema.fields)
        schema = ", ".join(f"`{name}` {'string' if name in texts else spark_type}" for name, spark_type in fields)
        outcome: DataFrame = mapped(staged, function, schema)
        return outcome

    def _top(self, staged: DataFrame, transform: Transform, before: Attribute) -> DataFrame:
        assert transform.argument is not None
        ranked = (
            staged.where(F.col("value").isNotNull())
            .groupBy("value")
            .agg(F.sum("people").alias("people"))
            .withColumn("text", F.col("value"))
        )
        number = min(int(transform.argument), 2**31 - 2)
        kept = (
            self.with_texts(ranked, [("text", before)])
            .orderBy(F.col("people").desc(), "text")
            .limit(number)
            .select(F.col("value").alias("kept"))
        )
        joined = staged.join(kept, F.col("value") == F.col("kept"), "left")
        other = F.col("value").isNotNull() & F.col("kept").isNull()
        return joined.select("raw", "people", F.col("kept").alias("value"), other.alias("other"))

    def with_texts(self, frame: DataFrame, columns: list[tuple[str, Attribute]]) -> DataFrame:
        """Return a frame in which some columns of values are texts for sorting."""
        slow = []
        for name, attribute in columns:
            spark_type = frame.schema[name].dataType.simpleString()
            if attribute.result_kind is Kind.NUMBER and spark_type != "string":
                # Only Python writes numbers as all engines do.
                slow.append((name, Attribute(name, Kind.NUMBER)))
            else:
                frame = frame.withColumn(name, values.as_text(F.col(name), attribute.result_kind))
        return self._python(frame, label_texts(slow), *(name for name, _ in slow)) if slow else frame
