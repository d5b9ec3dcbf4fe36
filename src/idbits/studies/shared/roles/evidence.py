"""What speaks for a role of a column, and what is known about the column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from idbits.values.attributes import Kind
from idbits.values.profile import Profile

__all__ = ["ColumnFacts", "DeterminedColumns", "Evidence", "Role", "Subject"]

_FEW_FRACTIONS = 0.01
_MOSTLY = 0.8


class Role(StrEnum):
    """What a column is to somebody who hands over a table."""

    IDENTIFIER = "direct identifier"
    QUASI = "quasi-identifier"
    TIME = "time"
    SENSITIVE = "sensitive"
    MEASUREMENT = "measurement"
    COUNT = "count"
    FREE_TEXT = "free text"
    CONSTANT = "constant"
    EMPTY = "empty"


class Subject(StrEnum):
    """Whom or what an identifier names."""

    PERSON = "person"
    HOUSEHOLD = "household"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation that speaks for a role.

    Attributes:
        strength: between 0 and 1; independent observations with strengths a and b together have 1 - (1-a)(1-b).
        sentence: the observation in words, without values.
        subject: whom or what an identifier names, if this observation says so.
        is_key: whether an identifier is a number or another key, not a name or an address.
        is_repetition: whether it only says how often values repeat.
    """

    role: Role
    strength: float
    sentence: str
    subject: Subject | None = None
    is_key: bool = True
    is_repetition: bool = False


@dataclass(frozen=True, slots=True)
class DeterminedColumns:
    """The other columns that a column determines: they have one value in all rows with the same value of this one.

    Attributes:
        others: the number of other columns that vary.
        determined: the names of those it determines.
        varying: the names of the others.
    """

    others: int
    determined: tuple[str, ...]
    varying: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is known about a column.

    Attributes:
        name: its name; None if that may be data.
        profile: its values in numbers, of all rows or of a sample; None if only its name and kind are known.
        n_rows: the number of rows of the table, if the profile describes a sample.
        distinct: the number of distinct values in all rows, counted or estimated, if the profile describes a sample.
        rises: whether its values never fall from row to row; None if unknown.
        dependence: the columns that it determines; None if that was not tried.
    """

    name: str | None
    kind: Kind
    profile: Profile | None = None
    n_rows: int | None = None
    distinct: int | None = None
    rises: bool | None = None
    dependence: DeterminedColumns | None = None

    @property
    def is_sampled(self) -> bool:
        """Whether the profile describes a sample."""
        return self.n_rows is not None

    @property
    def n_known(self) -> int:
        """The number of rows with a value, in all rows."""
        if self.profile is None or not self.profile.people:
            return 0
        if self.n_rows is None:
            return self.profile.known
        return max(self.profile.known, self.n_rows * self.profile.known // self.profile.people)

    @property
    def n_distinct(self) -> int:
        """The number of distinct values, in all rows."""
        if self.profile is None:
            return 0
        return self.profile.distinct if self.distinct is None else min(self.n_known, self.distinct)

    @property
    def is_dated(self) -> bool:
        """Whether the kind of the column says that it holds dates."""
        return self.kind in (Kind.DATE, Kind.TIMESTAMP)

    @property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        profile = self.profile
        return profile is not None and 0 < profile.known == profile.numbers and not profile.fractions

    @property
    def has_decimals(self) -> bool:
        """Whether more than a few values are numbers with decimals."""
        return self.profile is not None and self.profile.fractions > _FEW_FRACTIONS * self.profile.known

    @property
    def digits(self) -> tuple[int, int]:
        """The length of the shortest and of the longest whole number, without the .0 that floats have."""
        if self.profile is None:
            return 0, 0
        shapes = self.profile.shapes
        tail = len(".0") if shapes is not None and shapes.share("point_zeros") > 0.5 else 0
        return self.profile.shortest - tail, self.profile.longest - tail

    @property
    def has_digits(self) -> bool:
        """Whether most texts contain a digit, as dates do in any notation."""
        shapes = self.profile.shapes if self.profile is not None else None
        return shapes is None or shapes.share("with_digits") > _MOSTLY
