"""The protocol of an engine: small, so that a new engine does not affect any measure.

An engine opens a table and counts. It returns spectra, histograms and numbers of rows: integers and, if the
user asks to see values, the text of values. Every engine follows the rules on nulls, text, numbers and dates in SPEC
sections 1, 11 and 12; the plain-Python engine (``engines/plain.py``) is their reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Histogram, Spectrum, Value
from idbits.engines.backends import Capabilities
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute, Kind
from idbits.values.decimals import number_text
from idbits.values.profile import Profile

if TYPE_CHECKING:
    import pyarrow

    from idbits.kernels.distinct import DistinctRows

__all__ = [
    "OpenOptions", "OrderedRows", "PersonRows", "PopulationMatch", "Row", "Source", "Table", "TableColumns",
    "labels_to_compare", "match_histograms", "match_of_sizes", "numbers_of",
]  # fmt: skip

Source = object
"""What a user may name as a table: a path, a glob, a folder, a list of paths, ``-`` for standard input, the address of
a database, a SQLAlchemy engine, or a frame of pandas, polars, pyarrow or Spark. ``engines/open.py`` decides which,
without importing their libraries."""

_ZEROS = 16

Row = tuple[Any, ...]
"""A row as a driver returns it; its content depends on the query."""


@dataclass(frozen=True, slots=True)
class OrderedRows:
    """Some columns of a table in the order of its rows.

    Attributes:
        table: a pyarrow table with all rows of the source in their order; NaN is null.
        kept: for each row, whether the filter keeps it.
    """

    table: pyarrow.Table
    kept: NDArray[np.bool_]


def numbers_of(column: pyarrow.Array | pyarrow.ChunkedArray) -> NDArray[Any]:
    """Return a column of numbers without nulls; not for booleans, which Arrow packs into bits.

    Arrow's own conversion first imports pandas if it is installed: half a second in which Ctrl-C is ignored.
    """
    import pyarrow

    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    return np.from_dlpack(array) if len(array) else np.zeros(0, array.type.to_pandas_dtype())


@dataclass(frozen=True, slots=True)
class PersonRows:
    """Whether a table has one row per person, by its person column."""

    rows: int
    persons_repeated: int
    rows_without_person: int


@dataclass(frozen=True, slots=True)
class PopulationMatch:
    """A release compared with a population.

    Attributes:
        spectrum: sizes in the population with the sets and people of the release.
        missing_values: values of the release that the population does not have.
        missing_people: the people of the release who have them.
        overfull_values: values that more people have in the release than in the population.
    """

    spectrum: Spectrum
    missing_values: int
    missing_people: int
    overfull_values: int


class TableColumns(dict[str, Kind]):
    """The columns of a table with their kinds, and what an error about a missing column says.

    Attributes:
        source: the name of the file, if there is one.
        may_be_data: whether the names may be cells of a file without a header.
        suspicion: returns what looks wrong in the file, as the end of a sentence; empty if nothing does.
    """

    def __init__(
        self,
        columns: Mapping[str, Kind],
        source: str = "",
        *,
        may_be_data: bool = False,
        suspicion: Callable[[], str] = str,
    ) -> None:
        super().__init__(columns)
        self.source = source
        self.may_be_data = may_be_data
        self.suspicion = suspicion

    def only(self, names: Iterable[str]) -> TableColumns:
        """Return some of the columns, in the order of the table."""
        wanted = set(names)
        kept = {name: kind for name, kind in self.items() if name in wanted}
        return TableColumns(kept, self.source, may_be_data=self.may_be_data, suspicion=self.suspicion)


class Table(Capabilities, Protocol):
    """An open, filtered table that counts people (rows, or the numbers in the count column)."""

    @property
    def columns(self) -> Mapping[str, Kind]:
        """The columns in the order of the source, with their kinds."""

    @property
    def notes(self) -> Sequence[str]:
        """Decisions made while reading, as sentences without values."""

    @property
    def names_may_be_data(self) -> bool:
        """Whether the names may be the first person's cells, in a file without a header."""

    @property
    def trials_are_cheap(self) -> bool:
        """Whether further counts, to find out what would help, are cheap."""

    @property
    def files(self) -> Sequence[Path]:
        """The files of the table, in order; empty for frames and databases."""

    def load(self, columns: Iterable[str], sampled: Iterable[str] = (), spare: Iterable[str] = ()) -> None:
        """Declare the columns that will be used, and those of which a sample suffices.

        Called once, before the first count. A column can be both. ``spare`` columns may be counted later
        (``unique_people``): those of a small text file are read at the same time.
        """

    def n_people(self) -> int:
        """Count the people."""

    def spectrum(self, attributes: Sequence[Attribute]) -> Spectrum:
        """Count the people of each combination of values, then how often each count occurs."""

    def null_people(self, attribute: Attribute) -> int:
        """Count the people whose value is null."""

    def group_spectra(
        self, by: Attribute, attributes: Sequence[Attribute], *, at_least: int = 1
    ) -> list[tuple[Value, Spectrum]]:
        """Return the spectrum within each category of ``by``, with the category's label.

        The label of a category with fewer than ``at_least`` people is not needed: it may be None.
        """

    def histogram(self, attributes: Sequence[Attribute], *, at_least: int = 1, most: int | None = None) -> Histogram:
        """Return the values that at least ``at_least`` people have, most frequent first, then by text.

        With ``most``, only that many rows, the *least* frequent first: the most exposed people.
        """

    def coded_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        """Return the rows as small integers.

        In the order of the source if the table was opened with ``in_order``; an engine without rows on this machine
        returns distinct rows with their numbers of people, in any order.
        """

    def distinct_rows(self, attributes: Sequence[Attribute], threads: int) -> DistinctRows:
        """Return the distinct rows of ``coded_rows`` with their numbers of people, if possible without all rows."""

    def coded_batches(self, attributes: Sequence[Attribute]) -> Iterator[CodedRows]:
        """Yield the rows of ``coded_rows`` in batches and in any order, so that few are in memory at once.

        Labels can be requested after the first batch, which may be empty; no other request may be made until the end.
        """

    def labels(self, attribute: Attribute) -> list[Value]:
        """Return the label of each code that ``coded_rows`` uses for an attribute."""

    def match(
        self, attributes: Sequence[Attribute], population: Table, population_attributes: Sequence[Attribute]
    ) -> PopulationMatch:
        """Compare the values of the attributes with a population, in which the attributes may have other names."""

    def profile(self, column: str) -> Profile:
        """Describe a column in numbers."""

    def person_rows(self, column: str) -> PersonRows:
        """Count people with more than one row, and rows without a person."""

    def rows_in_order(self, columns: Sequence[str]) -> OrderedRows:
        """Return loaded columns in the order of the source, which must have been opened with ``in_order``."""

    def check_unchanged(self) -> None:
        """Raise an error if the source changed since it was opened."""

    def give_back_memory(self) -> None:
        """Release as much memory as possible; the next request may take longer."""

    def close(self) -> None:
        """Release memory, temporary files and connections."""


def match_histograms(release: Histogram, population: Histogram) -> PopulationMatch:
    """Compare a release with a population by the text of values; works for any two engines."""
    sizes = dict(zip(map(labels_to_compare, population.values), population.people, strict=True))
    rows: dict[int, list[int]] = {}
    for value, people in zip(release.values, release.people, strict=True):
        size = sizes.get(labels_to_compare(value), 0)
        row = rows.setdefault(size, [0, 0, 0])
        row[0] += 1
        row[1] += people
        row[2] += people > size
    return match_of_sizes([[size, *row] for size, row in rows.items()], sum(population.people))


def match_of_sizes(rows: Sequence[Sequence[int]], n_population: int) -> PopulationMatch:
    """Return the match of a release from (size in the population, values, people, values with more people) rows.

    Values that the population does not have are of size 0 there.

    >>> match_of_sizes([(0, 1, 4, 1), (2, 3, 5, 1)], 100).missing_people
    4
    """
    held = [(size, values, people, more) for size, values, people, more in rows if size]
    missing = [(values, people) for size, values, people, _ in rows if not size]
    spectrum = Spectrum.against(
        ((size, values, people) for size, values, people, _ in held),
        n_reference=n_population,
        n_values=sum(values for _, values, _, _ in held),
    )
    return PopulationMatch(
        spectrum,
        missing_values=sum(values for values, _ in missing),
        missing_people=sum(people for _, people in missing),
        overfull_values=sum(more for _, _, _, more in held),
    )


def labels_to_compare(shown: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return labels with large whole numbers written like floats of the same value."""
    # Nearly all texts are too short, and their length is known at once.
    return tuple(
        number_text(Decimal(text))
        if text is not None and len(text) > _ZEROS and re.fullmatch(f"-?[1-9][0-9]*0{{{_ZEROS},}}", text)
        else text
        for text in shown
    )
