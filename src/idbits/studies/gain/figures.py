"""The figures of information gain: of features, of people, and of what features say about each other."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

__all__ = [
    "NOTHING_BEYOND_CHANCE",
    "AnalysisFeature",
    "AnalysisGain",
    "Dependence",
    "Exposed",
    "FeatureGain",
    "GainFigures",
    "Growth",
    "GrowthStep",
    "Subsets",
    "SweepStep",
]

NOTHING_BEYOND_CHANCE = "in the original no pair of columns says more about each other than shuffled columns would"


@dataclass(frozen=True, slots=True)
class FeatureGain:
    """One feature: what an attacker learns about it.

    Attributes:
        fig_bits: FIG, the sum of CIG over people.
        mean_cig_bits: the mean of CIG over people.
        share: FIG as a share of that of all features; None where nothing is learnt at all.
        entropy_bits: H(X), what there is to learn on average.
        conditional_entropy_bits: H(X | all others), what stays open to someone who knows all others.
        weight: H(X | all others) / H(X), the weight of weighted CIG; 0 for a constant feature.
        weighted_mean_cig_bits: weight times mean CIG.
        mean_csf: the mean cell surprise factor; None where it was not computed.
        accuracy: how far the attacker trusts the table about this feature.
        prior: where the prior comes from, ``table`` or ``population``.
        n_values: how many values occur.
        nulls: people with an empty cell.
        standard_error_bits: of mean_cig_bits, where subsets were sampled.
    """

    column: str
    fig_bits: float
    mean_cig_bits: float
    share: float | None
    entropy_bits: float
    conditional_entropy_bits: float
    weight: float
    weighted_mean_cig_bits: float
    mean_csf: float | None
    accuracy: float
    prior: str
    n_values: int
    nulls: int
    standard_error_bits: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the feature as plain data."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class GainFigures:
    """What an attacker learns about people.

    Attributes:
        n_rows: people.
        n_distinct_rows: different rows.
        rig: mean, p50, p95 and max of RIG over people, in bits.
        percentile, percentile_pif: another percentile of RIG, which piflib calls PIF.
        mics: the smallest cohort of people who are equal in all features.
        pif: the largest RIG / cohort size, with the people who set it.
        threshold, gap, people_at_threshold: how far PIF is below the threshold, and people at or above it.
        rig_curve: (bits, people above them), the reverse cumulative distribution.
    """

    n_rows: int
    n_distinct_rows: int
    features: tuple[FeatureGain, ...]
    rig: dict[str, float]
    percentile: float
    percentile_pif: float
    mics: int
    pif: float
    rows_at_pif: int
    threshold: float
    people_at_threshold: int
    people_alone: int
    rig_curve: tuple[tuple[float, int], ...]

    @property
    def gap(self) -> float:
        """How far PIF is below the threshold; negative above it. S3's epsilon."""
        return self.threshold - self.pif

    def ranked(self) -> list[FeatureGain]:
        """Return the features, most telling first."""
        return sorted(self.features, key=lambda feature: -feature.fig_bits)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        names = ("n_rows", "n_distinct_rows", "rig", "mics", "pif", "rows_at_pif", "threshold", "gap",
                 "people_at_threshold", "people_alone", "percentile", "percentile_pif")  # fmt: skip
        data = {name: getattr(self, name) for name in names}
        data["features"] = [feature.to_dict() for feature in self.features]
        data["rig_curve"] = [
            {"bits": bits, "people": people, "share": people / self.n_rows} for bits, people in self.rig_curve
        ]
        return data


@dataclass(frozen=True, slots=True)
class Subsets:
    """Which subsets of known features an attacker was tried with.

    Attributes:
        n_known: features that the attacker knows.
        n_subsets, all_subsets: subsets tried, and subsets that there are.
        exact: whether all were tried.
        standard_error_bits: of the mean RIG; None where all were tried.
        maximum: the figures where each cell is the largest over subsets (of a sample, at least so much).
    """

    n_known: int
    n_subsets: int
    all_subsets: int
    exact: bool
    standard_error_bits: float | None
    maximum: GainFigures

    def to_dict(self) -> dict[str, Any]:
        """Return the subsets as plain data, without the maximum."""
        return {
            "n_known": self.n_known,
            "n_subsets": self.n_subsets,
            "all_subsets": self.all_subsets,
            "exact": self.exact,
            "standard_error_bits": self.standard_error_bits,
        }


@dataclass(frozen=True, slots=True)
class AnalysisFeature:
    """What the output of an analysis tells about one feature: FIG, and the mean of CIG over people."""

    column: str
    fig_bits: float
    mean_cig_bits: float


@dataclass(frozen=True, slots=True)
class AnalysisGain:
    """What the output of an analysis tells about the people of the table that was analysed (S3 II).

    Attributes:
        kind: ``columns`` of the table, such as a model's predictions, or a table of ``counts``.
        columns: those columns, or those that the counts are about.
        known: what the attacker knows of a person beside the output, or beside the one column to be learnt.
        rig: mean, p50, p95 and max of RIG over people, in bits.
        mics: the fewest people who look the same to the attacker.
        pif: the largest RIG divided by the people who look the same, with the people who set it.
        without_output_bits: the mean RIG of someone who knows the same but does not see the output; None for counts.
        people_unpublished: people whose cell is not in the table of counts; None for columns.
    """

    kind: str
    columns: tuple[str, ...]
    known: tuple[str, ...]
    features: tuple[AnalysisFeature, ...]
    rig: dict[str, float]
    mics: int
    pif: float
    rows_at_pif: int
    without_output_bits: float | None
    people_unpublished: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the gain as plain data."""
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        data |= {"columns": list(self.columns), "known": list(self.known)}
        data["features"] = [{name: getattr(one, name) for name in one.__slots__} for one in self.features]
        missing = "people_unpublished" if self.kind == "columns" else "without_output_bits"
        why = "every person has an output" if self.kind == "columns" else "counts are all that the attacker sees"
        return data | {"reasons": {missing: why}}


@dataclass(frozen=True, slots=True)
class Dependence:
    """What features say about each other; the matrices are None where they were not computed.

    Attributes:
        mutual_information_bits: of each pair of features; the entropies on the diagonal.
        chance_bits: what shuffled features would show on average; None on the diagonal.
    """

    joint_entropy_bits: float
    total_correlation_bits: float
    dual_total_correlation_bits: float
    mutual_information_bits: tuple[tuple[float, ...], ...] | None
    chance_bits: tuple[tuple[float | None, ...], ...] | None

    def to_dict(self) -> dict[str, Any]:
        """Return the dependence as plain data."""
        data = {name: getattr(self, name) for name in self.__slots__}
        if self.mutual_information_bits is not None and self.chance_bits is not None:
            data["mutual_information_bits"] = [list(row) for row in self.mutual_information_bits]
            data["chance_bits"] = [list(row) for row in self.chance_bits]
        else:
            why = "so many pairs of so many rows are computed with --mutual only"
            data["reasons"] = dict.fromkeys(("mutual_information_bits", "chance_bits"), why)
        return data


@dataclass(frozen=True, slots=True)
class Exposed:
    """A row of the table by its gains, never by its values: the people who have it, RIG, and CIG of each feature."""

    people: int
    rig_bits: float
    cig_bits: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GrowthStep:
    """The figures once a column has joined those before it (S3 figure 2)."""

    column: str
    rig_p95: float
    mics: int
    pif: float
    reached: bool


@dataclass(frozen=True, slots=True)
class Growth:
    """How RIG_95, MICS and PIF grow as columns join, in the order given or greedily."""

    order: str
    threshold: float
    steps: tuple[GrowthStep, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the growth as plain data."""
        steps = [{name: getattr(step, name) for name in step.__slots__} for step in self.steps]
        return {"order": self.order, "steps": steps}


@dataclass(frozen=True, slots=True)
class SweepStep:
    """A feature in a coarser view, with what is kept and what is learnt (S3 figure 8).

    Attributes:
        utility: the share kept of the bits beyond chance; None where the original has none.
        feature_utility: the same over pairs with this feature alone.
        kept_bits: the bits beyond chance that are kept, over the pairs that have any in the original.
        mutual_information_bits, chance_bits: the sums over all pairs, and what shuffled columns would show.
    """

    column: str
    replaces: str | None
    rig_mean: float
    rig_p95: float
    pif: float
    mics: int
    people_at_threshold: int
    utility: float | None
    feature_utility: float | None
    kept_bits: float
    mutual_information_bits: float
    chance_bits: float

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data."""
        data = {name: getattr(self, name) for name in self.__slots__}
        alone = "in the original this column says no more about any other than shuffled columns would"
        why = {"utility": NOTHING_BEYOND_CHANCE, "feature_utility": alone}
        missing = {name: reason for name, reason in why.items() if data[name] is None}
        return data | ({"reasons": missing} if missing else {})
