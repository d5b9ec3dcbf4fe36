"""Distinct rows on the cluster: each combination of values once, with its number of people, cached on the executors.

All combinations of columns are counted from these: grouping a few columns of distinct rows gives the same result as
grouping all rows, at a fraction of the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum, Value
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.remote import in_kind
from idbits.engines.spark.session import ClusterSession
from idbits.engines.spark.set_copies import batches, by_sets
from idbits.engines.spark.sizes import fixed_bytes
from idbits.values.attributes import Attribute
from idbits.values.labels import OTHER_VALUES, label

__all__ = ["DistinctFrame", "shown_value", "single_spectra", "values_of"]

_PART_ROWS = 250_000


def shown_value(row: Row, index: int, attribute: Attribute) -> Value:
    """Return the label of an attribute in a row of g0, ... (o0, ...)."""
    if getattr(row, f"o{index}", False):
        return OTHER_VALUES
    return label(in_kind(row[f"g{index}"], attribute.result_kind), attribute)


def values_of(valued: DataFrame, columns: int) -> list[Column]:
    """Return one column per attribute, in which the values merged by ``top`` differ from every other value."""
    values = []
    for index in range(columns):
        value = F.col(f"g{index}")
        if f"o{index}" in valued.columns:
            value = F.when(F.col(f"o{index}"), F.lit("o")).otherwise(F.concat(F.lit("v"), value.cast("string")))
        values.append(value)
    return values


class DistinctFrame:
    """The distinct rows of some attributes.

    Attributes:
        grouped: the values g0, ... (o0, ...) and their numbers of people, which may be 0, cached on the executors.
    """

    def __init__(self, counting: SparkCounting, attributes: Sequence[Attribute], n_rows: int) -> None:
        self.counting = counting
        self.session = counting.session
        self.attributes = tuple(attributes)
        # A cached frame keeps its parts, and every question about it reads all of them: few parts for few rows.
        parts = max(self.session.context.defaultParallelism, 1 + n_rows // _PART_ROWS)
        self.grouped: DataFrame = counting.keep(counting.grouped(attributes).coalesce(parts))

    @cached_property
    def frame(self) -> DataFrame:
        """The values v0, v1, ... and their numbers of people, without rows of 0 people.

        In as few parts as the distinct rows need, which may be far fewer than all rows: a task for few rows takes
        about as long as one for many.
        """
        parts = max(self.session.context.defaultParallelism, 1 + self.n_rows // _PART_ROWS)
        values = [value.alias(f"v{index}") for index, value in enumerate(values_of(self.grouped, self.n_columns))]
        held: DataFrame = self.grouped.coalesce(parts).where(F.col("people") > 0)
        return held.select(*values, "people")

    @classmethod
    def of_frame(cls, counting: SparkCounting, attributes: Sequence[Attribute], frame: DataFrame) -> DistinctFrame:
        """Return distinct rows that are a frame already."""
        made = object.__new__(cls)
        made.counting, made.session = counting, counting.session
        made.attributes = tuple(attributes)
        made.grouped = made.frame = counting.keep(frame)
        return made

    def narrowed(self, columns: Sequence[int]) -> DistinctFrame:
        """Return the distinct rows of some of the columns."""
        values = [F.col(f"v{column}").alias(f"v{index}") for index, column in enumerate(columns)]
        frame = self.frame.groupBy(*values).agg(F.sum("people").alias("people"))
        return DistinctFrame.of_frame(self.counting, [self.attributes[column] for column in columns], frame)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.attributes)

    @cached_property
    def _counted(self) -> list[tuple[int, int, int]]:
        """The numbers of people that distinct rows have, how many rows have each, and the bytes of their texts."""
        texts = [field.name for field in self.grouped.schema.fields if field.dataType.simpleString() == "string"]
        size = sum((F.coalesce(F.octet_length(name), F.lit(0)) for name in texts), F.lit(0)).cast("bigint")
        counts = self.grouped.groupBy("people").agg(F.count(F.lit(1)), F.sum(size))
        return [
            (int(people), int(sets), int(total))
            for people, sets, total in self.session.rows(counts, "counting distinct rows")
        ]

    @cached_property
    def whole(self) -> Spectrum:
        """The spectrum of all columns together."""
        return Spectrum.of((people, sets) for people, sets, _ in self._counted if people)

    @property
    def value_bytes(self) -> int:
        """The bytes that the values of all distinct rows take when they are sent."""
        values = (field for field in self.grouped.schema.fields if field.name != "people")
        fixed = sum(fixed_bytes(field.dataType.simpleString()) for field in values)
        return sum(sets * fixed + total for _, sets, total in self._counted)

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""
        return self.whole.n_sets

    @property
    def n_people(self) -> int:
        """The number of people."""
        return self.whole.n_people

    def single_spectra(self) -> list[Spectrum]:
        """Return the spectrum of each column by itself, with values that nobody has."""
        return single_spectra(self.session, self.grouped, self.n_columns, F.sum("people").alias("people"))

    def spectra(
        self, masks: Sequence[int], label: str = "counting combinations of columns"
    ) -> Iterator[tuple[int, Spectrum]]:
        """Yield the spectrum of each combination of columns: bit i of a mask is column i."""
        for spectra in self.spectra_in_batches(masks, label):
            yield from spectra.items()

    def spectra_in_batches(
        self, masks: Sequence[int], label: str = "counting combinations of columns"
    ) -> Iterator[dict[int, Spectrum]]:
        """Yield the spectra of combinations of columns, batch by batch."""
        for batch in batches(masks, self.n_rows):
            full = (1 << self.n_columns) - 1
            people = F.sum("people").alias("people")
            yield {full: self.whole} if batch == [full] else _spectra(self.session, self.frame, batch, people, label)


def single_spectra(session: ClusterSession, valued: DataFrame, columns: int, people: Column) -> list[Spectrum]:
    """Count each column of a frame of g0, ... (o0, ...) by itself; one job counts all."""
    values = [value.alias(f"v{index}") for index, value in enumerate(values_of(valued, columns))]
    beside = [name for name in ("people", "weight") if name in valued.columns]
    masks = [1 << column for column in range(columns)]
    spectra: dict[int, Spectrum] = {}
    for batch in batches(masks, n_rows=1):
        spectra |= _spectra(session, valued.select(*values, *beside), batch, people, "counting each column")
    return [spectra[mask] for mask in masks]


def _spectra(
    session: ClusterSession, frame: DataFrame, masks: Sequence[int], people: Column, label: str
) -> dict[int, Spectrum]:
    grouped, by_id = by_sets(frame, masks, people)
    pairs: dict[int, list[tuple[int, int]]] = {mask: [] for mask in masks}
    for row in session.rows(grouped.groupBy("id", "people").count(), label):
        pairs[by_id[int(row["id"])]].append((int(row["people"]), int(row["count"])))
    return {mask: Spectrum.of(sizes) for mask, sizes in pairs.items()}
