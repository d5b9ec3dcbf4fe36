"""Order statistics of a column of a frame, exactly, with a bounded number of values on the driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from idbits.engines.spark.session import ClusterSession

__all__ = ["people_above", "values_at"]

_FEW = 200_000
_BUCKETS = 1_000


def values_at(session: ClusterSession, frame: Any, column: str, positions: Sequence[int]) -> list[float]:
    """Return the values of the people at these places, counted from 0, when all stand in order."""
    from pyspark.sql import functions as F  # noqa: N812

    counts = frame.groupBy(F.col(column).alias("value")).agg(F.sum("people").alias("people"))
    (number,) = session.only_row(counts.agg(F.count(F.lit(1))), "ranking")
    known = _listed(session, counts) if number <= _FEW else None
    return [_value_at(session, counts, position, known) for position in positions]


def _listed(session: ClusterSession, counts: Any) -> list[tuple[float, int]]:
    return sorted((float(value), int(people)) for value, people in session.rows(counts, "ranking"))


def _value_at(session: ClusterSession, counts: Any, position: int, known: list[tuple[float, int]] | None) -> float:
    from pyspark.sql import functions as F  # noqa: N812

    below = 0
    while known is None:
        low, high = session.only_row(counts.agg(F.min("value"), F.max("value")), "ranking")
        if low == high:
            return float(low)
        # Rounding cannot put values into buckets in another order than their own.
        part = (F.col("value") - F.lit(low)) / F.lit((high - low) / _BUCKETS)
        counts = counts.select("value", "people", F.least(F.floor(part), F.lit(_BUCKETS)).alias("bucket"))
        rows = session.rows(counts.groupBy("bucket").agg(F.sum("people"), F.count(F.lit(1))), "ranking")
        for bucket, people, number in sorted(map(tuple, rows)):
            if below + people > position:
                counts = counts.where(F.col("bucket") == F.lit(bucket)).select("value", "people")
                known = _listed(session, counts) if number <= _FEW else None
                break
            below += int(people)
    for value, people in known:
        below += people
        if below > position:
            return value
    raise AssertionError("there are not so many people")


def people_above(session: ClusterSession, frame: Any, column: str, levels: Sequence[float]) -> list[int]:
    """Return how many people have a value above each level."""
    from pyspark.sql import functions as F  # noqa: N812

    sums = [F.sum(F.when(F.col(column) > F.lit(level), F.col("people")).otherwise(0)) for level in levels]
    return [int(number) for number in session.only_row(frame.agg(*sums), "counting people")]
