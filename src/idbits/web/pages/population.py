"""The tab Population: who is unique among more people, estimated from their number or looked up in their table."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from idbits.errors import InputError
from idbits.render.numbers import file_size
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import render_page
from idbits.web.browsing import TableLinks, offer_of
from idbits.web.pages.answer import sections_of_answer
from idbits.web.pages.table_tasks import column_facts, known_answer, report_task
from idbits.web.pages.table_work import offered_table, request_of, table_work_page
from idbits.web.pages.tabs import tab_page
from idbits.web.security import owner_only
from idbits.web.table_request import OfferedTable, TableRequest, table_fields
from idbits.web.wording import as_sentence
from idbits.web.work.worker import PopulationOnPage, ReportTask

__all__ = ["router"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])

_ESTIMATED = ("population",)
_LOOKED_UP = ("people", "sizes", "bits")
_SECOND = "2"


@router.get("/measure/population")
def population(request: Request) -> Response:
    """Show who is unique in the population, as far as it is known."""
    if _population_table(request) is None:
        browses = "in2" in request.query_params
        return table_work_page(request, report_task, "Measuring", _estimated, shorten=not browses, fail=_failed)
    if request.query_params.get("look") != "up":
        return _page(request, request_of(request), None)
    return table_work_page(
        request, _lookup_task, "Looking up people of", _looked_up, shorten=False, fail=_lookup_failed
    )


def _population_table(request: Request) -> TableRequest | None:
    """Return the table of the population, if one was chosen; its parameters end with a 2."""
    pairs = [(name.removesuffix(_SECOND), value) for name, value in request.query_params.multi_items()
             if name in ("in2", "file2", "set2")]  # fmt: skip
    named = TableRequest.read(pairs)
    return named if named.file or named.dataset else None


def _lookup_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, ReportTask]:
    named = _population_table(request)
    assert named is not None
    table, task = report_task(request, asked.without_reveal().without("people", "sampled"))
    where = offered_table(request, named)
    # The study reads both tables alike.
    if {*table.reading, *where.reading} - {"memory"}:
        raise InputError("people can only be looked up in a table if neither table needs settings for reading it")
    lookup: PopulationOnPage = {
        "source": where.source, "stamp": where.stamp, "count": request.query_params.get("count2") or None
    }  # fmt: skip
    return table, {**task, "population": lookup}


def _estimated(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    return _page(request, asked, table, answer=result)


def _looked_up(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    return _page(request, asked, table, looked_up=result)


def _failed(request: Request, asked: TableRequest, error: str, status: int) -> Response:
    """Show the form again, with what was typed; without it the answer may be known."""
    before = known_answer(request, asked.without("people", "sampled"))
    return _page(request, asked, None, answer=before, problem=error, status=status)


def _lookup_failed(request: Request, asked: TableRequest, error: str, status: int) -> Response:
    return _page(request, asked, None, problem=error, status=status)


def _page(
    request: Request,
    asked: TableRequest,
    table: OfferedTable | None,
    *,
    answer: JsonObject | None = None,
    looked_up: JsonObject | None = None,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    plain = asked.without_reveal().without("people", "sampled")
    query = plain.query()
    given = request.query_params
    named = _population_table(request)
    shown = table or offered_table(request, asked)
    facts = column_facts(request, named) if named is not None else []
    counts = [each["column"] for each in facts if each["role"] == "count"]
    offer = offer_of(request, given.get("in2", asked.root or "0"), given.get("dir2", asked.file.rpartition("/")[0]))
    return render_page(
        request,
        "population.html",
        status,
        **tab_page(request, asked, shown, "population", answer),
        estimated=sections_of_answer(answer, _ESTIMATED),
        looked_up=sections_of_answer(looked_up, _LOOKED_UP),
        found=looked_up,
        hidden=parse_qsl(query, keep_blank_values=True),
        named=offered_table(request, named) if named is not None else None,
        named_fields=[(f"{name}{_SECOND}", value) for name, value in table_fields(named)] if named is not None else [],
        names=[each["column"] for each in facts],
        counted=given.get("count2", counts[0] if counts and "look" not in given else ""),
        offer=offer,
        links=TableLinks("/measure/population", "/measure/population", tuple(parse_qsl(query)), _SECOND),
        sized=file_size,
        browses="in2" in given,
        other_table=f"/measure/population?{query}",
        problem=as_sentence(problem) if problem is not None else None,
    )
