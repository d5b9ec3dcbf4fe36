"""The capability to write a treated copy of a table: coarser columns, some people left out, rows sorted.

The engine counts the people of each group of treated values; the study decides which groups are withheld; the engine
writes the rows of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from idbits.counts import Integers, Value
from idbits.errors import InputError
from idbits.values.attributes import Attribute
from idbits.values.released_labels import LabelWords

__all__ = [
    "MixedCells", "NoTreating", "ReleaseRequest", "TreatedColumn", "TreatedRows", "Treating", "TreatmentRequest",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TreatedColumn:
    """A column that someone may know, and what becomes of it.

    Attributes:
        view: the column with its transforms; without any, the column stays as it is.
        is_given_up: whether one word replaces all its values.
        labels: the text that replaces each text of the source, from a hierarchy file; None if transforms do it.
        is_mixed: whether the coarseness differs between groups of people.
    """

    view: Attribute
    is_given_up: bool = False
    labels: Mapping[Value, Value] | None = field(default=None, hash=False)
    is_mixed: bool = False

    @property
    def column(self) -> str:
        """The column of the source."""
        return self.view.column

    @property
    def is_untouched(self) -> bool:
        """Whether values stay as they are."""
        return not (self.view.transforms or self.is_given_up or self.is_mixed) and self.labels is None


@dataclass(frozen=True, eq=False)
class MixedCells:
    """What is written in columns whose coarseness differs between groups of people.

    Attributes:
        attributes: the columns, with the views that their codes are of.
        numbers: for each column, the number of each code.
        rows: for each column, the number of its value in each different row that is written; all others are left out.
        cells: for each column, which of its texts is written for each of these rows.
        texts: for each column, its texts; None if it stays as it is.
    """

    attributes: tuple[Attribute, ...]
    numbers: Mapping[str, Integers]
    rows: Mapping[str, Integers]
    cells: Mapping[str, Integers]
    texts: Mapping[str, Sequence[Value] | None]


@dataclass(frozen=True, slots=True)
class TreatmentRequest:
    """How the columns that someone may know are written.

    Attributes:
        columns: the columns, each with one view; the views do not matter if the coarseness is mixed.
        mixed: what is written instead of views.
        is_text_file: whether the file has no types and does not distinguish empty text from null (CSV).
        protects_cells: whether untouched cells that begin like a formula are protected, too.
    """

    columns: tuple[TreatedColumn, ...]
    words: LabelWords
    is_text_file: bool
    protects_cells: bool = False
    mixed: MixedCells | None = None


@dataclass(frozen=True, slots=True)
class ReleaseRequest:
    """What is written of a treated table.

    Attributes:
        columns: the columns in their order.
        withheld: the numbers of the groups that are left out.
        pseudonyms: columns whose values are replaced, each with the function of their text.
        is_sorted: whether rows are sorted by all columns; otherwise they have the order of the source.
    """

    columns: Sequence[str]
    withheld: Integers
    pseudonyms: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    is_sorted: bool = True


class TreatedRows(Protocol):
    """A treated table before it is written. Groups are numbered in the order of their values, null first."""

    @property
    def group_sizes(self) -> Integers:
        """The number of people of each group."""

    def group_codes(self, column: str) -> Integers:
        """Return the code of each group's value in a treated column."""

    def value_codes(self, column: str) -> tuple[Integers, Integers]:
        """Return, for each value of a treated column in the source, the code of what replaces it, and its people.

        In the order of the column's labels.
        """

    def group_cells(self, column: str) -> tuple[Integers, Integers, Integers]:
        """Count people by group and value of another column: the group, the code of the value, and the people.

        Sorted by group and code.
        """

    def cell_texts(self, column: str) -> list[Value]:
        """Return the text of each code of another column as it is written to the file."""

    def recoded_values(self, column: str) -> Iterator[tuple[Value, Value]]:
        """Yield the texts of a treated column with the texts that replace them."""

    def formula_cells(self, columns: Sequence[str]) -> int:
        """Count the cells of untouched columns that a spreadsheet would take for formulas."""

    def write(self, file: Path, release: ReleaseRequest) -> None:
        """Write the rows to an existing file, which may be left incomplete if that fails (OSError)."""


class Treating(Protocol):
    """A table whose rows can be written to a file."""

    def treated_rows(self, treatment: TreatmentRequest) -> TreatedRows:
        """Prepare the treatment of a loaded table: labels of coarser values, and group sizes."""

    def released_texts(self, view: Attribute, words: LabelWords) -> list[Value]:
        """Return the text that is written for each code of a view."""


class NoTreating:
    """A table whose rows stay where they are."""

    def released_texts(self, view: Attribute, words: LabelWords) -> list[Value]:  # noqa: ARG002
        """Refuse: no text is written."""
        raise _stays()

    def treated_rows(self, treatment: TreatmentRequest) -> TreatedRows:  # noqa: ARG002
        """Refuse: rows do not leave a database or a cluster."""
        raise _stays()


def _stays() -> InputError:
    return InputError(
        "the rows of a database or a cluster stay where they are; export the table to a file and treat that file"
    )
