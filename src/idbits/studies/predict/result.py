"""The answers of ``idbits predict``: quantities with exact values, approximations and the errors of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, Serialisable

__all__ = [
    "ONE_SUSPECT", "Approximation", "ColumnDrop", "CorrelatedPrediction", "GroupPrediction", "Quantity", "SetSize",
    "SingletonsPrediction", "SuspectsPrediction", "TargetAnswer", "UniquenessPrediction", "Width", "WidthPrediction",
    "WidthRow",
]  # fmt: skip

Width = float | tuple[float, float]
"""The width of an interval, or both widths of a cell."""

ONE_SUSPECT = "a single suspect has nobody to be anonymous among"
_HEAD = ("n_values", "kappa_nats", "distribution_label=label", "?target")


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

    json_keys: ClassVar = ("text", "exact", "meets", "smallest_k", "largest_k", "ranges", "tried", "chosen")

    text: str
    ranges: tuple[tuple[int, float], ...] = ()
    options: tuple[tuple[str, float, bool], ...] = ()
    chosen: str | None = None
    meets: bool | None = None
    protects: bool = True
    exact: bool = True

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


class _ChartedPrediction(Answer):
    """An answer that may have a chart."""

    spec: JsonObject | None

    def chart(self) -> JsonObject | None:
        """Return the chart as a Vega-Lite specification, if it was requested (``chart=True``)."""
        return self.spec


@dataclass(frozen=True, kw_only=True)
class _Prediction(_ChartedPrediction):
    """What all predictions say about the distribution."""

    k: int | None
    n_values: int
    kappa_nats: float | None
    label: str
    target: TargetAnswer | None = None
    spec: JsonObject | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnDrop(Serialisable):
    """The expected number of unique people without one of several columns."""

    column: str
    mean: float


@dataclass(frozen=True, kw_only=True)
class _PeoplePrediction(_Prediction):
    """What predictions for k people have in common.

    Attributes:
        mean: the expected number of unique people.
        dropping: the effect of dropping each column of a table; the one that leaves fewest unique people first.
    """

    mean: Quantity | None = None
    dropping: tuple[ColumnDrop, ...] = ()

    @property
    def drop(self) -> str | None:
        """The column to drop first; None if there are not several."""
        return self.dropping[0].column if self.dropping else None


@dataclass(frozen=True, kw_only=True)
class UniquenessPrediction(_PeoplePrediction):
    """The chance that all of k people are unique."""

    command: ClassVar[str] = "predict uniqueness"
    json_keys: ClassVar = ("k", *_HEAD, "mean", "probability", "drop", "dropping", "notes")

    probability: Quantity | None


@dataclass(frozen=True, slots=True)
class SetSize(Serialisable):
    """Groups of j people: their expected number, and the share of people in them."""

    j: int
    sets: Quantity
    share: Quantity

    @classmethod
    def of(cls, j: int, k: int, sets: Quantity) -> SetSize:
        """Return the row for groups of j people among k: the share of people in them is j sets / k."""
        return cls(j, sets, sets.times(j / k))


@dataclass(frozen=True, kw_only=True)
class SingletonsPrediction(_PeoplePrediction):
    """How many of k people are unique.

    Attributes:
        mean, variance: of the number of unique people.
        none, somebody: the chance that nobody, and that somebody, is unique.
        sizes: groups of 1, 2, 3, ... people.
        distribution: pairs of a number of unique people and its chance (if above 1e-12); empty without k.
        distribution_reason: why the distribution is simulated, or why there is none.
        quantiles: the 5%, 50% and 95% quantiles of the number of unique people.
        normal_error: the largest error of the normal distribution with this mean and variance, as a chance.
    """

    command: ClassVar[str] = "predict singletons"
    json_keys: ClassVar = (
        "k", *_HEAD, "mean", "variance", "none", "somebody", "sizes", "distribution=distribution_rows",
        "singletons_quantiles", "normal_error", "drop", "dropping", "?reasons", "notes",
    )  # fmt: skip

    variance: Quantity | None = None
    none: Quantity | None = None
    somebody: Quantity | None = None
    sizes: tuple[SetSize, ...] = ()
    distribution: tuple[tuple[int, float], ...] = ()
    distribution_reason: str | None = None
    quantiles: tuple[int, int, int] | None = None
    normal_error: float | None = None

    @property
    def distribution_rows(self) -> list[JsonObject]:
        """The distribution as plain data."""
        return [{"singletons": people, "probability": chance} for people, chance in self.distribution]

    @property
    def singletons_quantiles(self) -> dict[str, int] | None:
        """The quantiles by their names."""
        return dict(zip(("p5", "p50", "p95"), self.quantiles, strict=True)) if self.quantiles else None

    @property
    def reasons(self) -> dict[str, str]:
        """Why the distribution is not exact."""
        return {"distribution": self.distribution_reason} if self.distribution_reason is not None else {}


@dataclass(frozen=True, kw_only=True)
class GroupPrediction(_Prediction):
    """The group size with the most unique people for its cost (S2 example 5.6)."""

    command: ClassVar[str] = "predict group"
    json_keys: ClassVar = (*_HEAD, "cost", "group_size", "gain", "unique_share", "notes")

    cost: float
    group_size: Quantity
    gain: float | None
    unique_share: float | None


@dataclass(frozen=True, slots=True)
class WidthRow(Serialisable):
    """The unique people at one width, or at one pair of widths.

    Attributes:
        width: the width, or both.
        mean, variance: of the number of unique people.
        sizes: groups of 1, 2 and 3 people: their number, and the share of people in them.
        lowest_mean, highest_mean: the mean at the best and worst grid position; None if the position is known.
    """

    width: Width
    mean: Quantity
    variance: Quantity
    sizes: tuple[SetSize, ...] = ()
    lowest_mean: float | None = None
    highest_mean: float | None = None


@dataclass(frozen=True, kw_only=True)
class WidthPrediction(_ChartedPrediction):
    """How rounding a numeric attribute changes the number of unique people."""

    command: ClassVar[str] = "predict width"
    json_keys: ClassVar[tuple[str, ...]] = (
        "k",
        "distribution_label=label",
        "averaged_over_phase",
        "widths",
        "?target",
        "notes",
    )

    k: int
    label: str
    placed: bool
    widths: tuple[WidthRow, ...]
    target: TargetAnswer | None = None
    spec: JsonObject | None = None
    notes: tuple[str, ...] = ()

    @property
    def averaged_over_phase(self) -> bool:
        """Whether figures are averaged over all positions of the grid."""
        return not self.placed


@dataclass(frozen=True, kw_only=True)
class CorrelatedPrediction(WidthPrediction):
    """How rounding two correlated numeric attributes changes the number of unique people."""

    command: ClassVar[str] = "predict correlated"
    json_keys: ClassVar[tuple[str, ...]] = (*WidthPrediction.json_keys[:-1], "rho", "notes")

    rho: float


@dataclass(frozen=True, kw_only=True)
class SuspectsPrediction(Answer):
    """How anonymous a person is among suspects, given an attacker's probabilities (S2 2.2).

    Attributes:
        n_suspects: suspects (N), including those who are ruled out.
        n_ruled_out: suspects with probability 0.
        entropy_bits: bits that the attacker still needs on average (H).
        max_entropy_bits: log2 N, the bits needed if all were equally likely.
        degree_of_anonymity: H / log2 N (Diaz); None for one suspect.
        effective_suspects: 2^H, the equally likely suspects with the same entropy (Serjantov and Danezis).
        best_guess: the probability of the likeliest suspect.
        renyi_bits: Renyi entropies of order 0, 1, 2 and infinity; the last is the min-entropy.
        label: where the probabilities come from.
    """

    command: ClassVar[str] = "predict suspects"
    json_keys: ClassVar = (
        "n_suspects", "n_ruled_out", "entropy_bits", "max_entropy_bits", "degree_of_anonymity", "effective_suspects",
        "best_guess", "min_entropy_bits", "renyi_bits", "distribution_label=label", "?reasons", "notes",
    )  # fmt: skip

    n_suspects: int
    n_ruled_out: int
    entropy_bits: float
    max_entropy_bits: float
    degree_of_anonymity: float | None
    effective_suspects: float
    best_guess: float
    renyi_bits: dict[str, float]
    label: str
    notes: tuple[str, ...] = ()

    @property
    def min_entropy_bits(self) -> float:
        """The Renyi entropy of infinite order."""
        return self.renyi_bits["inf"]

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        return {"degree_of_anonymity": ONE_SUSPECT} if self.degree_of_anonymity is None else {}
