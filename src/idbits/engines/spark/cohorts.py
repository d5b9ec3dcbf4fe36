"""Information gain on the cluster: sums of whole numbers within cohorts, so that no order of rows changes a digit.

Logarithms are those of the standard library, in units of 2^-50, joined to the few whole numbers that occur; Spark adds
and multiplies integers, and at last divides. Each step in floating point is the one that NumPy does on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.remote import mapped
from idbits.engines.spark.session import ClusterSession
from idbits.kernels.exact_sums import ROUNDING_UNITS

__all__ = ["Feature", "GainFrame", "add_feature", "finish", "start", "with_logarithms"]

_EXACT = "decimal(38,0)"
_SHARE_UNITS = 2.0**60
_UNIT = 2.0**-50


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature to be learnt.

    Attributes:
        place: its column is v{place}.
        known: the places of the columns that the attacker knows.
        everything: whether these are all other columns.
        values: a frame of its values x, their prior share q and their surprisal in units.
        accuracy: how far the table is trusted.
        believed: what gives the units of believed * log2(believed / q), for accuracies between 0 and 1.
        untrusted_log: log2(1 - accuracy), where that is more than 0.
    """

    place: int
    known: tuple[int, ...]
    everything: bool
    values: Any
    accuracy: float
    believed: Callable[[Iterator[Any]], Iterator[Any]] | None
    untrusted_log: float


@dataclass(frozen=True, slots=True)
class GainFrame:
    """Distinct rows with what is gained of them so far.

    Attributes:
        frame: values v0, ..., people, rig, and c0, ... and s0, ... where cells and their surprise are wanted.
        base: the distinct rows alone.
        kept: what the executors keep of the frame.
    """

    frame: Any
    base: Any
    cells: bool
    csf: bool
    kept: Any = None

    def with_feature(self, outcome: Any, place: int, *more: str) -> Any:
        """Return the frame with the cig and csf of one more feature."""
        from pyspark.sql import functions as F  # noqa: N812

        before = [name for name in self.frame.columns if name != "rig"]
        made = [F.col("cig").alias(f"c{place}")] if self.cells else []
        made += [F.col("csf").alias(f"s{place}")] if self.csf else []
        return outcome.select(*before, (F.col("rig") + F.col("cig")).alias("rig"), *made, *more)


def with_logarithms(session: ClusterSession, frame: Any, number: str, units: Mapping[int, int], name: str) -> Any:
    """Join the logarithms of the whole numbers that occur in a column, in units, as a new column."""
    from pyspark.sql import functions as F  # noqa: N812

    table = session.spark.createDataFrame(list(units.items()), f"`{name}_of` bigint, `{name}` bigint")
    joined = frame.join(F.broadcast(table), F.col(number) == F.col(f"{name}_of"), "inner")
    return joined.drop(f"{name}_of")


def start(frame: Any, columns: int, *, cells: bool, csf: bool) -> GainFrame:
    """Begin with nothing gained."""
    from pyspark.sql import functions as F  # noqa: N812

    base = frame.select(*(f"v{place}" for place in range(columns)), "people")
    return GainFrame(base.withColumn("rig", F.lit(0.0)), base, cells, csf)


def add_feature(
    counting: SparkCounting, gained: GainFrame, feature: Feature, units: Mapping[int, int], sizes: Mapping[int, int]
) -> tuple[GainFrame, int, int]:
    """Add the gain of one feature to each row; return its sum over people, and that of its surprise, in units.

    ``units`` and ``sizes`` are the logarithms of the people of cells and of cohorts.
    """
    from pyspark.sql import functions as F  # noqa: N812

    own = f"v{feature.place}"
    known = [f"v{place}" for place in feature.known]
    cells = gained.frame if feature.everything else _cells(gained.base, [*known, own])
    valued = cells.join(feature.values, F.col(own).eqNullSafe(F.col("x")), "inner").drop("x")
    outcome = _gains(counting.session, valued, known, own, feature, units, sizes)
    if feature.everything:
        made = counting.keep(gained.with_feature(outcome, feature.place, "total", "csf"))
        total, moved = _sums(counting.session, made, csf=gained.csf)
        if gained.kept is not None:
            counting.drop(gained.kept)
        return replace(gained, frame=made.drop("total", "csf"), kept=made), total, moved
    # Cells are counted from the distinct rows each time: what was gained before is no part of them.
    held = counting.keep(outcome.select(*known, own, "people", "cig", "csf", "total"))
    total, moved = _sums(counting.session, held, csf=gained.csf)
    return replace(gained, frame=gained.with_feature(_joined(gained.frame, held), feature.place)), total, moved


def finish(counting: SparkCounting, gained: GainFrame) -> GainFrame:
    """Let the executors keep what was gained, if they do not yet."""
    if gained.kept is not None:
        return gained
    kept = counting.keep(gained.frame)
    return replace(gained, frame=kept, kept=kept)


def _cells(base: Any, keys: Sequence[str]) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

    return base.groupBy(*keys).agg(F.sum("people").alias("people"))


def _sums(session: ClusterSession, outcome: Any, *, csf: bool) -> tuple[int, int]:
    """Return what is gained of all people, and their surprise where it is wanted, in units."""
    from pyspark.sql import functions as F  # noqa: N812

    sums = [F.sum("total")]
    if csf:
        sums.append(F.sum(F.rint(F.col("csf") * F.lit(2.0**50)).cast(_EXACT) * F.col("people").cast("decimal(19,0)")))
    row = session.only_row(outcome.agg(*sums), "information gain")
    return int(row[0]), int(row[1]) if csf else 0


def _joined(rows: Any, cells: Any) -> Any:
    """Give each row the outcome of its cell."""
    from pyspark.sql import functions as F  # noqa: N812

    keys = [name for name in cells.columns if name.startswith("v")]
    renamed = cells.select(*(F.col(key).alias(f"key_{key}") for key in keys), "cig", "csf")
    condition = F.lit(True)
    for key in keys:
        condition = condition & F.col(key).eqNullSafe(F.col(f"key_{key}"))
    return rows.join(renamed, condition, "inner").drop(*(f"key_{key}" for key in keys))


def _gains(
    session: ClusterSession,
    cells: Any,
    known: Sequence[str],
    own: str,
    feature: Feature,
    units: Mapping[int, int],
    sizes: Mapping[int, int],
) -> Any:
    """Return cells with cig, csf and, on one cell of each cohort, the cohort's total."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    keys: list[Any] = list(known) or [F.lit(0)]
    cohort = Window.partitionBy(*keys)
    people = F.col("people").cast("double")
    frame = cells.withColumn("cohort", F.sum("people").over(cohort))
    nothing = F.lit(0).cast(_EXACT)
    if feature.accuracy == 0:
        frame = frame.withColumn("cig", F.lit(0.0)).withColumn("sum", nothing)
    elif feature.accuracy == 1:
        frame = with_logarithms(session, frame, "people", units, "log_people")
        frame = with_logarithms(session, frame, "cohort", sizes, "log_cohort")
        numbers = F.col("people").cast("decimal(19,0)") * (F.col("units") + F.col("log_people")).cast("decimal(19,0)")
        spread = F.col("cohort").cast("decimal(19,0)") * F.col("log_cohort").cast("decimal(19,0)")
        total = F.sum(numbers).over(cohort).cast(_EXACT) - spread.cast(_EXACT)
        # What may be rounding alone is 0.
        least = F.col("cohort").cast("decimal(19,0)") * F.lit(ROUNDING_UNITS).cast("decimal(19,0)")
        learnt = F.when(total > least.cast(_EXACT), total.cast(_EXACT)).otherwise(nothing)
        frame = frame.withColumn("sum", learnt)
        size = F.col("cohort").cast("double")
        frame = frame.withColumn("cig", F.col("sum").cast("double") * (F.lit(_UNIT) / size))
    else:
        frame = _mixed(session, frame, feature, cohort)
    first = F.row_number().over(cohort.orderBy(own))
    moved = people / F.col("cohort").cast("double") - F.col("q")
    frame = frame.withColumn("csf", F.lit(feature.accuracy) * F.abs(moved))
    return frame.withColumn("total", F.when(first == 1, F.col("sum")).otherwise(nothing))


def _mixed(session: ClusterSession, frame: Any, feature: Feature, cohort: Any) -> Any:
    """The attacker trusts the table only so far: values outside the cohort keep their part of the prior."""
    from pyspark.sql import functions as F  # noqa: N812

    assert feature.believed is not None
    session.ship()
    fields = [f"`{column.name}` {column.dataType.simpleString()}" for column in frame.schema.fields]
    frame = mapped(frame, feature.believed, ", ".join([*fields, "`term` bigint"]))
    held = F.sum(F.rint(F.col("q") * F.lit(_SHARE_UNITS)).cast("bigint")).over(cohort).cast("double")
    outside = F.greatest(F.lit(0.0), F.lit(1.0) - held * F.lit(1 / _SHARE_UNITS))
    rest = F.lit(1 - feature.accuracy) * outside * F.lit(feature.untrusted_log)
    inside = F.sum("term").over(cohort).cast("double") * F.lit(_UNIT)
    learnt = inside + rest
    frame = frame.withColumn("cig", F.when(learnt > F.lit(ROUNDING_UNITS * _UNIT), learnt).otherwise(F.lit(0.0)))
    whole = F.rint(F.col("cig") * F.lit(2.0**50)).cast("decimal(19,0)") * F.col("cohort").cast("decimal(19,0)")
    return frame.withColumn("sum", whole.cast(_EXACT))
