"""The routes of a question about tables: choose them, fill in the form, read the answer, stop, and try again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idbits.errors import InputError
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browsing import TableOffer
from idbits.web.pages.two_tables import TablesPages, TablesRequest
from idbits.web.security import owner_only
from idbits.web.table_request import OfferedTable
from idbits.web.wording import as_sentence

__all__ = ["FilledForm", "TableQuestion", "routes_of"]

Asked = TypeVar("Asked", bound=TablesRequest)


@dataclass(frozen=True, slots=True)
class FilledForm(Generic[Asked]):
    """A form as it is shown.

    Attributes:
        asked: what is filled in.
        tables: the tables, in the order of the request.
        results: the columns of each.
        problem: what is missing or wrong in a form that was sent.
    """

    asked: Asked
    tables: list[OfferedTable]
    results: Sequence[JsonObject]
    problem: str | None

    @property
    def status_code(self) -> int:
        """400 if something is missing or wrong."""
        return 200 if self.problem is None else 400


@dataclass(frozen=True, slots=True)
class TableQuestion(Generic[Asked]):
    """What is special about the pages of a question.

    Attributes:
        pages: what the pages have in common.
        browse: shows the tables to choose from.
        offer: the tables to choose from.
        form: shows the form.
        back: the request of the form after the work was stopped.
    """

    pages: TablesPages[Asked]
    browse: Callable[[Request], Response]
    offer: Callable[[Request, Asked], TableOffer]
    form: Callable[[Request, FilledForm[Asked]], Response]
    back: Callable[[Asked], Asked]


def routes_of(question: TableQuestion[Asked]) -> APIRouter:
    """Return the routes of a question; only the owner of the machine may open tables."""
    router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])
    pages = question.pages
    address, name = pages.address, pages.address.removeprefix("/")

    @router.get(address)
    def browse(request: Request) -> Response:
        return question.browse(request)

    @router.get(f"{address}.json")
    def browse_json(request: Request) -> Response:
        return JSONResponse(question.offer(request, pages.asked(request)).to_dict())

    @router.get(f"{address}/columns")
    def columns(request: Request) -> Response:
        return pages.in_short(request) or _form(question, request, pages.asked(request))

    @router.get(f"{address}/columns.json")
    def columns_json(request: Request) -> Response:
        return pages.columns_data(request, f"{name}-columns")

    @router.post(f"{address}/cancel")
    async def cancel(request: Request) -> Response:
        return await pages.cancel(request, question.back)

    @router.post(f"{address}/again")
    async def again(request: Request) -> Response:
        return await pages.again(request)

    _add_answers(router, question, address, name)
    return router


def _add_answers(router: APIRouter, question: TableQuestion[Asked], address: str, name: str) -> None:
    """Add the routes of the answer: as a page, as data, and as files."""
    pages = question.pages

    @router.get(f"{address}/report")
    def report(request: Request) -> Response:
        return pages.in_short(request) or _answer(question, request, f"{name}_report.html")

    @router.get(f"{address}/report.json")
    def report_json(request: Request) -> Response:
        return pages.report_data(request)

    @router.get(f"{address}/report.html")
    def report_file(request: Request) -> Response:
        return pages.report_file(request, f"{name}.html")

    @router.get(f"{address}/report.pdf")
    def report_pdf(request: Request) -> Response:
        return pages.report_pdf(request, f"{name}.pdf")


def _answer(question: TableQuestion[Asked], request: Request, template: str) -> Response:
    """Show the answer; if something is not chosen, show the form again."""
    asked = question.pages.asked(request)
    missing = question.pages.missing(asked)
    if missing is not None:
        return _form(question, request, asked, as_sentence(missing))
    return question.pages.report(request, asked, template)


def _form(question: TableQuestion[Asked], request: Request, asked: Asked, problem: str | None = None) -> Response:
    """Show the form; after a problem, as it was filled in."""
    pages = question.pages
    try:
        tables = pages.tables(request, asked)
    except InputError as error:
        return pages.failed(request, asked, "columns", str(error), 400)
    results = pages.read_columns(request, asked, tables)
    if isinstance(results, Response):
        return results
    return question.form(request, FilledForm(asked, tables, results, problem))
