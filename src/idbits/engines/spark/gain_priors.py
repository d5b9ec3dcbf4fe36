"""What an attacker believes about the values of columns before seeing the rows, in frames on the cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

import numpy as np
import pyarrow
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum
from idbits.engines.backends.gains import Belief, MissingValues
from idbits.engines.spark.cohorts import units_of, with_units
from idbits.engines.spark.distinct import DistinctFrame
from idbits.engines.spark.hashed_values import HashedValues, hash_of
from idbits.engines.spark.remote import in_kind, mapped
from idbits.kernels.exact_sums import check_room
from idbits.values.attributes import Attribute
from idbits.values.labels import label

__all__ = ["GainPriors"]


class GainPriors:
    """The prior share of each value (q), and its surprisal in units of 2^-50.

    Attributes:
        missing: for each column, what the prior of a population lacks.
    """

    def __init__(
        self,
        distinct: DistinctFrame,
        value_spectra: Sequence[Spectrum],
        beliefs: Sequence[Belief],
        populations: Mapping[int, tuple[DataFrame, MissingValues]] | None = None,
    ) -> None:
        self._distinct = distinct
        self._session = distinct.session
        self._of_table = [column for column, belief in enumerate(beliefs) if not belief.of_population]
        sizes = np.unique(np.concatenate([spectrum.sizes for spectrum in value_spectra]))
        self._surprisals = units_of(
            self._session, sizes, beliefs[0].table_surprisal(sizes, distinct.n_people)
        ) if self._of_table else None  # fmt: skip
        self._log_of_everybody = int(beliefs[0].log2_units(np.array([distinct.n_people]))[0])
        if populations is None:
            of_population = [column for column, belief in enumerate(beliefs) if belief.of_population]
            populations = {column: self._population(column, beliefs[column]) for column in of_population}
        self._populations = populations
        self.missing = tuple(
            self._populations[column][1] if column in self._populations else MissingValues(0, 0)
            for column in range(len(beliefs))
        )

    def narrowed(
        self,
        distinct: DistinctFrame,
        value_spectra: Sequence[Spectrum],
        beliefs: Sequence[Belief],
        columns: Sequence[int],
    ) -> GainPriors:
        """Return the priors of some columns."""
        kept = {index: self._populations[column] for index, column in enumerate(columns) if column in self._populations}
        return GainPriors(distinct, value_spectra, beliefs, kept)

    def by_value(self, column: int) -> DataFrame:
        """Return the values of a column (x) with q and units."""
        if column in self._populations:
            return self._populations[column][0]
        assert self._surprisals is not None
        counted = with_units(self._values(column), "k", self._surprisals, "surprisal")
        return counted.select("x", self._share(), F.col("surprisal").alias("units"))

    def by_hash(self, values: HashedValues, logarithms: DataFrame) -> DataFrame:
        """Return the values of all columns as numbers: column, hash, q and units.

        ``logarithms`` are those of all numbers of people that values have, in a table that is used elsewhere too.
        """
        parts = [
            frame.select(F.lit(column).alias("column"), hash_of(column, F.col("x")).alias("hash"), "q", "units")
            for column, (frame, _) in self._populations.items()
        ]
        if self._of_table:
            of_table = values.frame.where(F.col("column").isin(self._of_table))
            surprisal = F.lit(self._log_of_everybody).cast("bigint") - F.col("log_k")
            counted = with_units(of_table, "k", logarithms, "log_k")
            parts.append(counted.select("column", "hash", self._share(), surprisal.alias("units")))
        return reduce(DataFrame.union, parts)

    def _share(self) -> Column:
        """Return the share of the k people who have a value, in the table itself."""
        return (F.col("k").cast("double") / F.lit(float(self._distinct.n_people))).alias("q")

    def _values(self, column: int) -> DataFrame:
        frame: DataFrame = self._distinct.frame
        return frame.groupBy(F.col(f"v{column}").alias("x")).agg(F.sum("people").alias("k"))

    def _population(self, column: int, belief: Belief) -> tuple[DataFrame, MissingValues]:
        """Return the shares of a column's values in a population, and the values that it lacks."""
        distinct, session = self._distinct, self._session
        session.ship()
        values = self._values(column)
        spark_type = values.schema["x"].dataType.simpleString()
        function = _population_shares(distinct.attributes[column], belief, distinct.n_people)
        prior = distinct.counting.keep(
            mapped(values, function, f"x {spark_type}, k bigint, q double, units bigint, missing boolean")
        )
        lacking_people = F.coalesce(F.sum(F.when(F.col("missing"), F.col("k"))), F.lit(0))
        missing, people, largest = session.only_row(
            prior.agg(F.count_if("missing"), lacking_people, F.max("units")), "reading the prior"
        )
        check_room(np.array([int(largest)]), distinct.n_people)
        return prior.select("x", "q", "units"), MissingValues(int(missing), int(people))


def _population_shares(
    attribute: Attribute, belief: Belief, n_people: int
) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """Return a function that adds each value's prior share, its surprisal, and whether the population lacks it."""

    def with_shares(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            values, people = batch.column(0).to_pylist(), batch.column(1).to_pylist()
            labels = [label(in_kind(value, attribute.result_kind), attribute) for value in values]
            shares, missing = belief.population_shares(labels, people, n_people)
            units = [belief.surprisal_units(share) for share in shares]
            columns = [*batch.columns, pyarrow.array(shares, pyarrow.float64()), pyarrow.array(units, pyarrow.int64())]
            yield pyarrow.RecordBatch.from_arrays(
                [*columns, pyarrow.array(missing, pyarrow.bool_())], names=["x", "k", "q", "units", "missing"]
            )

    return with_shares
