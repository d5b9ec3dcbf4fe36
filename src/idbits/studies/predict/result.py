"""The answers of ``idbits predict``: quantities with exact values, approximations and the errors of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.studies.predict.quantity import Approximation, Quantity, TargetAnswer
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = [
    "ONE_SUSPECT", "Approximation", "ColumnDrop", "CorrelatedPrediction", "GroupPrediction", "Quantity", "SetSize",
    "SingletonsPrediction", "SuspectsPrediction", "TargetAnswer", "UniquenessPrediction", "Width", "WidthPrediction",
    "WidthRow",
]  # fmt: skip

Width = float | tuple[float, float]
"""The width of an interval, or both widths of a cell."""

ONE_SUSPECT = "a single suspect has nobody to be anonymous among"
_HEAD = ("n_values", "kappa_nats", "distribution_label=label", "?target")


class _LabelledPrediction(Answer):
    """An answer that says where its probabilities come from."""

    label: str

    @property
    def distribution_label(self) -> str:
        """Where the probabilities come from."""
        return self.label


class _ChartedPrediction(_LabelledPrediction):
    """An answer that may have a chart."""

    spec: JsonObject | None

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.predict.charts import described

        return {"people": described(self.spec)} if self.spec is not None else {}

    def chart(self) -> JsonObject | None:
        """Return the chart as a Vega-Lite specification, if it was requested (``chart=True``)."""
        return self.spec


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class UniquenessPrediction(_PeoplePrediction):
    """The chance that all of k people are unique.

    Attributes:
        probability: that chance; None without k.
        spec: the chart as a Vega-Lite specification; None without ``chart=True``.
    """

    command: ClassVar[str] = "predict uniqueness"
    _in_repr: ClassVar = ("k", "n_values", "label")
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SingletonsPrediction(_PeoplePrediction):
    """How many of k people are unique.

    Attributes:
        mean, variance: of the number of unique people; None without k.
        none, somebody: the chance that nobody, and that somebody, is unique; None without k.
        sizes: groups of 1, 2, 3, ... people.
        distribution: pairs of a number of unique people and its chance (if above 1e-12); empty without k.
        distribution_reason: why the distribution is simulated, or why there is none; None if it is exact.
        quantiles: the 5%, 50% and 95% quantiles of the number of unique people; None without a distribution.
        normal_error: the largest error of the normal distribution with this mean and variance, as a chance; None
            without a distribution.
        spec: the chart as a Vega-Lite specification; None without ``chart=True``.
    """

    command: ClassVar[str] = "predict singletons"
    _in_repr: ClassVar = ("k", "n_values", "label")
    _main_table: ClassVar[str] = "sizes"
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

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the distribution and its quantiles."""
        listed = saved_value(list[dict[str, Any]], data["distribution"], "distribution")
        rows = [(row["singletons"], row["probability"]) for row in listed]
        quantiles = saved_value(dict[str, int] | None, data["singletons_quantiles"], "singletons_quantiles")
        return {
            "distribution": saved_value(tuple[tuple[int, float], ...], rows, "distribution"),
            "quantiles": None if quantiles is None else (quantiles["p5"], quantiles["p50"], quantiles["p95"]),
            "distribution_reason": (data.get("reasons") or {}).get("distribution"),
        }

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.predict.charts import described, distribution_chart

        distribution = {"distribution": described(distribution_chart(self.distribution))} if self.distribution else {}
        return {**distribution, **super()._charts()}

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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GroupPrediction(_Prediction):
    """The group size with the most unique people for its cost (S2 example 5.6).

    Attributes:
        cost: the cost of a group, counted in unique people.
        group_size: the size with the largest gain, in people.
        gain: the share of unique people minus the cost per person; None if only kappa is known.
        unique_share: the share of unique people in groups of this size; None if only kappa is known.
        spec: the chart as a Vega-Lite specification; None without ``chart=True``.
    """

    command: ClassVar[str] = "predict group"
    _in_repr: ClassVar = ("cost", "n_values", "unique_share", "label")
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WidthPrediction(_ChartedPrediction):
    """How rounding a numeric attribute changes the number of unique people.

    Attributes:
        k: the number of people.
        label: the distribution, in words.
        placed: whether the position of the grid is known; otherwise figures are means over all positions.
        widths: the figures at each width.
        target: the answer to the target; None without one.
        spec: the chart as a Vega-Lite specification; None without ``chart=True``.
    """

    command: ClassVar[str] = "predict width"
    _in_repr: ClassVar[tuple[str, ...]] = ("k", "label")
    _main_table: ClassVar[str] = "widths"
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

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return whether the position of the grid is known."""
        return {"placed": not saved_value(bool, data["averaged_over_phase"], "averaged_over_phase")}

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.predict.charts import cell_chart, described, width_chart

        draw = cell_chart if isinstance(self, CorrelatedPrediction) else width_chart
        return {"widths": described(draw(self.widths))}

    @property
    def averaged_over_phase(self) -> bool:
        """Whether figures are averaged over all positions of the grid."""
        return not self.placed


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CorrelatedPrediction(WidthPrediction):
    """How rounding two correlated numeric attributes changes the number of unique people.

    Attributes:
        rho: the correlation of the two attributes.
        placed: whether the position of the grid is known; otherwise figures are means over all positions.
        spec: the chart as a Vega-Lite specification; None without ``chart=True``.
    """

    command: ClassVar[str] = "predict correlated"
    _in_repr: ClassVar[tuple[str, ...]] = ("k", "rho", "label")
    json_keys: ClassVar[tuple[str, ...]] = (*WidthPrediction.json_keys[:-1], "rho", "notes")

    rho: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SuspectsPrediction(_LabelledPrediction):
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
    _in_repr: ClassVar = ("n_suspects", "entropy_bits", "best_guess", "label")
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
