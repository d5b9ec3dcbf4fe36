"""The capability to count many combinations of columns, and to find the records that they single out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from idbits.counts import PeopleCounts, Value
from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.errors import InputError
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.kernels.sample_uniques import SampleUniques

__all__ = [
    "PersonSubsetCounts", "RecordBatch", "RecordUniques", "StoreFound", "StoreSpectra", "SubsetCounting",
    "SubsetCounts", "too_many_sets",
]  # fmt: skip

StoreSpectra: TypeAlias = Callable[[Mapping[int, PeopleCounts]], None]
"""Receives the spectra of some combinations of columns, each identified by its mask.

If people have several rows, it receives what the attacker's request needs instead: see ``PersonSubsetCounts``.
"""
StoreFound: TypeAlias = Callable[[Mapping[int, PeopleCounts | None]], None]
"""Takes the same where a spectrum may be left out."""


class SubsetCounts(Protocol):
    """Rows of some attributes, prepared for counting combinations: bit i of a mask is attribute i.

    Results are passed to ``store`` a few at a time. An error raised there ends the counting, but loses no result that
    was stored before.
    """

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each attribute."""

    @property
    def n_people(self) -> int:
        """The number of people."""

    @property
    def n_rows(self) -> int:
        """The number of rows per count, to estimate the effort: the same on every engine."""

    def count_every_set(self, store: StoreSpectra) -> None:
        """Count all combinations except the empty one."""

    def count_single_columns(self, store: StoreSpectra) -> None:
        """Count each column by itself."""

    def count_all_but_one(self, order: Sequence[int], store: StoreSpectra) -> None:
        """Count all columns together, and all but each one; the first columns of the order split people most."""

    def count_beginnings(self, orders: Sequence[Sequence[int]], store: StoreSpectra) -> None:
        """Count the first column of each order, the first two, and so on up to all of them."""

    def count_sets(
        self, masks: Sequence[int], order: Sequence[int], only_unique: Collection[int], store: StoreFound
    ) -> None:
        """Count combinations of two or more columns; the first columns of the order split people most.

        Those in ``only_unique`` only matter if they make everyone unique: None means that they certainly do not.
        """

    def are_alike(self, mask: int) -> bool:
        """Whether two people are known to share all columns of a combination; known for few combinations."""

    def record_uniques(self, max_size: int) -> RecordUniques:
        """Return the search for minimal sample uniques up to a number of columns, or refuse it at once."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordBatch:
    """Some rows with their minimal sample uniques.

    Attributes:
        numbers: row numbers in the source.
        people: the number of people per row, in counted tables.
        coarser: the column that, coarsened, puts each row in the largest group; -1 if none helps.
        left: the size of that group.
        values: the values of each row in its smallest minimal sample unique, if requested.
    """

    numbers: NDArray[np.int64]
    people: NDArray[np.int64] | None
    uniques: SampleUniques
    coarser: NDArray[np.int16]
    left: NDArray[np.int64]
    values: list[tuple[Value, ...]] | None


class RecordUniques(Protocol):
    """The minimal sample uniques of each row of a table opened with ``in_order``.

    ``advance`` receives the share of the work that is done; an error raised there ends the work.
    """

    @property
    def n_rows(self) -> int:
        """The number of rows with at least one person."""

    def find(self, coarser: Mapping[int, Attribute], advance: Callable[[float], None]) -> None:
        """Find the minimal sample uniques; ``try_coarser`` may follow."""

    def try_coarser(self, advance: Callable[[float], None]) -> None:
        """Find the column of its smallest minimal sample unique that, coarsened, puts a row in the largest group."""

    def in_order(self, *, values: bool) -> Iterator[RecordBatch]:
        """Yield all rows with at least one person, in the order of the source, with or without values."""


class PersonSubsetCounts(SubsetCounts, Protocol):
    """The same for people who have several rows, as one attacker finds them.

    Counts are a ``Spectrum`` of people by their sets of values if the request has ``sets``, ``DrawnRecords`` if it has
    ``records``, and otherwise ``PeopleBySize`` by the smallest group among a person's values.
    """

    @property
    def are_slow(self) -> bool:
        """Whether each combination is a question of its own to a database or a cluster."""

    @property
    def people_by_rows(self) -> tuple[tuple[int, int], ...]:
        """The (rows of a person, number of such people), ascending."""


class SubsetCounting(Protocol):
    """A table that counts combinations of its columns."""

    def subset_counts(self, attributes: Sequence[Attribute], options: OpenOptions) -> SubsetCounts:
        """Prepare the rows of some attributes for counting combinations."""

    def person_subset_counts(
        self, persons: Persons, attributes: Sequence[Attribute], request: PersonRequest, options: OpenOptions
    ) -> PersonSubsetCounts:
        """Prepare the rows of people for counting combinations, for the attacker of the request."""


def too_many_sets(number: int) -> InputError:
    """Return the error about more combinations of columns than can be checked in each record."""
    return InputError(
        f"{number:,} combinations of columns are too many to check in each record; "
        "name fewer columns (--candidates) or smaller combinations (--record-size)"
    )
