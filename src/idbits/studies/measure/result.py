"""The answer of ``idbits measure``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.counts import Value
from idbits.studies.measure.figure_attributes import MeasuredFigures
from idbits.studies.measure.group_result import Group, Groups
from idbits.studies.measure.part_attributes import MeasuredParts
from idbits.studies.measure.people_result import AddedColumn, Household, PeopleFigures, PersonAttacker
from idbits.studies.shared.answer_tables import arrow_table
from idbits.studies.shared.beside import NOTHING_BESIDE, BesideAttributes, ColumnsBeside
from idbits.studies.shared.default_columns import ChosenColumns
from idbits.studies.shared.figures import MAIN_FIGURES, Figures, MainFigures
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import rebuilt, saved_value
from idbits.studies.shared.serialisation import JsonObject, UncheckedData, plain_object
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    import pyarrow

    from idbits.render.described_chart import DescribedChart
from idbits.render.numbers import to_places

__all__ = [
    "FoldedValues", "Group", "Groups", "Household", "Measurement", "Measurements", "PeopleFigures", "PersonAttacker",
    "Population", "Suppression", "ValueRow", "Values",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ValueRow:
    """One value: its text, the people who have it, the bits it gives away and its part of the entropy."""

    value: tuple[Value, ...]
    people: int
    bits: float
    entropy_bits: float


@dataclass(frozen=True, slots=True)
class FoldedValues:
    """Values of too few people to be named, combined in one row."""

    value: None
    folded_values: int
    people: int
    bits: None
    entropy_bits: float


@dataclass(frozen=True, slots=True)
class Values:
    """S0's tables I, III, V and VII: values with enough people to be named, the others folded into one row.

    Attributes:
        rows: the values that are named, each with its people and its bits.
        folded_values, folded_people: the number of the other values, and the people who have one of them.
        folded_entropy_bits: the part of the entropy that comes from the other values, in bits.
    """

    rows: tuple[ValueRow, ...]
    folded_values: int
    folded_people: int
    folded_entropy_bits: float

    @classmethod
    def from_rows(cls, rows: Any, key: str) -> Values | None:
        """Return what ``all_rows`` was made from; None if there are no rows."""
        if not rows:
            return None
        listed = saved_value(list[dict[str, Any]], rows, key)
        folded = [rebuilt(FoldedValues, row) for row in listed if "folded_values" in row]
        named = tuple(rebuilt(ValueRow, row) for row in listed if "folded_values" not in row)
        last = folded[0] if folded else FoldedValues(None, 0, 0, None, 0.0)
        return cls(named, last.folded_values, last.people, last.entropy_bits)

    @property
    def all_rows(self) -> tuple[ValueRow | FoldedValues, ...]:
        """The rows, the folded one last."""
        folded = FoldedValues(None, self.folded_values, self.folded_people, None, self.folded_entropy_bits)
        return (*self.rows, *([folded] if self.folded_values else []))


@dataclass(frozen=True, slots=True)
class Suppression:
    """What withholding everyone in groups below ``threshold`` costs, and what is left, if anything."""

    json_keys: ClassVar = ("threshold", "withheld_people", "withheld_sets", "share", "remaining", "?reasons")

    threshold: int
    withheld_people: int
    withheld_sets: int
    share: float
    remaining: Figures | None

    @property
    def reasons(self) -> dict[str, str]:
        """Why nothing remains, if that is the case."""
        return {} if self.remaining is not None else {"remaining": "nobody is left"}


@dataclass(frozen=True, slots=True)
class Population:
    """The population that a release was measured against."""

    n_people: int
    unbounded_values: int
    unbounded_people: int
    overfull_values: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Measurement(MeasuredFigures, MeasuredParts, BesideAttributes, Answer):
    """How identifying one quasi-identifier of a table is.

    The figures of ``figures`` can be read from here as well: ``measurement.entropy_bits``.

    Attributes:
        n_other_columns: the number of readable columns that were not measured.
        filtered: whether a filter excluded rows.
        narrowed: whether only some columns could be read.
        beside: what the columns are that were not measured.
        added: how many people are unique if one of these columns is known as well.
        chosen: how the columns were chosen, if nobody named them.
        unit: what is counted: people, or rows if nobody said which rows are the same person.
    """

    command: ClassVar[str] = "measure"
    json_keys: ClassVar = (
        "qid", "?qid_judgements", "?internal", "unit",
        "*figures", "*people", "?household", "nulls",
        "columns=column_rows", "values=value_rows", "groups=group_rows", "*group_totals", "reasons",
        "?exposed=exposed_rows", "suppression", "population", "attackers", "*beside_names", "added", "notes",
    )  # fmt: skip

    qid: tuple[str, ...]
    source: str | None
    figures: Figures
    columns: tuple[tuple[str, MainFigures], ...]
    nulls: dict[str, int]
    n_other_columns: int = 0
    filtered: bool = False
    narrowed: bool = False
    beside: ColumnsBeside = NOTHING_BESIDE
    added: tuple[AddedColumn, ...] = ()
    chosen: ChosenColumns | None = None
    unit: Unit = Unit.PEOPLE
    people: PeopleFigures | None = None
    household: Household | None = None
    count: str | None = None
    groups: Groups | None = None
    values: Values | None = None
    exposed: Values | None = None
    suppression: Suppression | None = None
    population: Population | None = None
    internal: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the fields that have no key of their own."""
        rows = saved_value(list[dict[str, Any]], data["columns"], "columns")
        return {
            "columns": tuple((saved_value(str, row["column"], "column"), rebuilt(MainFigures, row)) for row in rows),
            "beside": ColumnsBeside.from_names(data),
            "chosen": ChosenColumns.from_rows(data.get("qid_judgements")),
            "values": Values.from_rows(data.get("values"), "values"),
            "exposed": Values.from_rows(data.get("exposed"), "exposed"),
            "groups": Groups.from_totals(data),
        }

    def __repr__(self) -> str:
        figures = self.figures
        return (
            f"Measurement(qid={short_repr(self.qid)}, n_rows={figures.n_rows}, "
            + (f"n_people={figures.n_people}, " if figures.n_people != figures.n_rows else "")
            + f"entropy_bits={to_places(figures.entropy_bits, 4)}, k_min={figures.k_min}, "
            f"singletons={figures.singletons})"
        )

    @property
    def qid_judgements(self) -> list[JsonObject]:
        """Why the columns were chosen, if nobody named them."""
        return self.chosen.judgement_rows if self.chosen is not None else []

    @property
    def column_rows(self) -> list[JsonObject]:
        """The main figures of each column by itself, as plain data."""
        return [{"column": name, **plain_object(figures, MainFigures.json_keys)} for name, figures in self.columns]

    @property
    def value_rows(self) -> tuple[ValueRow | FoldedValues, ...]:
        """The listed values, if requested."""
        return self.values.all_rows if self.values is not None else ()

    @property
    def exposed_rows(self) -> tuple[ValueRow | FoldedValues, ...] | None:
        """The rarest values, if requested."""
        return self.exposed.all_rows if self.exposed is not None else None

    @property
    def group_rows(self) -> tuple[Group, ...]:
        """The figures within each category."""
        return self.groups.rows if self.groups is not None else ()

    @property
    def group_totals(self) -> dict[str, str | int | float | None] | None:
        """Figures over all categories together."""
        groups = self.groups
        if groups is None:
            return None
        totals: dict[str, str | int | float | None] = {
            "by": groups.by,
            "n_groups": groups.n_groups,
            "group_singletons": groups.singletons,
            "size_median_correlation": groups.size_median_correlation,
        }
        return totals | ({"people_in_several": groups.people_in_several} if groups.people_in_several else {})

    @property
    def reasons(self) -> dict[str, str]:
        """Why figures that are None do not exist."""
        reasons = self.figures.reasons
        if self.groups is not None and self.groups.size_median_correlation is None:
            overlap = "people have several records, so groups overlap"
            differ = "it needs two categories that differ in size and in median"
            reasons["size_median_correlation"] = overlap if self.figures.spectrum is None else differ
        return reasons

    @cached_property
    def attackers(self) -> dict[str, dict[str, float] | None]:
        """The same risks under their names in the literature."""
        risks = {"max": self.figures.max_risk, "mean": self.figures.mean_risk}
        if self.population is not None:
            return {"prosecutor": None, "marketer": None, "journalist": risks}
        return {"prosecutor": risks, "marketer": {"mean": self.figures.mean_risk}, "journalist": None}

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.measure.charts import charts_of

        return charts_of(self)

    def to_arrow(self) -> pyarrow.Table:
        """Return the spectrum as an Arrow table: size k, number of sets, people in them; no sets if groups overlap."""
        import pyarrow

        sizes, spectrum = self.figures.sizes, self.figures.spectrum
        sets = {"sets": spectrum.sets} if spectrum is not None else {}
        return pyarrow.table({"k": sizes.sizes} | sets | {"people": sizes.people})


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Measurements(Answer):
    """Several quasi-identifiers of one table, side by side (S2 tables 3.2 and 3.3)."""

    command: ClassVar[str] = "measure"

    measurements: tuple[Measurement, ...]

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self.measurements)

    def __len__(self) -> int:
        return len(self.measurements)

    def __getitem__(self, position: int) -> Measurement:
        return self.measurements[position]

    def __repr__(self) -> str:
        return f"Measurements({short_repr(self.measurements)})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Decisions made while reading."""
        return self.measurements[-1].notes

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.measure.charts import charts_of_several

        return charts_of_several(self)

    def to_arrow(self) -> pyarrow.Table:
        """Return one row per quasi-identifier with its main figures."""
        rows = []
        for measurement in self.measurements:
            main = plain_object(measurement.figures, MAIN_FIGURES)
            kept = {name: value for name, value in main.items() if name not in ("people_below", "set_sizes")}
            rows.append({"qid": list(measurement.qid), **kept, "set_size": main["set_sizes"]})
        return arrow_table(rows, Figures)
