"""A table that is being attacked: its rows, what the attacker believes of its features, and what comes out."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from idbits.counts import CodedRows, Value
from idbits.engines.base import OpenOptions, Table
from idbits.errors import EngineError, InputError
from idbits.kernels.distinct import DistinctRows, distinct_rows
from idbits.measures.gain import Prior
from idbits.measures.logarithms import as_bits
from idbits.measures.pif import GainedRows
from idbits.measures.utility import Relation
from idbits.studies.gain.attack import Attack, Belief, named, strongest
from idbits.studies.gain.cells import cell_blocks, shown_cells
from idbits.studies.gain.described import Described, exposed_of, figures_of, leave_one_out_moments, pair_relations
from idbits.studies.gain.figures import Exposed, GainFigures, Subsets
from idbits.studies.gain.growth import Joined, joined_figures
from idbits.studies.gain.priors import Smoothed, prior_of, read_prior
from idbits.studies.gain.question import Question, accuracies_of, check_known, resolved
from idbits.studies.gain.subsets import knows
from idbits.values.attributes import Attribute

__all__ = ["Attacked", "GainTable", "RowsRead", "few_cells"]

# Cells of tables up to this size are kept: they take 8 bytes each.
_FEW_CELLS = 5_000_000
_FEW_PAIR_ROWS = 10_000_000
# A pair of columns takes as long as so many rows, however few there are.
_PAIR_OVERHEAD = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class RowsRead:
    """The distinct rows of a table, and the number of each row in the source where they are kept."""

    rows: DistinctRows
    numbers: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """What came out: figures, gains per row, and the table's own figures."""

    figures: GainFigures
    attack: Attack
    described: Described
    belief: Belief
    subsets: Subsets | None
    smoothed: tuple[Smoothed, ...]


def few_cells(n_rows: int, n_features: int) -> bool:
    """Whether the cells of so many distinct rows are kept without being asked for."""
    return n_rows * n_features <= _FEW_CELLS


class GainTable:
    """An opened table and the question asked of it."""

    def __init__(self, table: Table, options: OpenOptions, question: Question) -> None:
        self.table = table
        self.options = options
        self.question = question
        self._weights: dict[str, dict[Value, Fraction]] = {}

    def read(self, attributes: Sequence[Attribute], *, with_places: bool = False) -> RowsRead:
        """Return the distinct rows of some attributes."""
        coded = self.table.coded_rows(attributes)
        self._check_memory(coded)
        if not with_places:
            return RowsRead(distinct_rows(coded, threads=self.options.threads or os.cpu_count() or 1))
        if coded.numbers is None:
            raise InputError("this source has no rows of its own, only distinct ones: cells cannot be written for it")
        numbers = coded.numbers
        if coded.people is not None and not coded.people.all():
            held = np.flatnonzero(coded.people)
            numbers = numbers[held]
            coded = CodedRows(tuple(column[held] for column in coded.codes), coded.sizes, coded.people[held])
        return RowsRead(distinct_rows(coded, with_places=True), numbers)

    def _check_memory(self, coded: CodedRows) -> None:
        """Raise early where the rows, their keys and their gains would take more memory than is allowed."""
        memory, columns = self.options.memory, len(coded.codes)
        needed = coded.n_rows * (4 * columns + 64 + (12 * columns if self.question.cells else 0))
        if memory is not None and needed > memory:
            raise EngineError(
                f"information gain of these rows takes {needed // 10**6:,} MB; allow at least "
                f"{needed // 10**6 + 1:,}MB with --memory, or look at fewer columns"
            )

    def belief(self, features: Sequence[Attribute], rows: DistinctRows) -> tuple[Belief, list[bool], list[Smoothed]]:
        """Return the priors and accuracies of features, which priors are a population's, and what was smoothed."""
        question = self.question
        priors = [Prior.of_counts(people) for people in rows.value_people]
        given = [False] * len(features)
        smoothed = []
        places = resolved(question.priors, features, "--prior")
        for place, source in zip(places, question.priors.values(), strict=True):
            feature = features[place]
            if feature.name not in self._weights:
                self._weights[feature.name] = read_prior(feature, source, self.options)
            priors[place], lost = prior_of(
                feature,
                self.table.labels(feature),
                rows.value_people[place],
                self._weights[feature.name],
                question.smoothing,
            )
            given[place] = True
            smoothed += [lost] if lost is not None else []
        return Belief(tuple(priors), accuracies_of(question.accuracy, features)), given, smoothed

    def attack(self, features: Sequence[Attribute], rows: DistinctRows) -> Attacked:
        """Attack the rows as was asked."""
        question, progress = self.question, self.options.progress
        known = check_known(question.attacker, features)
        belief, given, smoothed = self.belief(features, rows)
        nulls = [self.table.null_people(feature) for feature in features]
        names = [feature.name for feature in features]
        few = few_cells(rows.n_rows, len(features))
        kept = few or rows.n_rows * len(features) <= question.kept_cells
        settings: dict[str, Any] = {
            "accuracies": belief.accuracies,
            "population_priors": given,
            "threshold": question.threshold,
            "percentile": question.percentile,
        }
        if question.attacker.kind == "knows":
            described = Described(names, nulls, rows, leave_one_out_moments(rows, progress))
            return self._knows(described, belief, settings, tuple(smoothed))
        csf = question.csf or few
        if question.attacker.kind == "strongest":
            attack = strongest(
                rows, belief, progress, threads=self.options.threads, cells=question.cells or kept, csf=csf
            )
            described = Described(names, nulls, rows, attack.moments)
        else:
            attack = named(rows, belief, known, progress, csf=csf)
            described = Described(names, nulls, rows, leave_one_out_moments(rows, progress))
        fig_bits = [as_bits(total) for total in attack.totals]
        figures = figures_of(described, attack, fig_bits, **settings)
        return Attacked(figures, attack, described, belief, None, tuple(smoothed))

    def _knows(
        self, described: Described, belief: Belief, settings: dict[str, Any], smoothed: tuple[Smoothed, ...]
    ) -> Attacked:
        question, n_known = self.question, self.question.attacker.n_known
        found = knows(described.rows, belief, n_known, question.subsets, question.seed, self.options.progress)
        errors = found.standard_errors
        figures = figures_of(described, found.mean, found.mean_totals, standard_errors=errors[:-1], **settings)
        most = figures_of(described, found.maximum, [as_bits(total) for total in found.maximum.totals], **settings)
        exact = found.n_subsets == found.all_subsets
        subsets = Subsets(n_known, found.n_subsets, found.all_subsets, exact, errors[-1] if errors else None, most)
        return Attacked(figures, found.mean, described, belief, subsets, smoothed)

    def pair_relations(self, rows: DistinctRows, pairs: Sequence[tuple[int, int]]) -> list[Relation]:
        """Return what pairs of columns say about each other."""
        return pair_relations(rows, pairs, self.options.progress)

    def exposed(self, attacked: Attacked, most: int) -> tuple[Exposed, ...] | None:
        """Return the rows with the largest gain."""
        return exposed_of(attacked.attack, attacked.described.rows, most)

    def cells(self, read: RowsRead, attacked: Attacked, kind: str) -> Iterator[Any]:
        """Yield what cells show, of all rows, as Arrow tables."""
        weights = [feature.weight for feature in attacked.figures.features]
        shown = shown_cells(attacked.attack, weights, kind)
        return cell_blocks(read, attacked.attack, shown, attacked.described.names)

    def people_above(self, attacked: Attacked, levels: Sequence[float]) -> list[int]:
        """Return how many people gain more than each number of bits."""
        return GainedRows.of(attacked.attack.rig_bits, attacked.described.rows.people).people_above(levels)

    def joined(self, rows: DistinctRows, belief: Belief, places: list[int]) -> Joined:
        """Return the figures of some columns only, in the order of the table."""
        return joined_figures(rows, belief, places, self.options)

    def all_relations(self, described: Described) -> dict[tuple[int, int], Relation] | None:
        """Return what all pairs of columns say about each other; None where that is much work."""
        rows = described.rows
        pairs = list(itertools.combinations(range(len(described.names)), 2))
        if len(pairs) * (rows.n_rows + _PAIR_OVERHEAD) > _FEW_PAIR_ROWS and not self.question.mutual:
            return None
        return dict(zip(pairs, self.pair_relations(rows, pairs), strict=True))
