"""Attackers who know more than the quasi-identifier: values that can be ruled out, or people whose values are known.

Implements: SPEC page disclosure.md, sections 3 and 8; Martin and others, "Worst-case background knowledge", 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers
from idbits.measures.disclosure.column import PeopleCount, SensitiveColumn, people_in

__all__ = ["AfterExcluding", "AfterKnowing", "after_excluding", "after_knowing"]


@dataclass(frozen=True, slots=True)
class AfterExcluding:
    """The worst posterior if other values can be ruled out, and the people above the certainty.

    None if all values but one can be ruled out: the posterior is then always 1.
    """

    values: int
    max: float | None
    nearly_certain: PeopleCount | None


@dataclass(frozen=True, slots=True)
class AfterKnowing:
    """The worst posterior if other people of the group are known, and the people above the certainty."""

    people: int
    max: float | None
    nearly_certain: PeopleCount


def after_excluding(column: SensitiveColumn, numbers: Sequence[int], certainty: float) -> list[AfterExcluding]:
    """Return the worst n_(1) / (k - n_(2) - .. - n_(B+1)) for each number B of values that are ruled out.

    For a fixed B the most frequent secret value is the worst.
    """
    rows: list[AfterExcluding] = []
    for number in numbers:
        if number and number >= column.prior.n_values - 1:
            rows.append(AfterExcluding(number, None, None))
            continue
        left = column.cells.sizes - _largest_others(column, number)
        rows.append(AfterExcluding(number, *_worst(column, left, certainty)))
    return rows


def _largest_others(column: SensitiveColumn, number: int) -> Integers:
    """Return the sum of the largest counts besides that of the most frequent secret value."""
    cells = column.cells
    if not number:
        return np.zeros(cells.n_groups, np.int64)
    # The secret value is itself among the largest ones or not; both sums are the same if it ties with the last of them.
    with_one_more = cells.sum_of_largest(number + 1) - column.top
    return np.where(column.top >= cells.largest(number), with_one_more, cells.sum_of_largest(number))


def after_knowing(column: SensitiveColumn, numbers: Sequence[int], certainty: float) -> list[AfterKnowing]:
    """Return the worst n_(1) / max(n_(1), k - J) for each number J of other people who are known."""
    sizes = column.cells.sizes
    return [
        AfterKnowing(number, *_worst(column, np.maximum(column.top, sizes - number), certainty)) for number in numbers
    ]


def _worst(column: SensitiveColumn, left: Integers, certainty: float) -> tuple[float | None, PeopleCount]:
    """Return the largest share of the top value among those left, and the people of groups above the certainty."""
    shares = np.zeros(len(left))
    kept = column.with_secret
    shares[kept] = column.top[kept] / left[kept]
    worst = float(shares.max()) if kept.any() else None
    return worst, people_in(shares > certainty, column.cells)
