"""The three attacks: how many of some people they succeed on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.errors import InputError
from idbits.kernels.nearest import nearest_records
from idbits.measures.linkage.attack_chances import chance_of_shared_neighbour, random_shared_neighbour
from idbits.studies.link.attacks.question import AttackQuestion
from idbits.studies.link.attacks.tables import AttackColumn, AttackTables

__all__ = ["Successes", "infer_values", "link_halves"]

_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Successes:
    """Expected successes on the people of one table, and those of an attacker who knows nothing."""

    attack: float
    baseline: float


def link_halves(tables: AttackTables, question: AttackQuestion, which: int, people: Integers) -> Successes:
    """Find the nearest synthetic records of both halves of each person; a link is a shared one."""
    k = question.neighbours
    n_synthetic = tables.sizes[0]
    if k > n_synthetic:
        raise InputError(f"--neighbours must be at most {n_synthetic:,}, the number of synthetic records")
    halves = [
        nearest_records([column.mixed(which, people) for column in tables.chosen(names)], len(people), k)
        for names in (question.left, question.right)
    ]
    chances = [
        chance_of_shared_neighbour((left.sure, left.tied, left.n_drawn), (right.sure, right.tied, right.n_drawn))
        for left, right in zip(*halves, strict=True)
    ]
    return Successes(math.fsum(chances), len(people) * random_shared_neighbour(n_synthetic, k))


def infer_values(tables: AttackTables, question: AttackQuestion, which: int, people: Integers) -> Successes:
    """Guess a column by its value at the nearest synthetic record; ties succeed by the share that is right."""
    assert question.infer is not None
    (secret,) = tables.chosen([question.infer])
    known = [column for column in tables.columns if column.name != question.infer]
    neighbours = nearest_records([column.mixed(which, people) for column in known], len(people), 1)
    truths = secret.values[which][people]
    guesses = secret.values[0]
    chances = [
        float(np.mean(is_right_guess(guesses[found.tied], truth, secret, question.tolerance)))
        for found, truth in zip(neighbours, truths.tolist(), strict=True)
    ]
    values, counts = np.unique(truths, return_counts=True)
    baseline = math.fsum(
        number * float(np.mean(is_right_guess(guesses, truth, secret, question.tolerance)))
        for truth, number in zip(values.tolist(), counts.tolist(), strict=True)
    )
    return Successes(math.fsum(chances), baseline)


def is_right_guess(guesses: Floats, truth: float, column: AttackColumn, tolerance: float) -> NDArray[np.bool_]:
    """Return which guesses are right: equal, or for numbers within a share of the true number; null is a value."""
    if math.isnan(truth):
        return np.isnan(guesses)
    if not column.is_number:
        is_equal: NDArray[np.bool_] = guesses == truth
        return is_equal
    is_near: NDArray[np.bool_] = np.abs(guesses - truth) <= (tolerance * abs(truth) if truth else _NOTHING)
    return is_near
