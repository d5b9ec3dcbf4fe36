"""The fifth page: link a release with a second table that somebody has, as an attacker would."""

from __future__ import annotations

from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import render_page, with_query
from idbits.web.browsing import TableLinks
from idbits.web.link_request import ODDS, LinkRequest
from idbits.web.pages.link_form import MatchFacts, link_form, missing_message
from idbits.web.pages.table_routes import FilledForm, TableQuestion, routes_of
from idbits.web.pages.two_tables import TablesPages, chosen_table, collect_result, next_offer
from idbits.web.table_request import OfferedTable
from idbits.web.work.worker import LinkTask, MatchTask

__all__ = ["router"]


def _browse(request: Request) -> Response:
    """Show the tables to choose the release from, and then the second table."""
    asked = _PAGES.asked(request)
    is_second = bool(asked.tables)
    return render_page(
        request,
        "link.html",
        first=chosen_table(request, asked.first) if is_second else None,
        offer=next_offer(request, asked),
        links=TableLinks(
            "/link",
            "/link/columns" if is_second else "/link",
            tuple(asked.hidden_fields()),
            "2" if is_second else "",
        ),
        sized=file_size,
        json_address=with_query(request, "/link.json"),
    )


def _form(request: Request, filled: FilledForm[LinkRequest]) -> Response:
    """Show the form for the chosen tables, with pairs of columns that belong together."""
    asked, tables = filled.asked, filled.tables
    withheld = [bool(result["withheld"]) for result in filled.results]
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
        filled.status_code,
        asked=asked,
        tables=tables,
        problem=filled.problem,
        withheld=[table.label for table, hides in zip(tables, withheld, strict=True) if hides],
        json_address=f"/link/columns.json?{asked.query()}",
        no_header=asked.with_rows(withheld, header=False).query(),
        with_names=asked.with_rows(withheld, show_names=True).query(),
        **link_form(asked, filled.results, matches, is_sent=filled.problem is not None),
    )


def _missing(asked: LinkRequest) -> str | None:
    """Say what is missing in the form, or typed wrongly."""
    try:
        asked.coverage()
        asked.threshold()
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
        "by_odds": asked.compare == ODDS,
        "threshold": asked.threshold(),
    }


_PAGES = TablesPages("/link", "Linking", LinkRequest.read, _tables, _link_task, lambda _: "/link", _missing)
router = routes_of(TableQuestion(_PAGES, _browse, next_offer, _form, lambda asked: asked))
