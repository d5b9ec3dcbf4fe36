"""The attacker who knows n features: the mean and the maximum over all n-subsets, or over a sample of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.engines.local_gains import KnownColumns, LocalBelievedRows, LocalRowGains
from idbits.kernels.exact_sums import weighted_total
from idbits.measures.logarithms import as_bits
from idbits.progress import SILENT, Count, Progress

__all__ = ["SubsetAttack", "attack_with_subsets"]

_TWICE = 2


@dataclass(frozen=True, slots=True, eq=False)
class SubsetAttack:
    """What attackers who know n features learn.

    Attributes:
        mean_totals: FIG of each feature, the mean over subsets, in bits.
        mean, maximum: gains per row; the maximum is taken cell by cell.
        n_subsets: the number of subsets tried.
        all_subsets: the number of all subsets.
        standard_errors: of the mean CIG of each feature, and last of the mean RIG; empty if all subsets were tried.
    """

    mean: LocalRowGains
    mean_totals: tuple[float, ...]
    maximum: LocalRowGains
    n_subsets: int
    all_subsets: int
    standard_errors: tuple[float, ...]


def attack_with_subsets(
    believed: LocalBelievedRows, n_known: int, most: int, seed: int, progress: Progress = SILENT
) -> SubsetAttack:
    """Attack with every subset of ``n_known`` features, or with ``most`` of them drawn at random.

    Implements: SPEC section 4 (knows n); S3 IV.B.
    """
    rows = believed.rows
    n_rows, features = rows.n_rows, rows.n_columns
    subsets = _subsets(features, n_known, most, seed)
    sums, largest = np.zeros((features, n_rows)), np.zeros((features, n_rows))
    totals: list[list[tuple[int, int]]] = [[] for _ in range(features)]
    count = Count(len(subsets))
    with progress.step(f"trying {len(subsets):,} subsets of {n_known} known columns", count):
        for number, known in enumerate(subsets):
            columns = KnownColumns(believed, known)
            for feature in set(range(features)) - set(known):
                bits, total = columns.gains(feature)
                sums[feature] += bits
                np.maximum(largest[feature], bits, out=largest[feature])
                totals[feature].append((number, total))
            count.done += 1
    means = [as_bits(sum(total for _, total in seen), len(seen)) for seen in totals]
    for feature, seen in enumerate(totals):
        sums[feature] /= len(seen)
    all_subsets = math.comb(features, n_known)
    sampled = len(subsets) < all_subsets
    most_totals = [weighted_total(line, rows.distinct.people) for line in largest]
    return SubsetAttack(
        LocalRowGains(rows, _added(sums), (), sums),
        tuple(means),
        LocalRowGains(rows, _added(largest), most_totals, largest),
        len(subsets),
        all_subsets,
        _standard_errors(totals, rows.n_people, n_known, len(subsets)) if sampled else (),
    )


def _added(lines: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.zeros(lines.shape[1])
    for line in lines:
        total += line
    return total


def _subsets(features: int, n_known: int, most: int, seed: int) -> list[tuple[int, ...]]:
    if math.comb(features, n_known) <= most:
        return list(itertools.combinations(range(features), n_known))
    generator = np.random.default_rng(seed)
    drawn: dict[tuple[int, ...], None] = {}
    unseen = np.zeros(features, np.int64)
    everything = math.comb(features, n_known)
    # Each feature must be unknown at least twice, or it would have no standard error.
    while len(drawn) < everything and (len(drawn) < most or unseen.min() < _TWICE):
        known = tuple(sorted(generator.choice(features, n_known, replace=False).tolist()))
        if known not in drawn:
            drawn[known] = None
            unseen += 1
            unseen[list(known)] -= 1
    return list(drawn)


def _standard_errors(
    totals: Sequence[Sequence[tuple[int, int]]], n_people: int, n_known: int, drawn: int
) -> tuple[float, ...]:
    """Return the standard errors of each feature's mean and of the sum of these means, which share subsets.

    Subsets are drawn without replacement.
    """
    errors = []
    features = len(totals)
    everything = math.comb(features, n_known)
    leaving_out = math.comb(features - 1, n_known)
    # How far each subset moves the mean RIG, linearised: a feature's mean is over the subsets without it.
    moves = np.zeros(drawn)
    for seen in totals:
        numbers = [number for number, _ in seen]
        bits = np.array([as_bits(total, n_people) for _, total in seen])
        unseen = 1 - len(seen) / leaving_out
        spread = float(bits.var(ddof=1)) if len(seen) > 1 else 0.0
        errors.append(math.sqrt(max(0.0, unseen) * spread / len(seen)))
        moves[numbers] += (bits - bits.mean()) * (drawn / len(seen))
    share_unseen = 1 - drawn / everything
    errors.append(math.sqrt(max(0.0, share_unseen) * float(moves.var(ddof=1)) / drawn) if drawn > 1 else 0.0)
    return tuple(errors)
