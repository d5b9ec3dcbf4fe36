"""The mutual information that two columns have by chance, and whether the observed value is larger.

Plug-in mutual information is above 0 even for unrelated columns, and grows with the number of their values. The chance
level here is its mean over all ways to shuffle one of the columns. It is computed, not sampled: under shuffling each
cell is hypergeometric (Vinh, Epps and Bailey, JMLR 11, 2010), and cells with the same two totals are equivalent, so the
sum runs over pairs of set sizes instead of cells. It depends only on the two spectra and needs no seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.measures.entropy import entropy_bits
from idbits.measures.hypergeometric import CellMoments, cell_moments, deviance, meeting_counts

__all__ = ["Chance", "chance_of"]

Floats = NDArray[np.float64]

_LN2 = math.log(2)
_KEPT = 4096
# Smaller differences, in bits, are due to rounding.
_ROUNDING = 1e-9
# Up to this many set sizes are handled one by one; small ones always are.
_MOST_SIZES = 100
_SMALL_SIZE = 64
_BINS_PER_DOUBLING = 4
# With a smaller shape the null is a few rare events rather than a smooth curve.
_SMOOTH_SHAPE = 0.75
_FEW_EXPECTED = 5.0


@dataclass(frozen=True, slots=True)
class Chance:
    """The mutual information of two columns when one of them is shuffled.

    Attributes:
        mean_bits: its mean over all shuffles.
        variance_bits2: its variance, approximately.
        least_bits: the smallest value that a shuffle can give.
        smooth: whether a smooth curve fits it, rather than a few rare events.
        exact: its values with their probabilities if both columns have two values; otherwise None.
    """

    mean_bits: float
    variance_bits2: float
    least_bits: float
    smooth: bool
    exact: tuple[Floats, Floats] | None = None

    def p_value(self, bits: float) -> float:
        """Return the probability that a shuffle gives at least this many bits.

        Two columns of two values: exactly. Otherwise by a gamma distribution with the same least value, mean and
        variance, which is chi-square for large tables; or, where rare events decide, by Cantelli's inequality, which
        is never below the true probability if the variance is right.
        """
        above = bits - self.mean_bits
        if above <= _ROUNDING:
            return 1.0
        if self.exact is not None:
            values, probabilities = self.exact
            return float(probabilities[values >= bits - _ROUNDING].sum())
        if self.variance_bits2 <= _ROUNDING**2:
            return 0.0
        if not self.smooth:
            return self.variance_bits2 / (self.variance_bits2 + above**2)
        from scipy.special import gammaincc

        mean = self.mean_bits - self.least_bits
        scale = self.variance_bits2 / mean
        return float(gammaincc(mean / scale, (bits - self.least_bits) / scale))


_known: dict[bytes, Chance] = {}


def chance_of(first: Spectrum, second: Spectrum) -> Chance:
    """Return the mutual information that two columns with these spectra have by chance.

    The mean is exact for columns of up to 100 set sizes. In those with more, sizes above 64 that are within a fifth of
    each other are replaced by two with the same first moments; the mean then has a relative error below 1e-6.

    >>> round(chance_of(Spectrum.of({1: 2}), Spectrum.of({1: 2})).mean_bits, 12)
    1.0
    >>> round(chance_of(Spectrum.of({50: 2}), Spectrum.of({50: 2})).mean_bits * 100 * 2 * math.log(2), 2)
    1.02
    """
    # A report compares columns with the same spectra many times.
    key = _digest(first) + _digest(second)
    known = _known.get(key)
    if known is None:
        if len(_known) >= _KEPT:
            _known.clear()
        known = _known[key] = _computed(first, second)
    return known


def _digest(spectrum: Spectrum) -> bytes:
    made = blake2b(str(spectrum.n_reference).encode())
    for array in (spectrum.sizes, spectrum.sets, spectrum.people):
        made.update(b"|" + array.tobytes())
    return made.digest()


def _computed(first: Spectrum, second: Spectrum) -> Chance:
    n = first.n_people
    if n < 2 or first.n_sets == 1 or second.n_sets == 1:
        return Chance(0.0, 0.0, 0.0, smooth=True)
    if first.n_sets == second.n_sets == 2:
        return _two_by_two(int(first.sizes[0]), int(second.sizes[0]), n)
    a, a_sets = _sizes(first, second)
    b, b_sets = _sizes(second, first)
    cells = cell_moments(np.repeat(a, len(b)), np.tile(b, len(a)), float(n))
    number = np.outer(a_sets, b_sets)
    mean = math.fsum((number * cells.mean.reshape(number.shape)).ravel().tolist()) / (n * _LN2)
    variance = _variance(cells, a, a_sets, b, b_sets, n) / (n * _LN2) ** 2
    least = max(0.0, entropy_bits(first) + entropy_bits(second) - math.log2(n))
    expected = int(first.sizes[0]) * int(second.sizes[0]) / n
    smooth = expected >= _FEW_EXPECTED or (mean - least) ** 2 >= _SMOOTH_SHAPE * variance
    return Chance(mean, variance, least, smooth)


def _two_by_two(a: int, b: int, n: int) -> Chance:
    k, probabilities = meeting_counts(float(a), float(b), float(n))
    values = np.zeros(len(k))
    for count, row, column in ((k, a, b), (a - k, a, n - b), (b - k, n - a, b), (n - a - b + k, n - a, n - b)):
        values += deviance(count, row * (column / n))
    values /= n * _LN2
    mean = math.fsum((probabilities * values).tolist())
    variance = math.fsum((probabilities * (values - mean) ** 2).tolist())
    return Chance(mean, variance, 0.0, smooth=True, exact=(values, probabilities))


def _variance(cells: CellMoments, a: Floats, a_sets: Floats, b: Floats, b_sets: Floats, n: int) -> float:
    """Return the variance of n ln 2 times mutual information, approximately; simulation finds it within some 10%.

    What a cell's deviance has in common with its count is a sum over cells of slope times count, whose variance under
    shuffling is known (Hoeffding 1951): only what is left of the slopes without row and column means varies. What is
    left of the deviances is taken as independent between cells, but for the degrees of freedom that the totals take.
    """
    shape = (len(a), len(b))
    spread, covariance = cells.count_variance.reshape(shape), cells.covariance.reshape(shape)
    slope = np.divide(covariance, spread, out=np.zeros(shape), where=spread > 0)
    left = np.maximum(0.0, cells.variance.reshape(shape) - slope * covariance) / np.outer(1 - a / n, 1 - b / n)
    row_share, column_share = a_sets * a / n, b_sets * b / n
    rows, columns = slope @ column_share, row_share @ slope
    free = slope - rows[:, None] - columns + row_share @ rows
    varying = left + np.outer(a, b) / (n - 1) * free**2
    return float(a_sets @ varying @ b_sets)


def _sizes(spectrum: Spectrum, other: Spectrum) -> tuple[Floats, Floats]:
    """Return set sizes and their numbers of sets; similar sizes are merged if there are many."""
    sizes, sets = spectrum.sizes.astype(np.float64), spectrum.sets.astype(np.float64)
    if len(sizes) <= _MOST_SIZES:
        return sizes, sets
    # A fraction of a person matters only if a whole set can fall into one value of the other column.
    largest = int(other.sizes[-1]) / other.n_people
    small = max(_SMALL_SIZE, -40 / math.log(largest))
    kept = sizes <= small
    bins = np.floor(np.log2(sizes[~kept]) * _BINS_PER_DOUBLING)
    starts = np.flatnonzero(np.diff(bins, prepend=-1.0))
    parts = [(sizes[kept], sets[kept])]
    for size, number in zip(np.split(sizes[~kept], starts[1:]), np.split(sets[~kept], starts[1:]), strict=True):
        parts.append(_two_for_many(size, number) if len(size) > 2 else (size, number))
    return np.concatenate([size for size, _ in parts]), np.concatenate([number for _, number in parts])


def _two_for_many(sizes: Floats, sets: Floats) -> tuple[Floats, Floats]:
    """Return two sizes with the same number of sets and the same first three moments (Gaussian quadrature)."""
    total = sets.sum()
    mean = sets @ sizes / total
    deviation = math.sqrt(sets @ (sizes - mean) ** 2 / total)
    skew = float(sets @ (sizes - mean) ** 3 / total / deviation**3) / 2
    root = math.sqrt(1 + skew**2)
    share = (1 - skew / root) / 2
    return mean + deviation * np.array([skew - root, skew + root]), total * np.array([1 - share, share])
