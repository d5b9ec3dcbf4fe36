"""What ``idbits gain`` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from idbits.render.blocks import Block
from idbits.studies.gain import charts as charts_gain
from idbits.studies.gain.figures import (
    NOTHING_BEYOND_CHANCE,
    AnalysisGain,
    Dependence,
    Exposed,
    GainFigures,
    Growth,
    Subsets,
    SweepStep,
)
from idbits.studies.shared.presentation import Answer

__all__ = ["Comparison", "Gain", "Utility"]


@dataclass(frozen=True, slots=True)
class Utility:
    """What a treated table keeps of what columns say about each other: of all pairs, or those with the target.

    Attributes:
        kept: treated_bits / original_bits; None where no pair of the original is beyond chance.
        original_bits, treated_bits: mutual information less its chance level, over the pairs of the original that are
            beyond chance.
        pairs, pairs_beyond_chance: how many pairs there are in the original, and how many of them count.
        original_mutual_information_bits, treated_mutual_information_bits: mutual information over all pairs, with
            what is chance.
        original_chance_bits, treated_chance_bits: what shuffled columns would show on average, over all pairs.
    """

    kept: float | None
    target: str | None
    original_bits: float
    treated_bits: float
    pairs: int
    pairs_beyond_chance: int
    original_mutual_information_bits: float
    original_chance_bits: float
    treated_mutual_information_bits: float
    treated_chance_bits: float

    def to_dict(self) -> dict[str, Any]:
        """Return the utility as plain data."""
        data = {name: getattr(self, name) for name in self.__slots__}
        return data | ({"reasons": {"kept": NOTHING_BEYOND_CHANCE}} if self.kept is None else {})


@dataclass(frozen=True, slots=True)
class Comparison:
    """A treated version of the table.

    Attributes:
        figures: its figures.
        missing: columns that it no longer has.
        utility: what it keeps of what columns say about each other.
        rig_curves: (bits, people of the original above them, people of the treated table above them).
    """

    source: str | None
    figures: GainFigures
    missing: tuple[str, ...]
    utility: Utility
    rig_curves: tuple[tuple[float, int, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return self.figures.to_dict() | {
            "missing": list(self.missing),
            "utility": self.utility.to_dict(),
            "rig_curves": [
                {"bits": bits, "original": original, "treated": treated} for bits, original, treated in self.rig_curves
            ],
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class Gain(Answer):
    """Which cell, which person and which column gives away how much, to which attacker.

    The figures of ``figures`` can be read from here as well: ``answer.pif``.
    """

    command: ClassVar[str] = "gain"

    source: str | None
    columns: tuple[str, ...]
    attacker: str
    known: tuple[str, ...]
    figures: GainFigures
    dependence: Dependence
    subsets: Subsets | None = None
    smoothing: dict[str, Any] | None = None
    exposed: tuple[Exposed, ...] | None = None
    growth: Growth | None = None
    comparison: Comparison | None = None
    sweep: tuple[SweepStep, ...] | None = None
    analysis: AnalysisGain | None = None
    target: str | None = None
    seed: int = 0
    person: str | None = None
    count: str | None = None
    n_other_columns: int = 0
    cells: Any = field(default=None, compare=False)
    cells_file: str | None = None
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figures":
            raise AttributeError(name)
        try:
            return getattr(self.figures, name)
        except AttributeError:
            raise AttributeError(f"a gain has no {name!r}") from None

    def __repr__(self) -> str:
        figures = self.figures
        return (
            f"Gain(columns={list(self.columns)}, n_rows={figures.n_rows}, rig_p95={figures.rig['p95']:.4f}, "
            f"mics={figures.mics}, pif={figures.pif:.4f})"
        )

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.studies.gain.text import gain_blocks

        return gain_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the gain as plain data; the reference lists its keys."""
        data: dict[str, Any] = {"columns": list(self.columns), "attacker": self.attacker, "known": list(self.known)}
        data |= self.figures.to_dict()
        data["maximum"] = self.subsets.maximum.to_dict() if self.subsets is not None else None
        data["subsets"] = self.subsets.to_dict() if self.subsets is not None else None
        data["dependence"] = self.dependence.to_dict()
        data["smoothing"] = self.smoothing
        data["most_exposed"] = None if self.exposed is None else [
            {"people": row.people, "rig_bits": row.rig_bits, "cig_bits": list(row.cig_bits)} for row in self.exposed
        ]  # fmt: skip
        data["growth"] = self.growth.to_dict() if self.growth is not None else None
        data["comparison"] = self.comparison.to_dict() if self.comparison is not None else None
        data["target"] = self.target
        data["sweep"] = [step.to_dict() for step in self.sweep] if self.sweep is not None else None
        data["analysis"] = self.analysis.to_dict() if self.analysis is not None else None
        data["seed"] = self.seed
        data["notes"] = list(self.notes)
        data["reasons"] = self._reasons()
        return data

    def _reasons(self) -> dict[str, str]:
        reasons = {}
        if self.exposed is None:
            reasons["most_exposed"] = "the cells of so large a table are kept with --cells only"
        if self.figures.features[0].mean_csf is None:
            reasons["mean_csf"] = (
                "an attacker who knows one of many subsets has no single posterior"
                if self.subsets is not None
                else "the cells of so large a table are kept with --cells only"
            )
        if not self.figures.rig["max"]:
            reasons["share"] = "nothing is learnt at all"
        return reasons

    def to_arrow(self) -> Any:
        """Return one row a feature with its figures as an Arrow table; ``cells`` holds the cells, where asked for."""
        import pyarrow

        return pyarrow.Table.from_pylist([feature.to_dict() for feature in self.figures.features])

    def curve_to_arrow(self) -> Any:
        """Return how many people have a RIG above each number of bits, as an Arrow table."""
        import pyarrow

        bits, people = zip(*self.figures.rig_curve, strict=True)
        return pyarrow.table({"bits": list(bits), "people": list(people)})

    def heat_map(self, rows: int = 25) -> dict[str, Any] | None:
        """Return the most exposed rows as a heat map of their cells, as a Vega-Lite spec; it shows gain, no values.

        None where the table is too large for its cells to be kept without ``cells=True``.
        """
        if self.exposed is None:
            return None
        shown = [(row.people, row.cig_bits) for row in self.exposed[:rows]]
        return charts_gain.heat_map(self.columns, shown)

    def people_above(self) -> dict[str, Any]:
        """Return how many people are above each RIG (S3 figure 6) as a Vega-Lite spec, beside a treated version."""
        if self.comparison is None:
            return charts_gain.people_above({"this table": self.figures.rig_curve})
        curves = self.comparison.rig_curves
        original = [(bits, people) for bits, people, _ in curves]
        return charts_gain.people_above(
            {"original": original, "treated": [(bits, people) for bits, _, people in curves]}
        )

    def sweep_curve(self) -> dict[str, Any] | None:
        """Return utility and RIG_95 at each step of a sweep (S3 figure 8) as a Vega-Lite spec; None without one."""
        if self.sweep is None:
            return None
        return charts_gain.sweep_curve([(step.column, step.utility, step.rig_p95) for step in self.sweep])

    def growth_curve(self) -> dict[str, Any] | None:
        """Return how PIF and RIG_95 grow as columns join (S3 figure 2) as a Vega-Lite spec; None without growth."""
        if self.growth is None:
            return None
        steps = [(step.column, step.rig_p95, step.pif) for step in self.growth.steps]
        return charts_gain.growth_curve(steps, self.growth.threshold)
