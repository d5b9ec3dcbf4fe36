"""The keyword arguments of ``idbits.overlap``, for type checkers; a test compares them with the function."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.reading import Names, Reading

__all__ = ["OverlapOptions"]


class OverlapOptions(Reading, total=False):
    """What to compare besides zones, and how the tables are read."""

    below: int
    person: str | None
    qid_a: Names | None
    qid_b: Names | None
    sensitive: str | None
    rules: str | Sequence[str]
    rows_are_people: bool
    reveal: bool
