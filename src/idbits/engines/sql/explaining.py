"""Shows the statements of a measurement in a database without running them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from idbits.engines.backends.explaining import MeasurementPlan, StatementText
from idbits.engines.backends.persons import Persons
from idbits.engines.sql.dates import date_check, far_check, form_check
from idbits.engines.sql.person_queries import PersonQueries
from idbits.engines.sql.queries import Queries, Query
from idbits.engines.sql.table import SQLTable
from idbits.values.attributes import Attribute
from idbits.values.date_readings import assumed_reading
from idbits.values.readings import before_reading, has_numbers_to_check

__all__ = ["measurement_statements"]


def measurement_statements(table: SQLTable, plan: MeasurementPlan) -> list[StatementText]:
    """Return the statements of a measurement, each once, with placeholders for the literals of filter and query.

    A measurement first runs statements that detect how texts are read; the statements shown assume dates in the
    order of the options (year first by default) in the most frequent form, and numbers with a decimal point.
    """
    queries = table.shown_queries()

    def shown(reason: str, query: Query) -> StatementText:
        return reason, queries.placeholders.shown(table.connection.text(query))

    statements = [*_first_statements(table, queries, plan.person, shown)]
    for qid in plan.qids:
        for attribute in (*qid, *([plan.by] if plan.by is not None else [])):
            statements += [shown(*check) for check in _checks(table, queries, attribute)]
        statements += [shown(*count) for count in _counts(queries, qid, plan)]
        if plan.persons is not None:
            if plan.request.needs_lists:
                settings = table.connection.dialect.list_settings()
                statements += [("lists of any length", ";\n".join(settings))] if settings else []
            statements += [shown(*count) for count in _person_counts(queries, qid, plan, plan.persons)]
    return list(dict.fromkeys(statements))


def _first_statements(
    table: SQLTable, queries: Queries, person: str | None, shown: Callable[[str, Query], StatementText]
) -> Iterator[StatementText]:
    """Yield the statements of every measurement: session, checks of filter and counts, number of people."""
    session = table.connection.dialect.session(table.connection.timeout)
    if session:
        yield "the session: read-only, one snapshot, limited in time", ";\n".join(session)
    for text in table.number_texts():
        yield shown(f"are the texts of {text.column} numbers?", queries.comma_check(text, filtered=False))
        queries.readings.commas.setdefault(text, False)
        yield shown(f"are all texts of {text.column} numbers?", queries.number_check(text, comma=False, filtered=False))
    if queries.count is not None:
        yield shown("are the counts whole numbers?", queries.counts_check())
    yield shown("how many people?", queries.n_people())
    if person is not None:
        named = Attribute(person, table.columns[person])
        yield shown("who has more than one row?", queries.persons(named))
        yield shown("which rows name no person?", queries.null_people(named))


def _counts(queries: Queries, qid: Sequence[Attribute], plan: MeasurementPlan) -> Iterator[tuple[str, Query]]:
    together = ", ".join(attribute.name for attribute in qid)
    yield f"the spectrum of {together}", queries.spectrum(qid)
    for attribute in qid:
        yield f"the spectrum of {attribute.name}", queries.spectrum([attribute])
        yield f"the nulls of {attribute.name}", queries.null_people(attribute)
    if plan.by is not None:
        yield f"the spectra of {together} within {plan.by.name}", queries.group_spectra(plan.by, qid, plan.least)
    if plan.values:
        yield f"the values of {together}", queries.histogram(qid, plan.least, None)
    if plan.exposed is not None:
        yield f"the rarest values of {together}", queries.histogram(qid, 1, plan.exposed)


_PEOPLE = {
    "people": "rows and smallest group of each person",
    "records": "groups of each record of a person",
    "profiles": "groups of all records of a person",
    "sets": "people with the same records",
    "multisets": "people with the same records, equally often",
}


def _person_counts(
    queries: Queries, qid: Sequence[Attribute], plan: MeasurementPlan, persons: Persons
) -> Iterator[tuple[str, Query]]:
    together = ", ".join(attribute.name for attribute in qid)
    for name, query in PersonQueries(queries, persons, qid).requested(plan.request).items():
        yield f"{_PEOPLE[name]}, by {together}", query
    for attribute in qid if len(qid) > 1 else ():
        for name, query in PersonQueries(queries, persons, [attribute]).requested(plan.column_request).items():
            yield f"{_PEOPLE[name]}, by {attribute.name}", query
    if plan.by is not None:
        within = PersonQueries(queries, persons, qid, plan.by)
        for name, query in within.requested(plan.request).items():
            yield f"{_PEOPLE[name]}, by {together} within {plan.by.name}", query
        yield f"the categories of {plan.by.name}", within.labels(plan.least)
        yield f"people in several categories of {plan.by.name}", within.people_in_several()


def _checks(table: SQLTable, queries: Queries, attribute: Attribute) -> Iterator[tuple[str, Query]]:
    for text, transform in before_reading(attribute):
        if transform.wants_dates:
            reading = queries.readings.dates.setdefault(text, assumed_reading(table.date_order or "ymd"))
            yield f"how are the dates of {text.column} written?", form_check(queries, text)
            yield f"do the dates of {text.column} exist?", date_check(queries, text, reading.forms)
        else:
            yield f"are the texts of {text.column} numbers?", queries.comma_check(text)
            queries.readings.commas.setdefault(text, False)
            yield f"are all texts of {text.column} numbers?", queries.number_check(text, comma=False)
    if queries.readings.zone is not None and table.dates.has_instants(attribute):
        column = Attribute(attribute.column, attribute.kind)
        yield f"are times of {attribute.column} in the far future?", far_check(queries, column)
    if has_numbers_to_check(attribute):
        yield f"are the numbers of {attribute.column} finite?", queries.finite_check(attribute)
