"""The pages about synthetic data: attack the people from whom a table was made, and others beside them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.web.attack_request import AttackRequest
from idbits.web.browser import render_page, with_query
from idbits.web.browsing import TableLinks
from idbits.web.pages.attack_form import attack_form, missing_message
from idbits.web.pages.table_routes import FilledForm, TableQuestion, routes_of
from idbits.web.pages.two_tables import TablesPages, chosen_table, next_offer
from idbits.web.table_request import OfferedTable
from idbits.web.work.worker import AttackTask

__all__ = ["router"]

_MOST_TABLES = 3


def _browse(request: Request) -> Response:
    """Show the tables to choose the synthetic one from, then the original people, then others."""
    asked = _PAGES.asked(request)
    chosen = [chosen_table(request, table) for table in asked.tables][: _MOST_TABLES - 1]
    is_last = len(chosen) == _MOST_TABLES - 1
    return render_page(
        request,
        "attack.html",
        chosen=chosen,
        without_control=f"/attack/columns?{asked.query()}" if is_last else None,
        offer=next_offer(request, asked),
        links=TableLinks(
            "/attack",
            "/attack/columns" if is_last else "/attack",
            tuple(asked.hidden_fields()),
            str(len(chosen) + 1) if chosen else "",
        ),
        sized=file_size,
        json_address=with_query(request, "/attack.json"),
    )


def _form(request: Request, filled: FilledForm[AttackRequest]) -> Response:
    """Show the form for the chosen tables."""
    asked = filled.asked
    return render_page(
        request,
        "attack_columns.html",
        filled.status_code,
        asked=asked,
        tables=filled.tables,
        problem=filled.problem,
        json_address=f"/attack/columns.json?{asked.query()}",
        no_header=asked.with_rows(header=False).query(),
        with_names=asked.with_rows(show_names=True).query(),
        **attack_form(asked, filled.results),
    )


def _missing(asked: AttackRequest) -> str | None:
    """Say what is missing in the form, or typed wrongly."""
    try:
        asked.most_attacks()
    except InputError as error:
        return str(error)
    return missing_message(asked)


def _tables(request: Request, asked: AttackRequest) -> list[OfferedTable]:
    """Return the tables; one that is not offered is refused."""
    named = asked.tables
    if len(named) < _MOST_TABLES - 1 or named[:2] != asked.numbered[:2]:
        raise InputError("choose a synthetic table, and the table of the people from whom it was made")
    return [chosen_table(request, table) for table in named]


def _attack_task(request: Request, asked: AttackRequest) -> tuple[list[OfferedTable], AttackTask]:
    missing = _missing(asked)
    if missing is not None:
        raise InputError(missing)
    tables = _tables(request, asked)
    return tables, {
        "task": "attack",
        "sources": [table.source for table in tables],
        "names": [table.label for table in tables],
        "readings": [table.reading for table in tables],
        "attack": asked.attack,
        "left": list(asked.left),
        "right": list(asked.right),
        "infer": asked.infer or None,
        "attacks": asked.most_attacks(),
    }


_PAGES = TablesPages("/attack", "Attacking", AttackRequest.read, _tables, _attack_task, lambda _: "/attack", _missing)
router = routes_of(TableQuestion(_PAGES, _browse, next_offer, _form, lambda asked: asked))
