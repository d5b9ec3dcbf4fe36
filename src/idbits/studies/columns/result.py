"""The answer of ``idbits columns``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from idbits.counts import Spectrum
from idbits.measures.anonymity import distinction, separation
from idbits.measures.entropy import entropy_bits
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, plain_object
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "Budget", "ColumnSubsets", "Contribution", "LeftOutColumn", "Minimal", "NotSearched", "RecordsFile", "Subset",
    "SubsetFigures",
]  # fmt: skip

_NOT_ASKED = "request it with --max-bits or --min-k"
_STOPPED = "the search was stopped before this was counted"
_ONE_PERSON = "a single person does not make a pair"
_NO_OTHERS = "there is only one column and one person"


@dataclass(frozen=True, slots=True)
class SubsetFigures:
    """The figures of one set of columns, computed from its spectrum."""

    entropy_bits: float
    singletons: int
    k_min: int
    distinction: float
    separation: float | None
    n_sets: int

    @classmethod
    def of(cls, spectrum: Spectrum) -> SubsetFigures:
        """Compute the figures of a spectrum."""
        return cls(
            entropy_bits=entropy_bits(spectrum),
            singletons=int(spectrum.people[spectrum.sizes == 1].sum()),
            k_min=int(spectrum.sizes[0]),
            distinction=distinction(spectrum),
            separation=separation(spectrum),
            n_sets=spectrum.n_sets,
        )


@dataclass(frozen=True, slots=True)
class Subset:
    """Some columns and their figures."""

    json_keys: ClassVar = ("columns", "*figures")

    columns: tuple[str, ...]
    figures: SubsetFigures


@dataclass(frozen=True, slots=True)
class LeftOutColumn:
    """A column that was not examined, its likely role, and the reason."""

    column: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class Minimal:
    """The sets of columns that single out a share of the people when none of their parts does.

    Attributes:
        share: the least share of the people.
        people: the same as a number of people.
        sets: the sets found, fewest columns first.
        complete: whether these are all such sets of up to ``max_size`` columns.
    """

    share: float
    people: int
    sets: tuple[Subset, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one column gives away by itself, adds to all others, and its fair part of the whole (Shapley).

    ``singletons_without`` are the people who are unique with all other columns.
    """

    column: str
    entropy_bits: float | None
    conditional_bits: float | None
    shapley_bits: float | None
    shapley_error_bits: float | None
    singletons_without: int | None


@dataclass(frozen=True, slots=True)
class Budget:
    """Which columns can be released together within a limit.

    Attributes:
        sets: the largest sets within the limit.
        proven: for each set, whether it is proven that no column can be added.
    """

    json_keys: ClassVar = ("max_bits", "min_k", "sets=set_rows", "complete")

    max_bits: float | None
    min_k: int | None
    sets: tuple[Subset, ...]
    proven: tuple[bool, ...]
    complete: bool

    @property
    def set_rows(self) -> list[JsonObject]:
        """The sets as plain data; ``maximal``: it is proven that no column can be added."""
        pairs = zip(self.sets, self.proven, strict=True)
        return [{**plain_object(subset), "maximal": proven} for subset, proven in pairs]


@dataclass(frozen=True, slots=True)
class NotSearched:
    """Sets of ``size`` to ``to_size`` columns that were not examined."""

    size: int
    to_size: int
    sets: int
    reason: str


@dataclass(frozen=True, slots=True)
class RecordsFile:
    """The file about single records.

    Attributes:
        with_uniques: records that have a minimal sample unique.
        smallest: the number of records whose smallest sample unique has 1, 2, ... columns.
    """

    file: str
    rows: int
    with_uniques: int
    max_size: int
    max_score: int
    smallest: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class ColumnSubsets(Answer):
    """Which columns together single people out, and what each of them adds.

    Attributes:
        unit: what is counted: people, or rows.
        candidates: the columns examined.
        left_out: the columns not examined, and why.
        shares: the shares requested.
        subsets: all subsets, or with more than 10 columns the most identifying ones counted; most bits first.
        complete: whether everything requested was examined.
        stopped: why the search ended early, or None.
        interrupted: whether Ctrl-C ended it.
        orders: the number of column orders from which the Shapley values are estimated; 0: they are exact.
    """

    command: ClassVar[str] = "columns"
    json_keys: ClassVar = (
        "?internal", "n_rows", "candidates", "left_out", "shares", "max_size", "together", "n_subsets", "n_counted",
        "subsets", "minimal", "contribution", "shapley_orders=orders", "budget", "records", "not_searched", "complete",
        "stopped", "reasons", "notes",
    )  # fmt: skip

    source: str | None
    n_rows: int
    candidates: tuple[str, ...]
    left_out: tuple[LeftOutColumn, ...]
    shares: tuple[float, ...]
    max_size: int
    together: SubsetFigures | None
    subsets: tuple[Subset, ...]
    n_counted: int
    minimal: tuple[Minimal, ...]
    contribution: tuple[Contribution, ...]
    unit: Unit = Unit.PEOPLE
    orders: int = 0
    budget: Budget | None = None
    records: RecordsFile | None = None
    not_searched: tuple[NotSearched, ...] = ()
    complete: bool = True
    stopped: str | None = None
    interrupted: bool = False
    every_subset: bool = True
    internal: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    def __repr__(self) -> str:
        n_minimal = {entry.share: len(entry.sets) for entry in self.minimal}
        return (
            f"ColumnSubsets(candidates={list(self.candidates)}, n_rows={self.n_rows}, minimal={n_minimal}, "
            f"complete={self.complete})"
        )

    @property
    def n_subsets(self) -> int:
        """The number of subsets, without the empty one."""
        return (1 << len(self.candidates)) - 1

    @property
    def reasons(self) -> dict[str, str]:
        """Why values that are null do not exist."""
        reasons = {}
        if self.together is None:
            reasons["together"] = _STOPPED
        if any(part.conditional_bits is None or part.shapley_bits is None for part in self.contribution):
            reasons["contribution"] = _STOPPED
        if self.n_rows == 1:
            reasons["separation"] = _ONE_PERSON
            if len(self.candidates) == 1:
                reasons["singletons_without"] = _NO_OTHERS
        if self.budget is None:
            reasons["budget"] = _NOT_ASKED
        if self.records is None:
            reasons["records"] = "request it with --records" + (f"; {_STOPPED}" if self.stopped is not None else "")
        if self.stopped is None:
            reasons["stopped"] = "the search was not stopped"
        return reasons

    def charts(self) -> JsonObject:
        """Return Vega-Lite specifications: subsets by size against bits, contributions, the lattice at the share."""
        charts: JsonObject = import_module("idbits.studies.columns.charts").charts_of(self)
        return charts

    def to_arrow(self) -> pyarrow.Table:
        """Return the subsets as an Arrow table, one row each."""
        import pyarrow

        return pyarrow.Table.from_pylist([plain_object(subset) for subset in self.subsets])
