"""The work behind the pages about one table: read its columns, and measure it."""

from __future__ import annotations

from typing import cast

from starlette.requests import Request

from idbits.errors import InputError
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.pages.table_work import offered_table, person_arguments, start_table_work
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest
from idbits.web.work.worker import ColumnFacts, ColumnsTask, PersonFacts, ReportTask, Task

__all__ = [
    "NOTHING_TICKED", "column_facts", "columns_task", "known_answer", "known_result", "person_facts", "report_task",
]  # fmt: skip

# Columns have usually been read before; if not, a page without suggestions is worse than a short wait.
_COLUMNS_SECONDS = 5.0
NOTHING_TICKED = "tick at least one column that someone may know"


def columns_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, ColumnsTask]:
    """Return the table, and reading its columns as work."""
    table = offered_table(request, asked)
    return table, {"task": "columns", "source": table.source, "reading": table.reading, "show_names": asked.show_names}


def report_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, ReportTask]:
    """Return the table, and measuring it as work."""
    table = offered_table(request, asked)
    if not asked.qid:
        raise InputError(NOTHING_TICKED)
    if asked.option("people") and asked.option("sampled"):
        raise InputError("fill in the number of people in the population, or the share of them; not both")
    return table, {
        "task": "report",
        "source": table.source,
        "reading": table.reading,
        "qid": list(asked.qid),
        "by": asked.option("by"),
        "persons": person_arguments(asked.persons(table.person)),
        "people": asked.option("people"),
        "fraction": asked.fraction(),
        "sensitive": table.secrets(asked),
        "reveal": asked.reveal,
        "decision": None,
        "population": None,
    }


def known_result(request: Request, table: OfferedTable, task: Task) -> JsonObject | None:
    """Return a result that is known already, without starting work."""
    if not state_of(request).work_queue.has_done(table.key(task)):
        return None
    return start_table_work(request, table, task).result


def known_answer(request: Request, asked: TableRequest) -> JsonObject | None:
    """Return the answer about a table if it is known already."""
    try:
        return known_result(request, *report_task(request, asked.without_reveal()))
    except InputError:
        return None


def column_facts(request: Request, asked: TableRequest) -> list[ColumnFacts]:
    """Return the columns of a table; none if reading them takes long."""
    result = _read_columns(request, asked)
    return cast("list[ColumnFacts]", result["columns"]) if result is not None else []


def person_facts(request: Request, asked: TableRequest) -> list[PersonFacts]:
    """Return the columns in which people seem to repeat; none if reading them takes long."""
    result = _read_columns(request, asked)
    return cast("list[PersonFacts]", result["persons"]) if result is not None else []


def _read_columns(request: Request, asked: TableRequest) -> JsonObject | None:
    work = start_table_work(request, *columns_task(request, asked))
    work.done.wait(_COLUMNS_SECONDS)
    return work.result if work.result is not None and not work.result["withheld"] else None
