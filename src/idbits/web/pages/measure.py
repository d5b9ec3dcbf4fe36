"""The third page: choose a table, then its columns, and measure them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import cast
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.serialisation import JsonObject, to_json, with_schema
from idbits.web.browser import comes_from_script, read_form, render_page, with_query
from idbits.web.browsing import TableLinks, TableOffer, offer_of
from idbits.web.pages.column_form import column_form
from idbits.web.pages.waiting import PATIENCE_SECONDS, WaitingPage, data_of_work, start_work
from idbits.web.security import owner_only
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest, choose_table
from idbits.web.wording import as_sentence
from idbits.web.work.worker import ColumnsTask, PersonArguments, ReportTask, Task

__all__ = ["router"]


router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])


@router.get("/measure")
def browse(request: Request) -> Response:
    """Show the folders and sources to choose from."""
    settings = state_of(request).settings
    return render_page(
        request,
        "measure.html",
        offer=_offer(request),
        links=TableLinks("/measure", "/measure/columns"),
        at_once=settings.most_work,
        memory=settings.memory,
        sized=file_size,
        json_address=with_query(request, "/measure.json"),
    )


@router.get("/measure.json")
def browse_json(request: Request) -> Response:
    """Return the same as data."""
    return JSONResponse(_offer(request).to_dict())


def _offer(request: Request) -> TableOffer:
    given = request.query_params
    return offer_of(request, given.get("in", "0"), given.get("dir", ""))


@router.get("/measure/columns")
def columns(request: Request) -> Response:
    """Show the columns of a table to choose from."""
    return _page(request, _columns_task, "Reading", _columns_page)


def _columns_page(
    request: Request,
    asked: TableRequest,
    table: OfferedTable,
    result: JsonObject,
    *,
    problem: str | None = None,
    views: dict[str, str] | None = None,
) -> Response:
    """Show the form; after a problem with the views that were chosen and nothing ticked."""
    return render_page(
        request,
        "columns.html",
        200 if problem is None else 400,
        **_shown(request, asked, table),
        **column_form(asked, table, result, views),
        problem=problem,
    )


@router.get("/measure/columns.json")
def columns_json(request: Request) -> Response:
    """Return the same as data."""
    table, task = _columns_task(request, _asked(request))
    work = start_work(request, table.key(task), task)
    return data_of_work(work, lambda result: to_json(with_schema("inspect", result)))


@router.get("/measure/report")
def report(request: Request) -> Response:
    """Measure, and show the report; if nothing is ticked, show the form again."""
    if not _asked(request).qid:
        return _page(request, _columns_task, "Reading", _nothing_ticked, shorten=False)
    return _page(request, _report_task, "Measuring", _report_page)


def _nothing_ticked(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    chosen = [value.partition("|") for name, value in request.query_params.multi_items() if name == "view"]
    views = {index: view for index, _, view in chosen} if chosen else None
    return _columns_page(request, asked, table, result, problem=as_sentence(_NOTHING_TICKED), views=views)


_NOTHING_TICKED = "tick at least one column that someone may know"


def _report_page(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    return render_page(
        request,
        "report.html",
        **_shown(request, asked, table),
        report=Markup(result["part"]),  # noqa: S704 (made by our template, which escapes)
        title=result["title"],
        verdict=result["verdict"],
        revealed=f"/measure/report?{replace(asked, reveal=True).query()}",
        unrevealed=f"/measure/report?{asked.without_reveal().query()}",
        file_address=f"/measure/report.html?{asked.query()}",
    )


@router.get("/measure/report.json")
def report_json(request: Request) -> Response:
    """Return the same as data."""
    table, task = _report_task(request, _asked(request))
    return data_of_work(start_work(request, table.key(task), task), lambda result: str(result["json"]))


@router.get("/measure/report.html")
def report_file(request: Request) -> Response:
    """Return the report as a file."""
    asked = _asked(request)
    table, task = _report_task(request, asked)
    work = start_work(request, table.key(task), task)
    work.done.wait(PATIENCE_SECONDS)
    if work.result is None:
        return RedirectResponse(f"/measure/report?{asked.query()}", status_code=303)
    disposition = {"Content-Disposition": 'attachment; filename="report.html"'}
    return Response(work.result["html"], media_type="text/html; charset=utf-8", headers=disposition)


@router.post("/measure/cancel")
async def cancel(request: Request) -> Response:
    """Stop a piece of work, and go back to the form."""
    form = await read_form(request)
    queue = state_of(request).work_queue
    queue.cancel(form.get("work", ""))
    to = form.get("to", "")
    if re.fullmatch(r"/repository/entries/[0-9a-f]{16}(\?k=\d{1,7})?", to):
        return RedirectResponse(to, status_code=303)
    asked = TableRequest.read(parse_qsl(form.get("query", ""))).without_reveal()
    with contextlib.suppress(InputError):
        # Only if showing the columns takes no long work.
        table, task = _columns_task(request, asked)
        if queue.has_done(table.key(task)):
            return RedirectResponse(f"/measure/columns?{asked.query()}", status_code=303)
    query = urlencode(parse_qsl(form.get("back", "")))
    return RedirectResponse(f"/measure?{query}" if query else "/measure", status_code=303)


@router.post("/measure/again")
async def again(request: Request) -> Response:
    """Forget the result and read the table again."""
    form = await read_form(request)
    asked = TableRequest.read(parse_qsl(form.get("query", "")))
    page = "columns" if form.get("page") == "columns" else "report"
    task_of: _TaskOf = _columns_task if page == "columns" else _report_task
    table, task = task_of(request, asked)
    state_of(request).work_queue.forget(table.key(task))
    return RedirectResponse(f"/measure/{page}?{asked.query()}", status_code=303)


_TaskOf = Callable[[Request, TableRequest], tuple[OfferedTable, Task]]


def _asked(request: Request) -> TableRequest:
    return TableRequest.read(list(request.query_params.multi_items()))


def _page(
    request: Request,
    task_of: _TaskOf,
    doing: str,
    show: Callable[[Request, TableRequest, OfferedTable, JsonObject], Response],
    *,
    shorten: bool = True,
) -> Response:
    """Show a result, or the progress of the work; ``doing`` is its title meanwhile."""
    elsewhere = _in_short(request) if shorten else None
    if elsewhere is not None:
        return elsewhere
    asked = _asked(request)
    try:
        table, task = task_of(request, asked)
    except InputError as error:
        return _failed(request, asked, str(error), 400)
    page = WaitingPage(
        f"{doing} {table.label}",
        show=lambda result: show(request, asked, table, result),
        fail=lambda error, status: _failed(request, asked, error, status),
        stop_fields={"query": asked.query(), "back": _folder_query(asked)},
    )
    return page.response(request, table.key(task), task)


def _folder_query(asked: TableRequest) -> str:
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


def _table(request: Request, asked: TableRequest) -> OfferedTable:
    state = state_of(request)
    return choose_table(asked, state.offered_folders, state.datasets, state.settings.memory)


def _columns_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, ColumnsTask]:
    table = _table(request, asked)
    return table, {"task": "columns", "source": table.source, "reading": table.reading, "show_names": asked.show_names}


def _report_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, ReportTask]:
    table = _table(request, asked)
    if not asked.qid:
        raise InputError(_NOTHING_TICKED)
    return table, {
        "task": "report",
        "source": table.source,
        "reading": table.reading,
        "qid": list(asked.qid),
        "by": asked.option("by"),
        "persons": _arguments(asked.persons(table.person)),
        "people": asked.option("people"),
        "sensitive": table.secrets(asked),
        "reveal": asked.reveal,
    }


def _arguments(persons: PersonOptions) -> PersonArguments:
    given = {name: value for name, value in persons.arguments().items() if value is not None}
    return cast("PersonArguments", given)


def _shown(request: Request, asked: TableRequest, table: OfferedTable) -> dict[str, object]:
    return {
        "asked": asked,
        "table": table,
        "size": file_size(table.bytes),
        "json_address": with_query(request, f"{request.url.path}.json"),
    }


def _failed(request: Request, asked: TableRequest, error: str, status: int) -> Response:
    """Show why a table cannot be read or measured, with the form that was filled in."""
    page = request.url.path.rsplit("/", 1)[-1]
    return render_page(request, "failed.html", status, sentence=as_sentence(error), page=page, asked=asked)
