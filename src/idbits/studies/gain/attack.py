"""An attack on a table: its distinct rows, what the attacker believes about its features, and the outcome."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from idbits.counts import Value
from idbits.engines.backends.gains import BelievedRows, GainRows, MissingValues, RowGains
from idbits.engines.backends.persons import Persons
from idbits.engines.base import OpenOptions, Table
from idbits.engines.gain_loading import local_gain_rows
from idbits.engines.local_gains import LocalGainRows
from idbits.measures.belief import FeatureBelief
from idbits.measures.entropy import dual_total_correlation_bits, entropy_bits, total_correlation_bits
from idbits.measures.gain import conditional_entropy_bits, size_moment
from idbits.measures.logarithms import as_bits
from idbits.measures.pif import above_rounding, curve_levels, people_quantiles, reaching
from idbits.measures.utility import Relation, relation_of
from idbits.progress import Count, Progress
from idbits.studies.gain.figures import Dependence, FeatureGain, GainFigures, Subsets
from idbits.studies.gain.priors import check_missing, read_prior
from idbits.studies.gain.question import Question, accuracies_of, check_known, resolved
from idbits.studies.gain.result import SmoothedColumn
from idbits.studies.gain.subsets import SubsetAttack, attack_with_subsets
from idbits.studies.shared.persons import TablePeople
from idbits.values.attributes import Attribute

__all__ = ["AttackOutcome", "Entropies", "GainTable", "people_above"]

# Cells are kept up to this number: they take 8 bytes each.
_FEW_CELLS = 5_000_000
_FEW_PAIR_ROWS = 10_000_000
# A pair of columns takes at least as long as this many rows.
_PAIR_OVERHEAD = 10_000

Entry = TypeVar("Entry")


class Entropies:
    """The features of a table without any attacker.

    Attributes:
        alone: H(X) of each feature.
        conditional: H(X | all others) of each feature.
        joint: H of all features together.
    """

    def __init__(self, names: Sequence[str], nulls: Sequence[int], rows: GainRows, progress: Progress) -> None:
        self.names = tuple(names)
        self.nulls = tuple(nulls)
        self.rows = rows
        self.alone = [entropy_bits(spectrum) for spectrum in rows.value_spectra]
        inner = size_moment(rows.spectrum)
        self.conditional = [
            min(entropy, conditional_entropy_bits(size_moment(cohorts), inner, rows.n_people))
            for entropy, cohorts in zip(self.alone, rows.leave_one_out_spectra(progress), strict=True)
        ]
        self.joint = entropy_bits(rows.spectrum)
        self.n_values = [spectrum.n_sets for spectrum in rows.value_spectra]

    def dependence(self, relations: Mapping[tuple[int, int], Relation] | None) -> Dependence:
        """Return how the features depend on each other; ``relations`` has all pairs, lower index first."""
        total = total_correlation_bits(self.alone, self.joint)
        dual = dual_total_correlation_bits(self.conditional, self.joint)
        if relations is None:
            return Dependence(self.joint, total, dual, None, None)
        nothing: list[float | None] = [None] * len(self.alone)
        return Dependence(
            self.joint,
            total,
            dual,
            _matrix(self.alone, relations, lambda relation: relation.mutual_information_bits),
            _matrix(nothing, relations, lambda relation: relation.chance_bits),
        )


def _matrix(
    diagonal: Sequence[Entry], relations: Mapping[tuple[int, int], Relation], entry: Callable[[Relation], Entry]
) -> tuple[tuple[Entry, ...], ...]:
    columns = range(len(diagonal))
    return tuple(
        tuple(
            diagonal[row] if row == column else entry(relations[min(row, column), max(row, column)])
            for column in columns
        )
        for row in columns
    )


@dataclass(frozen=True, slots=True, eq=False)
class AttackOutcome:
    """The outcome: figures, gains per row, and the entropies of the table."""

    figures: GainFigures
    gains: RowGains
    entropies: Entropies
    believed: BelievedRows
    subsets: Subsets | None
    smoothed: tuple[SmoothedColumn, ...]

    @property
    def rows(self) -> GainRows:
        """The rows that were attacked."""
        return self.believed.rows


def people_above(gains: RowGains, levels: Sequence[float]) -> list[int]:
    """Return how many people have a gain above each number of bits, beyond rounding."""
    return gains.ranking().people_above(above_rounding(levels))


class GainTable:
    """An open table and the question about it."""

    def __init__(
        self, table: Table, options: OpenOptions, question: Question, people: TablePeople | None = None
    ) -> None:
        self.table = table
        self.options = options
        self.question = question
        self.people = people
        self._weights: dict[str, dict[Value, Fraction]] = {}

    @property
    def persons(self) -> Persons | None:
        """Who is a person; None if each row is one."""
        return self.people.persons if self.people is not None and not self.people.rows_are_people else None

    def with_question(self, question: Question) -> GainTable:
        """Return the same table with another question."""
        return GainTable(self.table, self.options, question, self.people)

    def rows(self, attributes: Sequence[Attribute], *, with_cells: bool = False) -> GainRows:
        """Return the distinct rows of some attributes, wherever they are."""
        return self.table.gain_rows(attributes, self.options, with_cells=with_cells, persons=self.persons)

    def rows_here(self, attributes: Sequence[Attribute], *, with_cells: bool = False) -> LocalGainRows:
        """Return the distinct rows of some attributes on this machine."""
        return local_gain_rows(self.table, attributes, self.options, with_cells=with_cells, persons=self.persons)

    def beliefs(self, features: Sequence[Attribute]) -> list[FeatureBelief]:
        """Return what the attacker believes about features."""
        question = self.question
        weights: dict[int, dict[Value, Fraction]] = {}
        indices = resolved(question.priors, features, "--prior")
        for index, source in zip(indices, question.priors.values(), strict=True):
            feature = features[index]
            if feature.name not in self._weights:
                self._weights[feature.name] = read_prior(feature, source, self.options)
            weights[index] = self._weights[feature.name]
        return [
            FeatureBelief(accuracy, weights.get(index), question.smoothing)
            for index, accuracy in enumerate(accuracies_of(question.accuracy, features))
        ]

    def smoothed(self, features: Sequence[Attribute], missing: Sequence[MissingValues]) -> tuple[SmoothedColumn, ...]:
        """Return the priors that lack values of the table; without smoothing, raise."""
        checked = (
            check_missing(feature, lacking.values, lacking.people, self.question.smoothing)
            for feature, lacking in zip(features, missing, strict=True)
        )
        return tuple(column for column in checked if column is not None)

    def attack(self, features: Sequence[Attribute]) -> AttackOutcome:
        """Attack the table as the question requests.

        An attacker who knows any n columns is tried with many subsets of them, which needs the distinct rows on this
        machine.
        """
        question, progress = self.question, self.options.progress
        known = check_known(question.attacker, features)
        beliefs = self.beliefs(features)
        if question.attacker.kind == "knows":
            return self._attack_with_subsets(features, beliefs)
        rows = self.rows(features, with_cells=question.cells)
        believed = rows.believed(beliefs)
        smoothed = self.smoothed(features, believed.missing)
        n_cells, named = rows.n_rows * len(features), question.attacker.kind == "named"
        gains = believed.attack(
            known if named else None,
            progress,
            cells=named or question.cells or n_cells <= max(_FEW_CELLS, question.kept_cells),
            csf=question.csf or n_cells <= _FEW_CELLS,
        )
        entropies = self._entropies(features, rows)
        figures = self._figures(entropies, beliefs, gains, [as_bits(total) for total in gains.totals])
        return AttackOutcome(figures, gains, entropies, believed, None, smoothed)

    def _entropies(self, features: Sequence[Attribute], rows: GainRows) -> Entropies:
        # Rows without a person may be left out.
        nulls = [
            self.table.null_people(feature) if self.persons is None else rows.null_rows(column)
            for column, feature in enumerate(features)
        ]
        return Entropies([feature.name for feature in features], nulls, rows, self.options.progress)

    def _attack_with_subsets(self, features: Sequence[Attribute], beliefs: Sequence[FeatureBelief]) -> AttackOutcome:
        question, n_known = self.question, self.question.attacker.n_known
        rows = self.rows_here(features, with_cells=question.cells)
        believed = rows.believed(beliefs)
        smoothed = self.smoothed(features, believed.missing)
        entropies = self._entropies(features, rows)
        attack = attack_with_subsets(believed, n_known, question.subsets, question.seed, self.options.progress)
        figures = self._figures(entropies, beliefs, attack.mean, attack.mean_totals, attack.standard_errors[:-1])
        subsets = self._subsets(attack, entropies, beliefs)
        return AttackOutcome(figures, attack.mean, entropies, believed, subsets, smoothed)

    def _subsets(self, attack: SubsetAttack, entropies: Entropies, beliefs: Sequence[FeatureBelief]) -> Subsets:
        maximum, errors = attack.maximum, attack.standard_errors
        return Subsets(
            self.question.attacker.n_known,
            attack.n_subsets,
            attack.all_subsets,
            attack.n_subsets == attack.all_subsets,
            errors[-1] if errors else None,
            self._figures(entropies, beliefs, maximum, [as_bits(total) for total in maximum.totals]),
        )

    def _figures(
        self,
        entropies: Entropies,
        beliefs: Sequence[FeatureBelief],
        gains: RowGains,
        fig_bits: Sequence[float],
        standard_errors: Sequence[float] = (),
    ) -> GainFigures:
        """Return the figures of one attack; ``fig_bits`` are FIG of the features.

        A person with several rows has the RIG of the row with the largest one; the group of a row consists of the
        people who have it.
        """
        question, rows = self.question, entropies.rows
        n_people = rows.n_persons
        ranking, of_persons = gains.ranking(), gains.person_gains()
        # FIG and RIG are sums of the same cells, so the mean RIG is exact too.
        added = math.fsum(fig_bits) / n_people
        levels = [0.5, 0.95, 1.0, question.percentile / 100]
        median, high, most, percentile = people_quantiles(ranking.at, n_people, levels)
        pif = gains.largest_share()
        at_pif, at_threshold = gains.people_with_share(reaching([pif, question.threshold]))
        curve = curve_levels(most)
        return GainFigures(
            n_rows=rows.n_people,
            n_people=n_people,
            n_distinct_rows=rows.n_rows,
            features=_feature_gains(entropies, beliefs, gains.surprise_totals, fig_bits, standard_errors),
            rig=_summary(added if of_persons is None else as_bits(of_persons.total, n_people), median, high, most),
            rig_sum=(
                _summary(added, *people_quantiles(of_persons.sums.at, n_people, levels[:3]))
                if of_persons is not None
                else None
            ),
            percentile=question.percentile,
            percentile_pif=percentile,
            mics=rows.smallest_cohort,
            pif=pif,
            rows_at_pif=at_pif,
            threshold=question.threshold,
            people_at_threshold=at_threshold,
            people_alone=rows.people_alone,
            rig_curve=tuple(zip(curve, ranking.people_above(above_rounding(curve)), strict=True)),
        )

    def relations(self, rows: GainRows, pairs: Sequence[tuple[int, int]]) -> list[Relation]:
        """Return the mutual information of pairs of columns."""
        alone, relations = rows.value_spectra, []
        count = Count(max(1, len(pairs)))
        with self.options.progress.step("computing mutual information", count):
            for (first, second), joint in zip(pairs, rows.pair_spectra(pairs), strict=True):
                relations.append(relation_of(alone[first], alone[second], joint))
                count.done += 1
        return relations

    def all_relations(self, rows: GainRows, n_columns: int) -> dict[tuple[int, int], Relation] | None:
        """Return the mutual information of all pairs of columns; None if that takes too long."""
        pairs = list(itertools.combinations(range(n_columns), 2))
        if len(pairs) * (rows.n_rows + _PAIR_OVERHEAD) > _FEW_PAIR_ROWS and not self.question.mutual:
            return None
        return dict(zip(pairs, self.relations(rows, pairs), strict=True))


def _summary(mean: float, median: float, high: float, most: float) -> dict[str, float]:
    return {"mean": mean, "p50": median, "p95": high, "max": most}


def _feature_gains(
    entropies: Entropies,
    beliefs: Sequence[FeatureBelief],
    csf_totals: Sequence[int] | None,
    fig_bits: Sequence[float],
    standard_errors: Sequence[float],
) -> tuple[FeatureGain, ...]:
    """Return the figures of each feature."""
    n_people, all_bits = entropies.rows.n_people, math.fsum(fig_bits)
    features = []
    for index, (name, belief) in enumerate(zip(entropies.names, beliefs, strict=True)):
        entropy, conditional = entropies.alone[index], entropies.conditional[index]
        weight = conditional / entropy if entropy > 0 else 0.0
        mean = fig_bits[index] / n_people
        features.append(
            FeatureGain(
                column=name,
                fig_bits=fig_bits[index],
                mean_cig_bits=mean,
                share=fig_bits[index] / all_bits if all_bits > 0 else None,
                entropy_bits=entropy,
                conditional_entropy_bits=conditional,
                weight=weight,
                weighted_mean_cig_bits=weight * mean,
                mean_csf=as_bits(csf_totals[index], n_people) if csf_totals is not None else None,
                accuracy=belief.accuracy,
                prior="population" if belief.of_population else "table",
                n_values=entropies.n_values[index],
                nulls=entropies.nulls[index],
                standard_error_bits=standard_errors[index] if standard_errors else None,
            )
        )
    return tuple(features)
