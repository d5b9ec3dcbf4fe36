"""Rows with their numbers: their positions in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.failures import spark_errors
from idbits.values.attributes import Attribute

__all__ = ["numbered", "numbered_batches"]

_BATCH_ROWS = 1 << 16
# Each part is fetched by its own job, and the largest must fit in the driver's memory.
_PART_ROWS = 1 << 18
_MOST_PARTS = 1 << 12


def numbered(counting: SparkCounting, attributes: Sequence[Attribute]) -> DataFrame:
    """Return the rows with at least one person, with the values of attributes and their numbers.

    Numbers begin with 1: files in the order of their names, and rows in the order of the file. The table must be opened
    with ``in_order``.
    """
    rows: DataFrame = counting.valued(attributes, F.col("file"), F.col("place"))
    counts = counting.source.frame.groupBy("file").agg(F.count(F.lit(1)).alias("rows"))
    files = sorted(
        ((row["file"], int(row["rows"])) for row in counting.session.rows(counts, "numbering rows")), key=_file_order
    )
    before = accumulate((number for _, number in files), initial=1)
    table = [(file, first) for (file, _), first in zip(files, before, strict=False)]
    begins = counting.session.spark.createDataFrame(table, "file string, first bigint")
    placed = rows.join(F.broadcast(begins), "file", "inner")
    placed = placed.withColumn("number", F.col("first") + F.col("place")).drop("file", "first", "place")
    return placed if counting.options.count is None else placed.where(F.col("weight") > 0)


def numbered_batches(counting: SparkCounting, frame: DataFrame, n_rows: int) -> Iterator[list[Row]]:
    """Yield the rows of a frame in the order of their numbers, in batches; ``n_rows`` is an estimate."""
    parts = min(_MOST_PARTS, 1 + n_rows // _PART_ROWS)
    # A sample decides where the parts begin; without caching, all rows would be computed again for it.
    kept = counting.keep(frame)
    with spark_errors():
        ordered = kept.repartitionByRange(parts, "number").sortWithinPartitions("number").toLocalIterator()
        while batch := list(islice(ordered, _BATCH_ROWS)):
            yield batch
    counting.drop(kept)


def _file_order(item: tuple[str, int]) -> tuple[int, str]:
    # Partitions are identified by number, files by path.
    return (int(item[0]), "") if item[0].isdigit() else (0, item[0])
