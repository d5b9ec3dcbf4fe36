"""The keyword arguments of ``idbits.measure``, for type checkers; a test compares them with the function."""

from __future__ import annotations

from idbits.reading import Reading

__all__ = ["MeasureOptions"]


class MeasureOptions(Reading, total=False):
    """What to measure besides the columns, and how the table is read."""

    population_count: str | None
    population_table: str | None
    population_person: str | None
    missing: str
    knows: str
    null_person: str
    multiset: bool
    household: str | None
    rows_are_people: bool
    values: bool
    suppress: int | None
    possible_values: int | None
    reveal: bool
