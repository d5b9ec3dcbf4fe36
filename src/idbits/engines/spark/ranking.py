"""Exact order statistics of a column of a frame, with a bounded number of values on the driver."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark.session import ClusterSession

__all__ = ["FrameRanking"]

_FEW = 200_000
_BUCKETS = 1_000


class FrameRanking:
    """People sorted by a column of their row; the frame has a column ``people``."""

    def __init__(self, session: ClusterSession, frame: DataFrame, column: str) -> None:
        self._session = session
        self._frame = frame
        self._column = column

    def at(self, positions: Sequence[int]) -> list[float]:
        """Return the values of the people at these positions in the order, counted from 0."""
        counts = self._frame.groupBy(F.col(self._column).alias("value")).agg(F.sum("people").alias("people"))
        (number,) = self._session.only_row(counts.agg(F.count(F.lit(1))), "ranking")
        known = self._listed(counts) if number <= _FEW else None
        return [self._at(counts, position, known) for position in positions]

    def people_above(self, levels: Sequence[float]) -> list[int]:
        """Return how many people have a value above each level."""
        sums = [F.sum(F.when(F.col(self._column) > F.lit(level), F.col("people")).otherwise(0)) for level in levels]
        return [int(number) for number in self._session.only_row(self._frame.agg(*sums), "counting people")]

    def _listed(self, counts: DataFrame) -> list[tuple[float, int]]:
        return sorted((float(value), int(people)) for value, people in self._session.rows(counts, "ranking"))

    def _at(self, counts: DataFrame, position: int, known: list[tuple[float, int]] | None) -> float:
        below = 0
        while known is None:
            low, high = self._session.only_row(counts.agg(F.min("value"), F.max("value")), "ranking")
            if low == high:
                return float(low)
            # Rounding does not change the order of values across buckets.
            part = (F.col("value") - F.lit(low)) / F.lit((high - low) / _BUCKETS)
            counts = counts.select("value", "people", F.least(F.floor(part), F.lit(_BUCKETS)).alias("bucket"))
            rows = self._session.rows(counts.groupBy("bucket").agg(F.sum("people"), F.count(F.lit(1))), "ranking")
            for bucket, people, number in sorted(map(tuple, rows)):
                if below + people > position:
                    counts = counts.where(F.col("bucket") == F.lit(bucket)).select("value", "people")
                    known = self._listed(counts) if number <= _FEW else None
                    break
                below += int(people)
        for value, people in known:
            below += people
            if below > position:
                return value
        raise AssertionError("this position is beyond the number of people")
