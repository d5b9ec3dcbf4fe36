"""What an attacker holds of a table on a cluster before seeing it: frames of values with shares and surprisals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from idbits.counts import Value
from idbits.engines.spark import SparkTable
from idbits.engines.spark.cohorts import with_logarithms
from idbits.engines.spark.remote import in_kind, mapped
from idbits.kernels.exact_sums import check_room
from idbits.measures.logarithms import fixed, fixed_log2
from idbits.studies.gain.attack import Belief
from idbits.studies.gain.cluster_gain_rows import ClusterRows, size_logarithms
from idbits.studies.gain.priors import Smoothed, missing_values
from idbits.values.attributes import Attribute
from idbits.values.labels import label

__all__ = ["ClusterBelief", "population_prior", "table_prior"]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterBelief(Belief):
    """What the attacker holds of each feature: frames of values with their shares and surprisals."""

    values: tuple[Any, ...] = ()


def table_prior(table: SparkTable, rows: ClusterRows, place: int) -> Any:
    """Return the shares of a feature's values in the table itself."""
    from pyspark.sql import functions as F  # noqa: N812

    n, spectrum = rows.n_people, rows.single[place]
    most = int(fixed_log2(np.array([n]))[0])
    check_room(most - fixed_log2(spectrum.sizes), n)
    counted = with_logarithms(table.session, _values(rows, place), "k", size_logarithms(spectrum), "log_k")
    share = F.col("k").cast("double") / F.lit(float(n))
    return counted.select("x", share.alias("q"), (F.lit(most) - F.col("log_k")).alias("units"))


def population_prior(
    table: SparkTable,
    rows: ClusterRows,
    place: int,
    feature: Attribute,
    weights: dict[Value, Fraction],
    smoothing: float,
) -> tuple[Any, Smoothed | None]:
    """Return the shares of a feature's values in a population, and the values that it lacks."""
    from pyspark.sql import functions as F  # noqa: N812

    session = table.session
    session.ship()
    values = _values(rows, place)
    spark_type = values.schema["x"].dataType.simpleString()
    function = _shares(feature, weights, rows.n_people, smoothing)
    held = table.counting.keep(
        mapped(values, function, f"x {spark_type}, k bigint, q double, units bigint, missing boolean")
    )
    missing, people, largest = session.only_row(
        held.agg(
            F.count_if("missing"), F.coalesce(F.sum(F.when(F.col("missing"), F.col("k"))), F.lit(0)), F.max("units")
        ),
        "reading the prior",
    )
    lost = missing_values(feature, int(missing), int(people), smoothing)
    check_room(np.array([int(largest)]), rows.n_people)
    return held.select("x", "q", "units"), lost


def _values(rows: ClusterRows, place: int) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

    return rows.frame.frame.groupBy(F.col(f"v{place}").alias("x")).agg(F.sum("people").alias("k"))


def _shares(
    feature: Attribute, weights: dict[Value, Fraction], n_people: int, smoothing: float
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return what adds the prior share of each value, its surprisal, and whether the population lacks it."""

    def with_shares(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        total, own = sum(weights.values()), Fraction(str(smoothing))
        for batch in batches:
            shares, missing = [], []
            for value, people in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                share = weights.get(label(in_kind(value, feature.result_kind), feature), Fraction(0)) / total
                missing.append(not share)
                shares.append(float((1 - own) * share + own * Fraction(people, n_people) if smoothing else share))
            units = [-fixed(math.log2(share)) if share > 0 else 0 for share in shares]
            columns = [*batch.columns, pyarrow.array(shares, pyarrow.float64()), pyarrow.array(units, pyarrow.int64())]
            yield pyarrow.RecordBatch.from_arrays(
                [*columns, pyarrow.array(missing, pyarrow.bool_())], names=["x", "k", "q", "units", "missing"]
            )

    return with_shares
