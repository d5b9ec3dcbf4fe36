"""Information gain on the cluster: sums of whole numbers within cohorts, independent of the order of rows.

Logarithms come from the standard library, in units of 2^-50, joined with the few whole numbers that occur; Spark adds
and multiplies integers, and finally divides. Each floating-point step is the same as NumPy's on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import pyarrow
from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Integers
from idbits.engines.backends.gains import Belief
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.remote import mapped
from idbits.engines.spark.session import ClusterSession
from idbits.kernels.exact_sums import ROUNDING_UNITS

__all__ = ["Feature", "GainFrame", "add_feature", "finish", "start", "units_of", "with_units"]

_EXACT = "decimal(38,0)"
_SHARE_UNITS = 2.0**60
_UNIT = 2.0**-50
# A logarithm of a share takes fewer than 61 bits. Half of one, times that many people, takes fewer than 62.
_LOW_BITS = 30
_MOST_PEOPLE_IN_HALVES = 1 << 31
_PART_ROWS = 250_000
_COMPUTING = "computing information gain"


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature to be learnt.

    Attributes:
        index: its column is v{index}.
        known: the indices of the columns that the attacker knows.
        everything: whether these are all other columns.
        belief: what the attacker believes about it.
        prior: a frame of its values x, their prior share q and their surprisal in units.
        logarithms: the table of the logarithms of all numbers of people of cells and cohorts, in units.
        n_people: the people of all cohorts together.
    """

    index: int
    known: tuple[int, ...]
    everything: bool
    belief: Belief
    prior: DataFrame
    logarithms: DataFrame
    n_people: int


@dataclass(frozen=True, slots=True)
class GainFrame:
    """Distinct rows with their gain so far.

    Attributes:
        frame: values v0, ..., people, rig, c0, ... and s0, ... if cells and their surprise are needed, and t0, ...:
            the gain of all people of a cohort, in one of its rows.
        base: only the distinct rows.
        outcomes: the cells of each feature that the attacker learns from some columns only, with their totals.
        kept: the frame that the executors cache.
    """

    frame: DataFrame
    base: DataFrame
    cells: bool
    csf: bool
    outcomes: tuple[DataFrame, ...] = ()
    kept: DataFrame | None = None

    def with_feature(self, outcome: DataFrame, index: int, *more: Column) -> DataFrame:
        """Return the frame with the cig and csf of one more feature."""
        before = [name for name in self.frame.columns if name != "rig"]
        made = [F.col("cig").alias(f"c{index}")] if self.cells else []
        made += [F.col("csf").alias(f"s{index}")] if self.csf else []
        return outcome.select(*before, (F.col("rig") + F.col("cig")).alias("rig"), *made, *more)


def units_of(session: ClusterSession, numbers: Integers, units: Integers) -> DataFrame:
    """Return a table of whole numbers with a value for each, such as its logarithm.

    All features use the same table, so that Spark sends it to its workers once.
    """
    table = pyarrow.table({"number": pyarrow.array(numbers), "units": pyarrow.array(units)})
    made: DataFrame = session.spark.createDataFrame(table)
    return made


def with_units(frame: DataFrame, number: str, table: DataFrame, name: str) -> DataFrame:
    """Add a column with the value of each whole number in a column."""
    renamed = table.select(F.col("number").alias(f"{name}_of"), F.col("units").alias(name))
    return frame.join(F.broadcast(renamed), F.col(number) == F.col(f"{name}_of"), "inner").drop(f"{name}_of")


def start(frame: DataFrame, columns: int, *, cells: bool, csf: bool) -> GainFrame:
    """Start with no gain."""
    base = frame.select(*(f"v{index}" for index in range(columns)), "people")
    return GainFrame(base.withColumn("rig", F.lit(0.0)), base, cells, csf)


def add_feature(counting: SparkCounting, gained: GainFrame, feature: Feature) -> GainFrame:
    """Plan the gain of one feature for each row; nothing is computed yet."""
    value = f"v{feature.index}"
    known = [f"v{index}" for index in feature.known]
    cells = gained.frame if feature.everything else _cells(gained.base, [*known, value])
    valued = cells.join(feature.prior, F.col(value).eqNullSafe(F.col("x")), "inner").drop("x")
    outcome = _gains(counting.session, valued, known, value, feature)
    if feature.everything:
        total = F.col("total").alias(f"t{feature.index}")
        return replace(gained, frame=gained.with_feature(outcome, feature.index, total))
    # Cells are always counted from the distinct rows, without the gains so far.
    of_cells = outcome.select(*known, value, "people", "cig", "csf", "total")
    frame = gained.with_feature(_joined(gained.frame, of_cells), feature.index)
    return replace(gained, frame=frame, outcomes=(*gained.outcomes, of_cells))


def finish(
    counting: SparkCounting, gained: GainFrame, columns: int, n_rows: int
) -> tuple[GainFrame, list[int], list[int]]:
    """Compute the gains, which the executors cache; return the sums over people of each feature and of its surprise.

    Sums are in units. One job computes them for all features.
    """
    # Every question about the cached frame reads all of its parts: few parts for few rows.
    parts = max(counting.session.context.defaultParallelism, 1 + n_rows // _PART_ROWS)
    kept = counting.keep(gained.frame.coalesce(parts))
    if gained.outcomes:
        outcomes = [outcome.agg(*_sums("total", "csf")) for outcome in gained.outcomes]
        numbered = [outcome.withColumn("feature", F.lit(index)) for index, outcome in enumerate(outcomes)]
        rows = counting.session.rows(reduce(lambda one, other: one.union(other), numbered), _COMPUTING)
        found = {int(row["feature"]): (int(row["total"]), int(row["moved"])) for row in rows}
        totals, moved = ([found[index][place] for index in range(columns)] for place in (0, 1))
        return replace(gained, frame=kept, kept=kept), totals, moved if gained.csf else []
    names = range(columns)
    sums = [_sums(f"t{index}", f"s{index}" if gained.csf else None) for index in names]
    row = counting.session.only_row(kept.agg(*(column for pair in sums for column in pair)), _COMPUTING)
    numbers = [int(number) for number in row]
    shown = kept.drop(*(f"t{index}" for index in names))
    step = 2 if gained.csf else 1
    return replace(gained, frame=shown, kept=kept), numbers[::step], numbers[1::step] if gained.csf else []


def _cells(base: DataFrame, keys: Sequence[str]) -> DataFrame:
    return base.groupBy(*keys).agg(F.sum("people").alias("people"))


def _sums(total: str, csf: str | None) -> list[Column]:
    """Return the total gain of all people and, if needed, their surprise, in units."""
    sums = [F.sum(total).alias("total")]
    if csf is not None:
        people = F.col("people").cast("decimal(19,0)")
        sums.append(F.sum(F.rint(F.col(csf) * F.lit(2.0**50)).cast(_EXACT) * people).alias("moved"))
    return sums


def _joined(rows: DataFrame, cells: DataFrame) -> DataFrame:
    """Join each row with the result of its cell."""
    keys = [name for name in cells.columns if name.startswith("v")]
    renamed = cells.select(*(F.col(key).alias(f"key_{key}") for key in keys), "cig", "csf")
    condition = F.lit(True)
    for key in keys:
        condition = condition & F.col(key).eqNullSafe(F.col(f"key_{key}"))
    return rows.join(renamed, condition, "inner").drop(*(f"key_{key}" for key in keys))


def _gains(session: ClusterSession, cells: DataFrame, known: Sequence[str], value: str, feature: Feature) -> DataFrame:
    """Return cells with cig, csf and, on one cell of each cohort, the cohort's total."""
    keys: list[str] | list[Column] = list(known) or [F.lit(0)]
    cohort = Window.partitionBy(*keys)
    people, accuracy = F.col("people").cast("double"), feature.belief.accuracy
    frame = cells.withColumn("cohort", F.sum("people").over(cohort))
    nothing = F.lit(0).cast(_EXACT)
    if accuracy == 0:
        frame = frame.withColumn("cig", F.lit(0.0)).withColumn("sum", nothing)
    elif accuracy == 1:
        frame = with_units(frame, "people", feature.logarithms, "log_people")
        frame = with_units(frame, "cohort", feature.logarithms, "log_cohort")
        frame, total = _with_total(frame, cohort, feature.n_people)
        # Values that may be rounding errors are 0.
        least = F.col("cohort").cast("decimal(19,0)") * F.lit(ROUNDING_UNITS).cast("decimal(19,0)")
        learnt = F.when(total > least.cast(_EXACT), total.cast(_EXACT)).otherwise(nothing)
        frame = frame.withColumn("sum", learnt)
        size = F.col("cohort").cast("double")
        frame = frame.withColumn("cig", F.col("sum").cast("double") * (F.lit(_UNIT) / size))
    else:
        frame = _mixed(session, frame, feature.belief, cohort)
    first = F.row_number().over(cohort.orderBy(value))
    moved = people / F.col("cohort").cast("double") - F.col("q")
    frame = frame.withColumn("csf", F.lit(accuracy) * F.abs(moved))
    return frame.withColumn("total", F.when(first == 1, F.col("sum")).otherwise(nothing))


def _with_total(frame: DataFrame, cohort: WindowSpec, n_people: int) -> tuple[DataFrame, Column]:
    """Return a frame and the sum of people * (units + log_people) of a cohort less cohort * log_cohort, exactly."""
    units = F.col("units") + F.col("log_people")
    if n_people >= _MOST_PEOPLE_IN_HALVES:
        numbers = F.col("people").cast("decimal(19,0)") * units.cast("decimal(19,0)")
        spread = F.col("cohort").cast("decimal(19,0)") * F.col("log_cohort").cast("decimal(19,0)")
        return frame, F.sum(numbers).over(cohort).cast(_EXACT) - spread.cast(_EXACT)
    # Two sums of 64 bits take a fraction of the time of one sum of decimals.
    halves = []
    for half in (_high, _low):
        sums = F.sum(F.col("people") * half(units)).over(cohort)
        halves.append(sums - F.col("cohort") * half(F.col("log_cohort")))
    frame = frame.withColumns({"high": halves[0], "low": halves[1]})
    high = F.col("high").cast("decimal(19,0)") * F.lit(1 << _LOW_BITS).cast("decimal(10,0)")
    return frame, high.cast(_EXACT) + F.col("low").cast(_EXACT)


def _high(units: Column) -> Column:
    return F.shiftright(units, _LOW_BITS)


def _low(units: Column) -> Column:
    return units.bitwiseAND(F.lit((1 << _LOW_BITS) - 1).cast("bigint"))


def _mixed(session: ClusterSession, frame: DataFrame, belief: Belief, cohort: WindowSpec) -> DataFrame:
    """The attacker partly trusts the table: values outside the cohort keep their share of the prior."""
    session.ship()
    fields = [f"`{column.name}` {column.dataType.simpleString()}" for column in frame.schema.fields]
    frame = mapped(frame, _believed(belief), ", ".join([*fields, "`term` bigint"]))
    held = F.sum(F.rint(F.col("q") * F.lit(_SHARE_UNITS)).cast("bigint")).over(cohort).cast("double")
    outside = F.greatest(F.lit(0.0), F.lit(1.0) - held * F.lit(1 / _SHARE_UNITS))
    rest = F.lit(1 - belief.accuracy) * outside * F.lit(belief.untrusted_log2)
    inside = F.sum("term").over(cohort).cast("double") * F.lit(_UNIT)
    learnt = inside + rest
    frame = frame.withColumn("cig", F.when(learnt > F.lit(ROUNDING_UNITS * _UNIT), learnt).otherwise(F.lit(0.0)))
    whole = F.rint(F.col("cig") * F.lit(2.0**50)).cast("decimal(19,0)") * F.col("cohort").cast("decimal(19,0)")
    return frame.withColumn("sum", whole.cast(_EXACT))


def _believed(belief: Belief) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """Return a function that adds each cell's contribution to its cohort's gain, in units."""

    def with_terms(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            names = batch.schema.names
            people, cohort, expected = (
                batch.column(names.index(name)).to_numpy(zero_copy_only=False) for name in ("people", "cohort", "q")
            )
            yield batch.append_column("term", pyarrow.array(belief.believed_units(people, cohort, expected)))

    return with_terms
