"""The figures of a set of columns, and the parts of the answer about columns that hold them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from idbits.counts import Spectrum
from idbits.measures.entropy import entropy_bits
from idbits.measures.separation import distinction, separation

__all__ = ["Budget", "Contribution", "LeftOut", "Minimal", "NotSearched", "RecordsFile", "Subset", "SubsetFigures"]


@dataclass(frozen=True, slots=True)
class SubsetFigures:
    """What follows from the spectrum of one set of columns."""

    entropy_bits: float
    singletons: int
    k_min: int
    distinction: float
    separation: float | None
    n_sets: int

    @classmethod
    def of(cls, spectrum: Spectrum) -> SubsetFigures:
        """Compute the figures of a spectrum."""
        return cls(
            entropy_bits=entropy_bits(spectrum),
            singletons=int(spectrum.people[spectrum.sizes == 1].sum()),
            k_min=int(spectrum.sizes[0]),
            distinction=distinction(spectrum),
            separation=separation(spectrum),
            n_sets=spectrum.n_sets,
        )


@dataclass(frozen=True, slots=True)
class Subset:
    """Some columns and their figures."""

    columns: tuple[str, ...]
    figures: SubsetFigures

    def to_dict(self) -> dict[str, Any]:
        """Return the subset as plain data."""
        return {"columns": list(self.columns)} | asdict(self.figures)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that was not looked at, the role it seems to play, and why that was thought."""

    column: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class Minimal:
    """The sets of columns that single out a share of the people, while none of their parts does.

    Attributes:
        share: at least so many of the people.
        people: the same as a number.
        sets: those found, fewest columns first.
        complete: whether these are all that there are up to ``max_size`` columns.
    """

    share: float
    people: int
    sets: tuple[Subset, ...]
    complete: bool

    def to_dict(self) -> dict[str, Any]:
        """Return them as plain data."""
        return {
            "share": self.share,
            "people": self.people,
            "sets": [subset.to_dict() for subset in self.sets],
            "complete": self.complete,
        }


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one column adds: alone, on top of all others, and its fair part of what all give away together.

    ``singletons_without`` are the people who are alone by all the other columns.
    """

    column: str
    entropy_bits: float | None
    conditional_bits: float | None
    shapley_bits: float | None
    shapley_error_bits: float | None
    singletons_without: int | None


@dataclass(frozen=True, slots=True)
class Budget:
    """Which columns can be released together within a limit.

    Attributes:
        sets: the largest sets within the limit; ``proven`` says of each whether no column can be added.
    """

    max_bits: float | None
    min_k: int | None
    sets: tuple[Subset, ...]
    proven: tuple[bool, ...]
    complete: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the budget as plain data."""
        return {
            "max_bits": self.max_bits,
            "min_k": self.min_k,
            "sets": [s.to_dict() | {"maximal": sure} for s, sure in zip(self.sets, self.proven, strict=True)],
            "complete": self.complete,
        }


@dataclass(frozen=True, slots=True)
class NotSearched:
    """Sets of ``size`` to ``to_size`` columns that were not looked at."""

    size: int
    to_size: int
    sets: int
    reason: str


@dataclass(frozen=True, slots=True)
class RecordsFile:
    """What was written about single records.

    Attributes:
        with_uniques: records that have a minimal sample unique.
        smallest: how many records have a smallest one of so many columns, from 1 on.
    """

    file: str
    rows: int
    with_uniques: int
    max_size: int
    max_score: int
    smallest: tuple[int, ...]
