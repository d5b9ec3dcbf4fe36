"""The fourth page: compare two zonings of a table, or two releases of the same people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.studies.shared.serialisation import Json, JsonObject, to_json, with_schema
from idbits.web.browser import comes_from_script, read_form, render_page, with_query
from idbits.web.browsing import TableLinks, TableOffer, offer_of
from idbits.web.overlap_request import RELEASES, ZONES, OverlapRequest
from idbits.web.pages.overlap_form import MISSING, missing_field, overlap_form
from idbits.web.pages.waiting import PATIENCE_SECONDS, WaitingPage, data_of_work, start_work
from idbits.web.security import owner_only
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest, choose_table
from idbits.web.wording import as_sentence
from idbits.web.work.worker import ColumnsTask, OverlapTask

__all__ = ["router"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])

_CANCEL = "/overlap/cancel"


@router.get("/overlap")
def browse(request: Request) -> Response:
    """Show the two questions, and then the tables to choose from."""
    asked, kind = _asked(request), request.query_params.get("kind")
    kind = kind if kind in (ZONES, RELEASES) else None
    is_second = kind == RELEASES and bool(asked.tables)
    first = _table(request, asked.first) if is_second else None
    return render_page(
        request,
        "overlap.html",
        kind=kind,
        first=first,
        offer=_offer(request, asked) if kind is not None else None,
        links=TableLinks(
            "/overlap",
            "/overlap/columns" if kind == ZONES or is_second else "/overlap",
            tuple(asked.hidden_fields()),
            "2" if is_second else "",
        ),
        sized=file_size,
        json_address=with_query(request, "/overlap.json"),
    )


@router.get("/overlap.json")
def browse_json(request: Request) -> Response:
    """Return the tables to choose from as data."""
    return JSONResponse(_offer(request, _asked(request)).to_dict())


def _offer(request: Request, asked: OverlapRequest) -> TableOffer:
    """Return the tables to choose from; for the second release, at first those beside the first."""
    given = request.query_params
    if asked.kind == ZONES or not asked.tables:
        return offer_of(request, given.get("in", "0"), given.get("dir", ""))
    folder = asked.first.file.rpartition("/")[0]
    return offer_of(request, given.get("in2", asked.first.root or "0"), given.get("dir2", folder))


@router.get("/overlap/columns")
def columns(request: Request) -> Response:
    """Show the form for the chosen tables."""
    return _in_short(request) or _columns(request, _asked(request))


def _columns(request: Request, asked: OverlapRequest, problem: str | None = None) -> Response:
    """Show the form; after a problem, as it was filled in."""

    def fail(error: str, status: int) -> Response:
        return _failed(request, asked, "columns", error, status)

    try:
        tables = _tables(request, asked)
    except InputError as error:
        return fail(str(error), 400)
    results: list[JsonObject] = []
    for table, named in zip(tables, asked.tables, strict=True):
        task = _columns_task(table, show_names=named.show_names)
        shown: list[JsonObject] = []
        page = WaitingPage(f"Reading {table.label}", _collect(shown), fail, _CANCEL, {"query": asked.query()})
        response = page.response(request, table.key(task), task)
        if not shown:
            return response
        results += shown
    return render_page(
        request,
        "overlap_columns.html",
        200 if problem is None else 400,
        asked=asked,
        tables=tables,
        problem=problem,
        json_address=f"/overlap/columns.json?{asked.query()}",
        no_header=asked.with_rows(header=False).query(),
        with_names=asked.with_rows(show_names=True).query(),
        **overlap_form(asked, tables, results, _views(request) if problem is not None else None),
    )


def _views(request: Request) -> list[dict[str, str]]:
    """Return the views that were chosen for the columns of each table."""
    pairs = [(name, value.partition("|")) for name, value in request.query_params.multi_items()]
    return [{index: view for name, (index, _, view) in pairs if name == wanted} for wanted in ("view", "view2")]


def _collect(results: list[JsonObject]) -> Callable[[JsonObject], Response]:
    def show(result: JsonObject) -> Response:
        results.append(result)
        return Response()

    return show


@router.get("/overlap/columns.json")
def columns_json(request: Request) -> Response:
    """Return the columns of the tables as data."""
    asked = _asked(request)
    inspected: list[Json] = []
    for table, named in zip(_tables(request, asked), asked.tables, strict=True):
        task = _columns_task(table, show_names=named.show_names)
        work = start_work(request, table.key(task), task)
        answer = data_of_work(work, to_json)
        if work.result is None:
            return answer
        inspected.append(work.result)
    return Response(to_json(with_schema("overlap-columns", {"tables": inspected})), media_type="application/json")


@router.get("/overlap/report")
def report(request: Request) -> Response:
    """Compare, and show the answer; if something is not chosen, show the form again."""
    elsewhere = _in_short(request)
    if elsewhere is not None:
        return elsewhere
    asked = _asked(request)
    missing = missing_field(asked)
    if missing is not None:
        return _columns(request, asked, as_sentence(MISSING[missing]))

    def fail(error: str, status: int) -> Response:
        return _failed(request, asked, "report", error, status)

    def show(result: JsonObject) -> Response:
        return render_page(
            request,
            "overlap_report.html",
            asked=asked,
            tables=tables,
            report=Markup(result["part"]),  # noqa: S704 (made by our template, which escapes)
            title=result["title"],
            verdict=result["verdict"],
            isolates=result["isolates"],
            json_address=f"/overlap/report.json?{asked.query()}",
        )

    try:
        tables, task = _overlap_task(request, asked)
    except InputError as error:
        return fail(str(error), 400)
    names = " and ".join(table.label for table in tables)
    page = WaitingPage(f"Comparing {names}", show, fail, _CANCEL, {"query": asked.query()})
    return page.response(request, _key(tables, task), task)


@router.get("/overlap/report.json")
def report_json(request: Request) -> Response:
    """Return the answer as data."""
    tables, task = _overlap_task(request, _asked(request))
    return data_of_work(start_work(request, _key(tables, task), task), lambda result: str(result["json"]))


@router.get("/overlap/report.html")
def report_file(request: Request) -> Response:
    """Return the answer as a file."""
    asked = _asked(request)
    tables, task = _overlap_task(request, asked)
    work = start_work(request, _key(tables, task), task)
    work.done.wait(PATIENCE_SECONDS)
    if work.result is None:
        return RedirectResponse(f"/overlap/report?{asked.query()}", status_code=303)
    disposition = {"Content-Disposition": 'attachment; filename="overlap.html"'}
    return Response(work.result["html"], media_type="text/html; charset=utf-8", headers=disposition)


@router.post("/overlap/cancel")
async def cancel(request: Request) -> Response:
    """Stop a piece of work, and go back to the form if its tables have been read."""
    form = await read_form(request)
    queue = state_of(request).work_queue
    queue.cancel(form.get("work", ""))
    try:
        asked = OverlapRequest.read(parse_qsl(form.get("query", ""))).with_reveal(reveal=False)
        tables = _tables(request, asked)
    except InputError:
        return RedirectResponse("/overlap", status_code=303)
    keys = [
        table.key(_columns_task(table, show_names=named.show_names))
        for table, named in zip(tables, asked.tables, strict=True)
    ]
    # Only if showing the columns takes no long work.
    if all(map(queue.has_done, keys)):
        return RedirectResponse(f"/overlap/columns?{asked.query()}", status_code=303)
    return RedirectResponse(f"/overlap?kind={asked.kind}", status_code=303)


@router.post("/overlap/again")
async def again(request: Request) -> Response:
    """Forget the result and read the tables again."""
    form = await read_form(request)
    asked = OverlapRequest.read(parse_qsl(form.get("query", "")))
    queue = state_of(request).work_queue
    page = "columns" if form.get("page") == "columns" else "report"
    if page == "columns":
        for table, named in zip(_tables(request, asked), asked.tables, strict=True):
            queue.forget(table.key(_columns_task(table, show_names=named.show_names)))
    else:
        queue.forget(_key(*_overlap_task(request, asked)))
    return RedirectResponse(f"/overlap/{page}?{asked.query()}", status_code=303)


def _asked(request: Request) -> OverlapRequest:
    return OverlapRequest.read(list(request.query_params.multi_items()))


def _in_short(request: Request) -> Response | None:
    """Return a redirect to the short address of the same request, if a form has sent all its fields."""
    parameters = list(request.query_params.multi_items())
    asked = OverlapRequest.read(parameters)
    is_short = parse_qsl(asked.query(), keep_blank_values=True) == parameters
    # A form in which something is missing is shown again at the address that was sent.
    if comes_from_script(request) or is_short or (request.url.path.endswith("/report") and missing_field(asked)):
        return None
    return RedirectResponse(f"{request.url.path}?{asked.query()}", status_code=303)


def _table(request: Request, named: TableRequest) -> OfferedTable:
    state = state_of(request)
    return choose_table(named, state.offered_folders, state.datasets, state.settings.memory)


def _tables(request: Request, asked: OverlapRequest) -> list[OfferedTable]:
    """Return the tables of a request; one that is not offered is refused."""
    needed = 2 if asked.kind == RELEASES else 1
    if len(asked.tables) != needed:
        raise InputError("choose two releases to compare" if needed == 2 else "choose a table")
    return [_table(request, named) for named in asked.tables]


def _key(tables: Sequence[OfferedTable], task: OverlapTask) -> str:
    return tables[0].key(task) if len(tables) == 1 else f"{tables[0].stamp}\n{tables[1].key(task)}"


def _columns_task(table: OfferedTable, *, show_names: bool) -> ColumnsTask:
    return {"task": "columns", "source": table.source, "reading": table.reading, "show_names": show_names}


def _overlap_task(request: Request, asked: OverlapRequest) -> tuple[list[OfferedTable], OverlapTask]:
    missing = missing_field(asked)
    if missing is not None:
        raise InputError(MISSING[missing])
    tables = _tables(request, asked)
    configured = tables[0].person
    person = asked.option("person") or configured.column
    return tables, {
        "task": "overlap",
        "sources": [table.source for table in tables],
        "names": [table.label for table in tables],
        "readings": [table.reading for table in tables],
        "zones": list(asked.zones),
        "below": asked.threshold(),
        "person": person,
        "rows_are_people": asked.kind == ZONES
        and person is None
        and (configured.rows_are_people or asked.option("rows-are-people") == "yes"),
        "qids": [list(table.qid) for table in asked.tables] if asked.kind == RELEASES else [],
        "sensitive": asked.option("sensitive"),
        "reveal": asked.reveal,
    }


def _failed(request: Request, asked: OverlapRequest, page: str, error: str, status: int) -> Response:
    """Show why tables cannot be read or compared, with the form that was filled in."""
    return render_page(request, "overlap_failed.html", status, sentence=as_sentence(error), page=page, asked=asked)
