"""How many bits a group gives away about a sensitive value.

Implements: SPEC page disclosure.md, sections 2 and 8. KL(p, q) of a group is the cell information gain of an attacker
who knows the quasi-identifier, computed by the same function (``measures/gain.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Integers
from idbits.kernels.cohorts import CohortCells
from idbits.kernels.exact_sums import FRACTION_BITS, ROUNDING_UNITS
from idbits.measures.anonymity import GainRow
from idbits.measures.disclosure.column import SensitiveColumn
from idbits.measures.gain import cohort_gains
from idbits.measures.logarithms import as_bits, fixed_log2
from idbits.measures.quantiles import counted_quantiles

__all__ = ["LearntBits", "bits_of_values", "learnt_bits", "prior_entropy_bits"]

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LearntBits:
    """What groups give away.

    Attributes:
        by_group: the gain of each group's people.
        mean, p50, p95, max: over people.
        conditional_entropy_bits: what is still unknown once the group is known.
        table: the people whose group gives away at least 0, 1, 2, .. bits.
    """

    by_group: Floats
    mean: float
    p50: float
    p95: float
    max: float
    conditional_entropy_bits: float
    table: tuple[GainRow, ...]


def learnt_bits(column: SensitiveColumn) -> LearntBits:
    """Return KL(p, q) = sum p log2(p/q) of each group, and over people.

    The mean is the mutual information of the quasi-identifier and the column if the prior is the table's. Bounds: 0 to
    -log2 min q.
    """
    cells = column.cells
    gains = cohort_gains(CohortCells(cells.values, cells.counts, cells.starts), column.gain_prior)
    bits, people, n = gains.cig_bits, cells.group_people, cells.n_people
    order = np.argsort(bits, kind="stable")
    p50, p95, most = counted_quantiles(bits[order], people[order], (0.5, 0.95, 1.0))
    # Equal groups that were collapsed have one person each, whose logarithm is 0.
    inner = _moment(cells.counts)
    outer = _moment(cells.sizes)
    return LearntBits(
        by_group=bits,
        mean=as_bits(gains.total + _units_of_repeated(column), n),
        p50=p50,
        p95=p95,
        max=most,
        conditional_entropy_bits=max(0.0, as_bits(outer - inner, n)),
        table=tuple(_bits_table(bits, people, n)),
    )


def _units_of_repeated(column: SensitiveColumn) -> int:
    """Return the gain of the groups that others stand for: of unique people, the surprisal of their value."""
    cells = column.cells
    if cells.times is None:
        return 0
    repeated = np.flatnonzero(cells.times > 1)
    units = column.gain_prior.surprisal[cells.values[cells.starts[repeated]]]
    others = (cells.times[repeated] - 1).tolist()
    # As in the gain of any group, what may be only rounding is 0.
    return sum(more * unit for more, unit in zip(others, units.tolist(), strict=True) if unit > ROUNDING_UNITS)


def _moment(people: Integers) -> int:
    """Return the sum of W log2 W, exactly, in units of 2^-50."""
    distinct, times = np.unique(people, return_counts=True)
    logarithms = fixed_log2(distinct).tolist()
    return sum(
        size * number * log for size, number, log in zip(distinct.tolist(), times.tolist(), logarithms, strict=True)
    )


def _bits_table(bits: Floats, people_of_groups: Integers, n: int) -> list[GainRow]:
    last = math.floor(float(bits.max()) + _TOLERANCE)
    rows = []
    for level in range(last + 1):
        people = int(people_of_groups[bits >= level - _TOLERANCE].sum())
        rows.append(GainRow(level, people, people / n))
    return rows


def prior_entropy_bits(column: SensitiveColumn) -> float:
    """Return the entropy of the prior: the bits that are unknown before anybody's group is known."""
    prior = column.prior
    if prior.is_table:
        weights = prior.weights[prior.weights > 0]
        (whole,) = fixed_log2(np.array([prior.total])).tolist()
        return max(0.0, as_bits(prior.total * whole - _moment(weights), prior.total))
    return max(0.0, -math.fsum(share * math.log2(share) for share in prior.shares.tolist() if share))


def bits_of_values(column: SensitiveColumn) -> Floats:
    """Return log2(p/q) of each cell: what is learnt about the value that its people really have."""
    cells = column.cells
    units = fixed_log2(cells.counts) - fixed_log2(cells.cell_sizes) + column.gain_prior.surprisal[cells.values]
    bits = np.ldexp(units.astype(np.float64), -FRACTION_BITS)
    return np.where(np.abs(units) <= ROUNDING_UNITS, 0.0, bits)
