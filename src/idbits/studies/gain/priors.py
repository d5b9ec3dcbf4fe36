"""Population priors of features, and what they lack."""

from __future__ import annotations

from fractions import Fraction

from idbits.counts import Value
from idbits.engines.base import OpenOptions
from idbits.studies.gain.result import SmoothedColumn
from idbits.studies.shared.value_counts import read_value_counts, require_all_values
from idbits.values.attributes import Attribute

__all__ = ["check_missing", "read_prior"]


def read_prior(feature: Attribute, source: object, options: OpenOptions) -> dict[Value, Fraction]:
    """Return the weight of each value of a feature in a population, by its shown text."""
    return read_value_counts(feature, source, options, "prior")


def check_missing(feature: Attribute, missing: int, people: int, smoothing: float) -> SmoothedColumn | None:
    """Return the values that smoothing must cover; without smoothing, raise."""
    require_all_values(feature, missing, people, smoothing)
    return SmoothedColumn(column=feature.name, values=missing, people=people) if missing else None
