"""The figures of information gain: of features, of people, and of what features say about each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from idbits.studies.shared.serialisation import JsonObject, Serialisable

__all__ = ["Dependence", "Exposed", "FeatureGain", "GainFigures", "Subsets"]


@dataclass(frozen=True, slots=True)
class FeatureGain(Serialisable):
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


@dataclass(frozen=True, slots=True)
class GainFigures(Serialisable):
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

    json_keys: ClassVar = (
        "n_rows", "n_distinct_rows", "rig", "mics", "pif", "rows_at_pif", "threshold", "gap", "people_at_threshold",
        "people_alone", "percentile", "percentile_pif", "features", "rig_curve=rig_curve_points",
    )  # fmt: skip

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

    @property
    def rig_curve_points(self) -> list[JsonObject]:
        """The curve as plain data, with shares of all people."""
        return [{"bits": bits, "people": people, "share": people / self.n_rows} for bits, people in self.rig_curve]


@dataclass(frozen=True, slots=True)
class Subsets(Serialisable):
    """Which subsets of known features an attacker was tried with.

    Attributes:
        n_known: features that the attacker knows.
        n_subsets, all_subsets: subsets tried, and subsets that there are.
        exact: whether all were tried.
        standard_error_bits: of the mean RIG; None where all were tried.
        maximum: the figures where each cell is the largest over subsets (of a sample, at least so much).
    """

    json_keys: ClassVar = ("n_known", "n_subsets", "all_subsets", "exact", "standard_error_bits")

    n_known: int
    n_subsets: int
    all_subsets: int
    exact: bool
    standard_error_bits: float | None
    maximum: GainFigures


@dataclass(frozen=True, slots=True)
class Dependence(Serialisable):
    """What features say about each other; the matrices are None where they were not computed.

    Attributes:
        mutual_information_bits: of each pair of features; the entropies on the diagonal.
        chance_bits: what shuffled features would show on average; None on the diagonal.
    """

    json_keys: ClassVar = (
        "joint_entropy_bits", "total_correlation_bits", "dual_total_correlation_bits", "mutual_information_bits",
        "chance_bits", "?reasons",
    )  # fmt: skip

    joint_entropy_bits: float
    total_correlation_bits: float
    dual_total_correlation_bits: float
    mutual_information_bits: tuple[tuple[float, ...], ...] | None
    chance_bits: tuple[tuple[float | None, ...], ...] | None

    @property
    def reasons(self) -> dict[str, str]:
        """Why there are no matrices, if there are none."""
        if self.mutual_information_bits is not None:
            return {}
        why = "so many pairs of so many rows are computed with --mutual only"
        return dict.fromkeys(("mutual_information_bits", "chance_bits"), why)


@dataclass(frozen=True, slots=True)
class Exposed:
    """A row of the table by its gains, never by its values: the people who have it, RIG, and CIG of each feature."""

    people: int
    rig_bits: float
    cig_bits: tuple[float, ...]
