"""The fourth page: compare two zonings of a table, or two releases of the same people."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.web.browser import render_page, with_query
from idbits.web.browsing import TableLinks, TableOffer, offer_of
from idbits.web.overlap_request import RELEASES, ZONES, OverlapRequest
from idbits.web.pages.overlap_form import MISSING, missing_field, overlap_form
from idbits.web.pages.table_routes import FilledForm, TableQuestion, routes_of
from idbits.web.pages.two_tables import TablesPages, chosen_table, next_offer
from idbits.web.table_request import OfferedTable
from idbits.web.work.worker import OverlapTask

__all__ = ["router"]


def _browse(request: Request) -> Response:
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


def _offer(request: Request, asked: OverlapRequest) -> TableOffer:
    """Return the tables to choose from."""
    given = request.query_params
    if asked.kind == ZONES:
        return offer_of(request, given.get("in", "0"), given.get("dir", ""))
    return next_offer(request, asked)


def _form(request: Request, filled: FilledForm[OverlapRequest]) -> Response:
    """Show the form for the chosen tables."""
    asked = filled.asked
    return render_page(
        request,
        "overlap_columns.html",
        filled.status_code,
        asked=asked,
        tables=filled.tables,
        problem=filled.problem,
        json_address=f"/overlap/columns.json?{asked.query()}",
        no_header=asked.with_rows(header=False).query(),
        with_names=asked.with_rows(show_names=True).query(),
        **overlap_form(asked, filled.tables, filled.results, _views(request) if filled.problem is not None else None),
    )


def _views(request: Request) -> list[dict[str, str]]:
    """Return the views that were chosen for the columns of each table."""
    pairs = [(name, value.partition("|")) for name, value in request.query_params.multi_items()]
    return [{index: view for name, (index, _, view) in pairs if name == wanted} for wanted in ("view", "view2")]


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
router = routes_of(
    TableQuestion(_PAGES, _browse, _offer, _form, lambda asked: asked.with_reveal(reveal=False)),
)
