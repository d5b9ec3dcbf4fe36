"""What ``idbits predict width`` and ``idbits predict correlated`` return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block
from idbits.studies.predict.result import Quantity, SetSize, TargetAnswer
from idbits.studies.shared.presentation import Answer

__all__ = ["CorrelatedPrediction", "WidthPrediction", "WidthRow"]


@dataclass(frozen=True, slots=True)
class WidthRow:
    """The unique people at one width, or at one pair of widths.

    Attributes:
        width: the width, or both.
        mean, variance: of the number of unique people.
        sizes: sets of 1, 2 and 3 people: how many, and the share of people in them.
        lowest_mean, highest_mean: the mean where the grid lies best and worst; None where its place is known.
    """

    width: float | tuple[float, float]
    mean: Quantity
    variance: Quantity
    sizes: tuple[SetSize, ...] = ()
    lowest_mean: float | None = None
    highest_mean: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        width: Any = list(self.width) if isinstance(self.width, tuple) else self.width
        return {
            "width": width,
            "mean": self.mean.to_dict(),
            "variance": self.variance.to_dict(),
            "sizes": [size.to_dict() for size in self.sizes],
            "lowest_mean": self.lowest_mean,
            "highest_mean": self.highest_mean,
        }


@dataclass(frozen=True, kw_only=True)
class WidthPrediction(Answer):
    """How rounding a numeric attribute changes the number of unique people."""

    command: ClassVar[str] = "predict width"

    k: int
    label: str
    placed: bool
    widths: tuple[WidthRow, ...]
    target: TargetAnswer | None = None
    spec: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.studies.predict.text import width_blocks

        return width_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data."""
        data: dict[str, Any] = {
            "k": self.k,
            "distribution_label": self.label,
            "averaged_over_phase": not self.placed,
            "widths": [row.to_dict() for row in self.widths],
        }
        if self.target is not None:
            data["target"] = self.target.to_dict()
        return data | {"notes": list(self.notes)}

    def chart(self) -> dict[str, Any] | None:
        """Return the chart as a Vega-Lite specification, where one was asked for (``chart=True``)."""
        return self.spec


@dataclass(frozen=True, kw_only=True)
class CorrelatedPrediction(WidthPrediction):
    """How rounding two correlated numeric attributes changes the number of unique people."""

    command: ClassVar[str] = "predict correlated"

    rho: float

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data."""
        data = WidthPrediction.to_dict(self)
        notes = data.pop("notes")
        return data | {"rho": self.rho, "notes": notes}
