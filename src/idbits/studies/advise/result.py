"""The answer of ``idbits advise``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.counts import Spectrum
from idbits.errors import InputError
from idbits.studies.advise.treatment_figures import TreatmentFigures
from idbits.studies.shared.beside import NOTHING_BESIDE, ColumnsBeside
from idbits.studies.shared.plans import AS_IS, Plan
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import Json, Serialisable, UncheckedData
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = [
    "Advice", "Alternatives", "GoalTreatment", "LadderViews", "NodeNumbers", "RuleOutcome", "TreatmentPoint", "view_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LadderViews:
    """The views of a column, finest first, with the number of values of each; ``start`` is the view it has now."""

    column: str
    views: tuple[str, ...]
    values: tuple[int, ...]
    start: str = AS_IS

    @property
    def source(self) -> str:
        """The column of the source, without a view."""
        return self.column if self.start == AS_IS else self.column.removesuffix(f":{self.start}")


@dataclass(frozen=True, slots=True)
class NodeNumbers:
    """The number of treatments: all, those measured, and those of them that meet the goal."""

    lattice: int
    measured: int
    meeting: int


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """A rule with the figure of the best treatment."""

    rule: str
    value: float | None
    passed: bool


@dataclass(frozen=True, slots=True)
class TreatmentPoint(TreatmentFigures, Serialisable):
    """A treatment. Its figures and losses are also attributes: ``point.k_min``, ``point.cells_loss``.

    Attributes:
        columns: each column with its view; None if the view differs between groups of people.
        levels: the level of each column's ladder; None likewise.
        withheld: the people withheld.
        figures: the figures of the treated table, by their names.
        loss: what is lost, by the names of losses.
        column_loss: for each column, the share of its detail that is lost.
        risk: the risk of the frontier.
        meets: whether the goal is met.
        reasons: why figures and losses that are None do not exist.
        spectrum: the groups of the treated table; None if nobody is left.
    """

    json_keys: ClassVar = (
        "columns", "levels", "withheld", "figures", "loss", "column_loss", "risk", "meets", "?reasons",
    )  # fmt: skip

    columns: tuple[str, ...] | None
    levels: tuple[int, ...] | None
    withheld: int
    figures: dict[str, Any]
    loss: dict[str, Any]
    column_loss: tuple[float, ...]
    risk: float
    meets: bool
    reasons: dict[str, str] = field(default_factory=dict)
    spectrum: Spectrum | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GoalTreatment(Serialisable):
    """The best treatment for a goal.

    Attributes:
        goal: the rules.
        withhold_limit: the largest share of people that may be withheld.
        reached: whether the treatment meets the goal.
        optimal: whether no other treatment can be better.
        best: the treatment.
        plan: the plan that carries it out; None in a saved answer.
    """

    json_keys: ClassVar = ("goal", "withhold_limit", "reached", "optimal", "best")

    goal: tuple[str, ...]
    withhold_limit: float
    reached: bool
    optimal: bool
    best: TreatmentPoint
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Treatments whose coarseness differs between groups of people; None if they were not tried or miss the goal."""

    sets: TreatmentPoint | None
    local: TreatmentPoint | None
    reasons: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Advice(Answer):
    """The treatment that meets a goal with the least loss, and the frontier of risk and loss."""

    command: ClassVar[str] = "advise"
    _main_table: ClassVar[str] = "points"
    _not_compared: ClassVar = frozenset({"seconds"})
    json_keys: ClassVar = (
        "source", "qid", "unit", "n_rows", "goal", "withhold_limit", "loss", "risk", "method", "ladders", "nodes",
        "optimal", "lower_bound", "reached", "rules", "best", "points", "alternatives", "as_is", "given_up",
        "neighbour", "frontier", "frontier_complete", "measured_points", "stopped", "?seconds", "?sensitive",
        "?use_for", "notes",
    )  # fmt: skip

    source: str | None
    qid: tuple[str, ...]
    unit: Unit
    n_rows: int
    goal: tuple[str, ...]
    withhold_limit: float
    loss: str
    risk: str
    method: str
    ladders: tuple[LadderViews, ...]
    nodes: NodeNumbers
    optimal: bool
    lower_bound: float
    reached: bool
    rules: tuple[RuleOutcome, ...]
    best: TreatmentPoint
    points: tuple[TreatmentPoint, ...]
    alternatives: Alternatives
    as_is: TreatmentPoint
    given_up: TreatmentPoint
    neighbour: TreatmentPoint | None
    frontier_complete: bool
    stopped: str | None
    seconds: float | None = None
    notes: tuple[str, ...]
    next_command: str | None
    sensitive: tuple[str, ...] = ()
    use_for: str | None = None
    beside: ColumnsBeside = NOTHING_BESIDE
    has_other_columns: bool = False
    interrupted: bool = False
    measured_points: tuple[tuple[float, float], ...] = ()
    frontier: tuple[tuple[float, float], ...] = ()
    related_bits: float = 0.0
    related_pairs: tuple[tuple[str, str], ...] = ()
    plans: tuple[Plan, ...] = ()

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return how columns were related, which a report has beside the advice."""
        related = {"bits": data.get("related_bits", 0.0), "pairs": data.get("related_pairs", ())}
        return {
            "related_bits": saved_value(float, related["bits"], "utility_bits"),
            "related_pairs": saved_value(tuple[tuple[str, str], ...], related["pairs"], "utility_pairs"),
        }

    @property
    def plan(self) -> Plan:
        """The plan of the best treatment; a saved answer has none."""
        return self.plan_of(0)

    @property
    def treatment(self) -> GoalTreatment:
        """The best treatment with its goal."""
        return GoalTreatment(
            self.goal, self.withhold_limit, self.reached, self.optimal, self.best, self.plans[0] if self.plans else None
        )

    def detail_lost(self, point: TreatmentPoint) -> float:
        """Return the share of the detail of cells that a treatment loses, averaged as the loss that was minimised."""
        lost: float = point.loss["cells_geometric" if self.loss == "cells:geometric" else "cells"]
        return min(1.0, max(0.0, lost))

    def plan_of(self, number: int) -> Plan:
        """Return the plan of a treatment on the frontier, numbered from 1 as in ``points``; 0 is the best one."""
        if not self.plans:
            raise InputError("a saved answer has no plans; ask idbits.advise again")
        return self.plans[number]

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.advise.charts import charts_of

        return charts_of(self)

    def charts(self) -> dict[str, Json]:
        """Return the frontier as a Vega-Lite chart."""
        from idbits.studies.advise.charts import frontier_chart

        return {"frontier": frontier_chart(self)}

    def __repr__(self) -> str:
        return (
            f"Advice(qid={short_repr(self.qid)}, goal={short_repr(self.goal)}, reached={self.reached}, "
            f"columns={short_repr(self.best.columns or ())}, withheld={self.best.withheld})"
        )


def view_of(name: str, column: str) -> str:
    """Return the view in the name of a column with its view."""
    return name[len(column) + 1 :] if name.startswith(f"{column}:") else AS_IS
