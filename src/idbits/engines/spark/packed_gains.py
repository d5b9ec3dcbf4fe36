"""Information gain of the strongest attacker on the cluster, from rows that are whole numbers.

Each column has a table of its cohorts, the people who share all other columns: how many they are, and the sum of what
their values say, in whole numbers. Rows are joined with the gain of their cohort. All floating-point steps are those of
NumPy on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum
from idbits.engines.backends.gains import Belief
from idbits.engines.spark.cohorts import units_of, with_units
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.packed_rows import PackedRows
from idbits.engines.spark.ranking import Extremes
from idbits.engines.spark.remote import mapped
from idbits.kernels.exact_sums import FLOAT_BITS, LIMB_BITS, ROUNDING_UNITS

__all__ = ["PackedAttack", "PackedOutcome"]

_SHARE_UNITS = 2.0**60
_UNIT = 2.0**-50
_ALL_KEYS = "spark.sql.requireAllClusterKeysForCoPartition"
_COMPUTING = "computing information gain"
# In smaller tables, one more job takes longer than sending rows to their cohorts.
_FEWEST_ROWS = 1 << 18
_FEW_COHORTS = 1 << 17
_ROWS_PER_COHORT = 8
_MOST_IN_MEMORY = 1 << 21


@dataclass(frozen=True, slots=True)
class PackedOutcome:
    """The gain of each row.

    Attributes:
        frame: people, rig, c0, ... and s0, ... if cells and their surprise are needed, and v0, ... if values are;
            cached on the executors.
        totals: the gain of each feature summed over people, in units.
        surprises: the same of its surprise, if needed.
        spectra: the cohorts of each feature.
    """

    frame: DataFrame
    totals: tuple[int, ...]
    surprises: tuple[int, ...] | None
    spectra: tuple[Spectrum, ...]
    extremes: Extremes


@dataclass(frozen=True, slots=True)
class PackedAttack:
    """The attack on packed rows.

    Attributes:
        rows: the packed rows, with prior shares if an attacker trusts the table partly or ``csf`` is set.
        sizes: the spectrum of the people per row.
        cells: whether the gain of each cell is needed.
        csf: whether cell surprise factors are needed.
    """

    counting: SparkCounting
    rows: PackedRows
    beliefs: Sequence[Belief]
    sizes: Spectrum
    cells: bool
    csf: bool

    def run(self) -> PackedOutcome:
        """Return the gains, after which only they are cached on the executors."""
        counting, columns, rows = self.counting, range(len(self.beliefs)), self.rows.frame
        cohorts = [counting.keep(self._cohorts(rows, column)) for column in columns]
        spectra = self._spectra(cohorts)
        sizes = np.unique(np.concatenate([spectrum.sizes for spectrum in spectra]))
        logarithms = units_of(counting.session, sizes, self.beliefs[0].log2_units(sizes))
        # Rows and cohorts that are divided by the pivot meet in one task, although more than the pivot is compared.
        with counting.session.planning(_ALL_KEYS, "false"):
            gains = [self._gains(rows, cohorts[column], column, logarithms) for column in columns]
            kept = counting.keep(self._joined(rows, gains, spectra))
        extremes, totals, surprises = self._sums(kept, gains)
        partly = [frame for frame, belief in zip(gains, self.beliefs, strict=True) if 0 < belief.accuracy < 1]
        for frame in (*partly, *cohorts, rows):
            counting.drop(frame)
        return PackedOutcome(kept, totals, surprises if self.csf else None, tuple(spectra), extremes)

    def _keys(self, column: int) -> list[str]:
        others = f"others{column}"
        return [others] if self.rows.layout.pivot in (None, column) else ["pivot", others]

    def _cohorts(self, rows: DataFrame, column: int) -> DataFrame:
        """Return the people of each cohort (n), and the sum of people * (units + log_people) in two limbs."""
        sums = [F.sum("people").alias("n")]
        if self.beliefs[column].accuracy == 1:
            units = F.col(f"units{column}") + F.col("log_people")
            sums += [
                F.sum(F.col("people") * _high(units)).alias("high"),
                F.sum(F.col("people") * _low(units)).alias("low"),
            ]
        if column == self.rows.layout.pivot:
            # Its cohorts are usually few, and each part writes a file per task that reads it.
            few = self.counting.session.context.defaultParallelism
            return rows.coalesce(few).groupBy(*self.rows.layout.keys(column)).agg(*sums).coalesce(self.rows.parts)
        return rows.groupBy(*self.rows.layout.keys(column)).agg(*sums)

    def _spectra(self, cohorts: Sequence[DataFrame]) -> list[Spectrum]:
        few = self.counting.session.context.defaultParallelism
        numbers = [
            frame.coalesce(few).groupBy("n").count().withColumn("column", F.lit(index))
            for index, frame in enumerate(cohorts)
        ]
        pairs: list[list[tuple[int, int]]] = [[] for _ in cohorts]
        for row in self.counting.session.rows(reduce(DataFrame.union, numbers), _COMPUTING):
            pairs[int(row["column"])].append((int(row["n"]), int(row["count"])))
        return [Spectrum.of(sizes) for sizes in pairs]

    def _gains(self, rows: DataFrame, cohorts: DataFrame, column: int, logarithms: DataFrame) -> DataFrame:
        """Return the gain of each cohort (cig), and its sum over people in two limbs."""
        accuracy = self.beliefs[column].accuracy
        if accuracy == 0:
            nothing = F.lit(0).cast("bigint")
            return cohorts.withColumns({"cig": F.lit(0.0), "high": nothing, "low": nothing})
        if accuracy < 1:
            return self.counting.keep(self._partly_trusted(rows, cohorts, column))
        frame = with_units(cohorts, "n", logarithms, "log_n")
        low = F.col("low") - F.col("n") * _low(F.col("log_n"))
        high = F.col("high") - F.col("n") * _high(F.col("log_n")) + _high(low)
        frame = frame.withColumns({"high": high, "low": _low(low)})
        frame = frame.withColumn("total", _as_float("high", "low"))
        # Values that may be rounding errors are 0.
        is_learnt = F.col("total") > (F.col("n") * F.lit(ROUNDING_UNITS)).cast("double")
        cig = F.col("total") * (F.lit(_UNIT) / F.col("n").cast("double"))
        return frame.withColumns(
            {"cig": F.when(is_learnt, cig).otherwise(F.lit(0.0))}
            | {limb: F.when(is_learnt, F.col(limb)).otherwise(F.lit(0).cast("bigint")) for limb in ("high", "low")}
        )

    def _partly_trusted(self, rows: DataFrame, cohorts: DataFrame, column: int) -> DataFrame:
        """The attacker partly trusts the table: values outside the cohort keep their share of the prior."""
        belief, keys = self.beliefs[column], self._keys(column)
        self.counting.session.ship()
        cells = rows.select(*self.rows.layout.keys(column), "people", F.col(f"q{column}").alias("q"))
        cells = cells.join(cohorts.hint("shuffle_hash"), keys, "inner")
        fields = [f"`{field.name}` {field.dataType.simpleString()}" for field in cells.schema.fields]
        believed = mapped(cells, _believed(belief), ", ".join([*fields, "`term` bigint"]))
        held = F.sum(F.rint(F.col("q") * F.lit(_SHARE_UNITS)).cast("bigint")).cast("double")
        frame = believed.groupBy(*keys, "n").agg(F.sum("term").cast("double").alias("inside"), held.alias("held"))
        outside = F.greatest(F.lit(0.0), F.lit(1.0) - F.col("held") * F.lit(1 / _SHARE_UNITS))
        rest = F.lit(1 - belief.accuracy) * outside * F.lit(belief.untrusted_log2)
        learnt = F.col("inside") * F.lit(_UNIT) + rest
        frame = frame.withColumn("cig", F.when(learnt > F.lit(ROUNDING_UNITS * _UNIT), learnt).otherwise(F.lit(0.0)))
        units = F.rint(F.col("cig") * F.lit(2.0**50)).cast("bigint")
        sums = {"high": F.col("n") * _high(units), "low": F.col("n") * _low(units)}
        learned: DataFrame = frame.withColumns(sums)
        return learned

    def _joined(self, rows: DataFrame, gains: Sequence[DataFrame], spectra: Sequence[Spectrum]) -> DataFrame:
        """Join each row with the gains of its cohorts; first in the columns whose cohorts are in one task."""
        layout, columns = self.rows.layout, range(len(gains))
        shown = [name for name in rows.columns if name == "people" or name[0] == "v"]
        shares = [f"q{column}" for column in columns if self.csf]
        keys = [layout.keys(column)[-1] for column in columns]
        pivot = ["pivot"] if layout.pivot is not None else []
        frame = rows.select(*shown, *shares, *pivot, *keys)
        for column in sorted(columns, key=lambda column: column == layout.pivot):
            more = [F.col("n").alias(f"n{column}")] if self.csf else []
            cohorts = gains[column].select(*self._keys(column), F.col("cig").alias(f"c{column}"), *more)
            frame = frame.join(self._hinted(cohorts, column, spectra[column]), self._keys(column), "inner")
        rig = reduce(Column.__add__, (F.col(f"c{column}") for column in columns), F.lit(0.0))
        cells = [f"c{column}" for column in columns if self.cells]
        factors = [self._surprise(column).alias(f"s{column}") for column in columns if self.csf]
        return frame.select(*shown, rig.alias("rig"), *cells, *factors)

    def _hinted(self, cohorts: DataFrame, column: int, sizes: Spectrum) -> DataFrame:
        """Return cohorts with a hint of how tasks find those of their rows."""
        n_rows, are_divided = self.sizes.n_sets, self.rows.layout.pivot not in (None, column)
        is_small = n_rows >= max(_FEWEST_ROWS, sizes.n_sets * _ROWS_PER_COHORT) and sizes.n_sets <= _FEW_COHORTS
        if is_small and not are_divided:
            # Each task looks up all cohorts, so that no row has to be sent.
            return F.broadcast(cohorts)
        parts = self.rows.parts if are_divided else self.counting.session.shuffle_parts
        # A table in memory, unless a part has too many cohorts for it.
        return cohorts.hint("shuffle_hash") if sizes.n_sets <= parts * _MOST_IN_MEMORY else cohorts

    def _surprise(self, column: int) -> Column:
        moved = F.col("people").cast("double") / F.col(f"n{column}").cast("double") - F.col(f"q{column}")
        return F.lit(self.beliefs[column].accuracy) * F.abs(moved)

    def _sums(self, gained: DataFrame, gains: Sequence[DataFrame]) -> tuple[Extremes, tuple[int, ...], tuple[int, ...]]:
        """Return how the gains of rows are spread, and the sums over people of each feature and of its surprise.

        Sums are in units. One job computes all.
        """
        share = F.max(F.col("rig") / F.col("people").cast("double"))
        figures = [F.count(F.lit(1)), F.min("rig"), F.max("rig"), share]
        surprises = [F.rint(F.col(f"s{column}") * F.lit(2.0**50)) for column in range(len(gains)) if self.csf]
        moved = [F.col("people") * limb(units.cast("bigint")) for units in surprises for limb in (_high, _low)]
        parts = [gained.agg(F.lit(-1), F.array(*figures), F.array(*map(F.sum, moved)).cast("array<bigint>"))]
        parts += [
            frame.agg(F.lit(column), F.array(F.lit(0.0)), F.array(F.sum("high"), F.sum("low")))
            for column, frame in enumerate(gains)
        ]
        rows = self.counting.session.rows(reduce(DataFrame.union, parts), _COMPUTING)
        (_, (number, *ends), limbs), *totals = sorted(map(tuple, rows))
        assert int(number) == self.sizes.n_sets, "rows were lost while they were packed"
        return Extremes(int(number), *ends), _in_units([limb for row in totals for limb in row[2]]), _in_units(limbs)


def _in_units(limbs: Sequence[int]) -> tuple[int, ...]:
    """Return whole numbers from their high and low limbs."""
    return tuple((high << LIMB_BITS) + low for high, low in zip(limbs[::2], limbs[1::2], strict=True))


def _as_float(high: str, low: str) -> Column:
    """Return the number with these limbs as a float, rounded once."""
    limbs = F.col(high).cast("decimal(19,0)"), F.col(low).cast("decimal(19,0)")
    exact = (limbs[0] * F.lit(1 << LIMB_BITS).cast("decimal(10,0)") + limbs[1]).cast("double")
    quick = F.col(high).cast("double") * F.lit(2.0**LIMB_BITS) + F.col(low).cast("double")
    return F.when(F.shiftright(high, FLOAT_BITS) > 0, exact).otherwise(quick)


def _high(units: Column) -> Column:
    return F.shiftright(units, LIMB_BITS)


def _low(units: Column) -> Column:
    return units.bitwiseAND(F.lit((1 << LIMB_BITS) - 1).cast("bigint"))


def _believed(belief: Belief) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """Return a function that adds each cell's contribution to its cohort's gain, in units."""

    def with_terms(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            names = batch.schema.names
            people, cohort, expected = (
                batch.column(names.index(name)).to_numpy(zero_copy_only=False) for name in ("people", "n", "q")
            )
            yield batch.append_column("term", pyarrow.array(belief.believed_units(people, cohort, expected)))

    return with_terms
