"""The groups that give most away, and for each value the group that gives it away most.

Implements: SPEC page disclosure.md, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats
from idbits.measures.disclosure.column import SensitiveColumn

__all__ = ["GroupExposure", "ValueExposure", "most_exposed_groups", "value_exposures"]


@dataclass(frozen=True, slots=True)
class GroupExposure:
    """What a group of several people gives away.

    Attributes:
        group: its number.
        k: its people.
        l: its different values.
        top_share: the share that has its most frequent secret value.
    """

    group: int
    k: int
    l: int  # noqa: E741 (the literature calls it so)
    top_share: float
    gain_bits: float


@dataclass(frozen=True, slots=True)
class ValueExposure:
    """A value: its number, its people, its prior share, and its largest share in a group of several people."""

    value: int
    people: int
    prior: float
    posterior: float


def most_exposed_groups(column: SensitiveColumn, bits: Floats, most: int) -> list[GroupExposure]:
    """Return the groups of several people with the largest shares; of equal ones, those with most people."""
    cells = column.cells
    kept = np.flatnonzero((cells.sizes > 1) & column.with_secret)
    shares, sizes = column.top_shares[kept], cells.sizes[kept]
    order = np.lexsort((-bits[kept], cells.lengths[kept], -sizes, -shares))
    return [
        GroupExposure(group, int(cells.sizes[group]), int(cells.lengths[group]), float(column.top_shares[group]),
                      float(bits[group]))
        for group in kept[order[:most]].tolist()
    ]  # fmt: skip


def value_exposures(column: SensitiveColumn) -> list[ValueExposure]:
    """Return for each secret value its prior and its largest share in a group of several people; 0 if in none."""
    cells = column.cells
    shares = np.where(cells.cell_sizes > 1, cells.counts / cells.cell_sizes, 0.0)
    largest = np.zeros(cells.n_values)
    np.maximum.at(largest, cells.values, shares)
    people, prior = cells.value_people.tolist(), column.prior.shares.tolist()
    secret = column.secret if column.secret is not None else np.ones(cells.n_values, np.bool_)
    return [
        ValueExposure(value, people[value], prior[value], float(largest[value]))
        for value in np.flatnonzero(secret).tolist()
    ]
