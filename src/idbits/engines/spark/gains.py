"""Information gain on the cluster: distinct rows that stay there, an attacker's beliefs, and the gains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum
from idbits.engines.backends.gains import Belief, GainsOfRow, MissingValues, PersonGains
from idbits.engines.backends.persons import Persons
from idbits.engines.spark.cohorts import Feature, add_feature, finish, start, units_of
from idbits.engines.spark.counting import SparkCounting, numbered, numbered_batches
from idbits.engines.spark.distinct import DistinctFrame, values_of
from idbits.engines.spark.gain_people import PeopleFrame, join_by_value
from idbits.engines.spark.gain_priors import GainPriors
from idbits.engines.spark.hashed_values import HashedValues
from idbits.engines.spark.packed_gains import PackedAttack
from idbits.engines.spark.packed_rows import RowLayout, layout_of, packed_rows
from idbits.engines.spark.ranking import Extremes, FrameRanking
from idbits.progress import Progress
from idbits.values.attributes import Attribute

__all__ = ["SparkBelievedRows", "SparkGainRows", "SparkRowGains"]

# Packing fewer distinct rows takes longer than it saves.
_FEWEST_PACKED_ROWS = 1 << 18


class SparkGainRows:
    """The distinct rows of some attributes, which stay on the cluster.

    Attributes:
        people: the people who have the rows; None if each row is a person.
        named_by: the column that identifies people, if rows without a person are left out.
    """

    def __init__(
        self, distinct: DistinctFrame, people: PeopleFrame | None = None, named_by: Attribute | None = None
    ) -> None:
        self.distinct = distinct
        self.people = people
        self.named_by = named_by
        self._leave_one_out: list[Spectrum] | None = None

    @classmethod
    def of_people(
        cls, counting: SparkCounting, attributes: Sequence[Attribute], persons: Persons, who: Attribute
    ) -> SparkGainRows:
        """Return the rows of people; if everyone has one row, as if nobody had been named."""
        people = PeopleFrame.of(counting, attributes, persons, who)
        several = any(rows > 1 for rows, _ in people.by_rows)
        return cls(people.distinct(), people if several else None, None if persons.null_is_own else who)

    @property
    def n_persons(self) -> int:
        return sum(number for _, number in self.people_by_rows)

    @property
    def people_by_rows(self) -> tuple[tuple[int, int], ...]:
        return ((1, self.n_people),) if self.people is None else self.people.by_rows

    @property
    def smallest_cohort(self) -> int:
        return int(self.spectrum.sizes[0]) if self.people is None else self.people.smallest_cohort

    @property
    def people_alone(self) -> int:
        if self.people is not None:
            return self.people.people_alone
        sizes = self.spectrum
        return int(sizes.people[sizes.sizes == 1].sum())

    def null_rows(self, column: int) -> int:
        return self._null_rows[column]

    @cached_property
    def _null_rows(self) -> list[int]:
        sums = [F.sum(F.when(F.col(f"v{column}").isNull(), F.col("people"))) for column in range(self.n_columns)]
        row = self.distinct.session.only_row(self.distinct.frame.agg(*sums), "counting people")
        return [int(people or 0) for people in row]

    @property
    def n_rows(self) -> int:
        return self.distinct.n_rows

    @property
    def n_people(self) -> int:
        return self.distinct.n_people

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.distinct.n_columns

    @property
    def spectrum(self) -> Spectrum:
        return self.distinct.whole

    @cached_property
    def hashed_values(self) -> HashedValues | None:
        """The values of the columns; None if they must be compared themselves."""
        return HashedValues.of(self.distinct) if self.n_rows >= _FEWEST_PACKED_ROWS else None

    @cached_property
    def _spectra(self) -> dict[int, Spectrum]:
        """The spectra that every study needs, counted at once: of all other columns and, if unknown, of each column."""
        columns, every = range(self.n_columns), (1 << self.n_columns) - 1
        masks = [every ^ 1 << column for column in columns if self.n_columns > 1]
        if self.hashed_values is None:
            masks += [1 << column for column in columns]
        return dict(self.distinct.spectra(masks)) if masks else {}

    @property
    def value_spectra(self) -> list[Spectrum]:
        if self.hashed_values is not None:
            return self.hashed_values.spectra
        return [self._spectra[1 << column] for column in range(self.n_columns)]

    def leave_one_out_spectra(self, progress: Progress) -> list[Spectrum]:  # noqa: ARG002 (the session shows it)
        if self._leave_one_out is not None:
            return self._leave_one_out
        every = (1 << self.n_columns) - 1
        return [self._spectra.get(every ^ 1 << column, self._everybody) for column in range(self.n_columns)]

    def keep_leave_one_out(self, spectra: Sequence[Spectrum]) -> None:
        """Keep what an attack has counted."""
        self._leave_one_out = list(spectra)

    @property
    def _everybody(self) -> Spectrum:
        return Spectrum.of({self.n_people: 1})

    def pair_spectra(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Spectrum]:
        masks = [1 << first | 1 << second for first, second in pairs]
        joint = dict(self.distinct.spectra(masks, "computing mutual information"))
        return iter([joint[mask] for mask in masks])

    def known_spectra(self, known: Sequence[int]) -> list[Spectrum]:
        """Return the people per value of each column within the cohorts of known columns, and per cohort."""
        everything = sum(1 << other for other in known)
        cohorts = [everything & ~(1 << column) for column in range(self.n_columns)]
        cells = [others | 1 << column for column, others in enumerate(cohorts)]
        spectra = dict(self.distinct.spectra([*cells, *filter(None, cohorts)]))
        return [*spectra.values(), self._everybody]

    def believed(self, beliefs: Sequence[Belief]) -> SparkBelievedRows:
        return SparkBelievedRows.of(self, tuple(beliefs))


class SparkBelievedRows:
    """Distinct rows on the cluster, and what an attacker believes about them."""

    def __init__(self, rows: SparkGainRows, beliefs: tuple[Belief, ...], priors: GainPriors) -> None:
        self.rows = rows
        self._beliefs = beliefs
        self._priors = priors

    @classmethod
    def of(cls, rows: SparkGainRows, beliefs: tuple[Belief, ...]) -> SparkBelievedRows:
        """Return rows with an attacker's belief about each column."""
        return cls(rows, beliefs, GainPriors(rows.distinct, rows.value_spectra, beliefs))

    @property
    def missing(self) -> tuple[MissingValues, ...]:
        return self._priors.missing

    def narrowed(self, columns: Sequence[int]) -> SparkBelievedRows:
        people = self.rows.people.narrowed(columns) if self.rows.people is not None else None
        rows = SparkGainRows(self.rows.distinct.narrowed(columns), people, self.rows.named_by)
        beliefs = tuple(self._beliefs[column] for column in columns)
        return SparkBelievedRows(
            rows, beliefs, self._priors.narrowed(rows.distinct, rows.value_spectra, beliefs, columns)
        )

    def attack(self, known: Sequence[int] | None, progress: Progress, *, cells: bool, csf: bool) -> SparkRowGains:
        with progress.step("computing information gain"):
            layout = self._layout() if known is None else None
            if layout is not None:
                return self._attack_packed(layout, cells=cells, csf=csf)
            return self._attack_values(known, progress, cells=cells, csf=csf)

    def _layout(self) -> RowLayout | None:
        """Return where the codes of values are if each row is a whole number; None if they do not fit."""
        rows = self.rows
        if rows.hashed_values is None:
            return None
        return layout_of(rows.value_spectra, rows.n_people, rows.distinct.session.context.defaultParallelism)

    def _attack_packed(self, layout: RowLayout, *, cells: bool, csf: bool) -> SparkRowGains:
        rows, distinct = self.rows, self.rows.distinct
        assert rows.hashed_values is not None
        logarithms = self._logarithms([rows.spectrum, *rows.value_spectra])
        packed = packed_rows(
            distinct,
            layout,
            self._priors.by_hash(rows.hashed_values, logarithms),
            logarithms,
            with_shares=csf or any(0 < belief.accuracy < 1 for belief in self._beliefs),
            with_values=rows.people is not None or distinct.counting.options.in_order,
        )
        attack = PackedAttack(distinct.counting, packed, self._beliefs, rows.spectrum, cells=cells, csf=csf)
        outcome = attack.run()
        rows.keep_leave_one_out(outcome.spectra)
        return SparkRowGains(
            rows, outcome.frame, outcome.totals, outcome.surprises, cells=cells, extremes=outcome.extremes
        )

    def _attack_values(
        self, known: Sequence[int] | None, progress: Progress, *, cells: bool, csf: bool
    ) -> SparkRowGains:
        rows, counting, columns = self.rows, self.rows.distinct.counting, range(self.rows.n_columns)
        gained = start(rows.distinct.frame, len(columns), cells=cells, csf=csf)
        spectra = [rows.spectrum, *rows.leave_one_out_spectra(progress)] if known is None else rows.known_spectra(known)
        logarithms = self._logarithms(spectra)
        for column in columns:
            gained = add_feature(counting, gained, self._feature(column, known, logarithms))
        gained, totals, surprises = finish(counting, gained, len(columns), rows.n_rows)
        return SparkRowGains(rows, gained.frame, tuple(totals), tuple(surprises) if csf else None, cells=cells)

    def _logarithms(self, spectra: Sequence[Spectrum]) -> DataFrame:
        """Return the logarithms of all numbers of people that occur."""
        sizes = np.unique(np.concatenate([spectrum.sizes for spectrum in spectra]))
        return units_of(self.rows.distinct.session, sizes, self._beliefs[0].log2_units(sizes))

    def _feature(self, column: int, known: Sequence[int] | None, logarithms: DataFrame) -> Feature:
        columns = range(self.rows.n_columns) if known is None else known
        others = tuple(other for other in columns if other != column)
        return Feature(
            column,
            others,
            everything=known is None,
            belief=self._beliefs[column],
            prior=self._priors.by_value(column),
            logarithms=logarithms,
            n_people=self.rows.n_people,
        )


class SparkRowGains:
    """The gain of each distinct row, which stays on the cluster."""

    def __init__(
        self,
        rows: SparkGainRows,
        gained: DataFrame,
        totals: tuple[int, ...],
        surprise_totals: tuple[int, ...] | None,
        *,
        cells: bool,
        extremes: Extremes | None = None,
    ) -> None:
        self.totals = totals
        self.surprise_totals = surprise_totals
        self._rows = rows
        self._gained = gained
        self._has_cells = cells
        # Those of rows say nothing about people who have several.
        self._extremes = extremes if rows.people is None else None
        self._session = rows.distinct.session

    @cached_property
    def _people(self) -> DataFrame:
        """People with their rig and their share: the rig of a row divided by the people who have it."""
        if self._rows.people is not None:
            return self._rows.people.gains(self._gained)
        return self._gained.withColumn("share", F.col("rig") / F.col("people").cast("double"))

    def ranking(self) -> FrameRanking:
        return FrameRanking(self._session, self._people, "rig", self._extremes)

    def person_gains(self) -> PersonGains | None:
        if self._rows.people is None:
            return None
        units = F.rint(F.col("rig") * F.lit(2.0**50)).cast("decimal(19,0)") * F.col("people").cast("decimal(19,0)")
        (total,) = self._session.only_row(self._people.agg(F.sum(units)), "counting people")
        return PersonGains(int(total), FrameRanking(self._session, self._people, "sum"))

    def largest_share(self) -> float:
        if self._extremes is not None:
            return self._extremes.share
        return float(self._session.only_row(self._people.agg(F.max("share")), "ranking")[0])

    def people_with_share(self, least: Sequence[float]) -> list[int]:
        sums = [F.sum(F.when(F.col("share") >= F.lit(level), F.col("people")).otherwise(0)) for level in least]
        return [int(people) for people in self._session.only_row(self._people.agg(*sums), "counting people")]

    @property
    def _rows_with_people(self) -> DataFrame:
        """The gains of distinct rows, each with the number of people who have it."""
        people = self._rows.people
        if people is None:
            return self._gained
        joined = join_by_value(self._gained.drop("people"), people.cohorts, self._rows.n_columns)
        return joined.withColumnRenamed("cohort", "people")

    def most_exposed(self, most: int) -> list[GainsOfRow] | None:
        if not self._has_cells:
            return None
        names = [f"c{column}" for column in range(self._rows.n_columns)]
        ordered = self._rows_with_people.select("people", "rig", *names).orderBy(F.col("rig").desc(), "people", *names)
        rows = self._session.rows(ordered.limit(most), "ranking")
        return [GainsOfRow(int(row[0]), float(row[1]), tuple(map(float, row[2:]))) for row in rows]

    def cells(self, names: Sequence[str], weights: Sequence[float], *, csf: bool) -> Iterator[pyarrow.Table]:
        """Yield number, cells, RIG and people of all rows in the order of the source, in bounded batches."""
        types = [pyarrow.int64(), *(pyarrow.float64() for _ in weights), pyarrow.float64(), pyarrow.int64()]
        counting = self._rows.distinct.counting
        shown = _shown_cells(
            counting,
            self._rows.distinct.attributes,
            self._rows_with_people,
            "s" if csf else "c",
            weights,
            self._rows.named_by,
        )
        for rows in numbered_batches(counting, shown, self._rows.n_people):
            columns = zip(types, zip(*rows, strict=True), strict=True)
            yield pyarrow.table([pyarrow.array(column, kind) for kind, column in columns], names=list(names))


def _shown_cells(
    counting: SparkCounting,
    attributes: Sequence[Attribute],
    gained: DataFrame,
    letter: str,
    weights: Sequence[float],
    named_by: Attribute | None,
) -> DataFrame:
    """Return the rows of the source with their cells: the columns c0, ... or s0, ... of ``gained``."""
    rows = numbered(counting, [*attributes, *([named_by] if named_by is not None else [])])
    if named_by is not None:
        rows = rows.where(F.col(f"g{len(attributes)}").isNotNull())
    values = [value.alias(f"w{column}") for column, value in enumerate(values_of(rows, len(attributes)))]
    condition = F.lit(True)
    for column in range(len(attributes)):
        condition = condition & F.col(f"w{column}").eqNullSafe(F.col(f"v{column}"))
    cells = [
        (F.col(f"{letter}{column}") * F.lit(weight)).alias(f"cell{column}") for column, weight in enumerate(weights)
    ]
    joined: DataFrame = rows.select("number", *values).join(gained, condition, "inner")
    return joined.select("number", *cells, "rig", "people")
