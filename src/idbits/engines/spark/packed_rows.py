"""Distinct rows on the cluster as one whole number each: the codes of their values, side by side.

Whole numbers are compared, sent and hashed in a fraction of the time that several dates and texts take. People who are
equal in all columns but one have the same number once the bits of that column are removed. Rows are divided among the
tasks by one column with many values, the pivot: groups that are equal in it are then complete in one task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum
from idbits.engines.spark.cohorts import with_units
from idbits.engines.spark.distinct import DistinctFrame
from idbits.engines.spark.hashed_values import hash_of
from idbits.engines.spark.set_copies import number_at

__all__ = ["PackedRows", "RowLayout", "layout_of", "packed_rows"]

_MOST_BITS = 62
# All tasks look the codes up in one table.
_MOST_VALUES = 1 << 20
_PART_ROWS = 250_000
# Each core should have several values of the pivot, even of the most frequent one.
_LEAST_TASKS = 2
_INT_BITS = 31


@dataclass(frozen=True, slots=True)
class RowLayout:
    """Where the code of each column is in the number of a row; codes begin with 1. The pivot has the highest bits.

    Attributes:
        pivot: the column by which rows are divided among tasks; None if no column has enough values.
        low_bits: the bits below those of the pivot.
    """

    shifts: tuple[int, ...]
    bits: tuple[int, ...]
    pivot: int | None
    low_bits: int

    def without(self, column: int) -> int:
        """Return the mask of the bits of all other columns, without the pivot's."""
        return ((1 << self.low_bits) - 1) & ~(((1 << self.bits[column]) - 1) << self.shifts[column])

    def keys(self, column: int) -> list[Column]:
        """Return what rows that are equal in all other columns have in common: one or two whole numbers."""
        others = F.col("packed").bitwiseAND(F.lit(self.without(column)).cast("bigint"))
        others = (others.cast("int") if self.low_bits <= _INT_BITS else others).alias(f"others{column}")
        return [others] if self.pivot in (None, column) else [F.col("pivot"), others]


def layout_of(spectra: Sequence[Spectrum], n_people: int, tasks: int) -> RowLayout | None:
    """Return the layout of columns with these spectra; None if their codes do not fit in one number.

    >>> layout_of([Spectrum.of({1: 6}), Spectrum.of({3: 2})], 6, 1)
    RowLayout(shifts=(2, 0), bits=(3, 2), pivot=0, low_bits=2)
    """
    bits = tuple(spectrum.n_sets.bit_length() for spectrum in spectra)
    if sum(bits) > _MOST_BITS or sum(spectrum.n_sets for spectrum in spectra) > _MOST_VALUES:
        return None
    largest = [int(spectrum.sizes[-1]) for spectrum in spectra]
    pivot = min(range(len(largest)), key=largest.__getitem__)
    has_pivot = len(bits) > 1 and largest[pivot] * tasks * _LEAST_TASKS <= n_people
    shifts, low_bits = [0] * len(bits), 0
    for column, width in enumerate(bits):
        if not (has_pivot and column == pivot):
            shifts[column] = low_bits
            low_bits += width
    if has_pivot:
        shifts[pivot] = low_bits
    return RowLayout(tuple(shifts), bits, pivot if has_pivot else None, low_bits)


@dataclass(frozen=True, slots=True)
class PackedRows:
    """Distinct rows as whole numbers.

    Attributes:
        frame: the number (packed), the code of the pivot, people, the logarithm of their number, and of each column the
            surprisal of the row's value (units0, ...) and its share of the prior (q0, ...); cached on the executors,
            divided by the pivot.
        parts: into how many parts the rows are divided.
    """

    frame: DataFrame
    parts: int
    layout: RowLayout


def packed_rows(
    distinct: DistinctFrame,
    layout: RowLayout,
    priors: DataFrame,
    logarithms: DataFrame,
    *,
    with_shares: bool,
    with_values: bool,
) -> PackedRows:
    """Return distinct rows as numbers.

    Args:
        priors: of each value its column, hash, surprisal in units, and prior share (q).
        logarithms: of the numbers of people that rows have.
        with_shares: whether prior shares are needed.
        with_values: whether the values v0, ... are needed.
    """
    counting, columns = distinct.counting, range(distinct.n_columns)
    codes = _codes(priors, layout)
    frame, packed = distinct.frame, F.lit(0).cast("bigint")
    shown = ["people", *(f"v{column}" for column in columns if with_values)]
    for column in columns:
        names = {"hash": f"hash{column}", "placed": f"placed{column}", "units": f"units{column}", "q": f"q{column}"}
        renamed = codes.select(*(F.col(name).alias(new) for name, new in names.items() if name != "q" or with_shares))
        is_meant = hash_of(column, F.col(f"v{column}")) == F.col(f"hash{column}")
        frame = frame.join(F.broadcast(renamed), is_meant, "inner")
        packed = packed + F.col(f"placed{column}")
        shown += [f"units{column}", *([f"q{column}"] if with_shares else [])]
    frame = with_units(frame, "people", logarithms, "log_people").select(packed.alias("packed"), "log_people", *shown)
    pivot = F.shiftright("packed", layout.low_bits).cast("int")
    parts = max(distinct.session.context.defaultParallelism, 1 + distinct.n_rows * len(columns) // (4 * _PART_ROWS))
    if layout.pivot is not None:
        frame = frame.withColumn("pivot", pivot).repartition(parts, "pivot")
    return PackedRows(counting.keep(frame), parts, layout)


def _codes(priors: DataFrame, layout: RowLayout) -> DataFrame:
    """Return the code of each value, in the order of the hashes, at its place in the number of a row."""
    # Codes must be the same if a lost worker's part is computed again.
    code = F.row_number().over(Window.partitionBy("column").orderBy("hash")).cast("bigint")
    placed = code * number_at(F.col("column"), [1 << shift for shift in layout.shifts])
    return priors.select("hash", placed.alias("placed"), "units", "q")
