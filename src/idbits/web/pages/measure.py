"""The third page: choose a table, then its columns, and measure them."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.studies.shared.serialisation import JsonObject, to_json, with_schema
from idbits.web.browser import read_form, render_page, with_query
from idbits.web.browsing import TableLinks, TableOffer, offer_of
from idbits.web.pages.column_form import column_form
from idbits.web.pages.pdf_file import offers_pdf, pdf_response
from idbits.web.pages.table_work import (
    TaskOf,
    offered_table,
    person_arguments,
    request_of,
    shown_table,
    start_table_work,
    table_work_page,
)
from idbits.web.pages.waiting import PATIENCE_SECONDS, data_of_work
from idbits.web.security import owner_only
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest
from idbits.web.wording import as_sentence
from idbits.web.work.worker import ColumnsTask, ReportTask

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
    return table_work_page(request, _columns_task, "Reading", _columns_page)


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
        **shown_table(request, asked, table),
        **column_form(asked, table, result, views),
        problem=problem,
    )


@router.get("/measure/columns.json")
def columns_json(request: Request) -> Response:
    """Return the same as data."""
    work = start_table_work(request, *_columns_task(request, request_of(request)))
    return data_of_work(work, lambda result: to_json(with_schema("inspect", result)))


@router.get("/measure/report")
def report(request: Request) -> Response:
    """Measure, and show the report; if nothing is ticked, show the form again."""
    if not request_of(request).qid:
        return table_work_page(request, _columns_task, "Reading", _nothing_ticked, shorten=False)
    return table_work_page(request, _report_task, "Measuring", _report_page)


def _nothing_ticked(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    chosen = [value.partition("|") for name, value in request.query_params.multi_items() if name == "view"]
    views = {index: view for index, _, view in chosen} if chosen else None
    return _columns_page(request, asked, table, result, problem=as_sentence(_NOTHING_TICKED), views=views)


_NOTHING_TICKED = "tick at least one column that someone may know"


def _report_page(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    return render_page(
        request,
        "report.html",
        **shown_table(request, asked, table),
        report=Markup(result["part"]),  # noqa: S704 (made by our template, which escapes)
        title=result["title"],
        verdict=result["verdict"],
        revealed=f"/measure/report?{replace(asked, reveal=True).query()}",
        unrevealed=f"/measure/report?{asked.without_reveal().query()}",
        file_address=f"/measure/report.html?{asked.query()}",
        pdf_address=f"/measure/report.pdf?{asked.query()}" if offers_pdf() else None,
        treat_address=f"/measure/treat?{asked.without_reveal().query()}",
    )


@router.get("/measure/report.json")
def report_json(request: Request) -> Response:
    """Return the same as data."""
    work = start_table_work(request, *_report_task(request, request_of(request)))
    return data_of_work(work, lambda result: str(result["json"]))


@router.get("/measure/report.html")
def report_file(request: Request) -> Response:
    """Return the report as a file."""
    asked = request_of(request)
    work = start_table_work(request, *_report_task(request, asked))
    work.done.wait(PATIENCE_SECONDS)
    if work.result is None:
        return RedirectResponse(f"/measure/report?{asked.query()}", status_code=303)
    disposition = {"Content-Disposition": 'attachment; filename="report.html"'}
    return Response(work.result["html"], media_type="text/html; charset=utf-8", headers=disposition)


@router.get("/measure/report.pdf")
def report_pdf(request: Request) -> Response:
    """Return the report as a PDF."""
    asked = request_of(request)
    work = start_table_work(request, *_report_task(request, asked))
    return pdf_response(request, work, "report.pdf", f"/measure/report?{asked.query()}")


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
    task_of: TaskOf = _columns_task if page == "columns" else _report_task
    table, task = task_of(request, asked)
    state_of(request).work_queue.forget(table.key(task))
    return RedirectResponse(f"/measure/{page}?{asked.query()}", status_code=303)


def _columns_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, ColumnsTask]:
    table = offered_table(request, asked)
    return table, {"task": "columns", "source": table.source, "reading": table.reading, "show_names": asked.show_names}


def _report_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, ReportTask]:
    table = offered_table(request, asked)
    if not asked.qid:
        raise InputError(_NOTHING_TICKED)
    return table, {
        "task": "report",
        "source": table.source,
        "reading": table.reading,
        "qid": list(asked.qid),
        "by": asked.option("by"),
        "persons": person_arguments(asked.persons(table.person)),
        "people": asked.option("people"),
        "sensitive": table.secrets(asked),
        "reveal": asked.reveal,
    }
