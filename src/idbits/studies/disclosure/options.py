"""The keyword arguments of ``idbits.disclosure``, for type checkers; a test compares them with the function."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from idbits.engines.base import Source
from idbits.reading import Names, Reading

__all__ = ["DisclosureOptions"]


class DisclosureOptions(Reading, total=False):
    """What to measure besides the columns, and how the table is read."""

    by: str | None
    certainty: float
    c: float
    l: str | Iterable[int]  # noqa: E741 (the literature calls it so)
    excluded: str | Iterable[int]
    known_people: str | Iterable[int]
    near: Mapping[str, object] | None
    secret: Mapping[str, Names] | None
    ranks: Mapping[str, Names] | None
    hierarchy: Mapping[str, object] | None
    prior: Mapping[str, object] | None
    smoothing: float
    population: Source
    population_count: str | None
    population_table: str | None
    person: str | None
    rows_are_people: bool
    rules: Names | None
    records: str | os.PathLike[str] | None
    reveal: bool
