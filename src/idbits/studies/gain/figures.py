"""The figures of information gain: of features, of people, and of the dependence between features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.studies.shared.restoring import fields_from, rebuilt, saved_value
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData

__all__ = ["Dependence", "Exposed", "FeatureGain", "GainFigures", "Subsets"]


@dataclass(frozen=True, slots=True)
class FeatureGain(Serialisable):
    """What an attacker learns about one feature.

    Attributes:
        fig_bits: FIG, the sum of CIG over people.
        mean_cig_bits: the mean of CIG over people.
        share: FIG as a share of that of all features; None if nothing is learnt.
        entropy_bits: H(X), the entropy of the feature.
        conditional_entropy_bits: H(X | all others), what remains for someone who knows all others.
        weight: H(X | all others) / H(X), the weight of weighted CIG; 0 for a constant feature.
        weighted_mean_cig_bits: weight times mean CIG.
        mean_csf: the mean cell surprise factor; None if it was not computed.
        accuracy: how far the attacker trusts the table about this feature.
        prior: the source of the prior, ``table`` or ``population``.
        n_values: the number of values that occur.
        nulls: people with a null.
        standard_error_bits: of mean_cig_bits, if subsets were sampled.
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

    If people have several rows, the RIG of a person is the largest of their rows', and the group of a row consists of
    the people who have it. Features are over rows.

    Attributes:
        n_rows: rows or, in a counted table, people.
        n_people: people.
        n_distinct_rows: different rows.
        rig: mean, p50, p95 and max of RIG over people, in bits.
        rig_sum: the same of the sum over all rows of a person; None if everyone has one row.
        percentile, percentile_pif: another percentile of RIG, which piflib calls PIF.
        mics: the smallest group of people with the same values in all features.
        pif, rows_at_pif: the largest RIG / group size, and the people who have it.
        threshold, gap, people_at_threshold: how far PIF is below the threshold, and people at or above it.
        rig_curve: (bits, people above them), the reverse cumulative distribution.
    """

    json_keys: ClassVar = (
        "n_rows", "n_people", "n_distinct_rows", "rig", "?rig_sum", "mics", "pif", "rows_at_pif", "threshold", "gap",
        "people_at_threshold", "people_alone", "percentile", "percentile_pif", "features", "rig_curve=rig_curve_points",
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
    n_people: int
    rig_sum: dict[str, float] | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the curve, and the people; in version 0.1.0 every row was a person."""
        points = saved_value(list[dict[str, Any]], data["rig_curve"], "rig_curve")
        rows = [(point["bits"], point["people"]) for point in points]
        return {
            "rig_curve": saved_value(tuple[tuple[float, int], ...], rows, "rig_curve"),
            "n_people": saved_value(int, data.get("n_people", data["n_rows"]), "n_people"),
        }

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
        return [{"bits": bits, "people": people, "share": people / self.n_people} for bits, people in self.rig_curve]


@dataclass(frozen=True, slots=True)
class Subsets(Serialisable):
    """The subsets of known features that were tried for an attacker.

    Attributes:
        n_known: the number of features that the attacker knows.
        n_subsets, all_subsets: the numbers of subsets tried and of all subsets.
        exact: whether all were tried.
        standard_error_bits: of the mean RIG; None if all were tried.
        maximum: the figures with the largest value of each cell over subsets (a lower bound if sampled).
    """

    json_keys: ClassVar = ("n_known", "n_subsets", "all_subsets", "exact", "standard_error_bits")

    n_known: int
    n_subsets: int
    all_subsets: int
    exact: bool
    standard_error_bits: float | None
    maximum: GainFigures

    @classmethod
    def from_parts(cls, data: Mapping[str, Any], maximum: Mapping[str, Any]) -> Subsets:
        """Return the subsets of a saved answer, which has their maximum beside them."""
        return cls(**fields_from(cls, data), maximum=rebuilt(GainFigures, maximum))


@dataclass(frozen=True, slots=True)
class Dependence(Serialisable):
    """How features depend on each other; the matrices are None if they were not computed.

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
        """Why the matrices do not exist, if they do not."""
        if self.mutual_information_bits is not None:
            return {}
        why = "for a table of this size they are computed only with --mutual"
        return dict.fromkeys(("mutual_information_bits", "chance_bits"), why)


@dataclass(frozen=True, slots=True)
class Exposed:
    """A row of the table without its values: the people who have it, its RIG, and the CIG of each feature."""

    people: int
    rig_bits: float
    cig_bits: tuple[float, ...]
