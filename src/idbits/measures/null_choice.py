"""With what a release must be compared: shuffles, shifts along the rows, or shuffles or shifts of its changes.

- ``shuffles``: the rows of at least one of the two columns could stand in any order.
- ``shifts``: both columns resemble their neighbours, and the level of both returns to a mean.
- ``differences``: both resemble their neighbours and a level may wander (a unit root is not rejected). Two walks
  without any link go together for long stretches; their changes from row to row do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.dependence import average_ranks
from idbits.measures.dependence_test import Pair
from idbits.measures.resampling import SHIFTS, SHUFFLES
from idbits.measures.serial import rejects_unit_root, resembles_neighbours

__all__ = ["DIFFERENCES", "Comparison", "choose_null", "column_changes", "returns_to_a_mean"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

DIFFERENCES = "differences"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared, and with what.

    Attributes:
        null: ``shuffles``, ``shifts`` or ``differences``.
        pair: the columns, or their changes from row to row.
        resampling: whether ``pair`` is shuffled or shifted; None where even the changes wander.
    """

    null: str
    pair: Pair
    resampling: str | None


def choose_null(pair: Pair) -> Comparison:
    """Choose what a released column is compared with.

    >>> steps = np.random.default_rng(0).normal(size=(2, 300))
    >>> def pair_of(x, y):
    ...     return Pair(np.argsort(np.argsort(x)), np.argsort(np.argsort(y)), x, y)
    >>> choose_null(pair_of(*steps)).null, choose_null(pair_of(*steps.cumsum(axis=1))).null
    ('shuffles', 'differences')
    """
    sides = ((pair.original, pair.original_numbers), (pair.released, pair.released_numbers))
    if not all(resembles_neighbours(codes) for codes, _ in sides):
        return Comparison(SHUFFLES, pair, SHUFFLES)
    if all(returns_to_a_mean(codes, numbers) for codes, numbers in sides):
        return Comparison(SHIFTS, pair, SHIFTS)
    changes = [column_changes(codes, numbers) for codes, numbers in sides]
    ranked = [np.unique(side, return_inverse=True)[1] for side in changes]
    differenced = Pair(ranked[0], ranked[1], changes[0], changes[1])
    if not all(resembles_neighbours(side) for side in ranked):
        return Comparison(DIFFERENCES, differenced, SHUFFLES)
    returning = all(map(returns_to_a_mean, ranked, changes))
    return Comparison(DIFFERENCES, differenced, SHIFTS if returning else None)


def returns_to_a_mean(codes: Integers, numbers: Floats) -> bool:
    """Whether a unit root is rejected, both for the numbers and for their ranks, which no outlier can pull."""
    return rejects_unit_root(average_ranks(codes)) and rejects_unit_root(_whole(codes, numbers))


def column_changes(codes: Integers, numbers: Floats) -> Floats:
    """Return the change from each row to the next: of numbers, or of ranks where a row has no number.

    >>> column_changes(np.array([0, 2, 1]), np.array([1.0, 9.0, 5.0])).tolist()
    [8.0, -4.0]
    """
    return np.diff(_whole(codes, numbers))


def _whole(codes: Integers, numbers: Floats) -> Floats:
    return numbers if np.isfinite(numbers).all() else codes.astype(np.float64)
