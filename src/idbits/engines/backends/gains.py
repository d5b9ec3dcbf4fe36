"""The capability to attack the rows of a table: what an attacker learns about each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers, Spectrum, Value
from idbits.engines.backends.persons import Persons
from idbits.progress import Progress
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    import pyarrow

    from idbits.kernels.cohorts import CohortCells, CohortGains

__all__ = [
    "Belief", "BeliefByCode", "BelievedRows", "GainRows", "Gains", "GainsOfRow", "MissingValues", "PeopleRows",
    "PersonGains", "Ranking", "RowGains",
]  # fmt: skip

Floats = NDArray[np.float64]


class BeliefByCode(Protocol):
    """What an attacker believes about a feature whose values are codes."""

    @property
    def missing_values(self) -> int:
        """The number of values of the table that the prior lacks."""

    @property
    def missing_people(self) -> int:
        """The number of people with those values."""

    def gains(self, cells: CohortCells) -> CohortGains:
        """Return the information gained in each cohort."""

    def surprise(self, cells: CohortCells, sizes: Integers) -> Floats:
        """Return how much the probability of each cell's value changes; ``sizes`` are the people per cohort."""


class Belief(Protocol):
    """What an attacker believes about a feature. It computes the logarithms for engines, in units of 2^-50."""

    @property
    def accuracy(self) -> float:
        """The attacker's trust in the table, from 0 to 1."""

    @property
    def of_population(self) -> bool:
        """Whether the prior comes from a population, by the texts of values; otherwise from the table itself."""

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
        """Return the prior of values with these numbers of people, and which of them the population lacks."""

    def believed_units(self, people: Integers, cohort_people: Integers, expected: Floats) -> Integers:
        """Return the contribution of cells to the gain of their cohort, for an accuracy between 0 and 1."""

    def by_code(self, people: Integers, labels: Callable[[], Sequence[Value]]) -> BeliefByCode:
        """Return the belief about codes, from the people per code and, if needed, the labels."""


@dataclass(frozen=True, slots=True)
class MissingValues:
    """The numbers of values that a prior lacks and of people with those values."""

    values: int
    people: int


class GainsOfRow(NamedTuple):
    """The gain of one distinct row: its people, RIG, and CIG of each feature."""

    people: int
    rig_bits: float
    cig_bits: tuple[float, ...]


class Ranking(Protocol):
    """People sorted by their gain."""

    def at(self, positions: Sequence[int]) -> list[float]:
        """Return the gains of the people at these positions, counted from 0, ascending."""

    def people_above(self, levels: Sequence[float]) -> list[int]:
        """Return how many people gain more than each number of bits."""


class PersonGains(NamedTuple):
    """The gains of people who have several rows.

    Attributes:
        total: the largest gain among a person's rows, summed over people, exactly, in units of 2^-50.
        sums: people sorted by the sum of the gains of their rows.
    """

    total: int
    sums: Ranking


class RowGains(Protocol):
    """The information gained about each distinct row.

    If people have several rows, a person's gain is the largest among their rows, and the people of a row are those who
    have it.
    """

    @property
    def totals(self) -> Sequence[int]:
        """The sum over people of each feature (FIG), exactly, in units of 2^-50."""

    @property
    def surprise_totals(self) -> Sequence[int] | None:
        """The same for the cell surprise factor; None unless it is needed."""

    def ranking(self) -> Ranking:
        """Sort people by their gain."""

    def person_gains(self) -> PersonGains | None:
        """Return the gains of people who have several rows; None if each row is a person."""

    def largest_share(self) -> float:
        """Return the largest gain of a row divided by its people."""

    def people_with_share(self, least: Sequence[float]) -> list[int]:
        """Return how many people have a row whose gain divided by its people is at least each of these."""

    def most_exposed(self, most: int) -> list[GainsOfRow] | None:
        """Return the rows with the largest gain, ties by row number; None unless cells are needed."""

    def cells(self, names: Sequence[str], weights: Sequence[float], *, csf: bool) -> Iterator[pyarrow.Table]:
        """Yield number, cells (CIG or CSF, times the weights), RIG and people of all rows in source order."""


class BelievedRows(Protocol):
    """Distinct rows, and what an attacker believes about them."""

    @property
    def rows(self) -> GainRows:
        """The rows themselves."""

    @property
    def missing(self) -> Sequence[MissingValues]:
        """For each feature, what its prior lacks: the gain is unbounded there."""

    def narrowed(self, columns: Sequence[int]) -> BelievedRows:
        """Return the distinct rows of some columns, with the same beliefs."""

    def attack(self, known: Sequence[int] | None, progress: Progress, *, cells: bool, csf: bool) -> RowGains:
        """Return the gain of each row from the known columns, or from all others; ``cells`` keeps CIG."""


class GainRows(Protocol):
    """The distinct rows of some attributes, on this machine or a cluster.

    Where people have several rows, ``n_people`` and the spectra still count rows: an attacker's priors and posteriors
    are shares of rows. ``n_persons``, ``people_by_rows``, ``smallest_cohort`` and ``people_alone`` count people.
    """

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""

    @property
    def n_people(self) -> int:
        """The number of people or, if people have several, of their rows."""

    @property
    def n_persons(self) -> int:
        """The number of people."""

    @property
    def people_by_rows(self) -> tuple[tuple[int, int], ...]:
        """The (rows of a person, number of such people), ascending."""

    @property
    def smallest_cohort(self) -> int:
        """The smallest number of people who have a row."""

    @property
    def people_alone(self) -> int:
        """The number of people with a row that nobody else has."""

    def null_rows(self, column: int) -> int:
        """Return how many rows have a null in a column."""

    @property
    def spectrum(self) -> Spectrum:
        """The number of people per distinct row."""

    @property
    def value_spectra(self) -> Sequence[Spectrum]:
        """The number of people per value, column by column."""

    def leave_one_out_spectra(self, progress: Progress) -> Sequence[Spectrum]:
        """Return for each column the groups of people who share all other columns."""

    def pair_spectra(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Spectrum]:
        """Yield the number of people per pair of values of two columns."""

    def believed(self, beliefs: Sequence[Belief]) -> BelievedRows:
        """Return the rows with an attacker's belief about each column."""


@dataclass(frozen=True, slots=True, eq=False)
class PeopleRows:
    """Rows with the person of each; rows without a person are left out, or people of their own.

    Attributes:
        rows: the codes of the attributes; ``people`` are the number of equal rows of the person, if combined.
        persons: the number of each row's person, from 0; some may not occur.
        labels: returns the label of each code of an attribute, by its index.
    """

    rows: CodedRows
    persons: Integers
    labels: Callable[[int], Sequence[Value]]


class Gains(Protocol):
    """A table that can be attacked."""

    def gain_rows(
        self,
        attributes: Sequence[Attribute],
        options: OpenOptions,
        *,
        with_cells: bool = False,
        persons: Persons | None = None,
    ) -> GainRows:
        """Return the distinct rows of attributes; ``with_cells`` if the cells of all rows are needed.

        With ``persons`` people may have several rows, and rows without a person are left out or people of their own.
        """

    def people_rows(self, persons: Persons, attributes: Sequence[Attribute]) -> PeopleRows:
        """Return the rows of people on this machine, as codes."""
