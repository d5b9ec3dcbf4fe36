"""The capability to show the statements of a measurement without running them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.errors import EngineError
from idbits.values.attributes import Attribute

__all__ = ["Explaining", "MeasurementPlan", "NothingToExplain", "StatementText"]

StatementText = tuple[str, str]
"""Why a statement is run, and its SQL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementPlan:
    """The counts of a measurement.

    Attributes:
        least: values and categories with at least this many people are shown.
        exposed: the number of rarest values to show, if any.
        persons: who is a person, if people with several rows are counted.
        request: what is counted about them.
        column_request: what is counted about them by each column.
    """

    qids: Sequence[Sequence[Attribute]]
    by: Attribute | None
    person: str | None
    values: bool
    least: int
    exposed: int | None
    persons: Persons | None = None
    request: PersonRequest = field(default_factory=PersonRequest)
    column_request: PersonRequest = field(default_factory=PersonRequest)


class Explaining(Protocol):
    """A table that can show its statements."""

    def measurement_statements(self, plan: MeasurementPlan) -> list[StatementText]:
        """Return the statements of a measurement, each once, with placeholders for the literals of filter and query."""


class NothingToExplain:
    """A table counted without SQL."""

    def measurement_statements(self, plan: MeasurementPlan) -> list[StatementText]:  # noqa: ARG002
        """Refuse: there are no statements to show."""
        raise EngineError("idbits counts this source without SQL, so there are no statements to show")
