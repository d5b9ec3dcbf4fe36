"""Which value people have at some places of an order, found on the cluster in a few jobs for all places together."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark.session import ClusterSession

__all__ = ["FrameRanking"]

_FEW = 200_000
_BUCKETS = 1_000


class _Range(NamedTuple):
    """Neighbouring values: how many, the first and the last one, and the places that are looked for among them.

    Attributes:
        below: how many people come before all of them.
    """

    number: int
    low: float
    high: float
    below: int
    positions: Sequence[int]


class FrameRanking:
    """People in the order of a column of their row, exactly, with a bounded number of values on the driver.

    The frame has a column ``people``.
    """

    def __init__(self, session: ClusterSession, frame: DataFrame, column: str) -> None:
        self._session = session
        self._frame = frame
        self._column = column

    def at(self, positions: Sequence[int]) -> list[float]:
        """Return the values of the people at these positions in the order, counted from 0."""
        counts = self._frame.groupBy(F.col(self._column).alias("value")).agg(F.sum("people").alias("people"))
        number, low, high = self._session.only_row(
            counts.agg(F.count(F.lit(1)), F.min("value"), F.max("value")), "ranking"
        )
        everything = _Range(int(number), float(low), float(high), 0, sorted(set(positions)))
        found = dict(self._within(counts, everything))
        return [found[position] for position in positions]

    def people_above(self, levels: Sequence[float]) -> list[int]:
        """Return how many people have a value above each level."""
        sums = [F.sum(F.when(F.col(self._column) > F.lit(level), F.col("people")).otherwise(0)) for level in levels]
        return [int(number) for number in self._session.only_row(self._frame.agg(*sums), "counting people")]

    def _within(self, counts: DataFrame, values: _Range) -> Iterator[tuple[int, float]]:
        """Yield the positions of a range with their values."""
        if values.number <= _FEW:
            yield from _values_at(self._listed(counts), values)
            return
        # Rounding does not change the order of values across buckets.
        part = (F.col("value") - F.lit(values.low)) / F.lit((values.high - values.low) / _BUCKETS)
        counts = counts.select("value", "people", F.least(F.floor(part), F.lit(_BUCKETS)).alias("bucket"))
        listed: dict[int, _Range] = {}
        for bucket, inner in self._buckets(counts, values):
            if inner.number + sum(other.number for other in listed.values()) <= _FEW:
                listed[bucket] = inner
            else:
                yield from self._within(counts.where(F.col("bucket") == F.lit(bucket)), inner)
        if listed:
            pairs = self._listed(counts.where(F.col("bucket").isin(list(listed))))
            for inner in listed.values():
                yield from _values_at([pair for pair in pairs if inner.low <= pair[0] <= inner.high], inner)

    def _buckets(self, counts: DataFrame, values: _Range) -> Iterator[tuple[int, _Range]]:
        """Yield the buckets in which positions of a range are."""
        figures = (F.sum("people"), F.count(F.lit(1)), F.min("value"), F.max("value"))
        rows = self._session.rows(counts.groupBy("bucket").agg(*figures), "ranking")
        below = values.below
        for bucket, people, number, low, high in sorted(map(tuple, rows)):
            inside = [position for position in values.positions if below <= position < below + int(people)]
            if inside:
                yield int(bucket), _Range(int(number), float(low), float(high), below, inside)
            below += int(people)

    def _listed(self, counts: DataFrame) -> list[tuple[float, int]]:
        rows = self._session.rows(counts.select("value", "people"), "ranking")
        return sorted((float(value), int(people)) for value, people in rows)


def _values_at(pairs: Sequence[tuple[float, int]], values: _Range) -> Iterator[tuple[int, float]]:
    """Yield the positions of a range with their values, which are listed in order with the people who have them."""
    ends = list(itertools.accumulate((people for _, people in pairs), initial=values.below))
    for position in values.positions:
        yield position, pairs[bisect.bisect_right(ends, position) - 1][0]
