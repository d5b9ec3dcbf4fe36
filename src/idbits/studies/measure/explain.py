"""Which SQL would a study run? The study behind ``--explain``: the SQL is shown, not run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar, Unpack

from idbits.engines.backends.explaining import MeasurementPlan
from idbits.engines.backends.persons import Persons
from idbits.engines.base import Source
from idbits.engines.open import is_database, open_table
from idbits.errors import InputError
from idbits.reading import Names, Reading, open_options
from idbits.studies.measure.parts import LEAST_SHOWN, MOST_EXPOSED
from idbits.studies.measure.people import every_attacker
from idbits.studies.measure.study import check_one_list, quasi_identifiers
from idbits.studies.shared.default_columns import choose_columns
from idbits.studies.shared.persons import PersonOptions, chosen_attacker
from idbits.studies.shared.presentation import Answer
from idbits.values.attributes import parse_attribute, parse_attributes

__all__ = ["ExplainedStatement", "Explanation", "explain_measure"]


def explain_measure(
    source: Source,
    qid: Names | Sequence[Names] | None = None,
    by: str | None = None,
    person: str | None = None,
    *,
    knows: str = "one-record",
    null_person: str = "error",
    multiset: bool = False,
    values: bool = False,
    reveal: bool = False,
    **reading: Unpack[Reading],
) -> Explanation:
    """Return the SQL that ``measure`` would run in a database; only the catalog is read.

    Args:
        source: the address of a database.
        qid: the columns that someone may know, as for ``measure``.
        by: the grouping column.
        person: the column that identifies people.
        knows: what an attacker knows of a person with several rows, as for ``measure``.
        null_person: what rows without a person are, as for ``measure``.
        multiset: whether equal records of a person count, as for ``measure``.
        values: whether values would be listed.
        reveal: whether rare values would be shown.
        reading: how the table is read, see ``idbits.reading.Reading``.
    """
    if not is_database(source):
        raise InputError("--explain shows the SQL that a database would run, but this source is not a database")
    options = open_options(reading)
    qids, _ = quasi_identifiers(qid if qid is not None else choose_columns(source, options).names)
    if values and not reveal:
        check_one_list(len(qids), by)
    people = PersonOptions(column=person, knows=knows, null_person=null_person, multiset=multiset)
    people.check(count=options.count, has_population=False, by=by)
    with closing(open_table(source, options)) as table:
        known = table.columns
        people.columns(known)
        plan = MeasurementPlan(
            qids=[parse_attributes(names, known) for names in qids],
            by=parse_attribute(by, known) if by is not None else None,
            person=person,
            values=values,
            least=1 if reveal else LEAST_SHOWN,
            exposed=MOST_EXPOSED if reveal else None,
            persons=Persons(person, null_is_own=null_person == "own") if person is not None else None,
            request=every_attacker(people),
            column_request=chosen_attacker(people),
        )
        statements = tuple(ExplainedStatement(*item) for item in table.measurement_statements(plan))
        return Explanation(statements=statements, notes=tuple(table.notes))


@dataclass(frozen=True, slots=True)
class ExplainedStatement:
    """One statement, and why it would be run."""

    reason: str
    sql: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Explanation(Answer):
    """The statements in the order in which they would be run."""

    command: ClassVar[str] = "explain"

    statements: tuple[ExplainedStatement, ...]
    notes: tuple[str, ...] = ()
