"""The tab Over time: how many events make a person unique."""

from __future__ import annotations

from typing import cast
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import count
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import render_page
from idbits.web.events_request import STEPS, EventChoice
from idbits.web.pages.table_tasks import columns_task, known_result
from idbits.web.pages.table_work import offered_table, request_of, start_table_work, table_work_page
from idbits.web.pages.tabs import tab_page
from idbits.web.pages.waiting import PATIENCE_SECONDS, data_of_work
from idbits.web.security import owner_only
from idbits.web.table_request import OfferedTable, TableRequest
from idbits.web.wording import as_sentence
from idbits.web.work.worker import ColumnFacts, EventsTask, PersonFacts

__all__ = ["router"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])

_TIMES = ("date", "timestamp")
_NOT_KNOWN = ("direct identifier", "constant", "empty", "free text")


@router.get("/measure/time")
def over_time(request: Request) -> Response:
    """Show the form, and the answer if a column was chosen."""
    if not _choice(request).when:
        return table_work_page(request, columns_task, "Reading", _form, shorten=False)
    return table_work_page(request, _events_task, "Following people over time in", _answer, shorten=False, fail=_failed)


def _choice(request: Request) -> EventChoice:
    return EventChoice.read(list(request.query_params.multi_items()))


def _events_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, EventsTask]:
    table, choice = offered_table(request, asked), _choice(request)
    person = asked.persons(table.person).column
    if person is None:
        raise InputError("choose the column that says who a person is")
    if not choice.when:
        raise InputError("choose the column that says when something happened")
    return table, {
        "task": "events",
        "source": table.source,
        "name": table.label,
        "reading": table.reading,
        "person": person,
        "time": choice.time,
        "attributes": list(choice.also),
    }


def _form(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    return _page(request, asked, table, result)


def _answer(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    return _page(request, asked, table, _columns(request, asked), answer=result)


def _columns(request: Request, asked: TableRequest) -> JsonObject | None:
    """Return the columns of the table, which have usually been read before."""
    table, task = columns_task(request, asked)
    known = known_result(request, table, task)
    if known is not None:
        return known
    work = start_table_work(request, table, task)
    work.done.wait(PATIENCE_SECONDS)
    return work.result


def _failed(request: Request, asked: TableRequest, error: str, status: int) -> Response:
    """Show the form again, with what was chosen and what is wrong with it."""
    try:
        table, columns = offered_table(request, asked), _columns(request, asked)
    except InputError:
        table, columns = None, None
    return _page(request, asked, table, columns, problem=as_sentence(error), status=status)


def _page(
    request: Request,
    asked: TableRequest,
    table: OfferedTable | None,
    columns: JsonObject | None,
    *,
    answer: JsonObject | None = None,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    facts = cast("list[ColumnFacts]", columns["columns"]) if columns is not None else []
    persons = cast("list[PersonFacts]", columns["persons"]) if columns is not None else []
    person = asked.persons(table.person).column if table is not None else asked.option("person")
    times = [each["column"] for each in facts if each["kind"] in _TIMES or each["reads_as"] == "text (dates)"]
    choice = _choice(request)
    known = {name.partition(":")[0] for name in asked.qid}
    plain = asked.without_reveal()
    query = choice.query(plain)
    others = [
        each["column"]
        for each in facts
        if each["column"] not in (*times, person)
        and (each["role"] not in _NOT_KNOWN or each["column"] in known or each["column"] in choice.also)
    ]
    return render_page(
        request,
        "time.html",
        status,
        **tab_page(request, asked, table, "time"),
        person=person,
        persons=[
            (each["column"], count(each["values"]), f"/measure/time?{_with_person(plain, each['column']).query()}")
            for each in persons
        ],
        times=[*times, *([choice.when] if choice.when and choice.when not in times else [])],
        others=others,
        choice=choice,
        steps_of_time=list(STEPS.items()),
        hidden=parse_qsl(plain.query(), keep_blank_values=True),
        result=answer,
        report=Markup(answer["part"]) if answer is not None else "",  # noqa: S704 (made by our template, which escapes)
        file_address=f"/measure/time.html?{query}",
        data_address=f"/measure/time.json?{query}",
        problem=problem,
    )


def _with_person(asked: TableRequest, person: str) -> TableRequest:
    return asked.without("rows-are-people", "count").having("person", person)


@router.get("/measure/time.json")
def over_time_json(request: Request) -> Response:
    """Return the answer as data."""
    work = start_table_work(request, *_events_task(request, request_of(request)))
    return data_of_work(work, lambda result: str(result["json"]))


@router.get("/measure/time.html")
def over_time_file(request: Request) -> Response:
    """Return the answer as a file."""
    asked = request_of(request)
    work = start_table_work(request, *_events_task(request, asked))
    work.done.wait(PATIENCE_SECONDS)
    if work.result is None:
        return RedirectResponse(f"/measure/time?{_choice(request).query(asked)}", status_code=303)
    disposition = {"Content-Disposition": 'attachment; filename="over-time.html"'}
    return Response(work.result["html"], media_type="text/html; charset=utf-8", headers=disposition)
