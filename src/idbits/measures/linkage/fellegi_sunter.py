"""Fellegi and Sunter's model of record linkage, estimated from counts of agreement patterns.

A pair of records is a match (the same person) with chance lambda. In each column, a match has level l with chance m_l,
a pair of different people with chance u_l, independently between columns. The weight of a level is log2(m_l / u_l)
bits. A missing value is no evidence: its factor is 1.

Implements: SPEC link 3 and 7; Fellegi & Sunter, "A theory for record linkage" (1969); the EM steps of Winkler (1988).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers

__all__ = [
    "BlockEstimate", "PatternTable", "chances_of_nonmatches", "estimate_block", "likelihood_ratios", "match_rate",
    "mean_chances", "mean_weights", "odds_bits", "pattern_odds", "weight_bits",
]  # fmt: skip

Floats = NDArray[np.float64]
Chances = list[Floats]
"""The chance of each level, for each column."""

_FIRST_LEVEL, _FIRST_RATE = 0.9, 0.3
_LEAST_CHANCE = 1e-6
_MOST_ROUNDS, _STEP = 500, 1e-7
_RATE_STEP, _RATE_ROUNDS = 1e-13, 100_000
_HALF_PAIR = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class PatternTable:
    """Pairs by pattern: ``levels`` has a row per pattern and a column per column of the tables, -1 for no evidence."""

    levels: Integers
    pairs: Integers


@dataclass(frozen=True, slots=True, eq=False)
class BlockEstimate:
    """What one block says.

    Attributes:
        rate: the share of its pairs that are matches.
        matches: their expected number.
        chances: m of each column; None for the columns of the block, which are equal in all its pairs.
    """

    rate: float
    matches: float
    chances: list[Floats | None]


def chances_of_nonmatches(
    equal_pairs: int, given_pairs: int, different_weights: Sequence[int], *, first_is_equal: bool
) -> Floats:
    """Return u, the chance of each level between different people.

    The chance of equal values is exact: equal pairs of all pairs without a null. The rest is shared out like the
    weights of drawn pairs of different values, each level with at least half a pair. If the first level is more than
    ``equal``, it has a share of both.

    >>> chances_of_nonmatches(10, 100, [0, 30, 60], first_is_equal=True).tolist()
    [0.1, 0.3, 0.6]
    """
    equal = max(equal_pairs, _HALF_PAIR) / given_pairs
    weights = np.maximum(np.array(different_weights, np.float64), _HALF_PAIR)
    if first_is_equal:
        weights[0] = 0.0
    chances = (1.0 - min(equal, 1.0)) * weights / weights.sum()
    chances[0] += equal
    floored: Floats = np.maximum(chances, _HALF_PAIR / given_pairs)
    return floored


def estimate_block(table: PatternTable, block: Sequence[int], nonmatches: Chances) -> BlockEstimate:
    """Estimate m and lambda of one block by EM, with u given and without the columns of the block.

    Starts from m = 0.9 for the first level, the rest even, and lambda = 0.3; ends when no m moves by 1e-7, after 500
    rounds at most.
    """
    free = [index for index in range(table.levels.shape[1]) if index not in block]
    n_pairs = table.pairs.sum()
    chances = {index: _first_chances(len(nonmatches[index])) for index in free}
    rate = _FIRST_RATE
    for _ in range(_MOST_ROUNDS):
        ratios = _ratios(table.levels, free, chances, nonmatches)
        expected = table.pairs * _chance_of_match(rate, ratios)
        rate = float(expected.sum() / n_pairs)
        moved = 0.0
        for index in free:
            found = _level_shares(table.levels[:, index], expected, chances[index])
            moved = max(moved, float(np.abs(found - chances[index]).max()))
            chances[index] = found
        if moved < _STEP:
            break
    return BlockEstimate(rate, rate * float(n_pairs), [chances.get(index) for index in range(len(nonmatches))])


def _first_chances(n_levels: int) -> Floats:
    chances = np.full(n_levels, (1 - _FIRST_LEVEL) / (n_levels - 1))
    chances[0] = _FIRST_LEVEL
    return chances


def _level_shares(levels: Integers, expected: Floats, before: Floats) -> Floats:
    """Return the share of each level among expected matches that have one."""
    has_level = levels >= 0
    sums = np.bincount(levels[has_level], expected[has_level], minlength=len(before))
    total = sums.sum()
    return np.maximum(sums / total, _LEAST_CHANCE) if total > 0 else before


def _ratios(
    levels: Integers, columns: Sequence[int], chances: dict[int, Floats], nonmatches: Sequence[Floats]
) -> Floats:
    """Return L, the product of m/u over some columns."""
    ratios = np.ones(len(levels))
    for index in columns:
        # A level of -1 takes the last factor: no evidence.
        ratios *= np.append(chances[index] / nonmatches[index], 1.0)[levels[:, index]]
    return ratios


def _chance_of_match(rate: float, ratios: Floats) -> Floats:
    weighed = rate * ratios
    return weighed / (weighed + (1 - rate))


def mean_chances(estimates: Sequence[BlockEstimate], n_columns: int) -> list[Floats | None]:
    """Return m of each column: the mean over blocks weighted by expected matches; None if all blocks use the column."""
    means: list[Floats | None] = []
    for index in range(n_columns):
        pairs = [(e.matches, chances) for e in estimates if (chances := e.chances[index]) is not None]
        total = math.fsum(matches for matches, _ in pairs)
        if not pairs or total <= 0:
            means.append(None)
            continue
        mean = np.sum([matches * chances for matches, chances in pairs], axis=0) / total
        means.append(np.maximum(mean, _LEAST_CHANCE))
    return means


def likelihood_ratios(levels: Integers, matches: Chances, nonmatches: Chances) -> Floats:
    """Return L of each pattern: how many times more likely it is for the same person than for two people.

    Patterns with the same factors have exactly the same ratio, whichever columns the factors are from.
    """
    bits = [np.append(weight_bits(m, u), 0.0) for m, u in zip(matches, nonmatches, strict=True)]
    rows = [
        math.fsum(float(weights[level]) for weights, level in zip(bits, row, strict=True)) for row in levels.tolist()
    ]
    return np.exp2(np.array(rows, np.float64))


def weight_bits(matches: Floats, nonmatches: Floats) -> Floats:
    """Return what each level tells about two records being the same person: log2(m/u), in bits.

    >>> weight_bits(np.array([0.5, 0.5]), np.array([0.125, 0.5])).tolist()
    [2.0, 0.0]
    """
    ratios = zip(matches.tolist(), nonmatches.tolist(), strict=True)
    return np.array([math.log2(m / u) for m, u in ratios], np.float64)


def mean_weights(table: PatternTable, matches: Chances, nonmatches: Chances) -> list[float]:
    """Return what each column tells on average over some pairs, in bits; no evidence is 0 bits.

    >>> pairs = PatternTable(np.array([[0], [1], [-1]]), np.array([1, 2, 1]))
    >>> mean_weights(pairs, [np.array([0.5, 0.5])], [np.array([0.125, 0.25])])
    [1.0]
    """
    total = int(table.pairs.sum())
    means = []
    for index, (m, u) in enumerate(zip(matches, nonmatches, strict=True)):
        weights = np.append(weight_bits(m, u), 0.0)[table.levels[:, index]]
        means.append(math.fsum((weights * table.pairs).tolist()) / total)
    return means


def odds_bits(rate: float) -> float:
    """Return the odds of a pair before its values are compared, in bits: log2(lambda / (1 - lambda)).

    >>> odds_bits(0.2)
    -2.0
    """
    return math.log2(rate / (1 - rate))


def match_rate(ratios: Floats, pairs: Integers, n_all_pairs: int, n_b: int) -> float:
    """Return lambda over all pairs of both tables: the fixed point of the mean chance of a match.

    Only pairs of some block can be matches. Starts from 0.5/N_B; ends when lambda moves by less than 1e-13.
    """
    rate = _HALF_PAIR / n_b
    for _ in range(_RATE_ROUNDS):
        odds = pattern_odds(ratios, rate)
        found = float(np.sum(pairs * (odds / (1 + odds))) / n_all_pairs)
        moved, rate = abs(found - rate), found
        if moved < _RATE_STEP or rate <= 0:
            break
    return rate


def pattern_odds(ratios: Floats, rate: float) -> Floats:
    """Return the odds o = lambda/(1 - lambda) L that a pair with each pattern is a match."""
    return rate / (1 - rate) * ratios
