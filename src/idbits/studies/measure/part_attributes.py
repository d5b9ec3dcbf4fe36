"""The parts of a measurement about people and categories as attributes of the measurement itself."""

from __future__ import annotations

from idbits.studies.measure.group_result import Groups
from idbits.studies.measure.people_result import PeopleFigures, PersonAttacker
from idbits.studies.shared.people_attributes import PeopleAttributes

__all__ = ["MeasuredParts"]


class MeasuredParts(PeopleAttributes):
    """The keys that ``people`` and ``groups`` have in JSON; None without a person column, or without ``by``."""

    people: PeopleFigures | None
    groups: Groups | None

    @property
    def knows(self) -> str | None:
        """What the attacker knows of a person with several rows."""
        return self.people.knows if self.people is not None else None

    @property
    def multiset(self) -> bool | None:
        """Whether the attacker also knows how often a person has the same record."""
        return self.people.multiset if self.people is not None else None

    @property
    def person_attackers(self) -> tuple[PersonAttacker, ...]:
        """The three attackers side by side; none without ``person``."""
        return self.people.attackers if self.people is not None else ()

    @property
    def null_people(self) -> int | None:
        """People whose measured columns are all missing, in every row."""
        return self.people.null_people if self.people is not None else None

    @property
    def unique_by_null_people(self) -> int | None:
        """People who are unique only through a value that contains a missing value."""
        return self.people.unique_by_null_people if self.people is not None else None

    @property
    def by(self) -> str | None:
        """The column of the categories."""
        return self.groups.by if self.groups is not None else None

    @property
    def n_groups(self) -> int | None:
        """The number of categories."""
        return self.groups.n_groups if self.groups is not None else None

    @property
    def group_singletons(self) -> int | float | None:
        """People who are unique within their category."""
        return self.groups.singletons if self.groups is not None else None

    @property
    def size_median_correlation(self) -> float | None:
        """How the size of a category and its median group size correlate; None with a reason if that is not known."""
        return self.groups.size_median_correlation if self.groups is not None else None

    @property
    def people_in_several(self) -> int | None:
        """People who count in more than one category."""
        return self.groups.people_in_several if self.groups is not None else None
