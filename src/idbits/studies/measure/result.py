"""What ``idbits measure`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from idbits.counts import Value
from idbits.render.blocks import Block
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.presentation import Shown

__all__ = [
    "Group",
    "Groups",
    "Measurement",
    "Measurements",
    "Population",
    "Suppression",
    "ValueRow",
    "Values",
]


@dataclass(frozen=True, slots=True)
class Group:
    """One group of people; ``label`` is withheld (None) where ``n_groups`` groups are folded into one row."""

    label: Value
    n_groups: int
    figures: Figures

    @property
    def folded(self) -> bool:
        """Whether this row stands for groups too small to be named."""
        return self.n_groups > 0

    def to_dict(self) -> dict[str, Any]:
        """Return the group as plain data."""
        return {"label": self.label, "folded_groups": self.n_groups} | self.figures.to_dict()


@dataclass(frozen=True, slots=True)
class Groups:
    """The figures within each value of a grouping column, and how group size and anonymity go together."""

    by: str
    n_groups: int
    singletons: int
    rows: tuple[Group, ...]
    size_median_correlation: float | None

    @property
    def k_min(self) -> int:
        """The smallest set within any group."""
        return min(row.figures.k_min for row in self.rows)

    def people_below(self, threshold: str) -> int:
        """Return how many people are in sets below a size within their group."""
        return sum(row.figures.people_below[threshold] for row in self.rows)


@dataclass(frozen=True, slots=True)
class ValueRow:
    """One value: its text, the people who have it, the bits it gives away and its part of the entropy."""

    value: tuple[Value, ...]
    people: int
    bits: float
    entropy_bits: float


@dataclass(frozen=True, slots=True)
class Values:
    """S0's tables I, III, V and VII: values with enough people to be named, the others folded into one row."""

    rows: tuple[ValueRow, ...]
    folded_values: int
    folded_people: int
    folded_entropy_bits: float

    def to_list(self) -> list[dict[str, Any]]:
        """Return the rows as plain data, the folded one last."""
        rows: list[dict[str, Any]] = [
            {
                "value": list(row.value),
                "people": row.people,
                "bits": row.bits,
                "entropy_bits": row.entropy_bits,
            }
            for row in self.rows
        ]
        if self.folded_values:
            rows.append(
                {
                    "value": None,
                    "folded_values": self.folded_values,
                    "people": self.folded_people,
                    "bits": None,
                    "entropy_bits": self.folded_entropy_bits,
                }
            )
        return rows


@dataclass(frozen=True, slots=True)
class Suppression:
    """What withholding everyone in a set below ``threshold`` costs and leaves; nothing may be left."""

    threshold: int
    withheld_people: int
    withheld_sets: int
    share: float
    remaining: Figures | None

    def to_dict(self) -> dict[str, Any]:
        """Return the suppression as plain data."""
        left = self.remaining.to_dict() if self.remaining is not None else None
        reason = {} if left is not None else {"reasons": {"remaining": "nobody is left"}}
        return {
            "threshold": self.threshold,
            "withheld_people": self.withheld_people,
            "withheld_sets": self.withheld_sets,
            "share": self.share,
            "remaining": left,
        } | reason


@dataclass(frozen=True, slots=True)
class Population:
    """The population that a release was measured against."""

    n_people: int
    unbounded_values: int
    unbounded_people: int
    overfull_values: int


@dataclass(frozen=True, kw_only=True, repr=False)
class Measurement(Shown):
    """How identifying one quasi-identifier of a table is.

    The figures of ``figures`` can be read from here as well: ``measurement.entropy_bits``.

    Attributes:
        n_other_columns: columns that could be seen and were not looked at.
        filtered: whether a filter left rows out.
        narrowed: whether only some columns could be seen.
    """

    command: ClassVar[str] = "measure"

    qid: tuple[str, ...]
    source: str | None
    figures: Figures
    columns: tuple[tuple[str, Figures], ...]
    nulls: dict[str, int]
    n_other_columns: int
    filtered: bool = False
    narrowed: bool = False
    person: str | None = None
    count: str | None = None
    groups: Groups | None = None
    values: Values | None = None
    exposed: Values | None = None
    suppression: Suppression | None = None
    population: Population | None = None
    internal: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figures":
            raise AttributeError(name)
        try:
            return getattr(self.figures, name)
        except AttributeError:
            raise AttributeError(f"a measurement has no {name!r}") from None

    def __repr__(self) -> str:
        figures = self.figures
        return (
            f"Measurement(qid={list(self.qid)}, n_rows={figures.n_rows}, entropy_bits={figures.entropy_bits:.4f}, "
            f"k_min={figures.k_min}, singletons={figures.singletons})"
        )

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.studies.measure.text import measurement_blocks

        return measurement_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as plain data; the reference lists its keys."""
        data: dict[str, Any] = {"qid": list(self.qid)}
        if self.internal:
            data["internal"] = True
        data |= self.figures.to_dict()
        data["nulls"] = self.nulls
        data["columns"] = [
            {"column": name} | figures.main() | {"reasons": figures.reasons(tables=False)}
            for name, figures in self.columns
        ]
        data["values"] = self.values.to_list() if self.values is not None else []
        data["groups"] = [group.to_dict() for group in self.groups.rows] if self.groups is not None else []
        if self.groups is not None:
            data["by"] = self.groups.by
            data["n_groups"] = self.groups.n_groups
            data["group_singletons"] = self.groups.singletons
            data["size_median_correlation"] = self.groups.size_median_correlation
            if self.groups.size_median_correlation is None:
                data["reasons"]["size_median_correlation"] = "it needs two groups that differ in size and in median"
        if self.exposed is not None:
            data["exposed"] = self.exposed.to_list()
        data["suppression"] = self.suppression.to_dict() if self.suppression is not None else None
        data["population"] = _population(self.population)
        data["attackers"] = self.attackers
        data["notes"] = list(self.notes)
        return data

    @cached_property
    def attackers(self) -> dict[str, Any]:
        """The same risks under the names others use."""
        risks = {"max": self.figures.max_risk, "mean": self.figures.mean_risk}
        if self.population is not None:
            return {"prosecutor": None, "marketer": None, "journalist": risks}
        return {"prosecutor": risks, "marketer": {"mean": self.figures.mean_risk}, "journalist": None}

    def to_arrow(self) -> Any:
        """Return the spectrum as an Arrow table: size k, number of sets, people in them."""
        import pyarrow

        spectrum = self.figures.spectrum
        return pyarrow.table({"k": spectrum.sizes, "sets": spectrum.sets, "people": spectrum.people})


@dataclass(frozen=True, kw_only=True, repr=False)
class Measurements(Shown):
    """Several quasi-identifiers of one table, side by side (S2 tables 3.2 and 3.3)."""

    command: ClassVar[str] = "measure"

    measurements: tuple[Measurement, ...]

    def __iter__(self) -> Any:
        return iter(self.measurements)

    def __len__(self) -> int:
        return len(self.measurements)

    def __getitem__(self, position: int) -> Measurement:
        return self.measurements[position]

    def __repr__(self) -> str:
        return f"Measurements({list(self.measurements)!r})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Decisions taken while reading."""
        return self.measurements[-1].notes

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.studies.measure.text import measurements_blocks

        return measurements_blocks(self.measurements)

    def to_dict(self) -> dict[str, Any]:
        """Return the measurements as plain data."""
        return {"measurements": [measurement.to_dict() for measurement in self.measurements]}

    def to_arrow(self) -> Any:
        """Return one row a quasi-identifier with its main figures."""
        import pyarrow

        rows = []
        for measurement in self.measurements:
            main = measurement.figures.main()
            flat = {name: value for name, value in main.items() if not isinstance(value, dict)}
            sizes = {f"set_size_{name}": value for name, value in main["set_sizes"].items()}
            people = {f"people_at_most_{k}": value for k, value in main["people_at_most"].items()}
            rows.append({"qid": list(measurement.qid)} | flat | sizes | people)
        return pyarrow.Table.from_pylist(rows)


def _population(population: Population | None) -> dict[str, Any] | None:
    if population is None:
        return None
    return {name: getattr(population, name) for name in population.__slots__}
