"""From the gain of each distinct row to the figures of a table."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from idbits.kernels.cohorts import LeaveOneOut
from idbits.kernels.distinct import DistinctRows
from idbits.kernels.known_columns import pair_spectrum, spectrum_of
from idbits.measures.entropy import entropy_bits
from idbits.measures.gain import Cells, conditional_entropy_bits, size_moment
from idbits.measures.logarithms import as_bits
from idbits.measures.mutual_information import dual_total_correlation_bits, total_correlation_bits
from idbits.measures.pif import GainedRows, personal_information_factor, weighted_total
from idbits.measures.utility import Relation, relation_of
from idbits.progress import SILENT, Progress
from idbits.studies.gain.attack import Attack, Count
from idbits.studies.gain.figures import Dependence, Exposed, FeatureGain, GainFigures

__all__ = [
    "Described",
    "curve_levels",
    "exposed_of",
    "features_of",
    "figures_of",
    "leave_one_out_moments",
    "pair_relations",
]

_CURVE_POINTS = 100
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)


class Described:
    """The features of a table without any attacker: names, entropies, nulls."""

    def __init__(self, names: Sequence[str], nulls: Sequence[int], rows: DistinctRows, moments: Sequence[int]) -> None:
        self.names = tuple(names)
        self.nulls = tuple(nulls)
        self.rows = rows
        n = rows.n_people
        self.entropies = [entropy_bits(spectrum_of(people)) for people in rows.value_people]
        inner = size_moment(rows.cohorts())
        self.conditional = [
            min(entropy, conditional_entropy_bits(outer, inner, n))
            for entropy, outer in zip(self.entropies, moments, strict=True)
        ]
        self.joint = entropy_bits(spectrum_of(rows.cohorts()))
        self.n_values = [int(np.count_nonzero(people)) for people in rows.value_people]

    def dependence(self, relations: Mapping[tuple[int, int], Relation] | None) -> Dependence:
        """Return what the features say about each other; ``relations`` are those of all pairs, lower index first."""
        own = self.entropies
        return Dependence(
            self.joint,
            total_correlation_bits(own, self.joint),
            dual_total_correlation_bits(self.conditional, self.joint),
            _matrix(own, relations, "mutual_information_bits") if relations is not None else None,
            _matrix([None] * len(own), relations, "chance_bits") if relations is not None else None,
        )


def _matrix(diagonal: Sequence[Any], relations: Mapping[tuple[int, int], Relation], name: str) -> tuple[Any, ...]:
    columns = range(len(diagonal))
    return tuple(
        tuple(
            diagonal[row] if row == column else getattr(relations[min(row, column), max(row, column)], name)
            for column in columns
        )
        for row in columns
    )


def leave_one_out_moments(rows: DistinctRows, progress: Progress = SILENT) -> tuple[int, ...]:
    """Return sum W log2 W over the cohorts that each feature leaves, for attackers who do not look at these."""
    cohorts, count, moments = LeaveOneOut(rows), Count(len(rows.sizes)), []
    with progress.step("conditional entropies", count):
        for place in range(len(rows.sizes)):
            total = 0
            for block in cohorts.blocks(place):
                people = rows.people[block.rows] if rows.people is not None else None
                total += size_moment(Cells(block.codes, people, block.starts).sizes())
            moments.append(total)
            count.done += 1
    return tuple(moments)


def figures_of(
    described: Described,
    attack: Attack,
    fig_bits: Sequence[float],
    *,
    accuracies: Sequence[float],
    population_priors: Sequence[bool],
    threshold: float,
    percentile: float,
    standard_errors: Sequence[float] = (),
) -> GainFigures:
    """Return the figures of one attack; ``fig_bits`` are FIG of the features."""
    rows = described.rows
    n, people = rows.n_people, rows.people
    everything = math.fsum(fig_bits)
    csf = [weighted_total(line, people) for line in attack.csf] if attack.csf is not None else None
    features = features_of(described, n, fig_bits, csf, accuracies, population_priors, standard_errors)
    gained = GainedRows.of(attack.rig_bits, people)
    half, high, most, asked = gained.quantiles([0.5, 0.95, 1.0, percentile / 100])
    factor = personal_information_factor(attack.rig_bits, people, threshold)
    levels = curve_levels(most)
    return GainFigures(
        n_rows=n,
        n_distinct_rows=rows.n_rows,
        features=features,
        # FIG and RIG add up the same cells, so that the mean RIG is exact, too.
        rig={"mean": everything / n, "p50": half, "p95": high, "max": most},
        percentile=percentile,
        percentile_pif=asked,
        mics=factor.mics,
        pif=factor.pif,
        rows_at_pif=factor.rows_at_pif,
        threshold=threshold,
        people_at_threshold=factor.people_at_threshold,
        people_alone=rows.n_rows if people is None else int(np.count_nonzero(people == 1)),
        rig_curve=tuple(zip(levels, gained.people_above(levels), strict=True)),
    )


def features_of(
    described: Described,
    n: int,
    fig_bits: Sequence[float],
    csf_totals: Sequence[int] | None,
    accuracies: Sequence[float],
    population_priors: Sequence[bool],
    standard_errors: Sequence[float],
) -> tuple[FeatureGain, ...]:
    """Return the figures of each feature of n people."""
    everything = math.fsum(fig_bits)
    features = []
    for place, name in enumerate(described.names):
        entropy, conditional = described.entropies[place], described.conditional[place]
        weight = conditional / entropy if entropy > 0 else 0.0
        mean = fig_bits[place] / n
        features.append(
            FeatureGain(
                column=name,
                fig_bits=fig_bits[place],
                mean_cig_bits=mean,
                share=fig_bits[place] / everything if everything > 0 else None,
                entropy_bits=entropy,
                conditional_entropy_bits=conditional,
                weight=weight,
                weighted_mean_cig_bits=weight * mean,
                mean_csf=as_bits(csf_totals[place], n) if csf_totals is not None else None,
                accuracy=accuracies[place],
                prior="population" if population_priors[place] else "table",
                n_values=described.n_values[place],
                nulls=described.nulls[place],
                standard_error_bits=standard_errors[place] if standard_errors else None,
            )
        )
    return tuple(features)


def curve_levels(most: float) -> list[float]:
    """Return about a hundred round numbers of bits from 0 to the first at or above ``most``.

    >>> curve_levels(0.03)
    [0.0, 0.01, 0.02, 0.03]
    """
    step = next((step for step in _STEPS if most / step <= _CURVE_POINTS), most / _CURVE_POINTS)
    return [round(number * step, 6) for number in range(math.ceil(most / step - 1e-9) + 1)]


def exposed_of(attack: Attack, rows: DistinctRows, most: int) -> tuple[Exposed, ...] | None:
    """Return the rows with the largest gain; their order is that of their numbers alone."""
    if attack.cig_bits is None:
        return None
    cohorts = rows.cohorts()
    least = np.partition(attack.rig_bits, -most)[-most] if rows.n_rows > most else -1.0
    # Ties at the border are all looked at, so that labels cannot decide who is in.
    places = np.flatnonzero(attack.rig_bits >= least)
    found = [
        Exposed(int(cohorts[place]), float(attack.rig_bits[place]), tuple(attack.cig_bits[:, place].tolist()))
        for place in places[: 100 * most]
    ]
    return tuple(sorted(found, key=lambda row: (-row.rig_bits, row.people, row.cig_bits))[:most])


def pair_relations(rows: DistinctRows, pairs: Sequence[tuple[int, int]], progress: Progress = SILENT) -> list[Relation]:
    """Return what pairs of columns say about each other."""
    alone = {column: spectrum_of(rows.value_people[column]) for column in set(itertools.chain.from_iterable(pairs))}
    count, found = Count(max(1, len(pairs))), []
    with progress.step("mutual information", count):
        for one, two in pairs:
            joint = pair_spectrum(rows.codes[one], rows.sizes[one], rows.codes[two], rows.sizes[two], rows.people)
            found.append(relation_of(alone[one], alone[two], joint))
            count.done += 1
    return found
