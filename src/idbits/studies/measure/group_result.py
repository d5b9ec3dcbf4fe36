"""The part of a measurement about the categories of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.counts import Value
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.restoring import rebuilt

__all__ = ["Group", "Groups"]


@dataclass(frozen=True, slots=True)
class Group:
    """One category of the ``by`` column; ``label`` is None where ``n_groups`` categories are folded into one row."""

    json_keys: ClassVar = ("label", "folded_groups=n_groups", "*figures")

    label: Value
    n_groups: int
    figures: Figures

    @property
    def folded(self) -> bool:
        """Whether this row combines categories too small to be named."""
        return self.n_groups > 0


@dataclass(frozen=True, slots=True)
class Groups:
    """The figures within each category, and how category size and group size correlate.

    Attributes:
        people_in_several: people who count in more than one category, because they have rows in each.
    """

    by: str
    n_groups: int
    singletons: int | float
    rows: tuple[Group, ...]
    size_median_correlation: float | None
    people_in_several: int = 0

    @classmethod
    def from_totals(cls, data: Mapping[str, Any]) -> Groups | None:
        """Return the groups of a saved measurement; None without categories."""
        if "by" not in data:
            return None
        named = {"rows": data["groups"], "singletons": data["group_singletons"]}
        return rebuilt(cls, {**data, **named})

    @property
    def k_min(self) -> int:
        """The smallest group within any category."""
        return min(row.figures.k_min for row in self.rows)

    def people_below(self, threshold: str) -> int | float:
        """Return how many people are in groups below a size within their category."""
        return sum(row.figures.people_below[threshold] for row in self.rows)
