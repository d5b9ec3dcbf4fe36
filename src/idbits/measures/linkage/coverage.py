"""How many links are right if a share of people is in the second table: counted without truth and without a model.

Implements: SPEC page link.md, section 1. Each record's person is in the second table with chance c, whoever else is.
Let n_j be the records with j candidates and in_j those of them whose person is in the table. The others among the
candidates do not depend on whether the person is there. So for every record with j candidates that lacks its person,
c/(1-c) records with j + 1 candidates have theirs in expectation: in_{j+1} = r (n_j - in_j) with r = c/(1-c), in_0 = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Integers
from idbits.measures.linkage.candidates import CandidateCounts

__all__ = ["Interval", "RightLinks", "people_present", "right_links"]

DRAWS = 200
_LEVELS = (0.025, 0.975)
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RightLinks:
    """How many links are right.

    Attributes:
        claims: the one-to-one records whose candidate is their person; None if it cannot be estimated.
        guesses: the records that are guessed rightly with one even guess each.
    """

    claims: Interval | None
    guesses: Interval


def people_present(candidates: Integers, records: Integers | Floats, coverage: float) -> Floats:
    """Return in_j, the records with j candidates whose person is among them, from n_j.

    Forwards from j = 0 if coverage is at most a half, else backwards from the largest j, where errors shrink. Each in_j
    is cut to 0..n_j.

    Args:
        candidates: the numbers j that occur, ascending.
        records: n_j of each; its last axis is that of ``candidates``.
        coverage: the chance that a record's person is in the second table.

    >>> people_present(np.array([0, 1, 2]), np.array([8, 4, 1]), 0.2).tolist()
    [0.0, 2.0, 0.5]
    """
    n = np.asarray(records, np.float64)
    if coverage >= 1:
        return np.where(candidates > 0, n, 0.0)
    present = np.zeros_like(n)
    ratio = coverage / (1 - coverage)
    follows = np.diff(candidates) == 1
    indices = range(len(candidates))
    if coverage <= _HALF:
        for index in indices:
            if index and follows[index - 1]:
                expected = ratio * (n[..., index - 1] - present[..., index - 1])
                present[..., index] = np.clip(expected, 0.0, n[..., index])
        return present
    for index in reversed(indices):
        if candidates[index] == 0:
            continue
        has_next = index + 1 < len(candidates) and follows[index]
        above = present[..., index + 1] / ratio if has_next else 0.0
        present[..., index] = np.clip(n[..., index] - above, 0.0, n[..., index])
    return present


def right_links(counts: CandidateCounts, coverage: float, seed: int, *, with_interval: bool = True) -> RightLinks:
    """Estimate the links that are right, with bootstrap intervals over the values of the release.

    Claims are taken from records whose value no other record has: these are the one-to-one ones if one person fits.
    """
    values = counts.values
    total = int(values.sum())
    if not total:
        nothing = Interval(0.0, 0.0, 0.0)
        return RightLinks(nothing, nothing)
    drawn = values[np.newaxis]
    if coverage < 1 and with_interval:
        draws = np.random.default_rng(seed).multinomial(total, values / total, size=DRAWS)
        drawn = np.concatenate((drawn, draws))
    alone = counts.records == 1
    by_claim = _by_candidates(counts.candidates[alone], drawn[:, alone])
    by_guess = _by_candidates(counts.candidates, drawn * counts.records)
    claims = people_present(*by_claim, coverage)[:, by_claim[0] == 1].sum(axis=1)
    numbers = by_guess[0]
    guesses = people_present(*by_guess, coverage) / np.maximum(numbers, 1)
    return RightLinks(_interval(claims), _interval(np.array([math.fsum(row) for row in guesses.tolist()])))


def _by_candidates(candidates: Integers, drawn: Integers) -> tuple[Integers, Integers]:
    """Add up the drawn records that have the same number of candidates."""
    order = np.argsort(candidates, kind="stable")
    ordered = candidates[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    if not len(starts):
        return ordered, drawn[:, order]
    return ordered[starts], np.add.reduceat(drawn[:, order], starts, axis=1)


def _interval(figures: Floats) -> Interval:
    value = float(figures[0])
    if len(figures) == 1:
        return Interval(value, value, value)
    low, high = np.quantile(figures[1:], _LEVELS).tolist()
    return Interval(value, min(low, value), max(high, value))


def chances_of_links(counts: CandidateCounts, coverage: float, candidates: Integers, rivals: Integers) -> Floats:
    """Return the chance that one even guess for a record is right, by its candidates.

    The chance that the person of a record with j candidates is among them is in_j / n_j, over all records or, for a
    one-to-one record, over those whose value no other record has.
    """
    whole = counts.values[np.newaxis]
    alone = counts.records == 1
    by_guess = _by_candidates(counts.candidates, whole * counts.records)
    by_claim = _by_candidates(counts.candidates[alone], whole[:, alone])
    shares = []
    for numbers, records in (by_guess, by_claim):
        present = people_present(numbers, records, coverage)[0] / np.maximum(records[0], 1)
        table = np.zeros(int(counts.candidates.max(initial=0)) + 1)
        table[numbers] = present / np.maximum(numbers, 1)
        shares.append(table)
    return np.where((candidates == 1) & (rivals == 1), shares[1][candidates], shares[0][candidates])
