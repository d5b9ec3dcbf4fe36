"""What people of a second table give away about a column of the release, without being named.

Implements: SPEC page link.md, section 1: the disclosure figures of a group, weighted by its people in the second table
instead of its records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Integers
from idbits.kernels.cohorts import CohortCells
from idbits.kernels.exact_sums import weighted_total
from idbits.kernels.group_values import GroupCells
from idbits.measures.disclosure.column import SensitiveColumn, ValuePrior
from idbits.measures.disclosure.information import prior_entropy_bits
from idbits.measures.gain import cohort_gains
from idbits.measures.logarithms import as_bits
from idbits.measures.quantiles import counted_quantiles

__all__ = ["LearntByPeople", "SensitiveLink", "sensitive_link"]


@dataclass(frozen=True, slots=True)
class LearntByPeople:
    """What is learnt about a value, in bits over people of the second table who share values with a record."""

    mean: float
    p50: float
    p95: float
    max: float


@dataclass(frozen=True, slots=True)
class SensitiveLink:
    """What is learnt about one column of the release.

    Attributes:
        people: people of the second table who share the compared values with at least one record.
        certain: those of them whose records all have the same value.
        nearly_certain: those of them for whom one value has more than the share ``certainty`` of the records.
        prior_entropy_bits: what is unknown about the value before.
        gain_bits: what is learnt; None if there are no such people.
    """

    column: str
    people: int
    certain: int
    nearly_certain: int
    certainty: float
    prior_entropy_bits: float
    gain_bits: LearntByPeople | None


def sensitive_link(
    column: str, cells: GroupCells, people: Integers, prior: Integers, certainty: float
) -> SensitiveLink:
    """Return what people learn about a column.

    Args:
        column: its name.
        cells: the records of each group by value.
        people: the people of the second table in each group.
        prior: the records of each value in the whole release.
        certainty: the share above which people count as nearly certain.
    """
    before = ValuePrior(prior, int(prior.sum()))
    unknown = prior_entropy_bits(SensitiveColumn(cells, before))
    total = int(people.sum())
    if not total:
        return SensitiveLink(column, 0, 0, 0, certainty, unknown, None)
    largest = cells.largest(1) / cells.sizes
    gains = cohort_gains(CohortCells(cells.values, cells.counts, cells.starts), before.for_gain(before.total))
    return SensitiveLink(
        column,
        people=total,
        certain=int(people[cells.lengths == 1].sum()),
        nearly_certain=int(people[largest > certainty].sum()),
        certainty=certainty,
        prior_entropy_bits=unknown,
        gain_bits=_over_people(gains.cig_bits, people),
    )


def _over_people(bits: Floats, people: Integers) -> LearntByPeople:
    held = people > 0
    bits, people = bits[held], people[held]
    order = np.argsort(bits, kind="stable")
    p50, p95, most = counted_quantiles(bits[order], people[order], (0.5, 0.95, 1.0))
    mean = as_bits(weighted_total(bits, people), int(people.sum()))
    return LearntByPeople(mean, p50, p95, most)
