"""Changes that were tried on a quasi-identifier: what is left of the risk, and of the use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from idbits.studies.gain.result import NOTHING_BEYOND_CHANCE
from idbits.studies.measure.verdict import standing
from idbits.studies.shared.figures import Figures

__all__ = ["Change", "Changes", "at_risk", "best_first"]


@dataclass(frozen=True, slots=True)
class Change:
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

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        names = ("entropy_bits", "k_min", "singletons", "people_below")
        data: dict[str, Any] = {
            "columns": list(self.columns),
            "replaced": [{"column": column, "by": view} for column, view in self.replaced],
        }
        data |= {name: getattr(self.figures, name) for name in names}
        data |= {"utility": self.utility, "improves": self.improves, "halves": self.halves}
        if self.utility is None:
            data["reasons"] = {"utility": NOTHING_BEYOND_CHANCE}
        return data


def at_risk(figures: Figures, before: Figures) -> int:
    """Return the people a change should help: those alone, or in a set below 5 where nobody was alone before."""
    return figures.singletons if before.singletons else figures.people_below["5"]


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes that were tried, best first, and why there may be none.

    Attributes:
        tried: the changes; those that help come first, and among them those that keep more.
        utility_columns: the columns over whose pairs utility was measured.
        left_out: how many columns of the quasi-identifier were not changed, because they tell least.
        reason: why nothing was tried; None where something was.
        utility_bits: the mutual information beyond chance of which utility is a share.
        utility_pairs: the pairs of columns that have any.
    """

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

    def to_dict(self) -> dict[str, Any]:
        """Return the changes as plain data."""
        smallest = self.smallest
        data: dict[str, Any] = {
            "tried": [change.to_dict() for change in self.tried],
            "smallest": smallest.to_dict() if smallest is not None else None,
            "better_verdict": self.better.to_dict() if self.better is not None else None,
            "utility_columns": list(self.utility_columns),
            "utility_bits": self.utility_bits,
            "utility_pairs": [list(pair) for pair in self.utility_pairs],
            "unchanged_columns": self.left_out,
        }
        if smallest is None:
            why = self.reason or "no change that was tried betters the verdict or halves the people at risk"
            data["reasons"] = {"smallest": why, "better_verdict": why}
        elif self.better is None:
            data["reasons"] = {"better_verdict": "no change that was tried betters the verdict"}
        return data


def best_first(changes: list[Change]) -> tuple[Change, ...]:
    """Return changes ranked: those that help first; among them what keeps most and changes least."""

    def rank(change: Change) -> tuple[Any, ...]:
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
