"""The figures of an information gain as attributes of the answer itself."""

from __future__ import annotations

from idbits.studies.gain.figures import FeatureGain, GainFigures
from idbits.studies.shared.serialisation import JsonObject

__all__ = ["MeasuredGain"]


class MeasuredGain:
    """Every figure of ``figures`` is also an attribute of the answer: ``answer.pif``."""

    figures: GainFigures

    @property
    def n_rows(self) -> int:
        """Rows or, in a counted table, people."""
        return self.figures.n_rows

    @property
    def n_people(self) -> int:
        """People."""
        return self.figures.n_people

    @property
    def n_distinct_rows(self) -> int:
        """Different rows."""
        return self.figures.n_distinct_rows

    @property
    def features(self) -> tuple[FeatureGain, ...]:
        """What an attacker learns about each feature."""
        return self.figures.features

    @property
    def rig(self) -> dict[str, float]:
        """Mean, p50, p95 and max of RIG over people, in bits."""
        return self.figures.rig

    @property
    def rig_sum(self) -> dict[str, float] | None:
        """The same of the sum over all rows of a person; None if everyone has one row."""
        return self.figures.rig_sum

    @property
    def percentile(self) -> float:
        """The percentile of ``percentile_pif``."""
        return self.figures.percentile

    @property
    def percentile_pif(self) -> float:
        """A percentile of RIG, which piflib calls PIF."""
        return self.figures.percentile_pif

    @property
    def mics(self) -> int:
        """The smallest group of people with the same values in all features."""
        return self.figures.mics

    @property
    def pif(self) -> float:
        """The largest RIG divided by the group size."""
        return self.figures.pif

    @property
    def rows_at_pif(self) -> int:
        """The people who have the largest RIG divided by the group size."""
        return self.figures.rows_at_pif

    @property
    def threshold(self) -> float:
        """The threshold for PIF."""
        return self.figures.threshold

    @property
    def gap(self) -> float:
        """How far PIF is below the threshold; negative above it. S3's epsilon."""
        return self.figures.gap

    @property
    def people_at_threshold(self) -> int:
        """People at or above the threshold."""
        return self.figures.people_at_threshold

    @property
    def people_alone(self) -> int:
        """People who are unique in their group."""
        return self.figures.people_alone

    @property
    def rig_curve(self) -> tuple[tuple[float, int], ...]:
        """(bits, people above them), the reverse cumulative distribution of RIG."""
        return self.figures.rig_curve

    @property
    def rig_curve_points(self) -> list[JsonObject]:
        """The curve as plain data, with shares of all people."""
        return self.figures.rig_curve_points

    def ranked(self) -> list[FeatureGain]:
        """Return the features, most telling first."""
        return self.figures.ranked()
