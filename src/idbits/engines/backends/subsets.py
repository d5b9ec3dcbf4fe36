"""The capability to count many sets of columns, and to find the records that they single out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum, Value
from idbits.errors import InputError
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.kernels.sample_uniques import SampleUniques

__all__ = ["RecordBatch", "RecordUniques", "StoreSpectra", "SubsetCounting", "SubsetCounts", "too_many_sets"]

StoreSpectra: TypeAlias = Callable[[Mapping[int, Spectrum]], None]
"""Takes the spectra of some sets of columns, each known by its mask."""


class SubsetCounts(Protocol):
    """Rows of some attributes, ready to count sets of them: bit i of a mask stands for attribute i.

    What is counted is stored a few sets at a time, as it comes. What ``store`` raises ends the counting; nothing that
    is finished by then is lost.
    """

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each attribute has."""

    @property
    def n_people(self) -> int:
        """The number of people."""

    @property
    def n_rows(self) -> int:
        """How many rows are looked at to count one set, by which the effort is judged: the same on every engine."""

    def count_every_set(self, store: StoreSpectra) -> None:
        """Count all sets but the empty one."""

    def count_single_columns(self, store: StoreSpectra) -> None:
        """Count each column by itself."""

    def count_all_but_one(self, order: Sequence[int], store: StoreSpectra) -> None:
        """Count all columns together, and all but each one; those first in the order split people most."""

    def count_beginnings(self, orders: Sequence[Sequence[int]], store: StoreSpectra) -> None:
        """Count the first columns of each order, from one on to all of them."""

    def count_sets(
        self,
        masks: Sequence[int],
        order: Sequence[int],
        only_unique: Collection[int],
        store: Callable[[Mapping[int, Spectrum | None]], None],
    ) -> None:
        """Count sets of two columns and more; columns first in the order split people most.

        Sets of ``only_unique`` matter only if they make everyone unique: None stands for one that certainly does not.
        """

    def are_alike(self, mask: int) -> bool:
        """Whether two people are known who are alike in all columns of a set; of few sets that is known."""

    def record_uniques(self, max_size: int) -> RecordUniques:
        """Return the search for the minimal sample uniques of up to so many columns, or refuse it at once."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordBatch:
    """Some rows with their minimal sample uniques.

    Attributes:
        numbers: row numbers in the source.
        people: how many people each row stands for, in counted tables.
        coarser: the column that, made coarser, leaves each row with the most people; -1 where none helps.
        left: how many people that leaves.
        values: the values of each row in its smallest minimal sample unique, if they were asked for.
    """

    numbers: NDArray[np.int64]
    people: NDArray[np.int64] | None
    uniques: SampleUniques
    coarser: NDArray[np.int16]
    left: NDArray[np.int64]
    values: list[tuple[Value, ...]] | None


class RecordUniques(Protocol):
    """The minimal sample uniques of each row of a table that was opened with ``in_order``.

    ``advance`` is told which part of the work is done; what it raises ends the work.
    """

    @property
    def n_rows(self) -> int:
        """The number of rows that stand for somebody."""

    def find(self, coarser: Mapping[int, Attribute], advance: Callable[[float], None]) -> None:
        """Find them; a coarser view of some columns is tried afterwards."""

    def try_coarser(self, advance: Callable[[float], None]) -> None:
        """Find out which coarser column of its smallest minimal sample unique leaves a row with the most people."""

    def in_order(self, *, values: bool) -> Iterator[RecordBatch]:
        """Yield all rows that stand for somebody, in the order of the source; with values or without."""


class SubsetCounting(Protocol):
    """A table that counts sets of its columns."""

    def subset_counts(self, attributes: Sequence[Attribute], options: OpenOptions) -> SubsetCounts:
        """Make the rows of some attributes ready to count sets of them."""


def too_many_sets(number: int) -> InputError:
    """Return the error about more sets of columns than can be looked for in each record."""
    return InputError(
        f"{number:,} combinations of columns are too many to check in each record; "
        "name fewer columns (--candidates) or smaller combinations (--record-size)"
    )
