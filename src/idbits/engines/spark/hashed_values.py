"""The values of each column on the cluster as numbers, without any value on this machine.

A value is identified by a hash of it and its column. Two values with the same hash, in one column or in two, are found
while the values are counted; the columns are then compared by their values instead.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum
from idbits.engines.spark.distinct import DistinctFrame

__all__ = ["HashedValues", "hash_of"]

# Each column is counted by itself, so the plan grows with them.
_MOST_COLUMNS = 16
_PART_ROWS = 2_000_000


class HashedValues:
    """The values of each column of distinct rows.

    Attributes:
        frame: the column's number (column), the hash of the value (hash) and its people (k), cached on the executors.
        spectra: the spectrum of each column.
        are_distinct: whether all hashes differ.
    """

    def __init__(self, distinct: DistinctFrame) -> None:
        columns = range(distinct.n_columns)
        # Each part writes a file per task that reads it: few parts for few values.
        parts = max(distinct.session.context.defaultParallelism, 1 + distinct.n_rows // _PART_ROWS)
        rows = distinct.frame.coalesce(parts)
        counted = (
            rows.groupBy(f"v{column}")
            .agg(F.sum("people").alias("k"))
            .select(F.lit(column).alias("column"), hash_of(column, F.col(f"v{column}")).alias("hash"), "k")
            for column in columns
        )
        self.frame: DataFrame = distinct.counting.keep(reduce(DataFrame.union, counted).coalesce(parts))
        # One job counts the values, and finds those with the same hash, also in different columns.
        figures = F.count(F.lit(1)).alias("values"), F.max("column").alias("column"), F.max("k").alias("k")
        by_hash = self.frame.groupBy("hash").agg(*figures)
        sizes = by_hash.groupBy("column", "k").agg(F.sum("values").alias("values"), F.max("values").alias("most"))
        counts = distinct.session.rows(sizes, "counting each column")
        self.are_distinct = all(int(row["most"]) == 1 for row in counts)
        pairs: list[list[tuple[int, int]]] = [[] for _ in columns]
        for row in counts:
            pairs[int(row["column"])].append((int(row["k"]), int(row["values"])))
        self.spectra = [Spectrum.of(sizes) for sizes in pairs]

    @classmethod
    def of(cls, distinct: DistinctFrame) -> HashedValues | None:
        """Return the values of a few columns; None if there are many columns, or two values with the same hash."""
        if distinct.n_columns > _MOST_COLUMNS:
            return None
        values = cls(distinct)
        return values if values.are_distinct else None


def hash_of(column: int, value: Column) -> Column:
    """Return a number for a value of a column; null is a value."""
    return F.xxhash64(F.lit(column), value)
