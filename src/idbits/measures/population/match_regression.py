"""Match regression: the estimate from the columns themselves.

Implements: SPEC page population.md, 8.2, 8.5 and 8.8b. For somebody in the sample, the number of other people with the
same values is predicted from the columns without looking at their own set, calibrated on the sets as they are, and
extrapolated from the n people of the sample to the N of the population.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from idbits.counts import Floats, Integers, Spectrum
from idbits.measures.population.calibration import Calibration, CalibrationCells, CellIndices, fit_calibration
from idbits.measures.population.model import SetModel
from idbits.measures.population.network import ColumnFamily, Shares, log_rates, search_network
from idbits.measures.population.sets import MOST_SETS, SampleSets
from idbits.measures.population.weights import SetWeights

__all__ = ["MatchRegression", "fit_match_regression"]


@dataclass(frozen=True, eq=False)
class MatchRegression:
    """The fitted model.

    Attributes:
        network: how each column is predicted from others.
        calibration: what the predictions say about the people of sets.
        cells: the sets by predicted rate and people.
        cell_of_set: the cell of each set, if a table is very large of a random draw of them.
        spectrum: the group sizes of the whole sample.
    """

    network: tuple[ColumnFamily, ...]
    calibration: Calibration
    cells: CalibrationCells
    cell_of_set: CellIndices
    spectrum: Spectrum

    @property
    def n_drawn(self) -> int:
        """The number of sets that were used."""
        return len(self.cell_of_set)

    def model_of(self, calibration: Calibration, cells: CalibrationCells) -> SetModel:
        """Return the model of cells, for the sampling fraction of the fit."""
        rates = cells.rates[cells.bins]
        mu, alpha = calibration.main_part(rates)
        rare = calibration.rare_share(rates, cells.people)
        f = calibration.fraction
        g = np.full(len(rates), (1 - f) / f)
        weights = cells.people * cells.sets / f
        return SetModel(cells.people, cells.sets, weights, alpha, mu, rare, calibration.rare_rate, g)

    def model(self) -> SetModel:
        """Return the fitted model of all sets."""
        return self.model_of(self.calibration, self.cells.with_sets(self.cells.sets * self._growth()))

    def separated(self, weights: SetWeights | None, g: Floats | None, most: Floats | None) -> SetModel:
        """Return the model with the sets of a cell separated by what else is known of each.

        Args:
            weights: the sampling weights.
            g: the people outside the sample per person in it, set by set.
            most: the largest possible size in the population, set by set.
        """
        model = self.model()
        if g is None and most is None:
            return model
        where, drawn = self.cell_of_set, slice(self.n_drawn)
        g = model.g[where] if g is None else g[drawn]
        most = np.full(self.n_drawn, np.inf) if most is None else most[drawn]
        order = np.lexsort((most, g, where))
        where, g, most = where[order], g[order], most[order]
        changes = (where[1:] != where[:-1]) | (g[1:] != g[:-1]) | (most[1:] != most[:-1])
        starts = np.flatnonzero(np.append(True, changes))
        at, g, most = where[starts], g[starts], most[starts]
        sets = np.diff(starts, append=self.n_drawn) * self._growth()[at]
        represented = model.people[at] * sets / self.calibration.fraction
        if weights is not None:
            represented = np.add.reduceat(weights.sums[drawn][order], starts)
            represented *= weights.people / float(represented.sum())
        alike = {name: getattr(model, name)[at] for name in ("people", "alpha", "mu", "rare")}
        return replace(model, **alike, sets=sets, weights=represented, g=g, most=most)

    def by_set(self, g: Floats | None, most: Floats | None, scale: float) -> tuple[Floats, Floats]:
        """Return P(F = 1) and E[1/F] of each set; all sets must have been used."""
        model = self.model().scaled(scale)
        if g is None and most is None:
            return model.p_unique[self.cell_of_set], model.match[self.cell_of_set]
        alike = {name: getattr(model, name)[self.cell_of_set] for name in SetModel.PER_CELL}
        own = replace(model, **alike | ({} if g is None else {"g": g}), most=most)
        return own.p_unique, own.match

    def _growth(self) -> Floats:
        """Return how many sets of the sample each drawn set of a cell stands for: by its people, or nearly so."""
        if self.n_drawn == self.spectrum.n_sets:
            return np.ones(len(self.cells.sets))
        drawn_bands, bands = _bands(self.cells.people), _bands(self.spectrum.sizes)
        drawn = np.bincount(drawn_bands, self.cells.people * self.cells.sets, minlength=int(bands.max()) + 1)
        everyone = np.bincount(bands, self.spectrum.people, minlength=len(drawn))
        for band in range(len(drawn) - 1, 0, -1):
            # Sizes of which no set was drawn count with the sizes below.
            if not drawn[band]:
                everyone[band - 1] += everyone[band]
        growth: Floats = (everyone / np.maximum(drawn, 1))[drawn_bands]
        return growth


def _bands(sizes: Floats | Integers) -> Integers:
    """Number the sizes: each up to 10 by itself, larger ones by quarters of their doublings."""
    return np.where(sizes <= 10, sizes, 10 + np.ceil(4 * np.log2(np.maximum(sizes, 10) / 10))).astype(np.int64)


def fit_match_regression(
    sets: SampleSets,
    fraction: float,
    warm: Floats | None = None,
    shares: Shares | None = None,
    most_sets: int = MOST_SETS,
) -> MatchRegression:
    """Fit the model to a sample that is this share of the population.

    Args:
        sets: the distinct rows of the sample.
        fraction: the share of the population that is in the sample.
        warm: parameters to start from.
        shares: for some columns, the share of each code in the population.
        most_sets: from how many sets to calibrate; the counts of the network are always those of all sets.
    """
    network = search_network(sets, shares)
    used = min(most_sets, sets.n_sets)
    rates = log_rates(sets, network, shares, used)
    cells, where = CalibrationCells.of(rates, sets.people[:used])
    return MatchRegression(network, fit_calibration(cells, fraction, warm), cells, where, sets.spectrum)
