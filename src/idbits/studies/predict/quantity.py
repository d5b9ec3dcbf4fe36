"""A predicted figure: its exact value, its approximations and their errors; and what meets a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData

__all__ = ["Approximation", "Quantity", "TargetAnswer"]


@dataclass(frozen=True, slots=True)
class Approximation(Serialisable):
    """An approximation of a figure, compared with the exact value.

    Attributes:
        name: the formula.
        value: its result.
        error: value minus the exact value; None if there is no exact value.
        trusted: whether its conditions are met here, so that the error is within the tolerance given in ``limit``.
        limit: these conditions and the tolerance, in words.
    """

    name: str
    value: float
    error: float | None
    trusted: bool
    limit: str


@dataclass(frozen=True, slots=True)
class Quantity(Serialisable):
    """A predicted figure.

    Attributes:
        exact: the exact value; None if it cannot be computed or only kappa is known.
        low, high: the 95% interval of a simulation; both are the exact value if there is one.
        approximations: the results of simpler formulas.
        log10: the decimal logarithm of a chance, even if the chance is too small for a float.
        estimate, draws: the result of a simulation and its number of draws.
        reason: why there is no exact value.
    """

    json_keys: ClassVar = ("exact", "low", "high", "approximations", "*where_known")

    exact: float | None
    low: float | None
    high: float | None
    approximations: tuple[Approximation, ...] = ()
    log10: float | None = None
    estimate: float | None = None
    draws: int | None = None
    reason: str | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return what only some quantities have."""
        reasons = saved_value(dict[str, str], data.get("reasons", {}), "reasons")
        numbers = {name: saved_value(float | None, data.get(name), name) for name in ("log10", "estimate")}
        return {**numbers, "draws": saved_value(int | None, data.get("draws"), "draws"), "reason": reasons.get("exact")}

    @classmethod
    def known(
        cls, exact: float, approximations: tuple[Approximation, ...] = (), log10: float | None = None
    ) -> Quantity:
        """Return a quantity whose exact value is known."""
        return cls(exact, exact, exact, approximations, log10)

    @property
    def value(self) -> float | None:
        """The best available value: exact, simulated, or the first approximation that can be trusted."""
        if self.exact is not None:
            return self.exact
        if self.estimate is not None:
            return self.estimate
        values = [a.value for a in self.approximations if a.trusted] or [a.value for a in self.approximations]
        return values[0] if values else None

    @property
    def is_rough(self) -> bool:
        """Whether the best value is an approximation whose conditions are not met."""
        return self.exact is None and self.estimate is None and not any(a.trusted for a in self.approximations)

    def times(self, factor: float) -> Quantity:
        """Return the quantity in another unit, with its approximations and their errors, but no logarithm."""

        def scaled(number: float | None) -> float | None:
            return number * factor if number is not None else None

        return replace(
            self,
            exact=scaled(self.exact),
            low=scaled(self.low),
            high=scaled(self.high),
            estimate=scaled(self.estimate),
            approximations=tuple(
                replace(rough, value=rough.value * factor, error=scaled(rough.error)) for rough in self.approximations
            ),
            log10=None,
        )

    @property
    def where_known(self) -> JsonObject:
        """The JSON keys that only some quantities have."""
        keys: JsonObject = {} if self.log10 is None else {"log10": self.log10}
        if self.estimate is not None:
            keys |= {"estimate": self.estimate, "draws": self.draws}
        if self.reason is not None:
            keys["reasons"] = {"exact": self.reason}
        return keys


@dataclass(frozen=True, slots=True)
class TargetAnswer(Serialisable):
    """What meets a target.

    Attributes:
        text: the target as it was given.
        ranges: the group sizes that meet it, as (smallest, largest) pairs; the largest may be infinite.
        options: the widths or views that we tried: name, value of the target's figure, whether it meets the target.
        chosen: the recommended option.
        meets: whether the requested group meets the target; None if no group was requested.
        protects: whether the target asks for fewer unique people. If so, the finest view or width is chosen,
            otherwise the coarsest.
        exact: whether the figures are exact; False if only kappa is known.
    """

    json_keys: ClassVar = ("text", "exact", "meets", "smallest_k", "largest_k", "ranges", "tried", "chosen", "protects")

    text: str
    ranges: tuple[tuple[int, float], ...] = ()
    options: tuple[tuple[str, float, bool], ...] = ()
    chosen: str | None = None
    meets: bool | None = None
    protects: bool = True
    exact: bool = True

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the options."""
        tried = saved_value(list[dict[str, Any]], data["tried"], "tried")
        rows = [(row["option"], row["figure"], row["meets"]) for row in tried]
        return {"options": saved_value(tuple[tuple[str, float, bool], ...], rows, "tried")}

    @property
    def smallest_k(self) -> int | None:
        """The smallest group that meets the target."""
        return self.ranges[0][0] if self.ranges else None

    @property
    def largest_k(self) -> float | None:
        """The largest group that meets the target; may be infinite."""
        return self.ranges[-1][1] if self.ranges else None

    @property
    def tried(self) -> list[JsonObject]:
        """The options as plain data."""
        return [{"option": name, "figure": value, "meets": meets} for name, value, meets in self.options]
