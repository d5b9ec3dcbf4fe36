"""Pages about a table that need long work: the result, its progress, or why it failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import comes_from_script, render_page, with_query
from idbits.web.pages.waiting import WaitingPage, start_work
from idbits.web.recent import RecentPage
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest, choose_table
from idbits.web.wording import as_sentence
from idbits.web.work.queue import Work
from idbits.web.work.worker import PersonArguments, Task

__all__ = [
    "TaskOf", "folder_query", "offered_table", "person_arguments", "request_of", "shown_table", "start_table_work",
    "table_work_page",
]  # fmt: skip

TaskOf = Callable[[Request, TableRequest], tuple[OfferedTable, Task]]
Failed = Callable[[Request, TableRequest, str, int], Response]


def request_of(request: Request) -> TableRequest:
    """Return the request for a table."""
    return TableRequest.read(list(request.query_params.multi_items()))


def start_table_work(request: Request, table: OfferedTable, task: Task) -> Work:
    """Return the work on a task about a table, which is started unless it is known."""
    return start_work(request, table.key(task), task)


def table_work_page(
    request: Request,
    task_of: TaskOf,
    doing: str,
    show: Callable[[Request, TableRequest, OfferedTable, JsonObject], Response],
    *,
    shorten: bool = True,
    fail: Failed | None = None,
    waits_for: str = "",
) -> Response:
    """Show a result, or the progress of the work.

    Args:
        request: the request.
        task_of: returns the table and the work.
        doing: the title while the work goes on.
        show: shows the result.
        shorten: whether the address of a form that was sent is shortened.
        fail: shows why the work failed.
        waits_for: what the page asks for, so that it can be found again.
    """
    failed = fail or _failed_page
    elsewhere = _in_short(request) if shorten else None
    if elsewhere is not None:
        return elsewhere
    asked = request_of(request)
    try:
        table, task = task_of(request, asked)
    except InputError as error:
        return failed(request, asked, str(error), 400)
    page = WaitingPage(
        f"{doing} {table.label}",
        show=lambda result: show(request, asked, table, result),
        fail=lambda error, status: failed(request, asked, error, status),
        stop_fields={"query": asked.query(), "back": folder_query(asked)},
    )
    if not comes_from_script(request):
        address = with_query(request, request.url.path)
        seen = RecentPage(table.label, address, table.key(task), waits_for)
        state_of(request).recent_pages.note(f"{asked.root}/{asked.file}/{asked.dataset}", seen)
    return page.response(request, table.key(task), task)


def folder_query(asked: TableRequest) -> str:
    """Return the folder that a file is in, as the end of an address; nothing for a configured source."""
    return "" if asked.dataset else urlencode([("in", asked.root), ("dir", asked.file.rpartition("/")[0])])


def _in_short(request: Request) -> Response | None:
    """Return a redirect to the short address of the same request, if a form has sent all its fields."""
    parameters = list(request.query_params.multi_items())
    query = TableRequest.read(parameters).query()
    # Scripts only poll; the whole page is loaded when the work is done.
    if comes_from_script(request) or parse_qsl(query, keep_blank_values=True) == parameters:
        return None
    return RedirectResponse(f"{request.url.path}?{query}", status_code=303)


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


def _failed_page(request: Request, asked: TableRequest, error: str, status: int) -> Response:
    """Show why a table cannot be read or measured, with the form that was filled in."""
    page = request.url.path.rsplit("/", 1)[-1]
    return render_page(request, "failed.html", status, sentence=as_sentence(error), page=page, asked=asked)
