"""What a figure counts: people, or rows and records if nobody knows which of them are the same person."""

from __future__ import annotations

from enum import StrEnum

from idbits.render.numbers import count

__all__ = ["Unit"]


class Unit(StrEnum):
    """What is counted. Never say people for rows.

    PEOPLE: each person once. ROWS: the table does not say whether a person has several rows. RECORDS: it has a column
    in which people repeat, so rows are known not to be people.
    """

    PEOPLE = "people"
    ROWS = "rows"
    RECORDS = "records"

    @property
    def singular(self) -> str:
        """One of them.

        >>> Unit.PEOPLE.singular, Unit.ROWS.singular
        ('person', 'row')
        """
        return {Unit.PEOPLE: "person", Unit.ROWS: "row", Unit.RECORDS: "record"}[self]

    def counted(self, number: float) -> str:
        """Return a number of them.

        >>> Unit.PEOPLE.counted(1), Unit.ROWS.counted(2500)
        ('1 person', '2,500 rows')
        """
        return f"{count(number)} {self.singular if number == 1 else self}"

    @property
    def nobody(self) -> str:
        """None of them, at the beginning of a sentence."""
        return "Nobody" if self is Unit.PEOPLE else f"No {self.singular}"

    @property
    def nobody_else(self) -> str:
        """None of the others."""
        return "nobody else" if self is Unit.PEOPLE else f"no other {self.singular}"

    @property
    def who(self) -> str:
        """The relative pronoun."""
        return "who" if self is Unit.PEOPLE else "that"

    @property
    def everyone(self) -> str:
        """All of them."""
        return "everyone" if self is Unit.PEOPLE else f"every {self.singular}"

    def their(self, number: float = 1) -> str:
        """Return the word for what belongs to a number of them."""
        return "their" if self is Unit.PEOPLE or number != 1 else "its"

    @property
    def unknown_people(self) -> str:
        """The sentence for what was not assessed if nobody said which rows belong to the same person."""
        assumed = ": we assumed one row per person, because we found no column that tells" if self is Unit.ROWS else ""
        return (
            f"Which {self} belong to the same person{assumed} (--person names the column that identifies people; "
            "--rows-are-people says that each row is a person)."
        )
