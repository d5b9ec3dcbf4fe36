"""The keyword arguments of ``idbits.link``, for type checkers; a test compares them with the function."""

from __future__ import annotations

import os
from collections.abc import Sequence

from idbits.engines.base import Source
from idbits.reading import Names
from idbits.studies.link.reading import PairedReading

__all__ = ["LinkOptions"]


class LinkOptions(PairedReading, total=False):
    """How to link or to attack, and how the tables are read."""

    truth: str | None
    truth_a: str | None
    truth_b: str | None
    coverage: float | None
    sensitive: Names | None
    also: Names | None
    nulls: str
    max_pairs: int
    probabilistic: bool
    block: str | Sequence[Names] | None
    levels: str | Sequence[str] | None
    threshold: float | None
    control: Source | None
    attack: str | None
    left: Names | None
    right: Names | None
    neighbours: int | None
    infer: str | None
    known: Names | None
    tolerance: float | None
    attacks: int | None
    records: str | os.PathLike[str] | None
    reveal: bool
    rules: Names | None
    seed: int
