"""Which SQL would a study run? Shown, not run: the study behind ``--explain``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Unpack

from idbits.engines.base import Source
from idbits.engines.open import is_database, open_table
from idbits.errors import ColumnNotFoundError, InputError
from idbits.reading import Names, Reading, open_options
from idbits.studies.measure.explanation import ExplainedStatement, Explanation
from idbits.studies.measure.parts import MOST_EXPOSED
from idbits.studies.measure.study import check_one_list, quasi_identifiers
from idbits.studies.shared.folding import LEAST_SHOWN
from idbits.values.attributes import parse_attribute, parse_attributes

__all__ = ["explain_measure"]


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
        statements = table.measurement_statements(
            [parse_attributes(names, known) for names in qids],
            by=parse_attribute(by, known) if by is not None else None,
            person=person,
            values=values,
            least=1 if reveal else LEAST_SHOWN,
            exposed=MOST_EXPOSED if reveal else None,
        )
        return Explanation(statements=tuple(ExplainedStatement(*item) for item in statements), notes=tuple(table.notes))
