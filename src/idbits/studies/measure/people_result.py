"""The parts of a measurement about people: attackers who know some of their records, households, further columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from idbits.measures.persons import RowsPerPerson
from idbits.studies.shared.figures import Figures

__all__ = ["AddedColumn", "Household", "HouseholdRisk", "PeopleFigures", "PersonAttacker"]


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """A column that was not measured, and the unique people if someone knows it as well."""

    column: str
    singletons: int | float
    share: float


@dataclass(frozen=True, slots=True)
class PersonAttacker:
    """The main figures for an attacker who knows one or all records of a person; None with the reason."""

    json_keys: ClassVar = (
        "knows", "singletons", "share", "people_below", "entropy_bits", "k_min", "k_hat", "?reasons",
    )  # fmt: skip

    knows: str
    figures: Figures | None
    reason: str | None = None

    @property
    def singletons(self) -> int | float | None:
        """Unique people."""
        return self.figures.singletons if self.figures is not None else None

    @property
    def share(self) -> float | None:
        """Unique people as a share of all people."""
        return self.figures.share(self.figures.singletons) if self.figures is not None else None

    @property
    def people_below(self) -> dict[str, int | float] | None:
        """People in small groups."""
        return self.figures.people_below if self.figures is not None else None

    @property
    def entropy_bits(self) -> float | None:
        """Mean bits of a person."""
        return self.figures.entropy_bits if self.figures is not None else None

    @property
    def k_min(self) -> int | None:
        """The smallest group."""
        return self.figures.k_min if self.figures is not None else None

    @property
    def k_hat(self) -> float | None:
        """The typical group."""
        return self.figures.k_hat if self.figures is not None else None

    @property
    def reasons(self) -> dict[str, str]:
        """Why there are no figures."""
        keys = ("singletons", "share", "people_below", "entropy_bits", "k_min", "k_hat")
        return dict.fromkeys(keys, self.reason) if self.reason is not None else {}


@dataclass(frozen=True, slots=True)
class PeopleFigures:
    """What a table with a person column says about its people.

    Attributes:
        attackers: the three attackers side by side.
        null_people: people whose measured columns are all missing, in every row.
        unique_by_null_people: people who are unique only through a value that contains a missing value.
        null_person: what rows without a person are: ``"drop"`` leaves them out, ``"own"`` makes each a person.
    """

    json_keys: ClassVar = (
        "person", "knows", "multiset", "rows_per_person", "person_attackers=attackers", "null_people",
        "unique_by_null_people", "rows_without_person", "null_person",
    )  # fmt: skip

    person: str
    knows: str
    multiset: bool
    rows_per_person: RowsPerPerson
    attackers: tuple[PersonAttacker, ...]
    null_people: int
    unique_by_null_people: int
    rows_without_person: int
    null_person: str

    def attacker(self, knows: str) -> PersonAttacker:
        """Return the figures of one attacker."""
        return next(attacker for attacker in self.attackers if attacker.knows == knows)

    @property
    def has_several_rows(self) -> bool:
        """Whether somebody has more than one row."""
        return self.rows_per_person.max > 1

    @property
    def leaves_out_rows(self) -> bool:
        """Whether rows without a person are left out."""
        return self.null_person == "drop" and self.rows_without_person > 0


@dataclass(frozen=True, slots=True)
class HouseholdRisk:
    """The chance that a guess finds a member of a person's household, over people."""

    mean: float
    p95: float


@dataclass(frozen=True, slots=True)
class Household:
    """People who are found together.

    Attributes:
        sizes: (members, households).
        people_without: people without a household, each a household of their own.
        distinct_households, distinct_people: households with a value that no other household has, and their members.
        composition: figures over households that are compared by the values of all their members.
        people_in_unique_households: the members of households whose composition no other household has.
    """

    column: str
    n_households: int
    sizes: tuple[tuple[int, int], ...]
    people_without: int
    risk: HouseholdRisk
    people_with_a_unique_member: int
    distinct_households: int
    distinct_people: int
    people_in_unique_households: int
    composition: Figures
