"""Cell information gain: what an attacker learns about one feature of a person, or about one point of a trajectory.

CIG = KL(posterior || prior) in bits. The prior is the feature's distribution over the table (or a population), the
posterior its distribution among the rows that equal the person's on what the attacker knows.

Implements: SPEC section 4; S3 III.C, III.D, IV.A, IV.B. Sums are exact (``kernels/exact_sums.py``): neither the order
of the rows nor the labels of values can change a digit, and FIG, the sum over a column, is rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum
from idbits.errors import NotEstimableError
from idbits.kernels.cohorts import CohortCells, CohortGains
from idbits.kernels.exact_sums import (
    FRACTION_BITS,
    ROUNDING_UNITS,
    as_floats,
    check_room,
    exact_total,
    in_limbs,
    segment_sums,
    split,
)
from idbits.kernels.points import Companions
from idbits.measures.logarithms import as_bits, fixed, fixed_log2

__all__ = [
    "Prior", "believed_units", "cohort_gains", "conditional_entropy_bits", "mean_interval", "point_gains",
    "size_moment", "surprisal_units", "surprise", "table_surprisal", "trajectory_gains", "untrusted_log2",
]  # fmt: skip

Bits = NDArray[np.float64]

_UNIT = math.ldexp(1.0, -FRACTION_BITS)
_MOST = 2**62
_SHARE_UNITS = 60
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """What the attacker expects about a feature before seeing the table.

    Attributes:
        shares: the probability of each value, by code.
        surprisal: -log2 of these in fixed point; that of a value with probability 0 is never used.
        largest: the largest surprisal.
    """

    shares: Bits
    surprisal: Integers
    largest: int

    @classmethod
    def of_counts(cls, people: Integers) -> Prior:
        """Return the distribution of a table or a population; values that nobody has must not occur.

        >>> Prior.of_counts(np.array([1, 3])).shares.tolist()
        [0.25, 0.75]
        """
        n = int(people.sum())
        if n == 0:
            raise NotEstimableError("there is nobody to take a prior from")
        surprisal = table_surprisal(people, n)
        return cls(people / n, surprisal, int(surprisal.max(initial=0)))

    @classmethod
    def of_shares(cls, shares: Sequence[float], n_people: int) -> Prior:
        """Return the distribution with these probabilities, for a table with this many people.

        >>> Prior.of_shares([0.5, 0.0, 0.5], 100).shares.tolist()
        [0.5, 0.0, 0.5]
        """
        surprisal = np.array([surprisal_units(share) for share in shares], np.int64)
        check_room(surprisal, n_people)
        return cls(np.array(shares, np.float64), surprisal, int(surprisal.max(initial=0)))


def table_surprisal(people: Integers, n_people: int) -> Integers:
    """Return -log2(people / n_people) in units of 2^-50; that of values that nobody has is never used.

    >>> (table_surprisal(np.array([1, 2]), 4) >> 50).tolist()
    [2, 1]
    """
    surprisal: Integers = fixed_log2(np.array([n_people]))[0] - fixed_log2(np.maximum(people, 1))
    check_room(surprisal, n_people)
    return surprisal


def surprisal_units(share: float) -> int:
    """Return -log2 of a probability in units of 2^-50; that of 0 is never used.

    >>> surprisal_units(0.25) >> 50
    2
    """
    return -fixed(math.log2(share)) if share > 0 else 0


def believed_units(
    people: Integers | Bits | float, cohort_people: Integers, expected: Bits, accuracy: float
) -> Integers:
    """Return b log2(b / q) of cells in units of 2^-50, where b = c p + (1 - c) q is believed and q was expected.

    As integers, so that the order within a cohort, which depends on labels, cannot change their sum.

    >>> believed_units(1.0, np.array([1]), np.array([0.25]), 1.0).tolist() == [2 << 50]
    True
    """
    believed = accuracy * (people / cohort_people) + (1 - accuracy) * expected
    return np.rint(np.ldexp(believed * np.log2(believed / expected), FRACTION_BITS)).astype(np.int64)


def untrusted_log2(accuracy: float) -> float:
    """Return log2(1 - c), the change of a value that is expected but does not occur in the cohort."""
    return math.log2(1 - accuracy)


def cohort_gains(cells: CohortCells, prior: Prior, accuracy: float = 1.0) -> CohortGains:
    """KL divergence of each cohort's distribution from the prior, in bits; >= 0.

    With accuracy c the attacker trusts the table only partly: posterior = c p + (1 - c) q.
    Implements: S3 III.D and IV.B; SPEC section 4. Bounds: 0 to -log2 of the rarest value's prior.

    S3's birthdays, where the 31 days of August are left of 365 equally likely ones:

    >>> august = CohortCells(np.arange(31, dtype=np.uint32), None, np.array([0]))
    >>> round(float(cohort_gains(august, Prior.of_counts(np.ones(365, np.int64))).cig_bits[0]), 1)
    3.6
    """
    sizes = cells.sizes()
    if accuracy == 0:
        return CohortGains(np.zeros(len(sizes)), sizes, 0)
    if accuracy == 1:
        return _divergence(cells, sizes, prior)
    bits = _mixed_divergence(cells, sizes, prior, accuracy)
    units = np.rint(np.ldexp(bits, FRACTION_BITS)).astype(np.int64)
    high, low = split(units)
    return CohortGains(bits, sizes, exact_total((high * sizes, low * sizes)))


def _divergence(cells: CohortCells, sizes: Integers, prior: Prior) -> CohortGains:
    """Sum over a cohort's values of w (log w - log W - log q) / W; 0 if it may be only rounding."""
    numbers = prior.surprisal[cells.codes]
    if cells.people is not None:
        numbers += fixed_log2(cells.people)
    logs = fixed_log2(sizes)
    if int(sizes.max()) * (prior.largest + int(logs.max())) < _MOST:
        # Small cohorts: every sum fits in one limb.
        if cells.people is not None:
            numbers *= cells.people
        sums = np.add.reduceat(numbers, cells.starts)
        logs *= sizes
        sums -= logs
        sums[sums <= ROUNDING_UNITS * sizes] = 0
        return CohortGains(sums * (_UNIT / sizes), sizes, exact_total(split(sums)))
    high, low = segment_sums(numbers, cells.people, cells.starts)
    log_high, log_low = split(logs)
    high, low = in_limbs((high - sizes * log_high, low - sizes * log_low))
    sums_as_floats = as_floats((high, low))
    nothing = sums_as_floats <= ROUNDING_UNITS * sizes
    high[nothing] = 0
    low[nothing] = 0
    bits = np.where(nothing, 0.0, sums_as_floats) * (_UNIT / sizes)
    return CohortGains(bits, sizes, exact_total((high, low)))


def _mixed_divergence(cells: CohortCells, sizes: Integers, prior: Prior, accuracy: float) -> Bits:
    """KL(c p + (1 - c) q || q): values outside the cohort keep (1 - c) q and add (1 - c) q log2(1 - c) each."""
    lengths = cells.lengths()
    people = 1.0 if cells.people is None else cells.people.astype(np.float64)
    expected = prior.shares[cells.codes]
    terms = believed_units(people, np.repeat(sizes, lengths), expected, accuracy)
    inside = np.add.reduceat(terms, cells.starts)
    held = np.add.reduceat(np.rint(np.ldexp(expected, _SHARE_UNITS)).astype(np.int64), cells.starts)
    outside = np.maximum(0.0, 1.0 - np.ldexp(held.astype(np.float64), -_SHARE_UNITS))
    rest = (1 - accuracy) * outside * untrusted_log2(accuracy)
    bits = np.ldexp(inside.astype(np.float64), -FRACTION_BITS) + rest
    return np.where(bits <= ROUNDING_UNITS * _UNIT, 0.0, bits)


def surprise(cells: CohortCells, sizes: Integers, prior: Prior, accuracy: float = 1.0) -> Bits:
    """Cell surprise factor: |posterior - prior| of the value that the cell really has.

    Implements: SPEC section 4 (CSF, as piflib has it). Bounds: 0 to 1.

    >>> cells = CohortCells(np.array([0, 1], np.uint32), np.array([1, 1]), np.array([0]))
    >>> surprise(cells, cells.sizes(), Prior.of_counts(np.array([1, 3]))).tolist()
    [0.25, 0.25]
    """
    people = 1 if cells.people is None else cells.people
    moved = people / np.repeat(sizes, cells.lengths()) - prior.shares[cells.codes]
    return np.asarray(accuracy * np.abs(moved))


def size_moment(cohorts: Spectrum) -> int:
    """Return the sum of W log2 W over cohorts, exactly, in units of 2^-50.

    >>> size_moment(Spectrum.of({4: 1, 2: 1})) == 10 << 50
    True
    """
    logarithms = fixed_log2(cohorts.sizes).tolist()
    return sum(size * sets * log for (size, sets), log in zip(cohorts.pairs(), logarithms, strict=True))


def conditional_entropy_bits(outer: int, inner: int, n_people: int) -> float:
    """H(X | Y) from the ``size_moment`` of the cohorts of Y and of those of X and Y together; >= 0.

    Implements: SPEC section 4 (the weight of weighted CIG). (sum W log W - sum w log w) / N, exact but for the
    logarithms.

    >>> conditional_entropy_bits(size_moment(Spectrum.of({4: 1})), size_moment(Spectrum.of({2: 2})), 4)
    1.0
    """
    return max(0.0, as_bits(outer - inner, n_people))


def trajectory_gains(companions: Companions, people: Iterable[int]) -> list[float]:
    """Return RIG, the sum of CIG over all points, of some people.

    A person is a row, and each of their points is a cell. The prior of a point is that of a point drawn from a person
    drawn; the posterior is the same among those who have all other points of the person. So someone with a single
    point, of whom nothing else is known, has no gain. Implements: SPEC section 3; S3 IV.C with S3 III.D to III.H.
    """
    of_one_known: dict[int, float] = {}
    return [math.fsum(point_gains(companions, person, of_one_known)) for person in people]


def point_gains(companions: Companions, person: int, of_one_known: dict[int, float] | None = None) -> list[float]:
    """Return the CIG of each point of a person, in the order of the points; ``of_one_known`` caches results.

    CIG = sum over points y of p(y) log2(p(y) / q(y)), p the posterior and q the prior. Bounds: >= 0.
    """
    points = companions.points(person)
    if len(points) == 1:
        return [0.0]
    if len(points) == 2:
        kept = of_one_known if of_one_known is not None else {}
        return [_beside_one(companions, point, kept) for point in points[::-1].tolist()]
    people, missing = companions.all_but_one(person)
    simple = (companions.lengths[people] == len(points)) & (missing < 0)
    gains = []
    for index, point in enumerate(points.tolist()):
        here = (missing < 0) | (missing == index)
        if simple[here].all():
            # Nobody else has the other points: the posterior is certain.
            gains.append(-math.log2(companions.prior[point]))
            continue
        gains.append(_gain(companions, *companions.further(people[here], np.delete(points, index))))
    return gains


def _beside_one(companions: Companions, known: int, kept: dict[int, float]) -> float:
    if known not in kept:
        people = companions.holders(known).astype(np.int64)
        kept[known] = _gain(companions, *companions.further(people, np.array([known], np.uint32)))
    return kept[known]


def _gain(companions: Companions, points: NDArray[np.uint32], posterior: NDArray[np.float64]) -> float:
    terms = posterior * np.log2(posterior / companions.prior[points])
    return max(0.0, math.fsum(terms.tolist()))


def mean_interval(numbers: list[float], n_all: int) -> tuple[float, float]:
    """Return a 95% interval of the mean over everyone, from a sample drawn without replacement.

    >>> [round(end, 3) for end in mean_interval([1.0, 2.0, 3.0, 2.0], 1000)]
    [1.201, 2.799]
    """
    n = len(numbers)
    mean = math.fsum(numbers) / n
    spread = math.fsum((number - mean) ** 2 for number in numbers) / max(1, n - 1)
    half = _NORMAL_95 * math.sqrt(spread / n * (1 - n / n_all))
    return max(0.0, mean - half), mean + half
