"""Treatments as changes of columns: the keys ``changes`` of a report, which saved reports and scripts rely on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from idbits.studies.gain.result import NOTHING_BEYOND_CHANCE
from idbits.studies.shared.figures import MANY_UNIQUE, SMALL_GROUP, Figures
from idbits.studies.shared.plans import ALL
from idbits.studies.shared.serialisation import JsonObject, Serialisable

if TYPE_CHECKING:
    from idbits.studies.advise.result import Advice, TreatmentPoint
    from idbits.studies.report.result import Treatments

__all__ = ["Change", "ChangedFigures", "Changes", "changes_of"]

_NOT_REACHED = "no treatment that we tried reaches the goal"
_SAME_VERDICT = "no treatment on the frontier improves the verdict"


@dataclass(frozen=True, slots=True)
class ChangedFigures:
    """The figures of the people who are kept."""

    n_people: int
    entropy_bits: float | None
    k_min: int | None
    singletons: int
    people_below: dict[str, int]

    @property
    def standing(self) -> int:
        """The verdict as a number, as in ``Figures.standing``."""
        if self.singletons:
            return 0 if self.singletons >= MANY_UNIQUE * self.n_people else 1
        return 2 if self.people_below.get(str(SMALL_GROUP)) else 3


@dataclass(frozen=True, slots=True)
class Change(Serialisable):
    """A treatment: one or more columns coarsened or left out, and people withheld.

    Attributes:
        columns: the columns after the change, without those that are left out.
        replaced: each changed column with the view that replaces it; None if it is left out.
        figures: the figures after the change.
        utility: the share of the relationships between the columns, beyond chance, that is preserved; None if there
            are none, or if the table is too large to test them.
        improves: whether the verdict improves.
        halves: whether at most half as many people are unique (or, if nobody was, in a group smaller than 5).
        withheld: the people who are withheld.
        detail_lost: the share of the detail of cells that is lost.
        why_no_utility: why utility is None; None if it is not, or if no relationship is beyond chance.
    """

    json_keys: ClassVar = (
        "columns", "replaced=replacements", "*main_figures", "utility", "improves", "halves", "withheld", "detail_lost",
        "?reasons",
    )  # fmt: skip

    columns: tuple[str, ...]
    replaced: tuple[tuple[str, str | None], ...]
    figures: ChangedFigures
    utility: float | None
    improves: bool
    halves: bool
    withheld: int
    detail_lost: float
    why_no_utility: str | None = None

    @property
    def helps(self) -> bool:
        """Whether the verdict improves, or at most half as many people are at risk."""
        return self.improves or self.halves

    @property
    def replacements(self) -> list[dict[str, str | None]]:
        """Each changed column with the view that replaces it."""
        return [{"column": column, "by": view} for column, view in self.replaced]

    @property
    def main_figures(self) -> JsonObject:
        """The figures by which changes are compared."""
        figures = self.figures
        return {name: getattr(figures, name) for name in ("entropy_bits", "k_min", "singletons", "people_below")}

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no utility, if there is none."""
        return {"utility": self.why_no_utility or NOTHING_BEYOND_CHANCE} if self.utility is None else {}


@dataclass(frozen=True, slots=True)
class Changes(Serialisable):
    """Some treatments of the frontier, or why there are none.

    Attributes:
        tried: treatments of the frontier, those that help first, then those that lose less.
        smallest: the treatment that reaches the goal of the report with the least loss.
        utility_columns: the columns whose pairs utility was measured over.
        reason: why no treatment was looked for; None if any was.
        utility_bits: the mutual information beyond chance of which utility is a share.
        utility_pairs: the pairs of columns that have any.
    """

    json_keys: ClassVar = (
        "tried", "smallest", "better_verdict=better", "utility_columns", "utility_bits", "utility_pairs",
        "unchanged_columns", "?reasons",
    )  # fmt: skip

    tried: tuple[Change, ...] = ()
    smallest: Change | None = None
    utility_columns: tuple[str, ...] = ()
    reason: str | None = None
    utility_bits: float = 0.0
    utility_pairs: tuple[tuple[str, str], ...] = ()
    unchanged_columns: int = 0

    @property
    def better(self) -> Change | None:
        """Of the changes that improve the verdict, the one that loses least."""
        return min(
            (change for change in self.tried if change.improves), key=lambda item: item.detail_lost, default=None
        )

    @property
    def reasons(self) -> dict[str, str]:
        """Why no change reaches the goal, or none improves the verdict."""
        reasons = {}
        if self.smallest is None:
            reasons["smallest"] = self.reason or _NOT_REACHED
        if self.better is None:
            reasons["better_verdict"] = self.reason or _SAME_VERDICT
        return reasons


def changes_of(treatments: Treatments, before: Figures) -> Changes:
    """Return the treatments as changes."""
    advice = treatments.advice
    if advice is None:
        return Changes(reason=treatments.reason)
    tried = [_change(point, advice, before) for point in advice.points if point.columns != advice.as_is.columns]
    return Changes(
        tuple(sorted(tried, key=lambda change: (not change.helps, change.detail_lost))),
        _change(advice.best, advice, before) if advice.reached else None,
        advice.qid,
        utility_bits=advice.related_bits,
        utility_pairs=advice.related_pairs,
    )


def _change(point: TreatmentPoint, advice: Advice, before: Figures) -> Change:
    figures = ChangedFigures(**{name: point.figures[name] for name in ChangedFigures.__slots__})
    views = [
        (old, new if ladder.views[level] != ALL else None)
        for old, new, ladder, level in zip(
            advice.qid, point.columns or (), advice.ladders, point.levels or (), strict=True
        )
    ]
    now, then = before.singletons, figures.singletons
    if not now:
        now, then = before.people_below[str(SMALL_GROUP)], figures.people_below.get(str(SMALL_GROUP), 0)
    lost = point.loss["mutual"]
    return Change(
        tuple(new for _, new in views if new is not None),
        tuple((old, new) for old, new in views if old != new),
        figures,
        1 - lost if lost is not None else None,
        figures.standing > before.standing,
        2 * then <= now,
        point.withheld,
        advice.detail_lost(point),
        point.reasons.get("loss.mutual"),
    )
