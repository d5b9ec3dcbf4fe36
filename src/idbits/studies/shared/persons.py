"""Who is a person: options about people with several rows, and the check for studies that need one row each."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.engines.base import PersonRows, Table
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError
from idbits.reading import OpenOptions
from idbits.wording import counted

__all__ = [
    "ALL_RECORDS",
    "ANY_RECORD",
    "ATTACKERS",
    "NO_SETS",
    "ONE_RECORD",
    "PersonOptions",
    "TablePeople",
    "chosen_attacker",
    "require_one_row_per_person",
    "require_other_columns",
    "require_people",
    "require_several_people",
    "rows_of_people",
    "rows_without_person",
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


@dataclass(frozen=True, slots=True)
class TablePeople:
    """The people of a table that names them in a column.

    Attributes:
        options: who is a person, and what an attacker knows of their records.
        persons: the same for an engine.
        rows: how often people occur.
    """

    options: PersonOptions
    persons: Persons
    rows: PersonRows

    @classmethod
    def of(cls, table: Table, options: PersonOptions) -> TablePeople:
        """Count the rows of people; refuse rows without a person unless the user says what they are."""
        assert options.column is not None
        rows = rows_of_people(table, options)
        return cls(options, Persons(options.column, null_is_own=options.null_person == "own"), rows)

    @property
    def everyone_has_one_row(self) -> bool:
        """Whether nobody has several rows."""
        return not self.rows.persons_repeated

    @property
    def rows_are_people(self) -> bool:
        """Whether the rows of the table are exactly its people."""
        left_out = self.rows.rows_without_person if self.options.null_person == "drop" else 0
        return self.everyone_has_one_row and not left_out

    @property
    def request(self) -> PersonRequest:
        """What the chosen attacker needs, without the quantiles of people's means."""
        return chosen_attacker(self.options, one_row_each=self.everyone_has_one_row)


def chosen_attacker(person: PersonOptions, *, one_row_each: bool = False) -> PersonRequest:
    """Return what to count for the chosen attacker, without the quantiles of people's means."""
    knows_all = one_row_each or person.knows == ALL_RECORDS
    return PersonRequest(
        records=not knows_all and person.knows == ANY_RECORD,
        sets=knows_all and not person.multiset,
        multisets=knows_all and person.multiset,
    )


def rows_without_person(number: int, column: str, null_person: str) -> list[str]:
    """Return the sentence about rows without a person, if there are any.

    >>> rows_without_person(1, "patient", "drop")
    ['1 row without a patient is left out.']
    """
    if not number:
        return []
    rows, is_one = counted(number, "row"), number == 1
    if null_person == "drop":
        return [f"{rows} without a {column} {'is' if is_one else 'are'} left out."]
    has, counts = ("has", "counts") if is_one else ("have", "count")
    return [f"{rows} {has} no {column} and {counts} as one person each, which can overstate group sizes."]


def require_people(table: Table, options: OpenOptions) -> None:
    """Raise an error if the loaded table has nobody to measure."""
    if table.n_people() == 0:
        left = "no row is left after the filter" if options.where is not None else "the table has no people in it"
        raise NotEstimableError(f"there is nobody to measure: {left}")


def require_several_people(column: str, n_people: int, n_rows: int) -> None:
    """Raise an error if all rows have the same person."""
    if n_people == 1 < n_rows:
        raise DataError(
            f'column "{column}" has only one value, so it cannot identify people; name another column (--person)'
        )


def require_other_columns(person: str | None, columns: Iterable[str], option: str) -> None:
    """Raise an error if the column that identifies people is also one of those an attacker may know."""
    if person is not None and person in columns:
        raise InputError(
            f'column "{person}" identifies people (--person), so it cannot be examined itself; take it out of {option}'
        )


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
