"""The guided path to an answer: choose a table, say who is a person, tick columns; and the whole report."""

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
from idbits.render.numbers import file_size, nearest
from idbits.studies.shared.serialisation import JsonObject, to_json, with_schema
from idbits.web.browser import read_form, render_page, with_query
from idbits.web.browsing import TableLinks, TableOffer, offer_of
from idbits.web.pages.column_form import SentColumns, column_form
from idbits.web.pages.pdf_file import offers_pdf, pdf_response
from idbits.web.pages.people_form import people_form
from idbits.web.pages.table_tasks import NOTHING_TICKED, columns_task, report_task
from idbits.web.pages.table_work import TaskOf, request_of, shown_table, start_table_work, table_work_page
from idbits.web.pages.tabs import path_page
from idbits.web.pages.waiting import PATIENCE_SECONDS, data_of_work
from idbits.web.recent import RecentPage
from idbits.web.security import owner_only
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest
from idbits.web.wording import as_sentence
from idbits.web.work.queue import Work

__all__ = ["nothing_ticked", "router"]


router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])


@router.get("/measure")
def browse(request: Request) -> Response:
    """Show the folders and sources to choose from."""
    settings = state_of(request).settings
    return render_page(
        request,
        "measure.html",
        offer=_offer(request),
        **path_page(1),
        links=TableLinks("/measure", "/measure/people"),
        recent=_recent(request),
        at_once=settings.most_work,
        memory=settings.memory,
        sized=file_size,
        json_address=with_query(request, "/measure.json"),
    )


def _recent(request: Request) -> list[tuple[RecentPage, str]]:
    """Return the tables that were looked at last, and how far the work on each is."""
    queue = state_of(request).work_queue
    return [(page, _standing(page, queue.known(page.key))) for page in state_of(request).recent_pages.latest()]


def _standing(page: RecentPage, work: Work | None) -> str:
    """Say how far the work on a page is."""
    if work is None:
        return "Will be read again"
    if not work.done.is_set():
        done = f", {nearest(100 * work.part)}%" if work.part is not None else ""
        return f"Working: {work.label}{done}"
    if work.result is None:
        return "That did not work"
    if page.waits_for:
        return f"Waiting for you: {page.waits_for}"
    return str(work.result.get("verdict", "Ready"))


@router.get("/measure.json")
def browse_json(request: Request) -> Response:
    """Return the same as data."""
    return JSONResponse(_offer(request).to_dict())


def _offer(request: Request) -> TableOffer:
    given = request.query_params
    return offer_of(request, given.get("in", "0"), given.get("dir", ""))


@router.get("/measure/people")
def people(request: Request) -> Response:
    """Ask who is a person in a table."""
    return table_work_page(request, columns_task, "Reading", _people_page, waits_for="Who is a person?")


def _people_page(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    if result["withheld"]:
        return _columns_page(request, asked, table, result)
    return render_page(request, "people.html", **path_page(2, asked, table), **people_form(asked, table, result))


@router.get("/measure/columns")
def columns(request: Request) -> Response:
    """Show the columns of a table to choose from; a form that was sent keeps what was ticked."""
    if "sent" in request.query_params:
        return table_work_page(request, columns_task, "Reading", _columns_again, shorten=False)
    waits_for = "Which columns can somebody know?"
    return table_work_page(request, columns_task, "Reading", _columns_page, waits_for=waits_for)


def _columns_again(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    return _columns_page(request, asked, table, result, sent=SentColumns.read(request.query_params.multi_items()))


def _columns_page(
    request: Request,
    asked: TableRequest,
    table: OfferedTable,
    result: JsonObject,
    *,
    problem: str | None = None,
    sent: SentColumns | None = None,
) -> Response:
    """Show the form; with what was ticked, searched and chosen if it was sent."""
    return render_page(
        request,
        "columns.html",
        200 if problem is None else 400,
        **{**shown_table(request, asked, table), **path_page(3, asked, table)},
        **column_form(asked, table, result, sent),
        problem=problem,
    )


@router.get("/measure/columns.json")
def columns_json(request: Request) -> Response:
    """Return the same as data."""
    work = start_table_work(request, *columns_task(request, request_of(request)))
    return data_of_work(work, lambda result: to_json(with_schema("inspect", result)))


@router.get("/measure/report")
def report(request: Request) -> Response:
    """Measure, and show the whole report; if nothing is ticked, show the form again."""
    if not request_of(request).qid:
        return table_work_page(request, columns_task, "Reading", nothing_ticked, shorten=False)
    return table_work_page(request, report_task, "Measuring", _report_page)


def nothing_ticked(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    """Show the form again as it was filled in, and say what is missing."""
    sent = SentColumns.read(request.query_params.multi_items())
    return _columns_page(request, asked, table, result, problem=as_sentence(NOTHING_TICKED), sent=sent)


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
        answer_address=f"/measure/answer?{asked.without_reveal().query()}",
        treat_address=f"/measure/treat?{asked.without_reveal().query()}",
    )


@router.get("/measure/report.json")
def report_json(request: Request) -> Response:
    """Return the same as data."""
    work = start_table_work(request, *report_task(request, request_of(request)))
    return data_of_work(work, lambda result: str(result["json"]))


@router.get("/measure/report.html")
def report_file(request: Request) -> Response:
    """Return the report as a file."""
    asked = request_of(request)
    work = start_table_work(request, *report_task(request, asked))
    work.done.wait(PATIENCE_SECONDS)
    if work.result is None:
        return RedirectResponse(f"/measure/report?{asked.query()}", status_code=303)
    disposition = {"Content-Disposition": 'attachment; filename="report.html"'}
    return Response(work.result["html"], media_type="text/html; charset=utf-8", headers=disposition)


@router.get("/measure/report.pdf")
def report_pdf(request: Request) -> Response:
    """Return the report as a PDF."""
    asked = request_of(request)
    work = start_table_work(request, *report_task(request, asked))
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
        table, task = columns_task(request, asked)
        if queue.has_done(table.key(task)):
            return RedirectResponse(f"/measure/columns?{asked.query()}", status_code=303)
    query = urlencode(parse_qsl(form.get("back", "")))
    return RedirectResponse(f"/measure?{query}" if query else "/measure", status_code=303)


_PAGES_TO_REPEAT = ("columns", "people", "report", "answer", "learnt", "population", "decide")


@router.post("/measure/again")
async def again(request: Request) -> Response:
    """Forget the result and read the table again."""
    form = await read_form(request)
    asked = TableRequest.read(parse_qsl(form.get("query", "")))
    page = form.get("page", "")
    page = page if page in _PAGES_TO_REPEAT else "report"
    task_of: TaskOf = columns_task if page in ("columns", "people") else report_task
    table, task = task_of(request, asked)
    state_of(request).work_queue.forget(table.key(task))
    return RedirectResponse(f"/measure/{page}?{asked.query()}", status_code=303)
