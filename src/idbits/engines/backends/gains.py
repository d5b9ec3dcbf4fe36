"""The capability to attack the rows of a table: what somebody learns about each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum, Value
from idbits.progress import Progress
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    import pyarrow

    from idbits.kernels.cohorts import CohortCells, CohortGains

__all__ = [
    "Belief", "BeliefByCode", "BelievedRows", "GainRows", "Gains", "GainsOfRow", "MissingValues", "Ranking", "RowGains",
]  # fmt: skip

Floats = NDArray[np.float64]


class BeliefByCode(Protocol):
    """What an attacker holds of a feature whose values are codes."""

    @property
    def missing_values(self) -> int:
        """Values of the table that the prior lacks."""

    @property
    def missing_people(self) -> int:
        """The people who have those."""

    def gains(self, cells: CohortCells) -> CohortGains:
        """Return what is learnt in each cohort."""

    def surprise(self, cells: CohortCells, sizes: Integers) -> Floats:
        """Return how far the chance of each cell's value moves; ``sizes`` are the people of the cohorts."""


class Belief(Protocol):
    """What an attacker holds of a feature. It takes the logarithms, since engines take none; units are 2^-50."""

    @property
    def accuracy(self) -> float:
        """How far the table is trusted, from 0 to 1."""

    @property
    def of_population(self) -> bool:
        """Whether the prior is that of a population, by the texts of values; else it is the table's own."""

    @property
    def untrusted_log2(self) -> float:
        """log2(1 - accuracy)."""

    def log2_units(self, numbers: Integers) -> Integers:
        """Return the logarithms of whole numbers."""

    def table_surprisal(self, people: Integers, n_people: int) -> Integers:
        """Return -log2(people / n_people)."""

    def surprisal_units(self, share: float) -> int:
        """Return -log2 of a probability."""

    def population_shares(
        self, labels: Sequence[Value], people: Sequence[int], n_people: int
    ) -> tuple[list[float], list[bool]]:
        """Return the prior of values that so many people have, and which of them the population lacks."""

    def believed_units(self, people: Integers, cohort_people: Integers, expected: Floats) -> Integers:
        """Return what cells add to the gain of their cohort, for an accuracy between 0 and 1."""

    def by_code(self, people: Integers, labels: Callable[[], Sequence[Value]]) -> BeliefByCode:
        """Return the belief about codes, from the people of each and, if need be, their shown values."""


@dataclass(frozen=True, slots=True)
class MissingValues:
    """Values of a table that a prior lacks, and the people who have them."""

    values: int
    people: int


class GainsOfRow(NamedTuple):
    """What is learnt about one distinct row: the people who have it, RIG, and CIG of each feature."""

    people: int
    rig_bits: float
    cig_bits: tuple[float, ...]


class Ranking(Protocol):
    """People in the order of their gain."""

    def at(self, positions: Sequence[int]) -> list[float]:
        """Return the gains of the people at these positions, counted from 0, ascending."""

    def people_above(self, levels: Sequence[float]) -> list[int]:
        """Return how many people gain more than each number of bits."""


class RowGains(Protocol):
    """What is learnt about each distinct row."""

    @property
    def totals(self) -> Sequence[int]:
        """The sum over people of each feature (FIG), exactly, in units of 2^-50."""

    @property
    def surprise_totals(self) -> Sequence[int] | None:
        """The same of the cell surprise factor; None unless it was asked for."""

    def ranking(self) -> Ranking:
        """Put people in the order of their gain."""

    def largest_share(self) -> float:
        """Return the largest gain of a row divided by its people."""

    def people_with_share(self, least: Sequence[float]) -> list[int]:
        """Return how many people are in rows whose gain divided by their people is at least each of these."""

    def most_exposed(self, most: int) -> list[GainsOfRow] | None:
        """Return the rows with the largest gain, by their numbers alone; None unless cells were asked for."""

    def cells(self, names: Sequence[str], weights: Sequence[float], *, csf: bool) -> Iterator[pyarrow.Table]:
        """Yield number, cells (CIG or CSF, times the weights), RIG and people of all rows in the source's order."""


class BelievedRows(Protocol):
    """Distinct rows of which an attacker believes something."""

    @property
    def rows(self) -> GainRows:
        """The rows themselves."""

    @property
    def missing(self) -> Sequence[MissingValues]:
        """For each feature what its prior lacks: a gain about that is unbounded."""

    def narrowed(self, columns: Sequence[int]) -> BelievedRows:
        """Return the distinct rows of some columns, of which the attacker believes the same."""

    def attack(self, known: Sequence[int] | None, progress: Progress, *, cells: bool, csf: bool) -> RowGains:
        """Return what is learnt about each row from the known columns, or from all others; ``cells`` keeps CIG."""


class GainRows(Protocol):
    """The distinct rows of some attributes, wherever they are."""

    @property
    def n_rows(self) -> int:
        """How many there are."""

    @property
    def n_people(self) -> int:
        """How many people have them."""

    @property
    def spectrum(self) -> Spectrum:
        """The people of each distinct row."""

    @property
    def value_spectra(self) -> Sequence[Spectrum]:
        """The people of each value, column by column."""

    def leave_one_out_spectra(self, progress: Progress) -> Sequence[Spectrum]:
        """Return for each column the people who are equal in all the others."""

    def pair_spectra(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Spectrum]:
        """Yield the people of each pair of values of two columns."""

    def believed(self, beliefs: Sequence[Belief]) -> BelievedRows:
        """Return the rows with what an attacker holds of each column."""


class Gains(Protocol):
    """A table that can be attacked."""

    def gain_rows(self, attributes: Sequence[Attribute], options: OpenOptions, *, with_cells: bool = False) -> GainRows:
        """Return the distinct rows of attributes; ``with_cells`` if the cells of all rows will be asked for."""
