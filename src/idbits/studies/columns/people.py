"""People with several rows in combinations of columns."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.counts import Spectrum
from idbits.engines.backends.persons import PersonRequest
from idbits.engines.backends.subsets import PersonSubsetCounts, SubsetCounts
from idbits.engines.base import Table
from idbits.errors import DataError, InputError
from idbits.measures.persons import rows_per_person
from idbits.reading import OpenOptions
from idbits.studies.columns.bounds import RecordBounds
from idbits.studies.columns.result import ColumnPeople, SubsetFigures
from idbits.studies.columns.search import CountedSubsets
from idbits.studies.shared.persons import ALL_RECORDS, PersonOptions, TablePeople, require_several_people
from idbits.values.attributes import Attribute

__all__ = ["SubsetPeople"]


class SubsetPeople:
    """The people of a table, counted in combinations of its columns.

    ``sets`` are the people by their sets of records in all these columns, if they have been counted already.

    Attributes:
        counts: the combinations of columns.
        n_rows: the number of rows.
    """

    def __init__(
        self,
        table: Table,
        attributes: Sequence[Attribute],
        options: OpenOptions,
        person: PersonOptions,
        sets: Spectrum | None = None,
    ) -> None:
        if person.multiset:
            raise InputError("combinations of columns cannot be counted with equal records (--multiset)")
        self._sets = sets
        self._table, self._attributes, self._options, self._person = table, tuple(attributes), options, person
        self._people = TablePeople.of(table, person) if person.column is not None else None
        self._by_person = self._count_people()
        self.counts: SubsetCounts = self._by_person or table.subset_counts(attributes, options)
        self.n_rows = self.counts.n_people if self._by_person is None else _n_rows(self._by_person)
        if person.column is not None:
            require_several_people(person.column, self.counts.n_people, self.n_rows)

    def _count_people(self) -> PersonSubsetCounts | None:
        people = self._people
        if people is None or people.rows_are_people:
            return None
        return self._table.person_subset_counts(people.persons, self._attributes, people.request, self._options)

    @property
    def have_several_rows(self) -> bool:
        """Whether somebody has more than one row."""
        return self._people is not None and not self._people.everyone_has_one_row

    @property
    def is_expectation(self) -> bool:
        """Whether unique people are an expectation, because one of their records is drawn."""
        return self._people is not None and self._people.request.records

    def require_one_row(self) -> None:
        """Raise an error if rows are not people: a row that is unique does not say whether its person is."""
        if self.have_several_rows:
            raise DataError("--records needs one row per person, and people in this table have several")
        if self._by_person is not None:
            raise DataError("--records cannot leave out rows without a person; filter them with --where")

    def result(self) -> ColumnPeople | None:
        """Return who the people are, if a column identifies them."""
        if self._people is None:
            return None
        by_rows = self._by_person.people_by_rows if self._by_person is not None else ((1, self.counts.n_people),)
        return ColumnPeople(
            person=self._people.persons.column,
            knows=self._person.knows,
            rows_per_person=rows_per_person(by_rows),
            rows_without_person=self._people.rows.rows_without_person,
            null_person=self._person.null_person,
        )

    def bounds(self, counted: CountedSubsets) -> RecordBounds | None:
        """Return the bounds of people with several rows; None if each person is in one group."""
        if not self.have_several_rows:
            return None
        knows_one = self._person.knows != ALL_RECORDS
        return RecordBounds(counted.figures, counted.counts.sizes, knows_one_record=knows_one)

    def with_all_records(self) -> SubsetFigures | None:
        """Return the figures of all columns for an attacker who knows all records of a person, if that is another."""
        if self._people is None or not self.have_several_rows or self._person.knows == ALL_RECORDS:
            return None
        if self._sets is not None:
            return SubsetFigures.of(self._sets)
        request = PersonRequest(sets=True)
        counts = self._table.person_counts(self._people.persons, self._attributes, request, self._options)
        assert counts.sets is not None
        return SubsetFigures.of(counts.sets)

    def notes(self, n_counted: int) -> tuple[str, ...]:
        """Return how combinations were counted, if that takes long."""
        if self._by_person is None or not self._by_person.are_slow:
            return ()
        return (
            f"the people of each of the {n_counted:,} combinations were counted where the table is, one after the "
            "other; fewer --candidates take less time",
        )


def _n_rows(counts: PersonSubsetCounts) -> int:
    return sum(rows * people for rows, people in counts.people_by_rows)
