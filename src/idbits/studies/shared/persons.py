"""Who is a person: options about people with several rows, and the check for studies that need one row each."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from idbits.engines.base import PersonRows, Table
from idbits.errors import ColumnNotFoundError, DataError, InputError
from idbits.wording import counted

__all__ = [
    "ALL_RECORDS", "ANY_RECORD", "ATTACKERS", "NO_SETS", "ONE_RECORD", "PersonOptions", "require_one_row_per_person",
    "rows_of_people",
]  # fmt: skip

ONE_RECORD, ANY_RECORD, ALL_RECORDS = "one-record", "any-record", "all-records"
ATTACKERS = (ONE_RECORD, ANY_RECORD, ALL_RECORDS)
NO_SETS = "the records of the population cannot be compared as a whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonOptions:
    """Who is a person, and what an attacker knows of their records.

    Attributes:
        column: the column that identifies people; None if each row is a person.
        knows: the attacker: one record (the most telling), any one record, or all records.
        null_person: ``"error"``, ``"drop"`` or ``"own"``: what rows without a person are.
        multiset: whether the number of equal records counts, for an attacker who knows all records.
        household: the column of the people who are found together.
        rows_are_people: whether each row is known to be a person.
    """

    column: str | None = None
    knows: str = ONE_RECORD
    null_person: str = "error"
    multiset: bool = False
    household: str | None = None
    rows_are_people: bool = False

    def check(
        self, *, count: str | None, has_population: bool, by: str | None, population_person: str | None = None
    ) -> None:
        """Refuse wrong values, and options that cannot be combined."""
        self._check_themselves()
        if (self.column is not None or self.household is not None) and count is not None:
            raise InputError(
                "--person and --household (rows of people) cannot be combined with --count (many people per row)"
            )
        if has_population and self.knows == ALL_RECORDS:
            raise InputError(f"--knows all-records cannot be combined with --population: {NO_SETS}")
        if self.household is not None and has_population:
            raise InputError("--household cannot be combined with --population")
        if self.household is not None and by is not None:
            raise InputError("--household cannot be combined with --by")
        if population_person is not None and not (has_population and self.column is not None):
            raise InputError("--population-person needs --population and --person")

    def _check_themselves(self) -> None:
        if self.knows not in ATTACKERS:
            raise InputError(f"--knows must be {', '.join(ATTACKERS[:-1])} or {ATTACKERS[-1]}")
        if self.null_person not in ("error", "drop", "own"):
            raise InputError("--null-person must be error, drop or own")
        if self.column is None and (self.knows != ONE_RECORD or self.null_person != "error" or self.multiset):
            raise InputError(
                "--knows, --null-person and --multiset need --person, which names the column that identifies people"
            )
        if self.rows_are_people and self.column is not None:
            raise InputError("--rows-are-people cannot be combined with --person; leave out one of them")
        if self.multiset and self.knows != ALL_RECORDS:
            raise InputError("--multiset needs --knows all-records: it counts equal records of a person")
        if self.household is not None and self.knows == ANY_RECORD:
            raise InputError(
                "--household cannot be combined with --knows any-record; choose --knows one-record or "
                "--knows all-records"
            )

    def command_words(self) -> list[str]:
        """Return the command-line options that say the same."""
        texts = {"--person": self.column, "--household": self.household}
        words = [f"{option} {shlex.quote(text)}" for option, text in texts.items() if text is not None]
        words += [f"--knows {self.knows}"] if self.knows != ONE_RECORD else []
        words += [f"--null-person {self.null_person}"] if self.null_person != "error" else []
        words += ["--rows-are-people"] if self.rows_are_people else []
        return words + (["--multiset"] if self.multiset else [])

    def arguments(self) -> dict[str, str | bool | None]:
        """Return the arguments of a Python call that say the same; what is not given is None."""
        return {
            "person": self.column,
            "household": self.household,
            "knows": self.knows if self.knows != ONE_RECORD else None,
            "null_person": self.null_person if self.null_person != "error" else None,
            "multiset": self.multiset or None,
            "rows_are_people": self.rows_are_people or None,
        }

    def columns(self, known: Iterable[str]) -> list[str]:
        """Return the columns that must be read, all of which must exist."""
        named = [name for name in (self.column, self.household) if name is not None]
        for name in named:
            if name not in known:
                raise ColumnNotFoundError(name, known)
        return named


def rows_of_people(table: Table, person: PersonOptions) -> PersonRows:
    """Count the rows of people; refuse rows without a person unless the user says what they are."""
    assert person.column is not None
    rows = table.person_rows(person.column)
    if rows.rows_without_person and person.null_person == "error":
        raise DataError(
            f'column "{person.column}" is empty in {counted(rows.rows_without_person, "row")}; leave them out with '
            "--null-person drop, or count each as a person with --null-person own"
        )
    if rows.rows_without_person == rows.rows and person.null_person == "drop":
        raise DataError(f'column "{person.column}" is empty in every row; name a column that identifies people')
    return rows


def require_one_row_per_person(table: Table, person: str) -> None:
    """Raise an error if a person has more than one row, or a row identifies nobody."""
    rows = table.person_rows(person)
    if rows.rows_without_person:
        raise DataError(
            f'column "{person}" is empty in {counted(rows.rows_without_person, "row")}; it must identify a person in '
            "every row (--person)"
        )
    if rows.persons_repeated:
        raise DataError(
            f'column "{person}" has {counted(rows.persons_repeated, "person")} with more than one row; '
            "make a table with one row per person (--person)"
        )
