"""The answer about a table: the tabs People, What is learnt and Second table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from idbits.render.numbers import file_size
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import render_page
from idbits.web.browsing import TableLinks, offer_of
from idbits.web.pages.measure import nothing_ticked
from idbits.web.pages.table_tasks import column_facts, columns_task, known_answer, report_task
from idbits.web.pages.table_work import offered_table, request_of, table_work_page
from idbits.web.pages.tabs import tab_page
from idbits.web.security import owner_only
from idbits.web.table_request import OfferedTable, TableRequest
from idbits.web.wording import as_sentence
from idbits.web.work.worker import ColumnFacts

__all__ = ["router", "sections_of_answer"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])

_PEOPLE = ("people", "sizes", "columns", "bits", "values", "not-assessed")
_LEARNT = ("disclosure", "gain", "sweep")
_MOST_SECRETS = 4


@router.get("/measure/answer")
def answer(request: Request) -> Response:
    """Measure, and show the first tab; if nothing is ticked, show the form again."""
    if not request_of(request).qid:
        return table_work_page(request, columns_task, "Reading", nothing_ticked, shorten=False)
    return table_work_page(request, report_task, "Measuring", _people_tab)


def _people_tab(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    figures = cast("JsonObject", result["answer"])
    query = asked.without_reveal().query()
    fewer = [
        (item, f"/measure/answer?{_without_column(asked, str(item['column'])).query()}")
        for item in cast("list[JsonObject]", figures["leave_out"])
    ]
    return render_page(
        request,
        "answer.html",
        **tab_page(request, asked, table, "answer", result),
        sections=sections_of_answer(result, _PEOPLE),
        leave_out=fewer,
        still_open=_still_open(asked, figures, query),
        title=result["title"],
    )


def _without_column(asked: TableRequest, attribute: str) -> TableRequest:
    return replace(asked.without_reveal(), qid=tuple(name for name in asked.qid if name != attribute))


def sections_of_answer(result: JsonObject | None, names: Sequence[str]) -> list[Markup]:
    """Return some sections of a report, as they are shown in a tab."""
    made = cast("dict[str, str]", result["sections"]) if result is not None else {}
    return [Markup(made[name]) for name in names if name in made]  # noqa: S704 (made by our template, which escapes)


def _still_open(asked: TableRequest, figures: JsonObject, query: str) -> list[tuple[str, str, str]]:
    """Return what is not answered yet: the name of a tab, its address, and why it matters."""
    rows = []
    needs_one_row = bool(figures["has_several_rows"])
    if not figures["secrets"] and not needs_one_row:
        rows.append(("What is learnt", "learnt", "which column must nobody learn?"))
    if not asked.option("people") and not asked.option("sampled") and not needs_one_row:
        rows.append(("Population", "population", "is this a sample of more people?"))
    rows.append(("Second table", "second", "could another table name these people?"))
    if needs_one_row:
        rows.append(("Over time", "time", "do a few events single a person out?"))
    return [(name, f"/measure/{tab}?{query}", why) for name, tab, why in rows]


@router.get("/measure/learnt")
def learnt(request: Request) -> Response:
    """Show what groups give away about a secret, and what columns tell about each other."""
    return table_work_page(request, report_task, "Measuring", _learnt_tab, fail=_learnt_failed)


def _learnt_tab(
    request: Request,
    asked: TableRequest,
    table: OfferedTable | None,
    result: JsonObject | None,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    known = {name.partition(":")[0] for name in asked.qid}
    facts = [each for each in column_facts(request, asked) if each["column"] not in known]
    measured = cast("list[str]", cast("JsonObject", result["answer"])["secrets"]) if result is not None else []
    likely = [each for each in facts if each["role"] == "sensitive"]
    others = [each for each in facts if each["role"] not in ("sensitive", "direct identifier", "empty", "constant")]
    return render_page(
        request,
        "learnt.html",
        status,
        **tab_page(request, asked, table, "learnt", result),
        sections=sections_of_answer(result, _LEARNT),
        suggested=[_secret(asked, each) for each in [*likely, *others][:_MOST_SECRETS]],
        names=[each["column"] for each in facts if each["column"] != asked.option("person")],
        hidden=parse_qsl(asked.without_reveal().without("sensitive").query(), keep_blank_values=True),
        chosen=asked.option("sensitive") or (measured[0] if measured else ""),
        problem=problem,
    )


def _secret(asked: TableRequest, facts: ColumnFacts) -> tuple[str, str, str]:
    """Return a column that may be secret, why, and the address that measures it."""
    column = facts["column"]
    address = f"/measure/learnt?{asked.without_reveal().having('sensitive', column).query()}"
    return column, facts["reason"], address


def _learnt_failed(request: Request, asked: TableRequest, error: str, status: int) -> Response:
    return _learnt_tab(
        request, asked, None, known_answer(request, asked.without("sensitive")), as_sentence(error), status
    )


@router.get("/measure/second")
def second(request: Request) -> Response:
    """Show the tables that somebody may have, each of which leads to the page about two tables."""
    asked = request_of(request)
    table = offered_table(request, asked)
    given = request.query_params
    offer = offer_of(request, given.get("in2", asked.root or "0"), given.get("dir2", asked.file.rpartition("/")[0]))
    query = asked.without_reveal().query()
    return render_page(
        request,
        "second.html",
        **tab_page(request, asked, table, "second"),
        offer=offer,
        links=TableLinks("/measure/second", "/link/columns", tuple(parse_qsl(query)), "2"),
        sized=file_size,
        zones_address=f"/overlap/columns?kind=zones&{query}",
        releases_address=f"/overlap?kind=releases&{query}",
    )
