"""How many links are right if a share of people is in the second table: counted without truth and without a model.

Implements: SPEC page link.md, section 1. Each record's person is in the second table with chance c, independently of
all others. Let n_j be the records with j candidates, in_j those of them whose person is in the table and out_j the
others. The other candidates do not depend on whether the person is there. So for every record with j candidates that
lacks its person, r = c/(1-c) records with j + 1 candidates have theirs, in expectation: in_{j+1} = r out_j = r (n_j -
in_j), and in_0 = 0. Read from j = 0 upwards this amplifies errors by r, read from the largest j downwards by 1/r: the
first is used up to c = 1/2, the second above.

Deviation from the SPEC page, which cuts each in_j to 0..n_j: where few records have each number of candidates, the cuts
bias the sum over j (by half, in a trial with two columns). All sums here are linear in n_j, hence unbiased; only the
result is cut.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Integers
from idbits.measures.linkage.candidates import CandidateCounts

__all__ = ["Interval", "RightLinks", "chances_of_links", "claim_weights", "guess_weights", "right_links"]

_DEVIATIONS = 1.959963984540054
_HALF = 0.5
_TABLE = 4096
_BEYOND = 2048

_Weights = Callable[[Integers, float], Floats]


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
        claims: the one-to-one records whose candidate is their person.
        guesses: the records that are guessed rightly with one even guess each.
    """

    claims: Interval
    guesses: Interval


def claim_weights(candidates: Integers, coverage: float) -> Floats:
    """Return the weights v_j of in_1 = sum_j v_j n_j.

    Upwards in_1 = r n_0; downwards in_1 = n_1 - n_2/r + n_3/r^2 - ..

    >>> claim_weights(np.array([0, 1, 2]), 0.2).tolist(), claim_weights(np.array([0, 1, 2]), 0.75).tolist()
    ([0.25, 0.0, 0.0], [0.0, 1.0, -0.3333333333333333])
    """
    if coverage <= _HALF:
        return np.where(candidates == 0, coverage / (1 - coverage), 0.0)
    inverse = (1 - coverage) / coverage
    powers = np.power(inverse, np.maximum(candidates - 1, 0).astype(np.float64))
    return np.where(candidates == 0, 0.0, np.where(candidates % 2 == 1, powers, -powers))


def guess_weights(candidates: Integers, coverage: float) -> Floats:
    """Return the weights w_j of the right guesses sum_j in_j / j = sum_j w_j n_j.

    From in_{j+1} = r out_j and n_j = in_j + out_j follows w_j + r w_{j+1} = r/(j+1). Upwards the solution that vanishes
    for large j is taken, downwards the one with w_0 = 0. Both approach c/(j+1-c): a guess among many candidates is
    right with about chance c/j.

    >>> guess_weights(np.array([0, 1, 5]), 1.0).tolist()
    [0.0, 1.0, 0.2]
    """
    if coverage >= 1:
        return np.where(candidates > 0, 1 / np.maximum(candidates, 1), 0.0)
    ratio = coverage / (1 - coverage)
    smooth = coverage / (candidates + 1 - coverage)
    table = np.zeros(_TABLE + 1)
    if coverage <= _HALF:
        weight = coverage / (_TABLE + _BEYOND + 1 - coverage)
        for j in range(_TABLE + _BEYOND - 1, -1, -1):
            weight = ratio * (1 / (j + 1) - weight)
            if j <= _TABLE:
                table[j] = weight
        return np.where(candidates > _TABLE, smooth, table[np.minimum(candidates, _TABLE)])
    for j in range(1, _TABLE + 1):
        table[j] = 1 / j - table[j - 1] / ratio
    # Beyond the table, the difference from the smooth solution shrinks by 1/r per step and changes its sign.
    rest = table[_TABLE] - coverage / (_TABLE + 1 - coverage)
    steps = np.maximum(candidates - _TABLE, 0)
    swings = rest * np.power(1 / ratio, steps.astype(np.float64)) * np.where(steps % 2 == 1, -1.0, 1.0)
    return np.where(candidates > _TABLE, smooth + swings, table[np.minimum(candidates, _TABLE)])


def right_links(counts: CandidateCounts, coverage: float) -> RightLinks:
    """Estimate the links that are right, with intervals for the number that is right in these two tables.

    Claims are estimated from records whose value no other record has: these are the one-to-one ones if one person fits.
    """
    alone = np.where(counts.records == 1, 1.0, 0.0)
    even = np.where(counts.candidates > 0, 1 / np.maximum(counts.candidates, 1), 0.0)
    claim = np.where(counts.candidates == 1, 1.0, 0.0)
    return RightLinks(
        _estimate(counts, coverage, claim_weights, alone, claim),
        _estimate(counts, coverage, guess_weights, counts.records.astype(np.float64), even),
    )


def _estimate(
    counts: CandidateCounts, coverage: float, weights_of: _Weights, records: Floats, most: Floats
) -> Interval:
    """Return sum_j w_j n_j over records, cut to what can be right, with its 95% interval.

    Given the others who fit a record, j of them, its error is w_j if its person is missing and -w_j/r if not, by the
    recursion of w: 0 on average, with variance w_j^2/r. Summed over records this is sum_j out_j w_j^2/c. Two records
    with the same value, and j others, have the covariance (1-c)^2 (w_j - w_{j+1})^2. One missing person is added where
    that tells most, so that an estimate of 0 has a width, too.
    """
    weights = weights_of(counts.candidates, coverage)
    n_records = records * counts.values
    limit = math.fsum((n_records * most).tolist())
    value = math.fsum((n_records * weights).tolist())
    if coverage >= 1 or not n_records.any():
        return _cut(value, 0.0, limit)
    numbers, inverse = np.unique(counts.candidates, return_inverse=True)
    present = _chances_present(numbers, np.bincount(inverse, weights=n_records), coverage, counts.candidates)
    one_more = float(weights_of(np.arange(2), coverage).max()) ** 2
    variance = (math.fsum((n_records * (1 - present) * weights**2).tolist()) + one_more) / coverage
    others = np.maximum(counts.candidates - 1, 0)
    steps = weights_of(others, coverage) - weights_of(others + 1, coverage)
    variance += math.fsum((n_records * (records - 1) * ((1 - coverage) * steps) ** 2).tolist())
    return _cut(value, _DEVIATIONS * math.sqrt(variance), limit)


def _cut(value: float, margin: float, most: float) -> Interval:
    value, low, high = (min(max(figure, 0.0), most) for figure in (value, value - margin, value + margin))
    return Interval(value, low, high)


def chances_of_links(counts: CandidateCounts, coverage: float, candidates: Integers, rivals: Integers) -> Floats:
    """Return the chance that one even guess for a record is right, by its candidates.

    Records with 2 to 3 candidates, 4 to 7 and so on share the chance that their person is among them.
    """
    even = _chances_present(*counts.records_by_candidates(), coverage, candidates) / np.maximum(candidates, 1)
    claims = right_links(counts, coverage).claims.value
    n_claims = counts.classes().one_to_one
    return np.where((candidates == 1) & (rivals == 1), claims / max(n_claims, 1), even)


def _chances_present(numbers: Integers, records: Integers | Floats, coverage: float, candidates: Integers) -> Floats:
    """Return the chance that a record's person is among its candidates, by their number."""
    among = np.array(_chances_by_class(numbers, records, coverage))
    # The exponent of a whole number as a float is its number of binary digits.
    chances: Floats = among[np.frexp(candidates.astype(np.float64))[1]]
    return chances


def _chances_by_class(numbers: Integers, records: Integers | Floats, coverage: float) -> list[float]:
    """Return the share of records whose person is among their candidates, for 0, 1, 2 to 3, 4 to 7, .. candidates."""
    inside, everyone = np.zeros((2, int(numbers.max(initial=0)).bit_length() + 1))
    few = np.zeros(min(int(numbers.max(initial=0)), _TABLE) + 1)
    few[numbers[numbers <= _TABLE]] = records[numbers <= _TABLE]
    for j, present in enumerate(_present(few, coverage).tolist()):
        inside[j.bit_length()] += present
        everyone[j.bit_length()] += few[j]
    for number, total in zip(numbers[numbers > _TABLE].tolist(), records[numbers > _TABLE].tolist(), strict=True):
        inside[number.bit_length()] += coverage * total
        everyone[number.bit_length()] += total
    shares = np.clip(inside / np.maximum(everyone, 1), 0.0, 1.0)
    return [0.0, *shares[1:].tolist()]


def _present(records: Floats, coverage: float) -> Floats:
    """Return in_j from n_j, j = 0, 1, .., without cuts."""
    present = np.zeros(len(records))
    if coverage >= 1:
        present[1:] = records[1:]
    elif coverage <= _HALF:
        for j in range(1, len(records)):
            present[j] = coverage / (1 - coverage) * (records[j - 1] - present[j - 1])
    else:
        above = 0.0
        for j in range(len(records) - 1, 0, -1):
            present[j] = above = records[j] - (1 - coverage) / coverage * above
    return present
