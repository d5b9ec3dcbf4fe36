"""Pages about one or several tables: read their columns, answer a question, stop, and try again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from urllib.parse import parse_qsl

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from idbits.errors import InputError
from idbits.studies.shared.serialisation import Json, JsonObject, to_json, with_schema
from idbits.web.browser import comes_from_script, read_form, render_page
from idbits.web.browsing import TableOffer, offer_of
from idbits.web.pages.pdf_file import offers_pdf, pdf_response
from idbits.web.pages.waiting import PATIENCE_SECONDS, WaitingPage, data_of_work, start_work
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest, choose_table
from idbits.web.wording import as_sentence
from idbits.web.work.worker import ColumnsTask, Task

__all__ = ["TablesPages", "TablesRequest", "chosen_table", "collect_result", "next_offer", "work_key"]


class TablesRequest(Protocol):
    """The request in an address about tables."""

    @property
    def first(self) -> TableRequest:
        """The first table."""

    @property
    def tables(self) -> tuple[TableRequest, ...]:
        """The tables that are named."""

    def query(self) -> str:
        """Return the request as the end of an address."""


Asked = TypeVar("Asked", bound=TablesRequest)


@dataclass(frozen=True, slots=True)
class TablesPages(Generic[Asked]):
    """What the pages of a question have in common.

    Attributes:
        address: where they begin: ``/overlap``.
        doing: what is done to tables, for the title of a page that waits.
        read: reads the request in the parameters of an address.
        tables: the tables of a request; one that is not offered is refused.
        task: the tables and the question as work.
        start: the page where other tables are chosen.
        missing: what is missing in a request, as a message.
    """

    address: str
    doing: str
    read: Callable[[Sequence[tuple[str, str]]], Asked]
    tables: Callable[[Request, Asked], list[OfferedTable]]
    task: Callable[[Request, Asked], tuple[list[OfferedTable], Task]]
    start: Callable[[Asked], str]
    missing: Callable[[Asked], str | None]

    def asked(self, request: Request) -> Asked:
        """Return the request in the address."""
        return self.read(list(request.query_params.multi_items()))

    def in_short(self, request: Request) -> Response | None:
        """Return a redirect to the short address of the same request, if a form has sent all its fields."""
        parameters = list(request.query_params.multi_items())
        asked = self.read(parameters)
        is_short = parse_qsl(asked.query(), keep_blank_values=True) == parameters
        # A form in which something is missing is shown again at the address that was sent.
        is_incomplete = request.url.path.endswith("/report") and self.missing(asked) is not None
        if comes_from_script(request) or is_short or is_incomplete:
            return None
        return RedirectResponse(f"{request.url.path}?{asked.query()}", status_code=303)

    def wait(
        self,
        request: Request,
        asked: Asked,
        title: str,
        show: Callable[[JsonObject], Response],
        work: tuple[Sequence[OfferedTable], Task],
        page: str = "columns",
    ) -> Response:
        """Show the result of work, how far it is, or why it failed; ``page`` is the one that shows it."""

        def fail(error: str, status: int) -> Response:
            return self.failed(request, asked, page, error, status)

        waiting = WaitingPage(title, show, fail, f"{self.address}/cancel", {"query": asked.query()})
        return waiting.response(request, work_key(*work), work[1])

    def read_columns(
        self, request: Request, asked: Asked, tables: Sequence[OfferedTable]
    ) -> list[JsonObject] | Response:
        """Return the columns of each table, or the page that waits for them."""
        results: list[JsonObject] = []
        for table, task in self._columns_tasks(asked, tables):
            shown: list[JsonObject] = []
            title = f"Reading {table.label}"
            response = self.wait(request, asked, title, collect_result(shown), ([table], task))
            if not shown:
                return response
            results += shown
        return results

    def columns_data(self, request: Request, schema: str) -> Response:
        """Return the columns of the tables as data."""
        asked = self.asked(request)
        inspected: list[Json] = []
        for table, task in self._columns_tasks(asked, self.tables(request, asked)):
            work = start_work(request, table.key(task), task)
            answer = data_of_work(work, to_json)
            if work.result is None:
                return answer
            inspected.append(work.result)
        return Response(to_json(with_schema(schema, {"tables": inspected})), media_type="application/json")

    def report(self, request: Request, asked: Asked, template: str) -> Response:
        """Show the answer, with the template of its page."""

        def show(result: JsonObject) -> Response:
            return render_page(
                request,
                template,
                asked=asked,
                tables=tables,
                report=Markup(result["part"]),  # noqa: S704 (made by our template, which escapes)
                result=result,
                pages=self,
                json_address=f"{self.address}/report.json?{asked.query()}",
                pdf_address=f"{self.address}/report.pdf?{asked.query()}" if offers_pdf() else None,
            )

        try:
            tables, task = self.task(request, asked)
        except InputError as error:
            return self.failed(request, asked, "report", str(error), 400)
        names = " and ".join(table.label for table in tables)
        return self.wait(request, asked, f"{self.doing} {names}", show, (tables, task), "report")

    def report_data(self, request: Request) -> Response:
        """Return the answer as data."""
        tables, task = self.task(request, self.asked(request))
        return data_of_work(start_work(request, work_key(tables, task), task), lambda result: str(result["json"]))

    def report_file(self, request: Request, name: str) -> Response:
        """Return the answer as a file."""
        asked = self.asked(request)
        tables, task = self.task(request, asked)
        work = start_work(request, work_key(tables, task), task)
        work.done.wait(PATIENCE_SECONDS)
        if work.result is None:
            return RedirectResponse(f"{self.address}/report?{asked.query()}", status_code=303)
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(work.result["html"], media_type="text/html; charset=utf-8", headers=disposition)

    def report_pdf(self, request: Request, name: str) -> Response:
        """Return the answer as a PDF."""
        asked = self.asked(request)
        tables, task = self.task(request, asked)
        work = start_work(request, work_key(tables, task), task)
        return pdf_response(request, work, name, f"{self.address}/report?{asked.query()}")

    async def cancel(self, request: Request, back: Callable[[Asked], Asked]) -> Response:
        """Stop a piece of work, and go back to the form if its tables have been read."""
        form = await read_form(request)
        queue = state_of(request).work_queue
        queue.cancel(form.get("work", ""))
        try:
            asked = back(self.read(parse_qsl(form.get("query", ""))))
            tables = self.tables(request, asked)
        except InputError:
            return RedirectResponse(self.address, status_code=303)
        # Only if showing the columns takes no long work.
        if all(queue.has_done(table.key(task)) for table, task in self._columns_tasks(asked, tables)):
            return RedirectResponse(f"{self.address}/columns?{asked.query()}", status_code=303)
        return RedirectResponse(self.start(asked), status_code=303)

    async def again(self, request: Request) -> Response:
        """Forget the result and read the tables again."""
        form = await read_form(request)
        asked = self.read(parse_qsl(form.get("query", "")))
        queue = state_of(request).work_queue
        page = "columns" if form.get("page") == "columns" else "report"
        if page == "columns":
            for table, task in self._columns_tasks(asked, self.tables(request, asked)):
                queue.forget(table.key(task))
        else:
            queue.forget(work_key(*self.task(request, asked)))
        return RedirectResponse(f"{self.address}/{page}?{asked.query()}", status_code=303)

    def failed(self, request: Request, asked: Asked, page: str, error: str, status: int) -> Response:
        """Show why tables cannot be read or compared, with the form that was filled in."""
        sentence = as_sentence(error)
        return render_page(request, "tables_failed.html", status, sentence=sentence, page=page, asked=asked, pages=self)

    @staticmethod
    def _columns_tasks(asked: Asked, tables: Sequence[OfferedTable]) -> list[tuple[OfferedTable, ColumnsTask]]:
        return [
            (table, _columns_task(table, show_names=named.show_names))
            for table, named in zip(tables, asked.tables, strict=True)
        ]


def collect_result(results: list[JsonObject]) -> Callable[[JsonObject], Response]:
    """Return a function that adds a result to a list instead of making a page of it."""

    def show(result: JsonObject) -> Response:
        results.append(result)
        return Response()

    return show


def chosen_table(request: Request, named: TableRequest) -> OfferedTable:
    """Return a table by name; one that is not offered is refused."""
    state = state_of(request)
    return choose_table(named, state.offered_folders, state.datasets, state.settings.memory)


def next_offer(request: Request, asked: TablesRequest) -> TableOffer:
    """Return the tables to choose the next one from; for all but the first, at first those beside the first."""
    given = request.query_params
    if not asked.tables:
        return offer_of(request, given.get("in", "0"), given.get("dir", ""))
    suffix = str(len(asked.tables) + 1)
    folder = asked.first.file.rpartition("/")[0]
    return offer_of(request, given.get(f"in{suffix}", asked.first.root or "0"), given.get(f"dir{suffix}", folder))


def work_key(tables: Sequence[OfferedTable], task: Task) -> str:
    """Return a key that is unique to this task on these tables."""
    *others, last = tables
    return "\n".join([*(table.stamp for table in others), last.key(task)])


def _columns_task(table: OfferedTable, *, show_names: bool) -> ColumnsTask:
    return {"task": "columns", "source": table.source, "reading": table.reading, "show_names": show_names}
