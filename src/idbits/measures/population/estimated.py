"""A figure with its interval."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Estimated"]


@dataclass(frozen=True, slots=True)
class Estimated:
    """A figure with its interval; the value is None if it cannot be estimated."""

    value: float | None
    low: float | None
    high: float | None
