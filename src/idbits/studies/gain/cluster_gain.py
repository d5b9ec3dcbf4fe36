"""Information gain on a cluster: the same figures, digit for digit, without the rows on this machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from idbits.counts import Spectrum
from idbits.engines.base import OpenOptions, Table
from idbits.engines.spark import SparkTable
from idbits.engines.spark.cell_rows import cell_batches
from idbits.engines.spark.cohorts import Feature, GainFrame, add_feature, finish, start
from idbits.engines.spark.ranking import people_above, values_at
from idbits.measures.logarithms import as_bits
from idbits.measures.pif import SAME, above_rounding
from idbits.measures.utility import Relation, relation_of
from idbits.studies.gain.cells import cell_names
from idbits.studies.gain.cluster_gain_priors import ClusterBelief, population_prior, table_prior
from idbits.studies.gain.cluster_gain_rows import ClusterDescribed, ClusterRows, size_logarithms
from idbits.studies.gain.described import curve_levels, features_of
from idbits.studies.gain.figures import Exposed, GainFigures
from idbits.studies.gain.growth import Joined
from idbits.studies.gain.priors import Smoothed, read_prior
from idbits.studies.gain.question import Question, accuracies_of, check_known, resolved
from idbits.studies.gain.table import Attacked, GainTable, RowsRead, few_cells
from idbits.values.attributes import Attribute

__all__ = ["ClusterGainTable", "gain_table"]


def gain_table(table: Table, options: OpenOptions, question: Question) -> GainTable:
    """Return the table to be attacked: on the cluster where it lies there.

    An attacker who knows any n columns is tried with up to a thousand subsets of them: that takes the distinct rows
    on this machine, where there is room for them.
    """
    if isinstance(table, SparkTable) and question.attacker.kind != "knows":
        return ClusterGainTable(table, options, question)
    return GainTable(table, options, question)


class ClusterGainTable(GainTable):
    """A table on the cluster and the question asked of it."""

    table: SparkTable

    def read(self, attributes: Sequence[Attribute], *, with_places: bool = False) -> RowsRead:
        """Return the distinct rows of some attributes, which stay where they are."""
        rows: Any = ClusterRows(self.table.distinct(attributes))
        return RowsRead(rows, tuple(attributes) if with_places else None)

    def attack(self, features: Sequence[Attribute], rows: Any) -> Attacked:
        """Attack the rows as was asked."""
        known = check_known(self.question.attacker, features)
        belief, given, smoothed = self._belief(features, rows)
        nulls = [self.table.null_people(feature) for feature in features]
        described = ClusterDescribed([feature.name for feature in features], nulls, rows)
        few = few_cells(rows.n_rows, len(features))
        named = self.question.attacker.kind == "named"
        gained, totals, surprises = self._gains(
            rows,
            belief,
            known if named else None,
            cells=few or named or self.question.cells or rows.n_rows * len(features) <= self.question.kept_cells,
            csf=few or self.question.csf,
        )
        fig_bits = [as_bits(total) for total in totals]
        features_gained = features_of(described, rows.n_people, fig_bits, surprises, belief.accuracies, given, ())
        figures = self._figures(rows, gained, features_gained, fig_bits)
        return Attacked(figures, gained, described, belief, None, tuple(smoothed))  # type: ignore[arg-type]

    # What the attacker believes.

    def _belief(
        self, features: Sequence[Attribute], rows: ClusterRows
    ) -> tuple[ClusterBelief, list[bool], list[Smoothed]]:
        question = self.question
        given = [False] * len(features)
        smoothed = []
        values = [table_prior(self.table, rows, place) for place in range(len(features))]
        for place, source in zip(resolved(question.priors, features, "--prior"), question.priors.values(), strict=True):
            feature = features[place]
            if feature.name not in self._weights:
                self._weights[feature.name] = read_prior(feature, source, self.options)
            weights = self._weights[feature.name]
            values[place], lost = population_prior(self.table, rows, place, feature, weights, question.smoothing)
            given[place] = True
            smoothed += [lost] if lost is not None else []
        return ClusterBelief((), accuracies_of(question.accuracy, features), tuple(values)), given, smoothed

    # What the attacker learns.

    def _gains(
        self, rows: ClusterRows, belief: ClusterBelief, known: Sequence[int] | None, *, cells: bool, csf: bool
    ) -> tuple[GainFrame, list[int], list[int] | None]:
        counting, n = self.table.counting, len(belief.values)
        gained = start(rows.frame.frame, n, cells=cells, csf=csf)
        totals, surprises = [], []
        with self.options.progress.step("information gain"):
            for place in range(n):
                others = tuple(other for other in range(n) if other != place)
                chosen = others if known is None else tuple(other for other in known if other != place)
                units, sizes = self._logarithms(rows, place, chosen, everything=known is None)
                accuracy = belief.accuracies[place]
                mixed = 0 < accuracy < 1
                feature = Feature(
                    place,
                    chosen,
                    known is None,
                    belief.values[place],
                    accuracy,
                    _believed(accuracy) if mixed else None,
                    math.log2(1 - accuracy) if mixed else 0.0,
                )
                gained, total, surprise = add_feature(counting, gained, feature, units, sizes)
                totals.append(total)
                surprises.append(surprise)
        return finish(counting, gained), totals, surprises if csf else None

    def _logarithms(
        self, rows: ClusterRows, place: int, known: tuple[int, ...], *, everything: bool
    ) -> tuple[dict[int, int], dict[int, int]]:
        """Return the logarithms of the people of cells and of cohorts."""
        if everything:
            return size_logarithms(rows.everything), size_logarithms(rows.others[place])
        cohorts = sum(1 << other for other in known)
        masks = [cohorts | 1 << place, *([cohorts] if cohorts else [])]
        found = dict(rows.frame.spectra(masks))
        return size_logarithms(found[masks[0]]), size_logarithms(found.get(cohorts, Spectrum.of({rows.n_people: 1})))

    def _figures(
        self, rows: ClusterRows, gained: GainFrame, features: tuple[Any, ...], fig_bits: Sequence[float]
    ) -> GainFigures:
        question, n = self.question, rows.n_people
        most, pif = self._largest(gained)
        at_pif, at_threshold = self._people_at(gained, pif), self._people_at(gained, question.threshold)
        half, high, last, asked = self._quantiles(gained, n, [0.5, 0.95, 1.0, question.percentile / 100])
        levels = curve_levels(most)
        sizes = rows.everything
        return GainFigures(
            n_rows=n,
            n_distinct_rows=rows.n_rows,
            features=features,
            rig={"mean": math.fsum(fig_bits) / n, "p50": half, "p95": high, "max": last},
            percentile=question.percentile,
            percentile_pif=asked,
            mics=int(sizes.sizes[0]),
            pif=pif,
            rows_at_pif=at_pif,
            threshold=question.threshold,
            people_at_threshold=at_threshold,
            people_alone=int(sizes.people[sizes.sizes == 1].sum()),
            rig_curve=tuple(zip(levels, self._above(gained, levels), strict=True)),
        )

    def _largest(self, gained: GainFrame) -> tuple[float, float]:
        from pyspark.sql import functions as F  # noqa: N812

        factor = F.col("rig") / F.col("people").cast("double")
        most, pif = self.table.session.only_row(gained.frame.agg(F.max("rig"), F.max(factor)), "ranking")
        return float(most), float(pif)

    def _people_at(self, gained: GainFrame, factor: float) -> int:
        from pyspark.sql import functions as F  # noqa: N812

        reached = F.col("rig") / F.col("people").cast("double") >= F.lit(factor * (1 - SAME))
        (people,) = self.table.session.only_row(gained.frame.where(reached).agg(F.coalesce(F.sum("people"), F.lit(0))))
        return int(people)

    def _quantiles(self, gained: GainFrame, n: int, levels: Sequence[float]) -> list[float]:
        """Return quantiles over people, linear interpolation, with the arithmetic of one machine."""
        places = [Fraction(str(level)) * (n - 1) for level in levels]
        below = [math.floor(place) for place in places]
        wanted = sorted({*below, *(min(place + 1, n - 1) for place in below)})
        at = dict(zip(wanted, values_at(self.table.session, gained.frame, "rig", wanted), strict=True))
        return [
            at[low] + (at[min(low + 1, n - 1)] - at[low]) * float(place - low)
            for place, low in zip(places, below, strict=True)
        ]

    def _above(self, gained: GainFrame, levels: Sequence[float]) -> list[int]:
        return people_above(self.table.session, gained.frame, "rig", above_rounding(levels))

    # What else is asked of one machine's rows.

    def people_above(self, attacked: Attacked, levels: Sequence[float]) -> list[int]:
        """Return how many people gain more than each number of bits."""
        return self._above(attacked.attack, levels)  # type: ignore[arg-type]

    def cells(self, read: RowsRead, attacked: Attacked, kind: str) -> Iterator[Any]:
        """Yield what cells show, of all rows in the order of the source, a bounded number at a time."""
        import pyarrow

        gained: Any = attacked.attack
        weights = [feature.weight if kind == "weighted" else 1.0 for feature in attacked.figures.features]
        letter = "s" if kind == "csf" else "c"
        names = ["row", *cell_names(attacked.described.names), "rig", "cohort"]
        types = [pyarrow.int64(), *(pyarrow.float64() for _ in weights), pyarrow.float64(), pyarrow.int64()]
        for rows in cell_batches(
            self.table.counting, read.numbers, gained.frame, letter, weights, attacked.figures.n_rows
        ):
            columns = zip(types, zip(*rows, strict=True), strict=True)
            yield pyarrow.table([pyarrow.array(column, kind_of) for kind_of, column in columns], names=names)

    def exposed(self, attacked: Attacked, most: int) -> tuple[Exposed, ...] | None:
        """Return the rows with the largest gain."""
        from pyspark.sql import functions as F  # noqa: N812

        gained: Any = attacked.attack
        if not gained.cells:
            return None
        names = [f"c{place}" for place in range(len(attacked.described.names))]
        ordered = gained.frame.select("people", "rig", *names).orderBy(F.col("rig").desc(), "people", *names)
        rows = self.table.session.rows(ordered.limit(most), "ranking")
        return tuple(Exposed(int(row[0]), float(row[1]), tuple(map(float, row[2:]))) for row in rows)

    def joined(self, rows: Any, belief: Any, places: list[int]) -> Joined:
        """Return the figures of some columns only, in the order of the table."""
        narrowed = ClusterRows(rows.frame.narrowed(places))
        held = ClusterBelief(
            (),
            tuple(belief.accuracies[place] for place in places),
            tuple(belief.values[place] for place in places),
        )
        gained, totals, _ = self._gains(narrowed, held, None, cells=False, csf=False)
        (high,) = self._quantiles(gained, narrowed.n_people, [0.95])
        _, pif = self._largest(gained)
        return Joined(high, float(sum(totals)), int(narrowed.everything.sizes[0]), pif)

    def pair_relations(self, rows: Any, pairs: Sequence[tuple[int, int]]) -> list[Relation]:
        """Return what pairs of columns say about each other."""
        masks = [1 << one | 1 << two for one, two in pairs]
        joint = dict(rows.frame.spectra(masks, "mutual information"))
        return [
            relation_of(rows.single[one], rows.single[two], joint[mask])
            for (one, two), mask in zip(pairs, masks, strict=True)
        ]


def _believed(accuracy: float) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return what adds the units of believed * log2(believed / q) to cells, with NumPy's logarithm."""

    def terms(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            names = batch.schema.names
            people, cohort, expected = (
                batch.column(names.index(name)).to_numpy(zero_copy_only=False) for name in ("people", "cohort", "q")
            )
            believed = accuracy * (people / cohort) + (1 - accuracy) * expected
            units = np.rint(np.ldexp(believed * np.log2(believed / expected), 50)).astype(np.int64)
            yield batch.append_column("term", pyarrow.array(units))

    return terms
