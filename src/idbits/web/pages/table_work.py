"""Pages about a table that need long work: the result, its progress, or why it failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import file_size, nearest
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import comes_from_script, render_page, with_query
from idbits.web.security import caller_of
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest, choose_table
from idbits.web.wording import as_sentence
from idbits.web.work.queue import Work
from idbits.web.work.worker import PersonArguments, Task

__all__ = [
    "PATIENCE_SECONDS", "TaskOf", "failed_page", "offered_table", "person_arguments", "request_of", "shown_table",
    "start_work", "work_data", "work_page",
]  # fmt: skip

# Small tables are done before a progress bar would appear.
PATIENCE_SECONDS = 1.0
_REFRESH = Response(headers={"HX-Refresh": "true"})
# htmx stops polling at this status. A poll sent before Stop was pressed must not start the work again.
_STOPPED = Response(status_code=286)


TaskOf = Callable[[Request, TableRequest], tuple[OfferedTable, Task]]
Failed = Callable[[Request, TableRequest, str, int], Response]


def request_of(request: Request) -> TableRequest:
    """Return the request for a table."""
    return TableRequest.read(list(request.query_params.multi_items()))


def work_page(
    request: Request,
    task_of: TaskOf,
    doing: str,
    show: Callable[[Request, TableRequest, OfferedTable, JsonObject], Response],
    *,
    shorten: bool = True,
    fail: Failed | None = None,
) -> Response:
    """Show a result, or the progress of the work; ``doing`` is its title meanwhile; ``fail`` shows why it failed."""
    fail = fail or failed_page
    elsewhere = _in_short(request) if shorten else None
    if elsewhere is not None:
        return elsewhere
    asked = request_of(request)
    try:
        table, task = task_of(request, asked)
    except InputError as error:
        return fail(request, asked, str(error), 400)
    if _was_stopped(request, table, task):
        return _STOPPED
    _, work = start_work(request, table, task)
    if work.done.wait(PATIENCE_SECONDS) and work.result is not None and not comes_from_script(request):
        return show(request, asked, table, work.result)
    # Stop may have been pressed while this poll waited.
    if _was_stopped(request, table, task):
        return _STOPPED
    if work.done.is_set() and work.result is None and not comes_from_script(request):
        return fail(request, asked, work.error or "", _status(work))
    return _without_result(request, work, f"{doing} {table.label}", shown_table(request, asked, table))


def _in_short(request: Request) -> Response | None:
    """Return a redirect to the short address of the same request, if a form has sent all its fields."""
    parameters = list(request.query_params.multi_items())
    query = TableRequest.read(parameters).query()
    # Scripts only poll; the whole page is loaded when the work is done.
    if comes_from_script(request) or parse_qsl(query, keep_blank_values=True) == parameters:
        return None
    return RedirectResponse(f"{request.url.path}?{query}", status_code=303)


def _was_stopped(request: Request, table: OfferedTable, task: Task) -> bool:
    """Whether a script polls for work that was stopped."""
    return comes_from_script(request) and state_of(request).work_queue.was_stopped(table.key(task))


def start_work(request: Request, table: OfferedTable, task: Task) -> tuple[OfferedTable, Work]:
    """Return the work on a task, which is started unless it is known."""
    return table, state_of(request).work_queue.work(table.key(task), task, caller_of(request).account)


def offered_table(request: Request, asked: TableRequest) -> OfferedTable:
    """Return the requested table; one that is not offered is refused."""
    state = state_of(request)
    return choose_table(asked, state.offered_folders, state.datasets, state.settings.memory)


def person_arguments(persons: PersonOptions) -> PersonArguments:
    """Return who is a person, as arguments of a study."""
    given = {name: value for name, value in persons.arguments().items() if value is not None}
    return cast("PersonArguments", given)


def shown_table(request: Request, asked: TableRequest, table: OfferedTable) -> dict[str, object]:
    """Return what every page about a table shows."""
    return {
        "asked": asked,
        "table": table,
        "size": file_size(table.bytes),
        "json_address": with_query(request, f"{request.url.path}.json"),
    }


def _without_result(request: Request, work: Work, title: str, shown: dict[str, object]) -> Response:
    """Show the progress of the work; a polling script loads the page when the work is done."""
    if work.done.is_set() and comes_from_script(request):
        return _REFRESH
    percent = None if work.part is None else nearest(100 * work.part)
    address = f"{request.url.path}?{request.url.query}"
    return render_page(request, "working.html", work=work, title=title, percent=percent, address=address, **shown)


def failed_page(request: Request, asked: TableRequest, error: str, status: int) -> Response:
    """Show why a table cannot be read or measured, with the form that was filled in."""
    page = request.url.path.rsplit("/", 1)[-1]
    return render_page(request, "failed.html", status, sentence=as_sentence(error), page=page, asked=asked)


def work_data(work: Work, to_text: Callable[[JsonObject], str]) -> Response:
    """Return a result as JSON; 202 with the progress while the work goes on."""
    if not work.done.wait(PATIENCE_SECONDS):
        return JSONResponse({"working": work.label, "part": work.part, "work": work.ident}, 202)
    if work.result is None:
        return JSONResponse({"error": work.error}, _status(work))
    return Response(to_text(work.result), media_type="application/json")


def _status(work: Work) -> int:
    return 400 if work.exit_code == 2 else 422
