"""Calibration: what the network's rates say about the people that sets really have in the sample.

Implements: SPEC page population.md, 8.2 step 2 and 8.8b. The rates are binned; in each bin the people of sets follow a
mixture of two zero-truncated extended negative binomials: the main part, and a class of rare sets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from idbits.counts import Floats, Integers
from idbits.kernels.run_lengths import size_counts
from idbits.measures.population.optimisation import minimum_within
from idbits.measures.population.sets import PeopleOfSets
from idbits.measures.population.zero_truncated import log_probability, log_probability_slopes

__all__ = ["PARAMETERS", "Calibration", "CalibrationCells", "CellIndices", "fit_calibration"]

PARAMETERS = ("b", "rho", "a0", "a1", "e", "w0", "m0", "w1")

CellIndices = NDArray[np.int32]

_BIN_WIDTH = 0.15
_BLOCK = 1 << 16
_PRIOR = np.array([0.4, 1.0, 1.0, 0.25, -6.0, -4.5, 0.3, 0.0])
_SD = np.array([0.3, 0.1, 0.5, 0.15, 1.0, 1.0, 0.7, 0.2])
_LOW = np.array([-4.0, 0.3, -3.0, -0.6, -14.0, -9.0, -3.0, -1.0])
_HIGH = np.array([6.0, 1.3, 5.0, 0.6, 2.0, 5.0, 4.0, 1.0])
_STARTS = (
    _PRIOR,
    np.array([0.2, 0.8, -0.5, 0.0, -4.0, -3.5, 0.3, 0.0]),
    np.array([0.2, 0.9, 1.5, 0.0, -5.0, -1.5, 0.3, 0.0]),
    np.array([0.2, 0.9, 3.0, 0.0, -5.0, 1.0, -2.0, 0.0]),
)
_E = PARAMETERS.index("e")
_LOG_SHAPES = (-4.0, 6.0)


@dataclass(frozen=True, eq=False)
class CalibrationCells:
    """The table T: sets by the bin of their rate and by their people.

    Attributes:
        rates: the centre of each bin, ln lambda.
        bins: for each cell with sets in it, the index of its bin.
        people: the people of these sets in the sample.
        sets: the number of sets.
    """

    rates: Floats
    bins: Integers
    people: Floats
    sets: Floats

    @classmethod
    def of(cls, log_rates: Floats, people: PeopleOfSets) -> tuple[CalibrationCells, CellIndices]:
        """Count the sets; also return the cell of each set.

        >>> cells, where = CalibrationCells.of(np.array([0.0, 0.01, 0.3]), np.array([1, 1, 2]))
        >>> cells.rates.tolist(), cells.people.tolist(), cells.sets.tolist(), where.tolist()
        ([0.0, 0.3], [1.0, 2.0], [2.0, 1.0], [0, 0, 1])
        """
        blocks = [slice(start, start + _BLOCK) for start in range(0, len(people), _BLOCK)]
        first = round(float(log_rates.min()) / _BIN_WIDTH)
        n_bins = round(float(log_rates.max()) / _BIN_WIDTH) - first + 1
        sizes = np.array(sorted(size_counts(people)), np.int64)

        def places(part: slice) -> Integers:
            # Every bin times every size; the large sizes are few, so this is a small table.
            bins = np.rint(log_rates[part] / _BIN_WIDTH).astype(np.int64) - first
            return bins * len(sizes) + np.searchsorted(sizes, people[part])

        counted = np.zeros(n_bins * len(sizes), np.int64)
        for part in blocks:
            np.add.at(counted, places(part), 1)
        keys = np.flatnonzero(counted)
        cell_of_place = np.zeros(len(counted), np.int32)
        cell_of_place[keys] = np.arange(len(keys), dtype=np.int32)
        where = np.empty(len(people), np.int32)
        for part in blocks:
            where[part] = cell_of_place[places(part)]
        bins, of_bin = np.unique(keys // len(sizes), return_inverse=True)
        centres = (bins + first).astype(np.float64) * _BIN_WIDTH
        of_cell = sizes[keys % len(sizes)].astype(np.float64)
        return cls(centres, of_bin, of_cell, counted[keys].astype(np.float64)), where

    def with_sets(self, sets: Floats) -> CalibrationCells:
        """Return the same cells with other numbers of sets."""
        return replace(self, sets=sets)


@dataclass(frozen=True, eq=False)
class Calibration:
    """The fitted mixture.

    Attributes:
        x: the parameters, in the order of ``PARAMETERS``.
        fraction: the share of the population that is in the sample.
        log_posterior: what was maximised.
    """

    x: Floats
    fraction: float
    log_posterior: float

    @property
    def rare_rate(self) -> float:
        """The rate of rare sets in the sample: f exp(m0)."""
        return self.fraction * math.exp(self.x[6])

    def main_part(self, rates: Floats) -> tuple[Floats, Floats]:
        """Return the mean rate mu and the shape alpha of the main part, for rates ln lambda."""
        b, rho, a0, a1, e = self.x[:5]
        mu = np.exp(b + rho * rates) + math.exp(e)
        return mu, np.exp(np.clip(a0 + a1 * np.log(mu), *_LOG_SHAPES))

    def log_parts(self, rates: Floats, people: Floats) -> tuple[Floats, Floats]:
        """Return the logarithms of the two parts of P(c = k): main and rare."""
        mu, alpha = self.main_part(rates)
        tilt = self.x[5] + self.x[7] * rates
        rare_rate = np.array(self.rare_rate)
        main = -np.logaddexp(0, tilt) + log_probability(people, mu, alpha)
        rare = -np.logaddexp(0, -tilt) + log_probability(people, rare_rate, np.array(1.0))
        return main, rare

    def rare_share(self, rates: Floats, people: Floats) -> Floats:
        """Return the probability that a set with these people is a rare one."""
        main, rare = self.log_parts(rates, people)
        share: Floats = expit(rare - main)
        return share

    def probability(self, rates: Floats, people: Floats) -> Floats:
        """Return P(c = k)."""
        return np.exp(np.logaddexp(*self.log_parts(rates, people)))


def fit_calibration(
    cells: CalibrationCells, fraction: float, warm: Floats | None = None, e_prior: float | None = None
) -> Calibration:
    """Maximise the likelihood times the priors, from four starts or from a warm one.

    Args:
        cells: the sets by rate and people.
        fraction: the share of the population that is in the sample.
        warm: the parameters to start from.
        e_prior: the prior mean of e; by default min(-6, ln f - 1.4), because exp(e) is in sample units.
    """
    prior, low = _PRIOR.copy(), _LOW.copy()
    prior[_E] = min(-6.0, math.log(fraction) - 1.4) if e_prior is None else e_prior
    low[_E] = min(low[_E], prior[_E] - 6)
    shift = np.zeros(len(prior))
    shift[_E] = prior[_E] - _PRIOR[_E]
    starts = [start + shift for start in _STARTS] if warm is None else [warm]
    # What is summed grows with the sets, and so does the rounding of its gradient.
    flat = max(1e-5, 1e-9 * float(cells.sets.sum()))
    inside = [np.clip(start, low, _HIGH) for start in starts]
    best, reached = minimum_within(_Goal(cells, fraction, prior), inside, low, _HIGH, flat)
    return Calibration(best, fraction, -reached)


class _Goal:
    """Minus the logarithm of likelihood times priors, with its gradient."""

    def __init__(self, cells: CalibrationCells, fraction: float, prior: Floats) -> None:
        self._cells = cells
        self._fraction = fraction
        self._prior = prior
        self._sizes, self._size_of_cell = np.unique(cells.people, return_inverse=True)

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        cells, rates = self._cells, self._cells.rates
        b, rho, a0, a1, e, w0, m0, w1 = x
        grown = np.exp(b + rho * rates)
        mu = grown + math.exp(e)
        log_mu = np.log(mu)
        log_alpha = a0 + a1 * log_mu
        free = (log_alpha > _LOG_SHAPES[0]) & (log_alpha < _LOG_SHAPES[1])
        alpha = np.exp(np.clip(log_alpha, *_LOG_SHAPES))
        tilt = w0 + w1 * rates
        where, k = cells.bins, cells.people
        main = -np.logaddexp(0, tilt)[where] + log_probability(k, mu[where], alpha[where])
        rare_rate, one = np.array(self._fraction * math.exp(m0)), np.array(1.0)
        of_size = log_probability(self._sizes, rare_rate, one)
        rare = -np.logaddexp(0, -tilt)[where] + of_size[self._size_of_cell]
        off = (x - self._prior) / _SD
        value = float(cells.sets @ np.logaddexp(main, rare)) - float(off @ off) / 2

        share = expit(rare - main)
        by_mu, by_alpha = log_probability_slopes(k, mu[where], alpha[where])
        weight = cells.sets * (1 - share)
        n_bins = len(rates)
        by_alpha = np.bincount(where, weight * by_alpha, n_bins) * free
        by_mu = np.bincount(where, weight * by_mu, n_bins) + a1 * by_alpha
        by_tilt = np.bincount(where, cells.sets * (share - expit(tilt)[where]), n_bins)
        by_rare = log_probability_slopes(self._sizes, rare_rate, one)[0][self._size_of_cell]
        from_grown = by_mu * grown / mu
        slopes = np.array([
            from_grown.sum(), from_grown @ rates, by_alpha.sum(), by_alpha @ log_mu, (by_mu * (1 - grown / mu)).sum(),
            by_tilt.sum(), float((cells.sets * share) @ by_rare), by_tilt @ rates,
        ])  # fmt: skip
        return -value, -(slopes - off / _SD)
