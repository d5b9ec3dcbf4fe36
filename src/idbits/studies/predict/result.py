"""What ``idbits predict`` returns: quantities with their exact value, their approximations and the errors of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from idbits.render.blocks import Block
from idbits.studies.shared.presentation import Answer

__all__ = [
    "Approximation",
    "GroupPrediction",
    "Quantity",
    "SetSize",
    "SingletonsPrediction",
    "TargetAnswer",
    "UniquenessPrediction",
]


@dataclass(frozen=True, slots=True)
class Approximation:
    """An approximation beside the exact value.

    Attributes:
        name: which formula.
        value: what it gives.
        error: value less the exact one; None where there is no exact one.
        trusted: whether its conditions hold here, so that the error is within the tolerance that ``limit`` names.
        limit: those conditions and the tolerance, in words.
    """

    name: str
    value: float
    error: float | None
    trusted: bool
    limit: str

    def to_dict(self) -> dict[str, Any]:
        """Return the approximation as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A predicted figure.

    Attributes:
        exact: the exact value; None where it is out of reach or only kappa is known.
        low, high: the 95% interval of a simulation; the exact value itself where there is one.
        approximations: what simpler formulas give.
        log10: the decimal logarithm of a chance, also where a float cannot hold it.
        estimate, draws: what a simulation found, from how many draws.
        reason: why there is no exact value.
    """

    exact: float | None
    low: float | None
    high: float | None
    approximations: tuple[Approximation, ...] = ()
    log10: float | None = None
    estimate: float | None = None
    draws: int | None = None
    reason: str | None = None

    @classmethod
    def known(
        cls, exact: float, approximations: tuple[Approximation, ...] = (), log10: float | None = None
    ) -> Quantity:
        """Return a quantity of which the exact value is known."""
        return cls(exact, exact, exact, approximations, log10)

    @property
    def value(self) -> float | None:
        """The best value there is: exact, simulated, or the first approximation that can be trusted."""
        if self.exact is not None:
            return self.exact
        if self.estimate is not None:
            return self.estimate
        found = [a.value for a in self.approximations if a.trusted] or [a.value for a in self.approximations]
        return found[0] if found else None

    @property
    def is_rough(self) -> bool:
        """Whether the best value is an approximation whose conditions do not hold here."""
        return self.exact is None and self.estimate is None and not any(a.trusted for a in self.approximations)

    def times(self, factor: float) -> Quantity:
        """Return the quantity in another unit, with its approximations and their errors; without a logarithm."""

        def scaled(number: float | None) -> float | None:
            return number * factor if number is not None else None

        found = tuple(replace(one, value=one.value * factor, error=scaled(one.error)) for one in self.approximations)
        return replace(
            self,
            exact=scaled(self.exact),
            low=scaled(self.low),
            high=scaled(self.high),
            estimate=scaled(self.estimate),
            approximations=found,
            log10=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the quantity as plain data."""
        data: dict[str, Any] = {
            "exact": self.exact,
            "low": self.low,
            "high": self.high,
            "approximations": [approximation.to_dict() for approximation in self.approximations],
        }
        if self.log10 is not None:
            data["log10"] = self.log10
        if self.estimate is not None:
            data |= {"estimate": self.estimate, "draws": self.draws}
        if self.reason is not None:
            data["reasons"] = {"exact": self.reason}
        return data


@dataclass(frozen=True, slots=True)
class TargetAnswer:
    """What meets a target.

    Attributes:
        text: the target as it was asked.
        ranges: the group sizes that meet it, as (smallest, largest) pairs; the largest may be infinite.
        options: what was tried instead (widths, transforms): name, value of the target's figure, whether it meets it.
        chosen: the one to take.
        meets: whether what was asked about meets the target; None where nothing was.
        protects: whether the target asks for fewer unique people; the finest view or width is then chosen, else the
            coarsest.
        exact: whether the figures are exact; False where only kappa is known.
    """

    text: str
    ranges: tuple[tuple[int, float], ...] = ()
    options: tuple[tuple[str, float, bool], ...] = ()
    chosen: str | None = None
    meets: bool | None = None
    protects: bool = True
    exact: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {
            "text": self.text,
            "exact": self.exact,
            "meets": self.meets,
            "smallest_k": self.ranges[0][0] if self.ranges else None,
            "largest_k": self.ranges[-1][1] if self.ranges else None,
            "ranges": [list(pair) for pair in self.ranges],
            "tried": [{"option": name, "figure": value, "meets": meets} for name, value, meets in self.options],
            "chosen": self.chosen,
        }


@dataclass(frozen=True, kw_only=True)
class _Prediction(Answer):
    """What all predictions say about what people draw from."""

    k: int | None
    n_values: int
    kappa_nats: float | None
    label: str
    target: TargetAnswer | None = None
    spec: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()

    def _head(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "k": self.k,
            "n_values": self.n_values,
            "kappa_nats": self.kappa_nats,
            "distribution_label": self.label,
        }
        if self.target is not None:
            data["target"] = self.target.to_dict()
        return data

    def chart(self) -> dict[str, Any] | None:
        """Return the chart as a Vega-Lite specification, where one was asked for (``chart=True``)."""
        return self.spec


@dataclass(frozen=True, kw_only=True)
class UniquenessPrediction(_Prediction):
    """The chance that all of k people are unique."""

    command: ClassVar[str] = "predict uniqueness"

    probability: Quantity | None

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.studies.predict.text import uniqueness_blocks

        return uniqueness_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data."""
        probability = self.probability.to_dict() if self.probability is not None else None
        return self._head() | {"probability": probability, "notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class SetSize:
    """Sets of j people: how many are expected, and the share of people in them."""

    j: int
    sets: Quantity
    share: Quantity

    @classmethod
    def of(cls, j: int, k: int, sets: Quantity) -> SetSize:
        """Return the row of sets of j people among k: the share of people in them is j sets / k."""
        return cls(j, sets, sets.times(j / k))

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {"j": self.j, "sets": self.sets.to_dict(), "share": self.share.to_dict()}


@dataclass(frozen=True, kw_only=True)
class SingletonsPrediction(_Prediction):
    """How many of k people are unique.

    Attributes:
        mean, variance: of the number of unique people.
        none, somebody: the chance that nobody, and that somebody, is unique.
        sizes: sets of 1, 2, 3, ... people.
        distribution: pairs of a number of unique people and its chance (those above 1e-12); empty without k.
        distribution_reason: where the distribution comes from, or why there is none.
        quantiles: the 5%, 50% and 95% quantiles of the number of unique people.
        normal_error: the largest error of the normal distribution with this mean and variance, as a chance.
    """

    command: ClassVar[str] = "predict singletons"

    mean: Quantity | None = None
    variance: Quantity | None = None
    none: Quantity | None = None
    somebody: Quantity | None = None
    sizes: tuple[SetSize, ...] = ()
    distribution: tuple[tuple[int, float], ...] = ()
    distribution_reason: str | None = None
    quantiles: tuple[int, int, int] | None = None
    normal_error: float | None = None

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.studies.predict.text import singletons_blocks

        return singletons_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data."""
        data = self._head()
        for name in ("mean", "variance", "none", "somebody"):
            quantity: Quantity | None = getattr(self, name)
            data[name] = quantity.to_dict() if quantity is not None else None
        data["sizes"] = [size.to_dict() for size in self.sizes]
        data["distribution"] = [{"singletons": people, "probability": chance} for people, chance in self.distribution]
        quantiles = dict(zip(("p5", "p50", "p95"), self.quantiles, strict=True)) if self.quantiles else None
        data["singletons_quantiles"] = quantiles
        data["normal_error"] = self.normal_error
        if self.distribution_reason is not None:
            data["reasons"] = {"distribution": self.distribution_reason}
        return data | {"notes": list(self.notes)}


@dataclass(frozen=True, kw_only=True)
class GroupPrediction(_Prediction):
    """The group size that makes most people unique for its cost (S2 example 5.6)."""

    command: ClassVar[str] = "predict group"

    cost: float
    group_size: Quantity
    gain: float | None
    unique_share: float | None

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        from idbits.studies.predict.text import group_blocks

        return group_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data."""
        head = self._head()
        del head["k"]
        return head | {
            "cost": self.cost,
            "group_size": self.group_size.to_dict(),
            "gain": self.gain,
            "unique_share": self.unique_share,
            "notes": list(self.notes),
        }
