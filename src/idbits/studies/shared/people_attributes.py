"""What an answer says about its people, as attributes of the answer itself, with the names of its JSON keys."""

from __future__ import annotations

from typing import Protocol

from idbits.measures.persons import RowsPerPerson

__all__ = ["PeopleAttributes", "RowsOfPeople"]


class RowsOfPeople(Protocol):
    """The people of a table with a person column."""

    @property
    def person(self) -> str:
        """The column that identifies people."""

    @property
    def rows_per_person(self) -> RowsPerPerson:
        """How many rows people have."""

    @property
    def rows_without_person(self) -> int:
        """Rows that identify nobody."""

    @property
    def null_person(self) -> str:
        """What rows without a person are."""


class PeopleAttributes:
    """The rows of people, if a column identifies them."""

    people: RowsOfPeople | None

    @property
    def person(self) -> str | None:
        """The column that identifies people."""
        return self.people.person if self.people is not None else None

    @property
    def rows_per_person(self) -> RowsPerPerson | None:
        """How many rows people have; None without ``person``."""
        return self.people.rows_per_person if self.people is not None else None

    @property
    def rows_without_person(self) -> int | None:
        """Rows that identify nobody; None without ``person``."""
        return self.people.rows_without_person if self.people is not None else None

    @property
    def null_person(self) -> str | None:
        """What rows without a person are: ``"drop"`` leaves them out, ``"own"`` makes each a person."""
        return self.people.null_person if self.people is not None else None
