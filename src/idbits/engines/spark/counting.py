"""The frames behind every count: rows, narrowed by the filter, the people of each value, and each row's number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate, islice

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines import where
from idbits.engines.base import OpenOptions
from idbits.engines.spark import values
from idbits.engines.spark.cells import AttributeExpressions
from idbits.engines.spark.failures import spark_errors
from idbits.engines.spark.filter import compile_filter
from idbits.engines.spark.session import ClusterSession
from idbits.engines.spark.source import SparkSource
from idbits.engines.spark.text_readings import ClusterReadings, count_numbers
from idbits.errors import DataError
from idbits.values.attributes import Attribute, Kind
from idbits.wording import counted

__all__ = ["SparkCounting", "numbered", "numbered_batches"]

_MOST_PEOPLE = 2**63 - 1
_BATCH_ROWS = 1 << 16
# Each part is fetched by its own job, and the largest must fit in the driver's memory.
_PART_ROWS = 1 << 18
_MOST_PARTS = 1 << 12


class SparkCounting:
    """Builds the frames of one table, after detecting how to read its texts."""

    def __init__(self, session: ClusterSession, source: SparkSource, options: OpenOptions) -> None:
        self.session = session
        self.source = source
        self.options = options
        self.cells = AttributeExpressions(source, session, options.zone)
        self.notes = list(source.notes)
        self._where = where.parse(options.where, source.kinds) if options.where is not None else None
        self._dictionaries: dict[Attribute, DataFrame] = {}
        self._kept: list[DataFrame] = []
        self._readings = ClusterReadings(session, source, self.cells, options, self.note)

    def keep(self, frame: DataFrame) -> DataFrame:
        """Cache a frame on the executors until the table is closed."""
        kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self._kept.append(kept)
        return kept

    def drop(self, frame: DataFrame) -> None:
        """Remove a frame from the executors' cache."""
        if frame in self._kept:
            self._kept.remove(frame)
        frame.unpersist()

    @contextmanager
    def kept(self, frame: DataFrame) -> Iterator[DataFrame]:
        """Cache a frame on the executors while it is used."""
        cached = self.keep(frame)
        try:
            yield cached
        finally:
            self.drop(cached)

    def close(self) -> None:
        """Remove all frames from the executors' cache."""
        for frame in self._kept:
            frame.unpersist()
        self._kept.clear()

    @cached_property
    def rows(self) -> DataFrame:
        """The rows that pass the filter, with their weight in counted tables."""
        frame = self.source.frame
        if self._where is not None:
            frame = frame.where(compile_filter(self._where, self.source, self._filter_commas()))
        count = self.options.count
        if count is None:
            return frame
        frame = frame.withColumn("weight", values.count_of(self.source.value(count), self.source.kinds[count]))
        self._check_counts(frame, count)
        return frame

    def _check_counts(self, frame: DataFrame, count: str) -> None:
        bad, people = self.session.only_row(
            frame.agg(F.count_if(F.col("weight").isNull()), F.sum(F.col("weight").cast("decimal(38,0)"))),
            "checking the counts",
        )
        if bad:
            raise DataError(
                f'the count column "{count}" must contain whole numbers of at least 0; in '
                f"{counted(int(bad), 'row')} it is empty or contains something else"
            )
        if people is not None and people > _MOST_PEOPLE:
            raise DataError(f'the count column "{count}" adds up to more than 2^63 people; check the column')

    @cached_property
    def first_numbers(self) -> list[tuple[str, int]]:
        """The number of the first row of each file."""
        counts = self.source.frame.groupBy("file").agg(F.count(F.lit(1)).alias("rows"))
        rows = self.session.rows(counts, "numbering rows")
        files = sorted(((str(row["file"]), int(row["rows"])) for row in rows), key=_file_order)
        before = accumulate((number for _, number in files), initial=1)
        return [(file, first) for (file, _), first in zip(files, before, strict=False)]

    @property
    def people(self) -> Column:
        """The aggregate that counts people."""
        total = F.count(F.lit(1)) if self.options.count is None else F.sum("weight")
        return total.alias("people")

    # Reading texts.

    def _filter_numbers(self) -> list[where.FilterColumn]:
        assert self._where is not None
        compared = (column for column in where.columns_of(self._where) if column.as_number)
        return sorted(compared, key=lambda column: column.name)

    def _filter_commas(self) -> set[str]:
        """Return the texts that the filter compares with numbers and that have a decimal comma."""
        columns = [column.name for column in self._filter_numbers()]
        if not columns:
            return set()
        texts = {name: self.source.value(name) for name in columns}
        numbers = count_numbers(self.session, self.source.frame, texts)
        for name in columns:
            numbers[name].require(name, "but the filter compares it with a number (put it in quotes to compare text)")
        return {name for name in columns if numbers[name].has_comma}

    def decide(self, attributes: Iterable[Attribute]) -> None:
        """Detect how to read texts, and check that each value can be read."""
        wanted = tuple(attributes)
        if not self._readings.are_known(wanted):
            self._readings.decide(self.rows, wanted)

    def note(self, note: str) -> None:
        """Add a note once."""
        if note not in self.notes:
            self.notes.append(note)

    # Values and their people.

    def valued(self, attributes: Sequence[Attribute], *more: Column) -> DataFrame:
        """Return rows with the values g0, g1, ... of attributes; o0, ... mark the values merged by ``top``."""
        self.decide(attributes)
        weight = [] if self.options.count is None else [F.col("weight")]
        stems = [self.cells.stem(attribute) for attribute in attributes]
        selected = [
            self.cells.expression(stem).alias(f"{'g' if stem == attribute else 'k'}{index}")
            for index, (stem, attribute) in enumerate(zip(stems, attributes, strict=True))
        ]
        frame = self.rows.select(*selected, *weight, *more)
        for index, attribute in enumerate(attributes):
            if stems[index] == attribute:
                continue
            dictionary = self._dictionary(attribute).toDF(f"r{index}", f"g{index}", f"o{index}")
            is_meant = F.col(f"k{index}") == F.col(f"r{index}")
            frame = frame.join(dictionary, is_meant, "left").drop(f"k{index}", f"r{index}")
            if attribute.transforms[-1].name == "top":
                frame = frame.withColumn(f"o{index}", F.coalesce(f"o{index}", F.lit(False)))
            else:
                frame = frame.drop(f"o{index}")
        return frame

    def _dictionary(self, attribute: Attribute) -> DataFrame:
        if attribute not in self._dictionaries:
            raw = self.cells.expression(self.cells.stem(attribute)).alias("raw")
            weight = [] if self.options.count is None else [F.col("weight")]
            rows = self.rows.select(raw, *weight).where(F.col("raw").isNotNull())
            self._dictionaries[attribute] = self.keep(
                self.cells.dictionary(attribute, rows.groupBy("raw").agg(self.people))
            )
        return self._dictionaries[attribute]

    @staticmethod
    def keys(attributes: Sequence[Attribute]) -> list[str]:
        """Return the columns that identify values."""
        names = []
        for index, attribute in enumerate(attributes):
            top = bool(attribute.transforms) and attribute.transforms[-1].name == "top"
            names += [f"g{index}", *([f"o{index}"] if top else [])]
        return names

    @staticmethod
    def with_times_as_text(frame: DataFrame, attributes: Sequence[Attribute]) -> DataFrame:
        """Return values g0, g1, ... in Python's range: it has no years before 1 or after 9999."""
        for index, attribute in enumerate(attributes):
            if attribute.result_kind in (Kind.DATE, Kind.TIMESTAMP):
                frame = frame.withColumn(f"g{index}", values.as_text(F.col(f"g{index}"), attribute.result_kind))
        return frame

    def grouped(self, attributes: Sequence[Attribute]) -> DataFrame:
        """Return the number of people per value."""
        return self.valued(attributes).groupBy(*self.keys(attributes)).agg(self.people)


def numbered(counting: SparkCounting, attributes: Sequence[Attribute]) -> DataFrame:
    """Return the rows with at least one person, with the values of attributes and their numbers.

    Numbers begin with 1: files in the order of their names, and rows in the order of the file. The table must be opened
    with ``in_order``.
    """
    rows: DataFrame = counting.valued(attributes, F.col("file"), F.col("place"))
    begins = counting.session.spark.createDataFrame(counting.first_numbers, "file string, first bigint")
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
