"""Counts people who have several rows in combinations of columns on the cluster: many combinations in one job.

Each distinct pair of value and person is copied once per combination. A combination then plays the part of a category:
groups and people are counted within it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.backends.persons import PersonCounts, PersonRequest, Persons
from idbits.engines.counted_people import counted_people
from idbits.engines.person_subset_queries import PersonSubsetQueries
from idbits.engines.spark.distinct import DistinctFrame
from idbits.engines.spark.person_frames import PersonFrames, cells_of_row, with_people
from idbits.engines.spark.set_copies import batches, copies, number_at
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["SparkPersonSubsets"]

# Each has its own figures, which are collected on the driver.
_MOST_SETS = 512
_LABEL = "counting people in combinations of columns"
# The name of a category in frames of people.
_SET = "g0"


class SparkPersonSubsets(PersonSubsetQueries):
    """Counts people in combinations of the columns of distinct rows, whose last column identifies people."""

    def __init__(
        self,
        table: Table,
        rows: DistinctFrame,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> None:
        super().__init__(table, persons, attributes, request, options)
        self._rows = rows
        self.are_slow = False

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        singles = dict(self._rows.spectra(self._single_masks))
        return tuple(singles[mask].n_sets for mask in self._single_masks)

    @property
    def _single_masks(self) -> list[int]:
        return [1 << column for column in range(len(self._attributes))]

    def _counted(self, masks: Sequence[int]) -> Iterator[tuple[int, PersonCounts]]:
        wanted = list(dict.fromkeys(masks))
        if not self._single:
            # Every question begins with the columns by themselves, and all combinations have the same people.
            self._single |= self._count_together(self._single_masks)
        yield from ((mask, self._single[mask]) for mask in wanted if mask in self._single)
        others = [mask for mask in wanted if mask not in self._single]
        for batch in batches(others, self._rows.n_rows, _MOST_SETS):
            yield from self._count_together(batch).items()

    def _count_together(self, masks: Sequence[int]) -> dict[int, PersonCounts]:
        counting, session = self._rows.counting, self._rows.session
        pairs, keys = self._pairs(masks)
        frames = PersonFrames(pairs, keys, [_SET])
        with counting.kept(frames.people(self._request)) as people:
            figures = frames.figures(people, self._request)
            together = reduce(lambda some, more: some.unionByName(more), figures)
            rows = session.rows(together, _LABEL)
        found: dict[int, dict[str, list[tuple[Any, ...]]]] = {}
        for row in rows:
            found.setdefault(int(row[_SET]), {}).setdefault(row["figure"], []).append(cells_of_row(row))
        return {mask: counted_people(found.get(number, {}), self._request).counts for number, mask in enumerate(masks)}

    def _pairs(self, masks: Sequence[int]) -> tuple[DataFrame, list[str]]:
        """Return the distinct pairs of value and person of each combination, and the columns of a value."""
        named = self._rows.frame.withColumnRenamed(f"v{len(self._attributes)}", "p")
        copied, keys = copies(named, masks)
        pairs = copied.groupBy("id", *keys, "p").agg(F.sum("people").alias("people"))
        # What a combination does not have is null as well.
        nulls = sum((F.col(key).isNull().cast("int") for key in keys), F.lit(0))
        size = number_at(F.col("id"), [mask.bit_count() for mask in masks])
        n_null = nulls - (F.lit(len(keys)) - size)
        flagged = pairs.withColumns({"some_null": n_null > 0, "all_null": n_null == size})
        return with_people(flagged.withColumnRenamed("id", _SET), self._persons), keys
