"""A table that a database counts, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import sqlalchemy as sa

from idbits.counts import CodedRows, Histogram, PairCounts, Spectrum, Value
from idbits.engines import where
from idbits.engines.backends.explaining import MeasurementPlan, StatementText
from idbits.engines.backends.group_values import GroupValueCounts, GroupValueRequest
from idbits.engines.backends.linking import PairCounter
from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.engines.backends.sampling import NoSampling
from idbits.engines.backends.treating import NoTreating
from idbits.engines.base import (
    OpenOptions,
    OrderedRows,
    PersonRows,
    PopulationMatch,
    Table,
    match_histograms,
    match_of_sizes,
)
from idbits.engines.codes import Codes
from idbits.engines.local import LocalCapabilities
from idbits.engines.local_group_values import local_group_values
from idbits.engines.local_linking import FETCHED, local_linked_rows
from idbits.engines.person_subset_queries import PersonSubsetQueries
from idbits.engines.sql.address import engine_of, parse_address
from idbits.engines.sql.catalog import DatabaseSource, ask_for_table, query_source, table_source
from idbits.engines.sql.connection import DatabaseConnection
from idbits.engines.sql.dates import DateReader
from idbits.engines.sql.group_values import sql_group_values
from idbits.engines.sql.matching import match_query, pair_query
from idbits.engines.sql.persons import SqlPersonCounting
from idbits.engines.sql.queries import Queries
from idbits.errors import ColumnNotFoundError, DataError, EngineError, InputError
from idbits.file_guard import note_read
from idbits.kernels.linking import LinkedRows
from idbits.storage import expand_home
from idbits.values.attributes import Attribute
from idbits.values.labels import OTHER_VALUES, label
from idbits.values.profile import Profile, profile_of_figures
from idbits.values.readings import before_reading, has_decimal_comma, has_numbers_to_check
from idbits.values.value_shapes import shapes_of_figures
from idbits.wording import counted

__all__ = ["SQLTable", "note_database", "open_database"]

_MOST_PEOPLE = 2**63 - 1
_DIGITS = "with more digits than this database computes exactly; export the table to Parquet and measure that file"


class SQLTable(SqlPersonCounting, LocalCapabilities, NoSampling, NoTreating):
    """Counts in the database, which returns only counts and, if requested, labels."""

    names_may_be_data = False
    trials_are_cheap = False
    files = ()

    def __init__(self, connection: DatabaseConnection, source: DatabaseSource, options: OpenOptions) -> None:
        self.connection = connection
        self._source = source
        self._options = options
        for name in (*(options.columns or ()), *([options.count] if options.count else [])):
            if name not in source.kinds:
                raise ColumnNotFoundError(name, source.kinds)
        shown = options.columns if options.columns is not None else source.kinds
        self.columns = {name: kind for name, kind in source.kinds.items() if name in shown}
        condition = where.parse(options.where, source.kinds) if options.where is not None else None
        self.queries = Queries(source, connection.dialect, condition, options.count, zone=options.zone)
        self.notes = list(source.notes)
        self.dates = DateReader(connection, self.queries, options, self.note)
        self._spectra: dict[tuple[Attribute, ...], Spectrum] = {}
        self._people: int | None = None
        self._checked: set[Attribute] = set()
        self._codes: dict[Attribute, Codes] = {}
        self._ready = False

    def shown_queries(self) -> Queries:
        """Return the same queries for display, without the literals of the filter and of the --query."""
        relation = self._source.shown if self._source.shown is not None else self._source.relation
        source = replace(self._source, relation=relation)
        condition, count = self.queries.condition, self.queries.count
        return Queries(source, self.connection.dialect, condition, count, zone=self._options.zone, shown=True)

    def measurement_statements(self, plan: MeasurementPlan) -> list[StatementText]:
        """Return the statements of a measurement, with placeholders for the literals of filter and query."""
        from idbits.engines.sql.explaining import measurement_statements

        return measurement_statements(self, plan)

    def load(
        self,
        columns: Iterable[str],  # noqa: ARG002 (rows stay where they are)
        sampled: Iterable[str] = (),  # noqa: ARG002
        spare: Iterable[str] = (),  # noqa: ARG002
    ) -> None:
        """Check what the filter and the counts need."""
        self._prepare()

    def _prepare(self) -> None:
        if self._ready:
            return
        self._ready = True
        for text in self.number_texts():
            self._read_numbers(
                text, "but the filter compares it with a number (put it in quotes to compare text)", filtered=False
            )
        if self._options.count is not None:
            bad, *parts = self.connection.counts(self.queries.counts_check(), "checking the counts")
            if bad:
                raise DataError(
                    f'the count column "{self._options.count}" must contain whole numbers of at least 0, but does not '
                    f"in {counted(bad, 'row')} (empty cells included)"
                )
            if self.queries.dialect.sum_of_parts(parts) > _MOST_PEOPLE:
                raise DataError(
                    f'the count column "{self._options.count}" adds up to more than 2^63 people; check the column'
                )

    def number_texts(self) -> list[Attribute]:
        """Return the texts that the filter compares with numbers."""
        condition = self.queries.condition
        columns = where.columns_of(condition) if condition is not None else ()
        texts = {Attribute(column.name, column.kind) for column in columns if column.as_number}
        return sorted(texts, key=lambda text: text.column)

    @property
    def date_order(self) -> str | None:
        """The order of text dates, if it was given."""
        return self._options.dates

    def decide(self, attributes: Iterable[Attribute]) -> None:
        """Detect how to read texts, and check that each value can be read."""
        self._prepare()
        for attribute in attributes:
            if attribute in self._checked:
                continue
            for text, transform in before_reading(attribute):
                if transform.wants_dates:
                    self.dates.read(text, attribute, transform)
                else:
                    self._read_numbers(text, f'so "{attribute.name}" cannot be computed')
            self.dates.find_zone(attribute)
            if has_numbers_to_check(attribute):
                infinite, long = self.connection.counts(self.queries.finite_check(attribute), "checking the numbers")
                self._must_fit(attribute.column, infinite, long, f'so "{attribute.name}" cannot be computed')
            self._checked.add(attribute)

    def _read_numbers(self, text: Attribute, consequence: str, *, filtered: bool = True) -> None:
        if text in self.queries.readings.commas:
            return
        unfit_and_sure = self.connection.counts(
            self.queries.comma_check(text, filtered=filtered), "checking the numbers"
        )
        comma = has_decimal_comma(*unfit_and_sure)
        unfit, long = self.connection.counts(
            self.queries.number_check(text, comma=comma, filtered=filtered), "checking the numbers"
        )
        self._must_fit(text.column, unfit, long, consequence)
        self.queries.readings.commas[text] = comma
        if comma:
            self.note(f'column "{text.column}" was read as numbers with a decimal comma')

    def _must_fit(self, column: str, unfit: int, long: int, consequence: str) -> None:
        if unfit:
            raise DataError(
                f'column "{column}" has {counted(unfit, "value")} that cannot be read as a number, {consequence}'
            )
        if long:
            raise EngineError(f'column "{column}" has {counted(long, "number")} {_DIGITS}')

    def note(self, note: str) -> None:
        """Add a note once."""
        if note not in self.notes:
            self.notes.append(note)

    def n_people(self) -> int:
        if self._people is None:
            self._prepare()
            (self._people,) = self.connection.counts(self.queries.n_people())
        return self._people

    def spectrum(self, attributes: Sequence[Attribute]) -> Spectrum:
        key = tuple(attributes)
        if key not in self._spectra:
            self.decide(key)
            named = ", ".join(attribute.name for attribute in key)
            rows = self.connection.rows(self.queries.spectrum(key), f"counting {named}")
            self._spectra[key] = Spectrum.of((int(people), int(sets)) for people, sets in rows)
        return self._spectra[key]

    def forget(self) -> None:
        """Forget the counts, so that the next request queries the database again."""
        self._spectra.clear()
        self._people = None

    def null_people(self, attribute: Attribute) -> int:
        self.decide([attribute])
        return self.connection.counts(self.queries.null_people(attribute))[0]

    def group_spectra(
        self, by: Attribute, attributes: Sequence[Attribute], *, at_least: int = 1
    ) -> list[tuple[Value, Spectrum]]:
        self.decide([by, *attributes])
        query = self.queries.group_spectra(by, attributes, at_least)
        sizes: dict[int, list[tuple[int, int]]] = {}
        shown: dict[int, Value] = {}
        for number, other, people, seen, sets in self.connection.rows(query, f"counting by {by.name}"):
            sizes.setdefault(number, []).append((int(people), int(sets)))
            shown[number] = OTHER_VALUES if other else self.label_of(seen, by)
        spectra = [(shown[number], Spectrum.of(pairs)) for number, pairs in sizes.items()]
        return [(value, spectrum) for value, spectrum in spectra if spectrum.n_people]

    def label_of(self, value: object, attribute: Attribute) -> Value:
        """Return the label of a fetched value."""
        return label(self.connection.dialect.decoded(value, attribute.result_kind), attribute)

    def labels_of(self, row: Mapping[str, object], attributes: Sequence[Attribute]) -> tuple[Value, ...]:
        """Return the labels of a fetched row."""
        return tuple(
            OTHER_VALUES if row.get(f"o{index}") else self.label_of(row.get(f"s{index}", row[f"g{index}"]), attribute)
            for index, attribute in enumerate(attributes)
        )

    def histogram(self, attributes: Sequence[Attribute], *, at_least: int = 1, most: int | None = None) -> Histogram:
        self.decide(attributes)
        query = self.queries.histogram(attributes, at_least, most)
        names = [column.name for column in query.selected_columns]
        counted_values = []
        for values in self.connection.rows(query, "fetching values"):
            row = dict(zip(names, values, strict=True))
            counted_values.append((self.labels_of(row, attributes), int(row["people"])))
        return Histogram.of(counted_values, self.spectrum(attributes), ranked=most is not None)

    def coded_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        """Return the distinct rows with their numbers of people, counted in the database."""
        self.decide(attributes)
        codes = [self._codes.setdefault(attribute, Codes()) for attribute in attributes]
        query = self.queries.grouped(attributes, shown=True)
        names = [column.name for column in query.selected_columns]
        return Codes.fetched(self.connection.batches(query, "fetching counts"), names, codes, self._options.memory)

    def coded_batches(self, attributes: Sequence[Attribute]) -> Iterator[CodedRows]:
        """Yield all distinct rows at once: the database has already grouped them."""
        yield self.coded_rows(attributes)

    def group_value_counts(self, request: GroupValueRequest, options: OpenOptions) -> GroupValueCounts:
        """Count people by group and value in the database, unless the labels of groups are wanted here."""
        if request.with_labels or request.with_rows:
            return local_group_values(self, request, options)
        return sql_group_values(self, request, self._options.memory)

    def labels(self, attribute: Attribute) -> list[Value]:
        return [
            OTHER_VALUES if other else self.label_of(value, attribute) for other, value in self._codes[attribute].shown
        ]

    def match(
        self, attributes: Sequence[Attribute], population: Table, population_attributes: Sequence[Attribute]
    ) -> PopulationMatch:
        """Compare the values of the attributes with a population, in the database if it has both."""
        if isinstance(population, SQLTable) and self._compares(attributes, population, population_attributes):
            query = match_query(self.queries, attributes, population.queries, population_attributes)
            rows = self.connection.rows(query, "comparing with the population")
            # A null size means that the population does not have these values.
            return match_of_sizes([tuple(int(cell or 0) for cell in row) for row in rows], population.n_people())
        self.note(
            "the distinct values were fetched from the database to compare them with the population, which is elsewhere"
        )
        return match_histograms(self.histogram(attributes), population.histogram(population_attributes))

    def _compares(
        self, attributes: Sequence[Attribute], other: SQLTable, other_attributes: Sequence[Attribute]
    ) -> bool:
        """Whether the database can compare values of two tables; if so, detect how to read them."""
        kinds = zip(attributes, other_attributes, strict=True)
        is_able = other.connection is self.connection and all(a.result_kind is b.result_kind for a, b in kinds)
        if is_able:
            self.decide(attributes)
            other.decide(other_attributes)
        return is_able

    def pair_counter(
        self,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        *,
        null_is_value: bool,
    ) -> PairCounter | None:
        """Count in the database if it has both tables and can compare their values."""
        if not (isinstance(other, SQLTable) and self._compares(attributes, other, other_attributes)):
            return None

        def count(ours: Sequence[Attribute], theirs: Sequence[Attribute]) -> PairCounts:
            query = pair_query(self.queries, ours, other.queries, theirs, null_is_value=null_is_value)
            found = self.connection.rows(query, "comparing the tables")
            return PairCounts.of({(int(a), int(b)): int(n) for a, b, n in found})

        return count

    def linked_rows(
        self,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        more: Sequence[Attribute] = (),
    ) -> LinkedRows:
        """Fetch the distinct rows of both tables."""
        self.note(FETCHED)
        return local_linked_rows(self, attributes, other, other_attributes, more)

    def profile(self, column: str) -> Profile:
        self._prepare()
        attribute = Attribute(column, self.columns[column])
        figures: dict[str, int] = {}
        for names, query in self.queries.profile(attribute):
            figures |= zip(names, self.connection.counts(query, f'counting "{column}"'), strict=True)
        nulls = self.null_people(attribute)
        return profile_of_figures(figures, attribute.kind, self.n_people(), nulls, shapes_of_figures(figures))

    def person_rows(self, column: str) -> PersonRows:
        attribute = Attribute(column, self.columns[column])
        self._prepare()
        (repeated,) = self.connection.counts(self.queries.persons(attribute))
        return PersonRows(self.n_people(), repeated, self.null_people(attribute))

    def person_subset_counts(
        self, persons: Persons, attributes: Sequence[Attribute], request: PersonRequest, options: OpenOptions
    ) -> PersonSubsetQueries:
        """Count people in each combination of columns with a query."""
        return PersonSubsetQueries(self, persons, attributes, request, options)

    def rows_in_order(self, columns: Sequence[str]) -> OrderedRows:  # noqa: ARG002
        """Refuse: the rows of a database have no order, and do not leave it."""
        raise InputError("the rows of a database have no order; export the table to a file and measure that file")

    def linkable_rows(self, attributes: Sequence[Attribute]) -> CodedRows:  # noqa: ARG002
        """Refuse: only counts leave a database."""
        raise EngineError(
            "two releases are compared person by person, but only counts leave a database; export both to files"
        )

    def check_unchanged(self) -> None:
        """Do nothing: all queries see one snapshot."""

    def give_back_memory(self) -> None:
        """Do nothing: the rows are in the database."""

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


def _source(connection: DatabaseConnection, options: OpenOptions) -> DatabaseSource:
    if options.query is not None:
        return query_source(connection, options.query)
    if options.table is None:
        raise ask_for_table(connection)
    return table_source(connection, options.table)


def note_database(address: str) -> None:
    """Register the file of a database, if it has one."""
    _note_file(parse_address(address))


def _note_file(url: sa.URL) -> None:
    if url.host is None and url.database:
        note_read(expand_home(url.database))


def open_database(source: str | sa.Engine, options: OpenOptions, beside: Table | None = None) -> SQLTable:
    """Open a table or a query of a database, by its address or a SQLAlchemy engine."""
    if options.table is not None and options.query is not None:
        raise InputError("give --table or --query, not both")
    engine = source if isinstance(source, sa.Engine) else engine_of(parse_address(source))
    _note_file(engine.url)
    if isinstance(beside, SQLTable) and beside.connection.engine.url == engine.url:
        return SQLTable(beside.connection, _source(beside.connection, options), options)
    connection = DatabaseConnection(engine, options.timeout, options.progress)
    try:
        return SQLTable(connection, _source(connection, options), options)
    except BaseException:
        connection.close()
        raise
