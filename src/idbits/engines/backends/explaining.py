"""The capability to say which statements a measurement would run, without running them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from idbits.errors import EngineError
from idbits.values.attributes import Attribute

__all__ = ["Explaining", "NothingToExplain", "StatementText"]

StatementText = tuple[str, str]
"""Why a statement is run, and its SQL."""


class Explaining(Protocol):
    """A table that can say what it would run."""

    def measurement_statements(
        self,
        qids: Sequence[Sequence[Attribute]],
        *,
        by: Attribute | None,
        person: str | None,
        values: bool,
        least: int,
        exposed: int | None,
    ) -> list[StatementText]:
        """Return the statements of a measurement, each once, with placeholders for the literals of filter and query.

        ``least`` says from how many people on values and groups are shown, ``exposed`` how many of the rarest.
        """
        ...


class NothingToExplain:
    """A table that is counted without SQL."""

    def measurement_statements(
        self,
        qids: Sequence[Sequence[Attribute]],  # noqa: ARG002
        *,
        by: Attribute | None,  # noqa: ARG002
        person: str | None,  # noqa: ARG002
        values: bool,  # noqa: ARG002
        least: int,  # noqa: ARG002
        exposed: int | None,  # noqa: ARG002
    ) -> list[StatementText]:
        """Refuse: there are no statements that anybody could look at."""
        raise EngineError("this source is counted without SQL, so there are no statements to show")
