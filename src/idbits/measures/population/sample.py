"""What is known of a sample."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.counts import Floats, Spectrum
from idbits.measures.population.network import Shares
from idbits.measures.population.sets import MOST_SETS, SampleSets
from idbits.measures.population.weights import SetWeights

__all__ = ["Sample"]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A sample of a population.

    Attributes:
        spectrum: its group sizes.
        fraction: the share of the population that is in it.
        sets: its distinct rows, if they are known.
        weights: the sampling weights of the people in each of these.
        shares: for some columns, the share of each code in the population.
        most: the largest possible size of each set in the population, if marginals limit it.
        most_sets: from how many sets to calibrate at most.
    """

    spectrum: Spectrum
    fraction: float
    sets: SampleSets | None = None
    weights: SetWeights | None = None
    shares: Shares | None = None
    most: Floats | None = None
    most_sets: int = MOST_SETS

    @property
    def n(self) -> int:
        """The people in the sample."""
        return self.spectrum.n_people

    @property
    def people(self) -> float:
        """The people in the population, N = n/f."""
        return self.n / self.fraction

    @property
    def uniques(self) -> int:
        """The people who are unique in the sample."""
        return int(self.spectrum.sets[self.spectrum.sizes == 1].sum())

    @property
    def shared_sets(self) -> int:
        """The groups of two or more people."""
        return self.spectrum.n_sets - self.uniques
