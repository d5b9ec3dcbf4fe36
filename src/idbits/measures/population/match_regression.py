"""Match regression: the estimate from the columns themselves.

Implements: SPEC page population.md, 8.2, 8.5 and 8.8b. For somebody in the sample, the number of other people with the
same values is predicted from the columns without looking at their own set, calibrated on the sets as they are, and
extrapolated from the n people of the sample to the N of the population.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Integers
from idbits.measures.population.calibration import Calibration, CalibrationCells, fit_calibration
from idbits.measures.population.model import SetModel
from idbits.measures.population.network import ColumnFamily, Shares, log_rates, search_network
from idbits.measures.population.sets import SampleSets

__all__ = ["MatchRegression", "fit_match_regression"]

_MOST_SETS = 5_000_000


@dataclass(frozen=True, eq=False)
class MatchRegression:
    """The fitted model.

    Attributes:
        network: how each column is predicted from others.
        calibration: what the predictions say about the people of sets.
        cells: the sets by predicted rate and people, of the first ``n_used`` sets.
        cell_of_set: the cell of each of them.
    """

    network: tuple[ColumnFamily, ...]
    calibration: Calibration
    cells: CalibrationCells
    cell_of_set: Integers

    @property
    def n_used(self) -> int:
        """The number of sets that were used."""
        return len(self.cell_of_set)

    def model(self, calibration: Calibration | None = None, cells: CalibrationCells | None = None) -> SetModel:
        """Return the model of the cells, for the sampling fraction of the fit."""
        calibration, cells = calibration or self.calibration, cells or self.cells
        rates = cells.rates[cells.bins]
        mu, alpha = calibration.main_part(rates)
        rare = calibration.rare_share(rates, cells.people)
        f = calibration.fraction
        every = np.ones(len(rates))
        return SetModel(
            cells.people, cells.sets, cells.people * cells.sets / f, alpha, mu, rare, calibration.rare_rate,
            (1 - f) / f * every,
        )  # fmt: skip


def fit_match_regression(
    sets: SampleSets, fraction: float, warm: Floats | None = None, shares: Shares | None = None
) -> MatchRegression:
    """Fit the model to a sample that is this share of the population; ``warm`` are parameters to start from."""
    network = search_network(sets, shares)
    used = min(_MOST_SETS, sets.n_sets)
    rates = log_rates(sets, network, shares, used)
    cells, where = CalibrationCells.of(rates, sets.people[:used])
    return MatchRegression(network, fit_calibration(cells, fraction, warm), cells, where)
