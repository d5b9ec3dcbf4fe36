"""Which SQL would a study run? The study behind ``--explain``, and its answer: shown, not run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar, Unpack

from idbits.engines.backends.explaining import MeasurementPlan
from idbits.engines.base import Source
from idbits.engines.open import is_database, open_table
from idbits.errors import ColumnNotFoundError, InputError
from idbits.reading import Names, Reading, open_options
from idbits.studies.measure.parts import LEAST_SHOWN, MOST_EXPOSED
from idbits.studies.measure.study import check_one_list, quasi_identifiers
from idbits.studies.shared.presentation import Answer
from idbits.values.attributes import parse_attribute, parse_attributes

__all__ = ["ExplainedStatement", "Explanation", "explain_measure"]


def explain_measure(
    source: Source,
    qid: Names | Sequence[Names],
    by: str | None = None,
    person: str | None = None,
    *,
    values: bool = False,
    reveal: bool = False,
    **reading: Unpack[Reading],
) -> Explanation:
    """Return the SQL that ``measure`` would run in a database; only the catalog is read.

    Args:
        source: the address of a database.
        qid: the columns that someone may know, as for ``measure``.
        by: the grouping column.
        person: the column that names the person.
        values: whether values would be listed.
        reveal: whether rare values would be shown.
        reading: how the table is read, see ``idbits.reading.Reading``.
    """
    if not is_database(source):
        raise InputError("--explain shows the SQL that a database would run; this source is no database")
    qids, _ = quasi_identifiers(qid)
    if values and not reveal:
        check_one_list(len(qids), by)
    with closing(open_table(source, open_options(reading))) as table:
        known = table.columns
        if person is not None and person not in known:
            raise ColumnNotFoundError(person, known)
        plan = MeasurementPlan(
            qids=[parse_attributes(names, known) for names in qids],
            by=parse_attribute(by, known) if by is not None else None,
            person=person,
            values=values,
            least=1 if reveal else LEAST_SHOWN,
            exposed=MOST_EXPOSED if reveal else None,
        )
        statements = tuple(ExplainedStatement(*item) for item in table.measurement_statements(plan))
        return Explanation(statements=statements, notes=tuple(table.notes))


@dataclass(frozen=True, slots=True)
class ExplainedStatement:
    """One statement, and why it would be run."""

    reason: str
    sql: str


@dataclass(frozen=True, kw_only=True)
class Explanation(Answer):
    """The statements in the order in which they would be run."""

    command: ClassVar[str] = "explain"

    statements: tuple[ExplainedStatement, ...]
    notes: tuple[str, ...] = ()
