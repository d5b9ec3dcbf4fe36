"""Which value people have at some places of an order, found on the cluster in a few jobs for all places together."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark.levels import LevelCells
from idbits.engines.spark.session import ClusterSession

__all__ = ["Extremes", "FrameRanking"]

_FEW = 200_000
_BUCKETS = 4_000


class _Range(NamedTuple):
    """Rows with neighbouring values: how many, the first and the last value, and the places looked for among them.

    Attributes:
        below: how many people come before all of them.
    """

    number: int
    low: float
    high: float
    below: int
    positions: Sequence[int]


class Extremes(NamedTuple):
    """The number of rows, the smallest and the largest value, and the largest value divided by a row's people."""

    number: int
    low: float
    high: float
    share: float


class FrameRanking:
    """People in the order of a column of their row, exactly, with a bounded number of values on the driver.

    The frame has a column ``people``.
    """

    def __init__(
        self, session: ClusterSession, frame: DataFrame, column: str, extremes: Extremes | None = None
    ) -> None:
        self._session = session
        # Each part writes a file per task that reads it: few parts for few groups.
        self._frame = frame.coalesce(session.context.defaultParallelism)
        self._column = column
        self._extremes = extremes

    def at(self, positions: Sequence[int]) -> list[float]:
        """Return the values of the people at these positions in the order, counted from 0."""
        values = self._frame.select(F.col(self._column).alias("value"), "people")
        everything = _Range(*self._ends(values), 0, sorted(set(positions)))
        found = dict(self._within(values, everything))
        return [found[position] for position in positions]

    def _ends(self, values: DataFrame) -> tuple[int, float, float]:
        if self._extremes is not None:
            return self._extremes[:3]
        figures = values.agg(F.count(F.lit(1)), F.min("value"), F.max("value"))
        number, low, high = self._session.only_row(figures, "ranking")
        return int(number), float(low), float(high)

    def people_above(self, levels: Sequence[float]) -> list[int]:
        """Return how many people have a value above each level."""
        cells = LevelCells.of(levels)
        if cells is None:
            sums = [F.sum(F.when(F.col(self._column) > F.lit(level), F.col("people")).otherwise(0)) for level in levels]
            return [int(number) for number in self._session.only_row(self._frame.agg(*sums), "counting people")]
        passed = cells.levels_below(F.col(self._column)).alias("passed")
        rows = self._session.rows(self._frame.groupBy(passed).agg(F.sum("people").alias("people")), "counting people")
        people = {int(row["passed"]): int(row["people"]) for row in rows}
        return [sum(number for below, number in people.items() if below > cells.index(level)) for level in levels]

    def _within(self, rows: DataFrame, values: _Range) -> Iterator[tuple[int, float]]:
        """Yield the positions of a range with their values."""
        if values.low == values.high:
            yield from ((position, values.low) for position in values.positions)
            return
        if values.number <= _FEW:
            yield from _values_at(self._listed(rows), values)
            return
        # Rounding does not change the order of values across buckets.
        part = (F.col("value") - F.lit(values.low)) / F.lit((values.high - values.low) / _BUCKETS)
        rows = rows.select("value", "people", F.least(F.floor(part), F.lit(_BUCKETS)).alias("bucket"))
        listed: dict[int, _Range] = {}
        for bucket, inner in self._buckets(rows, values):
            if inner.low == inner.high:
                yield from ((position, inner.low) for position in inner.positions)
            elif inner.number + sum(other.number for other in listed.values()) <= _FEW:
                listed[bucket] = inner
            else:
                yield from self._within(rows.where(F.col("bucket") == F.lit(bucket)), inner)
        if listed:
            pairs = self._listed(rows.where(F.col("bucket").isin(list(listed))))
            for inner in listed.values():
                yield from _values_at([pair for pair in pairs if inner.low <= pair[0] <= inner.high], inner)

    def _buckets(self, rows: DataFrame, values: _Range) -> Iterator[tuple[int, _Range]]:
        """Yield the buckets in which positions of a range are."""
        figures = (F.sum("people"), F.count(F.lit(1)), F.min("value"), F.max("value"))
        buckets = self._session.rows(rows.groupBy("bucket").agg(*figures), "ranking")
        below = values.below
        for bucket, people, number, low, high in sorted(map(tuple, buckets)):
            inside = [position for position in values.positions if below <= position < below + int(people)]
            if inside:
                yield int(bucket), _Range(int(number), float(low), float(high), below, inside)
            below += int(people)

    def _listed(self, rows: DataFrame) -> list[tuple[float, int]]:
        found = self._session.rows(rows.select("value", "people"), "ranking")
        return sorted((float(value), int(people)) for value, people in found)


def _values_at(pairs: Sequence[tuple[float, int]], values: _Range) -> Iterator[tuple[int, float]]:
    """Yield the positions of a range with their values, which are listed in order with the people who have them."""
    ends = list(itertools.accumulate((people for _, people in pairs), initial=values.below))
    for position in values.positions:
        yield position, pairs[bisect.bisect_right(ends, position) - 1][0]
