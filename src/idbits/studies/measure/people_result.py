"""The parts of a measurement about people: attackers who know some of their records, households, further columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.measures.persons import RowsPerPerson
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import UncheckedData

__all__ = ["AddedColumn", "Household", "HouseholdRisk", "PeopleFigures", "PersonAttacker"]


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """A column that was not measured, and the unique people if someone knows it as well."""

    column: str
    singletons: int | float
    share: float


@dataclass(frozen=True, slots=True)
class PersonAttacker:
    """The main figures for an attacker who knows one or all records of a person; None with the reason.

    Attributes:
        knows: what the attacker knows.
        singletons, share: unique people, and their share of all people; None with a reason.
        people_below: people in groups smaller than 2, 3, 5 .., by that size; None with a reason.
        entropy_bits: what the records give away about a person, in bits, on average; None with a reason.
        k_min, k_hat: people in the smallest and in the typical group; None with a reason.
        reason: why there are no figures; None if there are.
        figures: all figures; None if there are none, or in a saved answer.
    """

    json_keys: ClassVar = (
        "knows", "singletons", "share", "people_below", "entropy_bits", "k_min", "k_hat", "?reasons",
    )  # fmt: skip

    knows: str
    singletons: int | float | None
    share: float | None
    people_below: dict[str, int | float] | None
    entropy_bits: float | None
    k_min: int | None
    k_hat: float | None
    reason: str | None = None
    figures: Figures | None = None

    @classmethod
    def of(cls, knows: str, figures: Figures) -> PersonAttacker:
        """Return the figures of an attacker."""
        return cls(
            knows=knows,
            singletons=figures.singletons,
            share=figures.share(figures.singletons),
            people_below=figures.people_below,
            entropy_bits=figures.entropy_bits,
            k_min=figures.k_min,
            k_hat=figures.k_hat,
            figures=figures,
        )

    @classmethod
    def unknown(cls, knows: str, reason: str) -> PersonAttacker:
        """Return an attacker whose figures do not exist."""
        return cls(knows, None, None, None, None, None, None, reason)

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return why there are no figures."""
        reasons = saved_value(dict[str, str], data.get("reasons", {}), "reasons")
        return {"reason": next(iter(reasons.values()), None)}

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
