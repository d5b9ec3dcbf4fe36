"""Changes that were tried on a quasi-identifier: what is left of the risk, and of the use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from idbits.studies.gain.figures import NOTHING_BEYOND_CHANCE
from idbits.studies.measure.verdict import standing
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.serialisation import JsonObject, Serialisable, plain_object

__all__ = ["Change", "Changes", "at_risk", "best_first"]


@dataclass(frozen=True, slots=True)
class Change(Serialisable):
    """One or more columns made coarser or left out.

    Attributes:
        columns: the quasi-identifier after the change.
        replaced: each changed column with the view that takes its place; None where it is left out.
        figures: the figures of the changed quasi-identifier; None where no column is left.
        utility: the share that is kept of what the columns say about each other beyond chance; None where that is
            nothing.
        improves: whether the verdict becomes better.
        halves: whether at most half as many people are alone (or, where nobody is, in a set below 5).
    """

    json_keys: ClassVar = (
        "columns", "replaced=replacements", "*main_figures", "utility", "improves", "halves", "?reasons"
    )  # fmt: skip

    columns: tuple[str, ...]
    replaced: tuple[tuple[str, str | None], ...]
    figures: Figures
    utility: float | None
    improves: bool
    halves: bool

    @property
    def helps(self) -> bool:
        """Whether the verdict becomes better, or at most half as many people are at risk."""
        return self.improves or self.halves

    @classmethod
    def of(
        cls,
        columns: tuple[str, ...],
        replaced: tuple[tuple[str, str | None], ...],
        before: Figures,
        after: Figures,
        utility: float | None,
    ) -> Change:
        """Compare the figures before and after."""
        return cls(
            columns,
            replaced,
            after,
            utility,
            standing(after) > standing(before),
            2 * at_risk(after, before) <= at_risk(before, before),
        )

    @property
    def replacements(self) -> list[dict[str, str | None]]:
        """Each changed column with what takes its place."""
        return [{"column": column, "by": view} for column, view in self.replaced]

    @property
    def main_figures(self) -> JsonObject:
        """The figures that a change is judged by."""
        return plain_object(self.figures, ("entropy_bits", "k_min", "singletons", "people_below"))

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no utility, if there is none."""
        return {"utility": NOTHING_BEYOND_CHANCE} if self.utility is None else {}


def at_risk(figures: Figures, before: Figures) -> int:
    """Return the people a change should help: those alone, or in a set below 5 where nobody was alone before."""
    return figures.singletons if before.singletons else figures.people_below["5"]


@dataclass(frozen=True, slots=True)
class Changes(Serialisable):
    """All changes that were tried, best first, and why there may be none.

    Attributes:
        tried: the changes; those that help come first, and among them those that keep more.
        utility_columns: the columns over whose pairs utility was measured.
        left_out: how many columns of the quasi-identifier were not changed, because they tell least.
        reason: why nothing was tried; None where something was.
        utility_bits: the mutual information beyond chance of which utility is a share.
        utility_pairs: the pairs of columns that have any.
    """

    json_keys: ClassVar = (
        "tried", "smallest", "better_verdict=better", "utility_columns", "utility_bits", "utility_pairs",
        "unchanged_columns=left_out", "?reasons",
    )  # fmt: skip

    tried: tuple[Change, ...]
    utility_columns: tuple[str, ...] = ()
    left_out: int = 0
    reason: str | None = None
    utility_bits: float = 0.0
    utility_pairs: tuple[tuple[str, str], ...] = ()

    @property
    def smallest(self) -> Change | None:
        """The smallest change that helps: of those that better the verdict or halve the risk, what keeps most."""
        return next((change for change in self.tried if change.helps), None)

    @property
    def better(self) -> Change | None:
        """Of the changes that better the verdict, the one that keeps most."""
        return next((change for change in self.tried if change.improves), None)

    @property
    def reasons(self) -> dict[str, str]:
        """Why no change can be named that helps, or improves the verdict."""
        if self.smallest is None:
            why = self.reason or "no change that was tried betters the verdict or halves the people at risk"
            return {"smallest": why, "better_verdict": why}
        return {} if self.better is not None else {"better_verdict": "no change that was tried betters the verdict"}


def best_first(changes: list[Change]) -> tuple[Change, ...]:
    """Return changes ranked: those that help first; among them what keeps most and changes least."""

    def rank(change: Change) -> tuple[object, ...]:
        kept = change.utility if change.utility is not None else change.figures.entropy_bits
        return (
            not change.helps,
            # Where utility is the same to the last digits of a float, the smaller change is better.
            -round(kept, 9),
            len(change.replaced),
            # A coarser column may be of use to somebody in itself; one that is left out is not.
            sum(view is None for _, view in change.replaced),
            change.figures.singletons,
            change.columns,
        )

    return tuple(sorted(changes, key=rank))
