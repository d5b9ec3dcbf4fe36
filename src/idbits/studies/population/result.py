"""The answer of ``idbits population``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.measures.population.estimated import Estimated
from idbits.render.numbers import to_places
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData, plain_object
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    from idbits.measures.population.comparison import ComparedEstimate
    from idbits.measures.population.sample_entropy import SampleEntropy
    from idbits.measures.population.self_validation import ValidationReplicate
    from idbits.measures.population.sizes import SizeFigures
    from idbits.render.described_chart import DescribedChart

__all__ = [
    "FittedColumn", "FittedPitman", "ModelFit", "PopulationAnswer", "PopulationBounds", "SampleWeights", "Validation",
]  # fmt: skip


_ESTIMATED = ("pi", "tau1", "tau2", "unique_share", "uniques", "correctness", "entropy_bits", "k_hat")


@dataclass(frozen=True, slots=True)
class PopulationBounds(Serialisable):
    """Limits that need no model: of pi, tau1 and the share of unique people.

    Attributes:
        is_feasible: whether any population fits the group sizes of the sample; if not, the limits say nothing.
    """

    json_keys: ClassVar = ("pi", "tau1", "unique_share", "is_feasible")

    pi: tuple[float, float]
    tau1: tuple[float, float]
    unique_share: tuple[float, float]
    is_feasible: bool


@dataclass(frozen=True, slots=True)
class Validation(Serialisable):
    """The method tried on the sample itself.

    Attributes:
        fraction: the share of the sample that was kept.
        truth, estimate: the means over the replicates.
    """

    _types_from: ClassVar = ("idbits.measures.population.self_validation",)

    fraction: float
    replicates: tuple[ValidationReplicate, ...]
    truth: float
    estimate: float
    error_logit: float


@dataclass(frozen=True, slots=True)
class FittedColumn:
    """How a column was predicted from others."""

    column: str
    parents: tuple[str, ...]
    smoothing: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FittedPitman:
    """The parameters of the Pitman model."""

    sigma: float
    theta: float


@dataclass(frozen=True, slots=True)
class ModelFit(Serialisable):
    """The parameters of the models; those of a model that was not fitted are None.

    Attributes:
        probability: of group sizes at least as odd as those of the sample, if match regression is right.
        interval_parts: the parts of the interval, in logits.
    """

    columns: tuple[FittedColumn, ...] | None
    parameters: dict[str, float] | None
    sigma: float | None
    kap: float | None
    pitman: FittedPitman | None
    probability: float | None
    interval_parts: dict[str, float] | None


@dataclass(frozen=True, slots=True)
class SampleWeights:
    """Sampling weights: the share of their variance that the columns determine, the smallest and the largest."""

    share: float | None
    min: float
    max: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PopulationAnswer(Answer):
    """Who is unique in the population that a sample comes from; the reference of the JSON output lists the keys.

    Attributes:
        n_rows: the people in the sample.
        people: the people in the population.
        sample_uniques: the people who are unique in the sample.
        validated: whether the method was tried on the sample itself, and at which fraction.
        reasons: why figures that are None do not exist.
        records_file: the file with the risk of every record; None without ``records``.
    """

    command: ClassVar[str] = "population"
    _main_table: ClassVar[str] = "figure_rows"
    _row_class: ClassVar = Estimated
    _types_from: ClassVar = (
        "idbits.measures.population.comparison", "idbits.measures.population.sample_entropy",
        "idbits.measures.population.sizes",
    )  # fmt: skip
    json_keys: ClassVar = (
        "qid", "unit", "n_rows", "people", "fraction", "n_sets", "sample_uniques", "method", "estimability", "reason",
        "validated", "level", "pi", "tau1", "tau2", "unique_share", "uniques", "correctness", "entropy_bits", "k_hat",
        "bounds", "people_below", "sample", "validation", "estimators", "sizes", "fit", "weights", "assumptions",
        "nulls", "seed", "reasons", "notes",
    )  # fmt: skip

    source: str | None
    qid: tuple[str, ...]
    n_rows: int
    people: int
    fraction: float
    n_sets: int
    sample_uniques: int
    method: str
    estimability: str
    reason: str | None
    validated: str
    level: float
    figures: dict[str, Estimated]
    people_below: dict[str, Estimated]
    bounds: PopulationBounds | None
    sample: SampleEntropy
    validation: Validation | None
    estimators: tuple[ComparedEstimate, ...]
    sizes: tuple[SizeFigures, ...]
    fit: ModelFit | None
    weights: SampleWeights | None
    assumptions: tuple[str, ...]
    seed: int
    reasons: dict[str, str]
    unit: Unit
    small_groups: int
    n_other_columns: int = 0
    filtered: bool = False
    nulls: dict[str, int]
    records_file: str | None = None
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the figures by their names."""
        figures = {name: saved_value(Estimated, data[name], name) for name in _ESTIMATED}
        return {"figures": figures}

    def __repr__(self) -> str:
        pi = "None" if self.pi.value is None else to_places(self.pi.value, 4)
        return (
            f"PopulationAnswer(qid={short_repr(self.qid)}, n_rows={self.n_rows}, people={self.people}, "
            f"estimability={self.estimability!r}, pi={pi})"
        )

    @property
    def figure_rows(self) -> list[JsonObject]:
        """Each estimated figure with its interval."""
        named = {**self.figures, **{f"people_below_{size}": each for size, each in self.people_below.items()}}
        return [{"figure": name, **plain_object(each)} for name, each in named.items()]

    @property
    def pi(self) -> Estimated:
        """The share of sample uniques that are unique in the population."""
        return self.figures["pi"]

    @property
    def tau1(self) -> Estimated:
        """The sample uniques that are unique in the population."""
        return self.figures["tau1"]

    @property
    def tau2(self) -> Estimated:
        """The sum over sample uniques of 1/F."""
        return self.figures["tau2"]

    @property
    def unique_share(self) -> Estimated:
        """The share of the population that is unique."""
        return self.figures["unique_share"]

    @property
    def uniques(self) -> Estimated:
        """The people of the population who are unique."""
        return self.figures["uniques"]

    @property
    def correctness(self) -> Estimated:
        """How often a match to the right group, guessed within it, is right."""
        return self.figures["correctness"]

    @property
    def entropy_bits(self) -> Estimated:
        """The entropy of the population's table."""
        return self.figures["entropy_bits"]

    @property
    def k_hat(self) -> Estimated:
        """The typical group size in the population."""
        return self.figures["k_hat"]

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.population.charts import charts_of

        return charts_of(self)

    def charts(self) -> dict[str, object]:
        """Return the charts as Vega-Lite specifications: the interval within the bounds, and the curve of sizes."""
        from idbits.studies.population.charts import interval_chart, size_chart

        charts: dict[str, object] = {"interval": interval_chart(self)}
        return charts | ({"sizes": size_chart(self)} if self.sizes else {})
