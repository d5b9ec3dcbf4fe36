"""Entropy of a quasi-identifier, and figures derived from it: shared information, and each column's part of the whole.

Implements: SPEC sections 1, 2 and 4; S0 (Alexin 2022) equations 2 to 31; S2 (Koot 2012) 2.2 and 4.3; S3 IV.E.
Sums are exact to the last bit (``math.fsum``), so a result does not depend on the order of the sets.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence

from idbits.counts import GroupSizes, Spectrum
from idbits.errors import NotEstimableError

__all__ = [
    "bits_about_person", "degree_of_anonymity", "dual_total_correlation_bits", "entropy_bits", "estimated_anonymity",
    "guaranteed_singletons", "kappa_error_nats", "kappa_from_entropy", "kappa_nats", "least_bits_to_single_out",
    "max_entropy_bits", "mutual_information_bits", "renyi_bits", "shapley_of_orders", "shapley_of_subsets",
    "surprisal_bits", "total_correlation_bits",
]  # fmt: skip

_LN2 = math.log(2)


def surprisal_bits(sizes: Iterable[int], n: int) -> list[float]:
    """Information in belonging to a set of k among n people: log2(n / k).

    Implements: S0, "Bits" of its tables. Bounds: 0 (k = n) to log2 n (k = 1).
    Sets of more than half the people use log1p, because n / k is then too close to 1 to be accurate.

    >>> [round(bits, 4) for bits in surprisal_bits([3286, 589], 10_004_090)]
    [11.572, 14.052]
    """
    # The standard library's logarithms: NumPy's differ in the last digit between processors.
    return [math.log2(n / k) if 2 * k <= n else abs(math.log1p(-(n - k) / n)) / _LN2 for k in sizes]


def entropy_bits(spectrum: GroupSizes) -> float:
    """Mean information about a person: E = sum over sets (k/N) log2(N/k).

    Against a population it is the mean over the records of the release.
    Implements: S0 (4); S1. Bounds: log2(N/k_max) to log2(N/k_min) (S0 lemma 3), at most log2 N (S0 12).

    >>> entropy_bits(Spectrum.of({1: 8}))
    3.0
    """
    _must_hold_people(spectrum)
    bits = surprisal_bits(spectrum.sizes.tolist(), spectrum.n_reference)
    return _within(_mean_over_people(spectrum, bits), bits[-1], bits[0])


def max_entropy_bits(spectrum: GroupSizes) -> float:
    """Bits that single out everyone: log2 N. Implements: S0 (12).

    >>> round(max_entropy_bits(Spectrum.of({10_004_090: 1})), 3)
    23.254
    """
    _must_hold_people(spectrum)
    return math.log2(spectrum.n_reference)


def estimated_anonymity(spectrum: GroupSizes) -> float:
    """k-hat = N / 2^E, the geometric mean of the set sizes over people.

    Implements: S0 (25). Bounds: k_min to k_max (S0 lemma 3, with <=). It is computed as 2^(mean log2 k), which
    is the same number but is exactly 1 when everyone is unique.

    >>> estimated_anonymity(Spectrum.of({1: 2, 4: 1}))
    2.5198420997897464
    """
    _must_hold_people(spectrum)
    k_hat = math.exp2(_mean_over_people(spectrum, _logarithms(spectrum)))
    return _within(k_hat, float(spectrum.sizes[0]), float(spectrum.sizes[-1]))


def bits_about_person(n_people: int, k_hat: float = 1.0) -> float:
    """Bits about the person in something that k-hat of n people typically share: log2(n / k-hat).

    The mean over pairs of log2(n / k), when each pair of a spectrum is shared by k of the n people and k-hat is its
    estimated anonymity. With k-hat = 1 it is log2 n, which singles out one person. Bounds: 0 to log2 n.

    >>> bits_about_person(8, 2.0), bits_about_person(8)
    (2.0, 3.0)
    """
    return max(0.0, math.log2(n_people / k_hat))


def guaranteed_singletons(spectrum: GroupSizes) -> float | None:
    """Unique people implied by the entropy alone: max(0, (E - (log2 N - 1)) N).

    Implements: S0 (31). A real number, never above the true number of singletons: it is summed as
    (1 - log2 k) over people, where sets of two add 0 and larger sets subtract. None against a population.

    >>> guaranteed_singletons(Spectrum.of({1: 6, 2: 1}))
    6.0
    """
    _must_hold_people(spectrum)
    if not spectrum.is_own_reference:
        return None
    lacking = [1.0 - logarithm for logarithm in _logarithms(spectrum)]
    return max(0.0, math.fsum(map(operator.mul, spectrum.people.tolist(), lacking)))


def least_bits_to_single_out(people: float, n: int) -> float:
    """Least entropy with which m of n people can be unique: m/n log2 n + (1 - m/n) log2(n / (n - m)).

    Everyone else is then in one set. Bounds: 0 to log2 n.

    >>> least_bits_to_single_out(8, 8), least_bits_to_single_out(0, 8)
    (3.0, 0.0)
    """
    if people >= n:
        return math.log2(n)
    return people / n * math.log2(n) + (n - people) / n * math.log2(n / (n - people))


def degree_of_anonymity(spectrum: GroupSizes) -> float | None:
    """1 - E / log2 N: 0 if everyone is unique, 1 if nobody can be distinguished.

    Implements: S2 2.2 (Diaz; Serjantov), as SPEC section 1 turns it to tables. None for N = 1.

    >>> degree_of_anonymity(Spectrum.of({2: 2}))
    0.5
    """
    if spectrum.n_reference <= 1:
        return None
    most = max_entropy_bits(spectrum)
    # The hidden part is the mean of log2 k: if it is small, 1 - E / log2 N would lose digits.
    hidden = _mean_over_people(spectrum, _logarithms(spectrum))
    return hidden / most if 2 * hidden < most else 1.0 - entropy_bits(spectrum) / most


def renyi_bits(spectrum: Spectrum) -> dict[str, float] | None:
    """Renyi entropies of the value distribution of order 0, 1, 2 and infinity.

    Implements: S2 (2.5). They fall from order to order. None against a population, where the people of the
    release do not make up the distribution that the sizes come from.

    >>> renyi_bits(Spectrum.of({1: 2, 2: 1}))
    {'0': 1.584962500721156, '1': 1.5, '2': 1.4150374992788437, 'inf': 1.0}
    """
    _must_hold_people(spectrum)
    if not spectrum.is_own_reference:
        return None
    n = spectrum.n_people
    # Python integers: k^2 m overflows 64 bits for large tables.
    squares = sum(k * k * m for k, m in spectrum.pairs())
    excess = n * n - squares
    second = math.log1p(excess / squares) / _LN2 if excess < squares else math.log2(n * n / squares)
    # Keep the entropies in the order that they have by definition, despite rounding.
    least = surprisal_bits([int(spectrum.sizes[-1])], n)[0]
    first = max(entropy_bits(spectrum), least)
    return {"0": max(math.log2(spectrum.n_sets), first), "1": first, "2": _within(second, least, first), "inf": least}


def kappa_nats(spectrum: Spectrum, n_values: int | None = None) -> float | None:
    """KL distance from the value distribution to the uniform one over the possible values, in nats.

    kappa = ln n_values - H = sum p ln(p n_values). Implements: S2 4.3.
    Bounds: 0 (all values equally frequent) to ln n_values.
    ``n_values`` is the number of possible values; by default the observed ones (including those with count 0).

    >>> kappa_nats(Spectrum.of({5: 4}))
    0.0
    """
    _must_hold_people(spectrum)
    if not spectrum.is_own_reference:
        return None
    possible = spectrum.n_values if n_values is None else n_values
    n = spectrum.n_people
    # With d = p * possible - 1, kappa is the mean of (1 + d) ln(1 + d) - d over the possible values. Every
    # term is >= 0, so a nearly uniform distribution keeps its digits; a value that nobody has (d = -1) adds 1.
    terms = [m * _excess((k * possible - n) / n) for k, m in spectrum.pairs()]
    return (math.fsum(terms) + (possible - spectrum.n_sets)) / possible


def kappa_from_entropy(bits: float, n_values: int) -> float:
    """Return kappa computed from an entropy, which may be rounded: ln n_values - E ln 2, and at least 0.

    >>> round(kappa_from_entropy(1.58, 3), 4)
    0.0034
    """
    return max(0.0, math.log(n_values) - bits * _LN2)


def kappa_error_nats(kappa: float, bits: float, n_values: int) -> float:
    """Return how far a kappa is from the one computed from an entropy: |kappa - (ln n_values - E ln 2)|.

    >>> kappa_error_nats(0.5, 2.0, 4)
    0.5
    """
    return abs(kappa - (math.log(n_values) - bits * _LN2))


def _excess(d: float) -> float:
    if abs(d) < 1e-3:
        return d * d / 2 - d**3 / 6 + d**4 / 12 - d**5 / 20 + d**6 / 30
    # A share so small that d rounds to -1 adds as much as a value that nobody has.
    return (1 + d) * math.log1p(d) - d if d > -1 else 1.0


def _logarithms(spectrum: GroupSizes) -> list[float]:
    return [math.log2(k) for k in spectrum.sizes.tolist()]


def _mean_over_people(spectrum: GroupSizes, figures: list[float]) -> float:
    return math.fsum(map(operator.mul, spectrum.people.tolist(), figures)) / spectrum.n_people


def _within(figure: float, low: float, high: float) -> float:
    """Return a figure clipped to its bounds, which only rounding can exceed."""
    return min(max(figure, low), high)


def _must_hold_people(spectrum: GroupSizes) -> None:
    if not len(spectrum.sizes):
        raise NotEstimableError("there is nobody to measure: no row is left")


def mutual_information_bits(entropy_x: float, entropy_y: float, entropy_both: float) -> float:
    """I(X;Y) = H(X) + H(Y) - H(X,Y). Bounds: 0 to the smaller entropy.

    >>> mutual_information_bits(1.0, 1.0, 1.0)
    1.0
    """
    return min(max(0.0, math.fsum((entropy_x, entropy_y, -entropy_both))), entropy_x, entropy_y)


def total_correlation_bits(entropies: Sequence[float], joint: float) -> float:
    """TC = sum H(X_j) - H(all): how far the features are from being independent. Bounds: >= 0.

    >>> total_correlation_bits([1.0, 1.0, 1.0], 1.0)
    2.0
    """
    return max(0.0, math.fsum((*entropies, -joint)))


def dual_total_correlation_bits(conditional: Sequence[float], joint: float) -> float:
    """DTC = H(all) - sum H(X_j | all others): what at least two features share. Bounds: 0 to H(all).

    >>> dual_total_correlation_bits([0.0, 0.0, 0.0], 1.0)
    1.0
    """
    return min(joint, max(0.0, joint - math.fsum(conditional)))


def shapley_of_subsets(entropies: Mapping[int, float], n_columns: int) -> list[float]:
    """Return the Shapley values from the entropies of all subsets (masks; the empty one is 0).

    The Shapley value of a column is its gain of entropy on top of the columns before it, averaged over all orders of
    the columns (Shapley 1953). Entropy grows with each column, and ever less the more are known, so every part is at
    least the conditional entropy and at most the column's own. Implements: SPEC section 2.

    phi_i = sum over S without i of |S|! (n - |S| - 1)! / n! * (H(S + i) - H(S)). They add up to the joint entropy.

    >>> shapley_of_subsets({1: 1.0, 2: 2.0, 3: 2.5}, 2)
    [0.75, 1.75]
    """
    weights = [1 / (n_columns * math.comb(n_columns - 1, size)) for size in range(n_columns)]
    parts = []
    for column in range(n_columns):
        bit = 1 << column
        gains = [
            weights[mask.bit_count()] * (entropies[mask | bit] - (entropies[mask] if mask else 0.0))
            for mask in range(1 << n_columns)
            if not mask & bit
        ]
        parts.append(max(0.0, math.fsum(gains)))
    return parts


def shapley_of_orders(
    orders: Sequence[Sequence[int]], entropies: Sequence[Sequence[float]], n_columns: int
) -> tuple[list[float], list[float]]:
    """Estimate Shapley values from some orders of the columns; return them and their standard errors.

    ``entropies`` are those of the prefixes of each order. Orders come in pairs, one the reverse of the other: what one
    overstates, the other understates. The error is that of the mean over pairs.

    >>> shapley_of_orders([[0, 1], [1, 0]], [[1.0, 2.5], [2.0, 2.5]], 2)
    ([0.75, 1.75], [0.0, 0.0])
    """
    gains: list[list[float]] = [[] for _ in range(n_columns)]
    for order, reached in zip(orders, entropies, strict=True):
        before = 0.0
        for column, now in zip(order, reached, strict=True):
            gains[column].append(now - before)
            before = now
    values, errors = [], []
    for gained in gains:
        pairs = [(first + second) / 2 for first, second in zip(gained[::2], gained[1::2], strict=True)]
        mean = math.fsum(pairs) / len(pairs)
        values.append(max(0.0, mean))
        spread = math.fsum((pair - mean) ** 2 for pair in pairs)
        errors.append(math.sqrt(spread / (len(pairs) - 1) / len(pairs)) if len(pairs) > 1 else 0.0)
    return values, errors
