"""What speaks for a role of a column, and what is known about the column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from idbits.values.attributes import Kind
from idbits.values.profile import Profile

__all__ = ["ColumnFacts", "DeterminedColumns", "Evidence", "Role", "Subject"]


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
        n_rows: the number of rows of the table, as far as known.
        distinct: the number of distinct values in all rows, counted or estimated from a sample.
        is_sampled: whether the profile describes a sample.
        rises: whether its values never fall from row to row; None if unknown.
        dependence: the columns that it determines; None if that was not tried.
    """

    name: str | None
    kind: Kind
    profile: Profile | None = None
    n_rows: int | None = None
    distinct: int | None = None
    is_sampled: bool = False
    rises: bool | None = None
    dependence: DeterminedColumns | None = None
