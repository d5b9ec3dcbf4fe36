"""The answer of ``idbits columns``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.counts import PeopleCounts, Spectrum
from idbits.errors import InputError
from idbits.measures.anonymity import distinction, separation, total
from idbits.measures.entropy import entropy_bits
from idbits.measures.persons import RowsPerPerson, group_sizes
from idbits.studies.shared.beside import NOTHING_BESIDE, BesideAttributes, ColumnsBeside
from idbits.studies.shared.default_columns import ChosenColumns
from idbits.studies.shared.people_attributes import PeopleAttributes
from idbits.studies.shared.persons import ALL_RECORDS
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import rebuilt, saved_value
from idbits.studies.shared.serialisation import JsonObject, UncheckedData, plain_object
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = [
    "Budget", "ColumnPeople", "ColumnSubsets", "Contribution", "LeftOutColumn", "Minimal", "NotSearched",
    "RecordsFile", "Subset", "SubsetFigures",
]  # fmt: skip

_NOT_ASKED = "request it with --max-bits or --min-k"
_STOPPED = "the search was stopped before this was counted"
_ONE_PERSON = "a single person does not make a pair"
_NO_OTHERS = "there is only one column and one person"
_OVERLAPPING = "people have several records, so groups overlap"


@dataclass(frozen=True, slots=True)
class SubsetFigures:
    """The figures of one set of columns, computed from its spectrum.

    If people have several rows and the attacker knows one of them, groups overlap: there are no sets, and so no
    distinction and no separation. If the record is drawn, ``singletons`` is an expectation.
    """

    entropy_bits: float
    singletons: int | float
    k_min: int
    distinction: float | None
    separation: float | None
    n_sets: int | None

    @classmethod
    def of(cls, counts: PeopleCounts) -> SubsetFigures:
        """Compute the figures of a spectrum, or of people whose groups overlap."""
        sizes = group_sizes(counts)
        spectrum = counts if isinstance(counts, Spectrum) else None
        return cls(
            entropy_bits=entropy_bits(sizes),
            singletons=total(sizes.people[sizes.sizes == 1]),
            k_min=int(sizes.sizes[0]),
            distinction=distinction(spectrum) if spectrum is not None else None,
            separation=separation(spectrum) if spectrum is not None else None,
            n_sets=spectrum.n_sets if spectrum is not None else None,
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
        people: the same as a number of people; with decimals if unique people are an expectation.
        sets: the sets found, fewest columns first.
        complete: whether these are all such sets of up to ``max_size`` columns.
    """

    share: float
    people: int | float
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
    singletons_without: int | float | None


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

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the sets, and whether each is proven to be the largest."""
        rows = saved_value(list[dict[str, Any]], data["sets"], "sets")
        proven = tuple(saved_value(bool, row["maximal"], "maximal") for row in rows)
        return {"sets": tuple(rebuilt(Subset, row) for row in rows), "proven": proven}

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


@dataclass(frozen=True, slots=True)
class ColumnPeople:
    """Who the people of a table with a person column are.

    Attributes:
        person: the column that identifies people.
        knows: what the attacker knows of a person with several rows.
        rows_without_person: rows that identify nobody.
        null_person: what those are: ``"drop"`` leaves them out, ``"own"`` makes each a person.
    """

    person: str
    knows: str
    rows_per_person: RowsPerPerson
    rows_without_person: int
    null_person: str

    @property
    def has_several_rows(self) -> bool:
        """Whether somebody has more than one row."""
        return self.rows_per_person.max > 1

    @property
    def knows_one_of_several(self) -> bool:
        """Whether people have several records, of which the attacker knows one."""
        return self.has_several_rows and self.knows != ALL_RECORDS


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ColumnSubsets(PeopleAttributes, BesideAttributes, Answer):
    """Which columns together single people out, and what each of them adds.

    Attributes:
        n_rows: the number of rows or, in a counted table, of people.
        n_people: the number of people, the denominator of every share; rows count as people if nobody says who is who.
        unit: what is counted: people, or rows or records if nobody said which of them are the same person.
        people: the people, if a column identifies them.
        candidates: the columns examined.
        chosen: how they were chosen, if nobody named them.
        beside: what the columns are that were not examined.
        left_out: the columns not examined, and why.
        shares: the shares requested.
        subsets: all subsets, or with more than 10 columns the most identifying ones counted; most bits first.
        complete: whether everything requested was examined.
        stopped: why the search ended early, or None.
        interrupted: whether Ctrl-C ended it.
        orders: the number of column orders from which the Shapley values are estimated; 0: they are exact.
        together_all_records: if people have several rows and nobody is unique by one of them, the figures of all
            columns for an attacker who knows all records of a person.
    """

    command: ClassVar[str] = "columns"
    _main_table: ClassVar[str] = "subsets"
    json_keys: ClassVar = (
        "?internal", "unit", "n_rows", "n_people", "*people", "candidates", "?candidate_judgements", "left_out",
        "*beside_names", "shares", "max_size",
        "together", "?together_all_records", "n_subsets", "n_counted", "subsets", "minimal", "contribution",
        "shapley_orders=orders", "budget", "records", "not_searched", "complete", "stopped", "reasons", "notes",
    )  # fmt: skip

    source: str | None
    n_rows: int
    n_people: int
    candidates: tuple[str, ...]
    left_out: tuple[LeftOutColumn, ...]
    shares: tuple[float, ...]
    max_size: int
    together: SubsetFigures | None
    subsets: tuple[Subset, ...]
    n_counted: int
    minimal: tuple[Minimal, ...]
    contribution: tuple[Contribution, ...]
    unit: Unit = Unit.ROWS
    people: ColumnPeople | None = None
    beside: ColumnsBeside = NOTHING_BESIDE
    chosen: ChosenColumns | None = None
    together_all_records: SubsetFigures | None = None
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

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the fields that have no key of their own."""
        fields: UncheckedData = {
            # Answers of earlier versions do not say whether rows are people.
            "n_people": saved_value(int, data.get("n_people", data["n_rows"]), "n_people"),
            "people": rebuilt(ColumnPeople, data) if data.get("person") is not None else None,
            "every_subset": data["n_counted"] == data["n_subsets"],
            "beside": ColumnsBeside.from_names(data),
            "chosen": ChosenColumns.from_rows(data.get("candidate_judgements"), "--candidates"),
        }
        if not data["subsets"] or not data["minimal"] or data["n_rows"] < 1:
            raise InputError("it has no combination of columns")
        return fields

    def __repr__(self) -> str:
        n_minimal = {entry.share: len(entry.sets) for entry in self.minimal}
        return (
            f"ColumnSubsets(candidates={short_repr(self.candidates)}, n_rows={self.n_rows}, "
            + (f"n_people={self.n_people}, " if self.n_people != self.n_rows else "")
            + f"minimal={n_minimal}, complete={self.complete})"
        )

    @property
    def candidate_judgements(self) -> list[JsonObject]:
        """Why the columns were chosen, if nobody named them."""
        return self.chosen.judgement_rows if self.chosen is not None else []

    @property
    def knows(self) -> str | None:
        """What the attacker knows of a person with several rows."""
        return self.people.knows if self.people is not None else None

    @property
    def shapley_orders(self) -> int:
        """The number of column orders from which the Shapley values are estimated; 0: they are exact."""
        return self.orders

    @property
    def groups_overlap(self) -> bool:
        """Whether people have several records, of which the attacker knows one."""
        return any(subset.figures.n_sets is None for subset in self.subsets)

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
        if self.groups_overlap:
            reasons |= dict.fromkeys(("distinction", "separation", "n_sets"), _OVERLAPPING)
        if self.n_people == 1:
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

    def _charts(self) -> Mapping[str, DescribedChart]:
        drawn: dict[str, DescribedChart] = import_module("idbits.studies.columns.charts").charts_of(self)
        return drawn

    def charts(self) -> JsonObject:
        """Return Vega-Lite specifications: subsets by size against bits, contributions, the lattice at the share."""
        charts: JsonObject = import_module("idbits.studies.columns.charts").specifications_of(self)
        return charts
