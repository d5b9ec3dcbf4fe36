"""The answer of ``idbits gain``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

from idbits.measures.persons import RowsPerPerson
from idbits.studies.gain.figure_attributes import MeasuredGain
from idbits.studies.gain.figures import Dependence, Exposed, GainFigures, Subsets
from idbits.studies.gain.treated_versions import NOTHING_BEYOND_CHANCE, Comparison, SweepStep, Utility
from idbits.studies.shared.beside import NOTHING_BESIDE, BesideAttributes, ColumnsBeside
from idbits.studies.shared.default_columns import ChosenColumns
from idbits.studies.shared.people_attributes import PeopleAttributes
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import fields_from
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    import pyarrow

    from idbits.render.described_chart import DescribedChart
from idbits.render.numbers import to_places

__all__ = [
    "NOTHING_BEYOND_CHANCE", "AnalysisFeature", "AnalysisGain", "Comparison", "Gain", "GainPeople", "Growth",
    "GrowthStep", "SmoothedColumn", "Smoothing", "SweepStep", "Utility",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnalysisFeature:
    """What the output of an analysis reveals about one feature: FIG, and the mean of CIG over people."""

    column: str
    fig_bits: float
    mean_cig_bits: float


@dataclass(frozen=True, slots=True)
class AnalysisGain(Serialisable):
    """What the output of an analysis reveals about the people of the table that was analysed (S3 II).

    Attributes:
        kind: ``columns`` of the table, such as a model's predictions, or a table of ``counts``.
        columns: those columns, or those that the counts are about.
        known: what the attacker knows about a person besides the output, or besides the one column to be learnt.
        rig: mean, p50, p95 and max of RIG over people, in bits.
        mics: the smallest group of people who look the same to the attacker.
        pif, rows_at_pif: the largest RIG divided by the group size, and the people who have it.
        without_output_bits: the mean RIG of someone who knows the same but does not see the output; None for counts.
        people_unpublished: people whose cell is not in the table of counts; None for columns.
    """

    json_keys: ClassVar = (
        "kind", "columns", "known", "features", "rig", "mics", "pif", "rows_at_pif", "without_output_bits",
        "people_unpublished", "reasons",
    )  # fmt: skip

    kind: str
    columns: tuple[str, ...]
    known: tuple[str, ...]
    features: tuple[AnalysisFeature, ...]
    rig: dict[str, float]
    mics: int
    pif: float
    rows_at_pif: int
    without_output_bits: float | None
    people_unpublished: int | None

    @property
    def reasons(self) -> dict[str, str]:
        """Why the figure that this kind of output lacks is None."""
        if self.kind == "columns":
            return {"people_unpublished": "every person has an output"}
        return {"without_output_bits": "the attacker sees only counts"}


@dataclass(frozen=True, slots=True)
class GrowthStep:
    """The figures after a column is added to those before it (S3 figure 2)."""

    column: str
    rig_p95: float
    mics: int
    pif: float
    reached: bool


@dataclass(frozen=True, slots=True)
class Growth(Serialisable):
    """How RIG_95, MICS and PIF grow as columns are added, in the order given or greedily."""

    json_keys: ClassVar = ("order", "steps")

    order: str
    threshold: float
    steps: tuple[GrowthStep, ...]


class SmoothedColumn(TypedDict):
    """A column whose prior lacks values that occur, and the number of people who have them."""

    column: str
    values: int
    people: int


class Smoothing(TypedDict):
    """The share of the table's own distribution in priors, and the values that the priors lack."""

    share: float
    missing: list[SmoothedColumn]


@dataclass(frozen=True, slots=True)
class GainPeople:
    """Who the people of a table with a person column are.

    Attributes:
        person: the column that identifies people.
        rows_without_person: rows that identify nobody.
        null_person: what those are: ``"drop"`` leaves them out, ``"own"`` makes each a person.
        unique_by_all_records: people whose set of records nobody else has; counted only if people have several rows and
            nobody reaches the threshold.
    """

    person: str
    rows_per_person: RowsPerPerson
    rows_without_person: int
    null_person: str
    unique_by_all_records: int | None

    @property
    def has_several_rows(self) -> bool:
        """Whether somebody has more than one row."""
        return self.rows_per_person.max > 1


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Gain(MeasuredGain, PeopleAttributes, BesideAttributes, Answer):
    """How much each cell, person and column gives away to an attacker.

    The figures of ``figures`` can be read from here as well: ``answer.pif``.

    Attributes:
        unit: what is counted: people, or rows or records if nobody said which of them are the same person.
        people: the people, if a column identifies them.
        chosen: how the columns were chosen, if nobody named them.
        beside: what the columns are that were not examined.
    """

    command: ClassVar[str] = "gain"
    _main_table: ClassVar[str] = "features"
    _types_from: ClassVar = ("pyarrow",)
    json_keys: ClassVar = (
        "unit", "columns", "?column_judgements", "*beside_names", "attacker", "known", "*figures", "*people", "maximum",
        "subsets", "dependence", "smoothing", "most_exposed=exposed", "growth", "comparison", "target", "sweep",
        "analysis", "seed", "notes", "reasons",
    )  # fmt: skip

    source: str | None
    columns: tuple[str, ...]
    attacker: str
    known: tuple[str, ...]
    figures: GainFigures
    dependence: Dependence
    subsets: Subsets | None = None
    smoothing: Smoothing | None = None
    exposed: tuple[Exposed, ...] | None = None
    growth: Growth | None = None
    comparison: Comparison | None = None
    sweep: tuple[SweepStep, ...] | None = None
    analysis: AnalysisGain | None = None
    target: str | None = None
    seed: int = 0
    unit: Unit = Unit.ROWS
    people: GainPeople | None = None
    beside: ColumnsBeside = NOTHING_BESIDE
    chosen: ChosenColumns | None = None
    count: str | None = None
    n_other_columns: int = 0
    cells: pyarrow.Table | None = field(default=None, compare=False)
    cells_file: str | None = None
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the fields that have no key of their own."""
        subsets, growth = data["subsets"], data["growth"]
        return {
            "beside": ColumnsBeside.from_names(data),
            "chosen": ChosenColumns.from_rows(data.get("column_judgements"), "--columns"),
            "growth": None if growth is None else Growth(**fields_from(Growth, growth), threshold=data["threshold"]),
            "subsets": None if subsets is None else Subsets.from_parts(subsets, data["maximum"]),
        }

    def __repr__(self) -> str:
        figures = self.figures
        return (
            f"Gain(columns={short_repr(self.columns)}, n_rows={figures.n_rows}, "
            + (f"n_people={figures.n_people}, " if figures.n_people != figures.n_rows else "")
            + f"rig_p95={to_places(figures.rig['p95'], 4)}, mics={figures.mics}, pif={to_places(figures.pif, 4)})"
        )

    @property
    def column_judgements(self) -> list[JsonObject]:
        """Why the columns were chosen, if nobody named them."""
        return self.chosen.judgement_rows if self.chosen is not None else []

    @property
    def most_exposed(self) -> tuple[Exposed, ...] | None:
        """The most exposed rows; None for large tables without ``cells``."""
        return self.exposed

    @property
    def unique_by_all_records(self) -> int | None:
        """People whose set of records nobody else has; None if that was not counted."""
        return self.people.unique_by_all_records if self.people is not None else None

    @property
    def records(self) -> Unit:
        """What features are about: the records of people who have several rows, and otherwise the unit."""
        return Unit.RECORDS if self.people_have_several_rows else self.unit

    @property
    def people_have_several_rows(self) -> bool:
        """Whether somebody has more than one row."""
        return self.people is not None and self.people.has_several_rows

    @property
    def maximum(self) -> GainFigures | None:
        """The figures with the largest gain of each cell over the subsets that the attacker may know, if any."""
        return self.subsets.maximum if self.subsets is not None else None

    @property
    def reasons(self) -> dict[str, str]:
        """Why figures that are None do not exist."""
        reasons = {}
        if self.exposed is None:
            reasons["most_exposed"] = "for a table of this size, cells are kept only with --cells"
        if self.figures.features[0].mean_csf is None:
            reasons["mean_csf"] = (
                "an attacker who knows one of many subsets has no single posterior"
                if self.subsets is not None
                else "for a table of this size, cells are kept only with --cells"
            )
        if not self.figures.rig["max"]:
            reasons["share"] = "the attacker learns nothing"
        if self.people is not None and self.people.unique_by_all_records is None:
            reasons["unique_by_all_records"] = (
                "somebody reaches the threshold by one record"
                if self.people.has_several_rows
                else "everyone has one row"
            )
        return reasons

    def curve_to_arrow(self) -> pyarrow.Table:
        """Return how many people have a RIG above each number of bits, as an Arrow table."""
        import pyarrow

        bits, people = zip(*self.figures.rig_curve, strict=True)
        return pyarrow.table({"bits": list(bits), "people": list(people)})

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.gain.charts import charts_of

        return charts_of(self)

    def heat_map(self, rows: int = 25) -> JsonObject | None:
        """Return a heat map of the most exposed rows as a Vega-Lite spec; it shows gains, not values.

        None if the table is too large to keep its cells without ``cells=True``.
        """
        from idbits.studies.gain import charts

        if self.exposed is None:
            return None
        return charts.heat_map(self.columns, [(row.people, row.cig_bits) for row in self.exposed[:rows]])

    def people_above(self) -> JsonObject:
        """Return how many people are above each RIG (S3 figure 6) as a Vega-Lite spec, beside a treated version."""
        from idbits.studies.gain import charts

        if self.comparison is None:
            return charts.people_above({"this table": self.figures.rig_curve}, self.unit)
        curves = self.comparison.rig_curves
        original = [(bits, people) for bits, people, _ in curves]
        treated = [(bits, people) for bits, _, people in curves]
        return charts.people_above({"original": original, "treated": treated}, self.unit)

    def sweep_curve(self) -> JsonObject | None:
        """Return utility and RIG_95 at each step of a sweep (S3 figure 8) as a Vega-Lite spec; None without one."""
        from idbits.studies.gain import charts

        if self.sweep is None:
            return None
        return charts.sweep_curve([(step.column, step.utility, step.rig_p95) for step in self.sweep])

    def growth_curve(self) -> JsonObject | None:
        """Return PIF and RIG_95 as columns are added (S3 figure 2) as a Vega-Lite spec; None without growth."""
        from idbits.studies.gain import charts

        if self.growth is None:
            return None
        steps = [(step.column, step.rig_p95, step.pif) for step in self.growth.steps]
        return charts.growth_curve(steps, self.growth.threshold)
