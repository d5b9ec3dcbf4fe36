"""The fifth page: link a release with a second table that somebody has, as an attacker would."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import render_page, with_query
from idbits.web.browsing import TableLinks
from idbits.web.link_request import LinkRequest
from idbits.web.pages.link_form import MatchFacts, link_form, missing_message
from idbits.web.pages.two_tables import TablesPages, chosen_table, collect_result, second_offer
from idbits.web.security import owner_only
from idbits.web.table_request import OfferedTable
from idbits.web.wording import as_sentence
from idbits.web.work.worker import LinkTask, MatchTask

__all__ = ["router"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])


@router.get("/link")
def browse(request: Request) -> Response:
    """Show the tables to choose the release from, and then the second table."""
    asked = _PAGES.asked(request)
    is_second = bool(asked.tables)
    return render_page(
        request,
        "link.html",
        first=chosen_table(request, asked.first) if is_second else None,
        offer=second_offer(request, asked),
        links=TableLinks(
            "/link",
            "/link/columns" if is_second else "/link",
            tuple(asked.hidden_fields()),
            "2" if is_second else "",
        ),
        sized=file_size,
        json_address=with_query(request, "/link.json"),
    )


@router.get("/link.json")
def browse_json(request: Request) -> Response:
    """Return the tables to choose from as data."""
    return JSONResponse(second_offer(request, _PAGES.asked(request)).to_dict())


@router.get("/link/columns")
def columns(request: Request) -> Response:
    """Show the form for the chosen tables."""
    return _PAGES.in_short(request) or _columns(request, _PAGES.asked(request))


def _columns(request: Request, asked: LinkRequest, problem: str | None = None) -> Response:
    """Show the form; after a problem, as it was filled in."""
    try:
        tables = _tables(request, asked)
    except InputError as error:
        return _PAGES.failed(request, asked, "columns", str(error), 400)
    results = _PAGES.read_columns(request, asked, tables)
    if isinstance(results, Response):
        return results
    withheld = [bool(result["withheld"]) for result in results]
    found: list[JsonObject] = []
    if not any(withheld):
        title = f"Looking for columns that {tables[0].label} and {tables[1].label} have in common"
        response = _PAGES.wait(request, asked, title, collect_result(found), (tables, _match_task(tables)))
        if not found:
            return response
    matches = cast("list[MatchFacts]", found[0]["matches"]) if found else []
    return render_page(
        request,
        "link_columns.html",
        200 if problem is None else 400,
        asked=asked,
        tables=tables,
        problem=problem,
        withheld=[table.label for table, hides in zip(tables, withheld, strict=True) if hides],
        json_address=f"/link/columns.json?{asked.query()}",
        no_header=asked.with_rows(withheld, header=False).query(),
        with_names=asked.with_rows(withheld, show_names=True).query(),
        **link_form(asked, results, matches, is_sent=problem is not None),
    )


@router.get("/link/columns.json")
def columns_json(request: Request) -> Response:
    """Return the columns of the tables as data."""
    return _PAGES.columns_data(request, "link-columns")


@router.get("/link/report")
def report(request: Request) -> Response:
    """Link, and show the answer; if something is not chosen, show the form again."""
    elsewhere = _PAGES.in_short(request)
    if elsewhere is not None:
        return elsewhere
    asked = _PAGES.asked(request)
    missing = _missing(asked)
    if missing is not None:
        return _columns(request, asked, as_sentence(missing))
    return _PAGES.report(request, asked, "link_report.html")


@router.get("/link/report.json")
def report_json(request: Request) -> Response:
    """Return the answer as data."""
    return _PAGES.report_data(request)


@router.get("/link/report.html")
def report_file(request: Request) -> Response:
    """Return the answer as a file."""
    return _PAGES.report_file(request, "link.html")


@router.get("/link/report.pdf")
def report_pdf(request: Request) -> Response:
    """Return the answer as a PDF."""
    return _PAGES.report_pdf(request, "link.pdf")


@router.post("/link/cancel")
async def cancel(request: Request) -> Response:
    """Stop a piece of work, and go back to the form if its tables have been read."""
    return await _PAGES.cancel(request, lambda asked: asked)


@router.post("/link/again")
async def again(request: Request) -> Response:
    """Forget the result and read the tables again."""
    return await _PAGES.again(request)


def _missing(asked: LinkRequest) -> str | None:
    """Say what is missing in the form, or typed wrongly."""
    try:
        asked.coverage()
    except InputError as error:
        return str(error)
    return missing_message(asked)


def _tables(request: Request, asked: LinkRequest) -> list[OfferedTable]:
    """Return the two tables; one that is not offered is refused."""
    if len(asked.tables) != 2:
        raise InputError("choose a release and a second table")
    return [chosen_table(request, named) for named in asked.tables]


def _match_task(tables: list[OfferedTable]) -> MatchTask:
    first, second = tables
    return {
        "task": "match",
        "sources": [first.source, second.source],
        "readings": [first.reading, second.reading],
    }


def _link_task(request: Request, asked: LinkRequest) -> tuple[list[OfferedTable], LinkTask]:
    missing = _missing(asked)
    if missing is not None:
        raise InputError(missing)
    tables = _tables(request, asked)
    sensitive = asked.option("sensitive")
    return tables, {
        "task": "link",
        "sources": [table.source for table in tables],
        "names": [table.label for table in tables],
        "readings": [table.reading for table in tables],
        "on": list(asked.on),
        "coverage": asked.coverage(),
        "truth": list(asked.truth) if all(asked.truth) else [],
        "sensitive": [sensitive] if sensitive else [],
    }


_PAGES = TablesPages("/link", "Linking", LinkRequest.read, _tables, _link_task, lambda _: "/link", _missing)
