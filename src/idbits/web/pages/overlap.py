"""The fourth page: compare two zonings of a table, or two releases of the same people."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.web.browser import render_page, with_query
from idbits.web.browsing import TableLinks, TableOffer, offer_of
from idbits.web.overlap_request import RELEASES, ZONES, OverlapRequest
from idbits.web.pages.overlap_form import MISSING, missing_field, overlap_form
from idbits.web.pages.two_tables import TablesPages, chosen_table, second_offer
from idbits.web.security import owner_only
from idbits.web.table_request import OfferedTable
from idbits.web.wording import as_sentence
from idbits.web.work.worker import OverlapTask

__all__ = ["router"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])


@router.get("/overlap")
def browse(request: Request) -> Response:
    """Show the two questions, and then the tables to choose from."""
    asked, kind = _PAGES.asked(request), request.query_params.get("kind")
    kind = kind if kind in (ZONES, RELEASES) else None
    is_second = kind == RELEASES and bool(asked.tables)
    first = chosen_table(request, asked.first) if is_second else None
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
    return JSONResponse(_offer(request, _PAGES.asked(request)).to_dict())


def _offer(request: Request, asked: OverlapRequest) -> TableOffer:
    """Return the tables to choose from."""
    given = request.query_params
    if asked.kind == ZONES:
        return offer_of(request, given.get("in", "0"), given.get("dir", ""))
    return second_offer(request, asked)


@router.get("/overlap/columns")
def columns(request: Request) -> Response:
    """Show the form for the chosen tables."""
    return _PAGES.in_short(request) or _columns(request, _PAGES.asked(request))


def _columns(request: Request, asked: OverlapRequest, problem: str | None = None) -> Response:
    """Show the form; after a problem, as it was filled in."""
    try:
        tables = _tables(request, asked)
    except InputError as error:
        return _PAGES.failed(request, asked, "columns", str(error), 400)
    results = _PAGES.read_columns(request, asked, tables)
    if isinstance(results, Response):
        return results
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


@router.get("/overlap/columns.json")
def columns_json(request: Request) -> Response:
    """Return the columns of the tables as data."""
    return _PAGES.columns_data(request, "overlap-columns")


@router.get("/overlap/report")
def report(request: Request) -> Response:
    """Compare, and show the answer; if something is not chosen, show the form again."""
    elsewhere = _PAGES.in_short(request)
    if elsewhere is not None:
        return elsewhere
    asked = _PAGES.asked(request)
    missing = _missing(asked)
    if missing is not None:
        return _columns(request, asked, as_sentence(missing))
    return _PAGES.report(request, asked, "overlap_report.html")


@router.get("/overlap/report.json")
def report_json(request: Request) -> Response:
    """Return the answer as data."""
    return _PAGES.report_data(request)


@router.get("/overlap/report.html")
def report_file(request: Request) -> Response:
    """Return the answer as a file."""
    return _PAGES.report_file(request, "overlap.html")


@router.get("/overlap/report.pdf")
def report_pdf(request: Request) -> Response:
    """Return the answer as a PDF."""
    return _PAGES.report_pdf(request, "overlap.pdf")


@router.post("/overlap/cancel")
async def cancel(request: Request) -> Response:
    """Stop a piece of work, and go back to the form if its tables have been read."""
    return await _PAGES.cancel(request, lambda asked: asked.with_reveal(reveal=False))


@router.post("/overlap/again")
async def again(request: Request) -> Response:
    """Forget the result and read the tables again."""
    return await _PAGES.again(request)


def _missing(asked: OverlapRequest) -> str | None:
    missing = missing_field(asked)
    return MISSING[missing] if missing is not None else None


def _tables(request: Request, asked: OverlapRequest) -> list[OfferedTable]:
    """Return the tables of a request; one that is not offered is refused."""
    needed = 2 if asked.kind == RELEASES else 1
    if len(asked.tables) != needed:
        raise InputError("choose two releases to compare" if needed == 2 else "choose a table")
    return [chosen_table(request, named) for named in asked.tables]


def _overlap_task(request: Request, asked: OverlapRequest) -> tuple[list[OfferedTable], OverlapTask]:
    missing = _missing(asked)
    if missing is not None:
        raise InputError(missing)
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


_PAGES = TablesPages(
    "/overlap",
    "Comparing",
    OverlapRequest.read,
    _tables,
    _overlap_task,
    lambda asked: f"/overlap?kind={asked.kind}",
    _missing,
)
