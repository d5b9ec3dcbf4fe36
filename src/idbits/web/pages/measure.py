"""The third page: measure a table where it lies."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from idbits.errors import InputError
from idbits.render.numbers import file_size, nearest
from idbits.studies.shared.serialisation import to_json, with_schema
from idbits.web.forms import read_form
from idbits.web.measuring import Asked, Chosen, choose
from idbits.web.pages.column_shown import shown_column
from idbits.web.rendering import render_page
from idbits.web.security import caller_of, owner_only
from idbits.web.work.desk import Desk, Work
from idbits.wording import counted

__all__ = ["router"]


router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])

# Small tables are done before anyone has seen a bar.
_PATIENCE_SECONDS = 1.0
_REFRESH = Response(headers={"HX-Refresh": "true"})
# htmx ends polling at this status. A poll that is on its way when Stop is pressed must not begin the work anew.
_STOPPED = Response(status_code=286)


@router.get("/measure")
def browse(request: Request) -> Response:
    """Show the folders and sources to choose from."""
    return render_page(request, "measure.html", **_browsed(request), json_address=_beside(request, "/measure.json"))


@router.get("/measure.json")
def browse_json(request: Request) -> Response:
    """Return the same as data."""
    found = _browsed(request)
    listing = found["listing"]
    return JSONResponse({
        "folders": [folder.name for folder in found["folders"]],
        "sources": [dataset.name for dataset in found["datasets"]],
        "path": listing.path if listing is not None else None,
        "entries": [
            {"name": entry.name, "path": entry.path, "folder": entry.is_folder, "bytes": entry.bytes}
            for entry in (listing.entries if listing is not None else ())
        ],
        "others": listing.others if listing is not None else 0,
        "more": listing.more if listing is not None else 0,
    })  # fmt: skip


def _browsed(request: Request) -> dict[str, Any]:
    state = request.app.state
    root = request.query_params.get("in", "0")
    listing = state.roots.listing(root, request.query_params.get("dir", "")) if state.roots.folders else None
    return {
        "root": root,
        "folders": state.roots.folders,
        "folder": state.roots.folder(root) if listing is not None else None,
        "listing": listing,
        "datasets": state.datasets,
        "at_once": state.settings.most_work,
        "memory": state.settings.memory,
        "sized": file_size,
    }


@router.get("/measure/columns")
def columns(request: Request) -> Response:
    """Show what a table holds, to pick columns from."""
    elsewhere = _in_short(request)
    if elsewhere is not None:
        return elsewhere
    if _was_stopped(request, _columns_task):
        return _STOPPED
    asked, chosen, work = _columns(request)
    shown = _shown(request, asked, chosen)
    if not work.done.wait(_PATIENCE_SECONDS) or work.result is None or _polls(request):
        return _without_result(request, work, f"Looking at {chosen.label}", shown)
    rows = [
        shown_column(place, column, work.result, chosen, asked) for place, column in enumerate(work.result["columns"])
    ]
    names = [column["column"] for column in work.result["columns"]]
    return render_page(
        request,
        "columns.html",
        **shown,
        rows=rows,
        names=names,
        n_rows=_size(work.result["n_rows"], chosen),
        n_columns=counted(len(names), "column"),
        notes=work.result["notes"],
        withheld=work.result["withheld"],
        again=Asked(asked.root, asked.file, asked.dataset).query(),
        no_header=_changed(asked, header=False),
        with_names=_changed(asked, show_names=True),
    )


@router.get("/measure/columns.json")
def columns_json(request: Request) -> Response:
    """Return the same as data."""
    _, _, work = _columns(request)
    return _data(work, lambda result: to_json(with_schema("inspect", result)))


@router.get("/measure/report")
def report(request: Request) -> Response:
    """Measure, and show the report."""
    elsewhere = _in_short(request)
    if elsewhere is not None:
        return elsewhere
    if _was_stopped(request, _report_task):
        return _STOPPED
    asked = Asked.read(list(request.query_params.multi_items()))
    chosen, work = _report(request, asked)
    shown = _shown(request, asked, chosen)
    if not work.done.wait(_PATIENCE_SECONDS) or work.result is None or _polls(request):
        return _without_result(request, work, f"Measuring {chosen.label}", shown)
    return render_page(
        request,
        "report.html",
        **shown,
        report=Markup(work.result["part"]),  # noqa: S704 (made by our template, which escapes)
        title=work.result["title"],
        verdict=work.result["verdict"],
        revealed=f"/measure/report?{_changed(asked, reveal=True)}",
        unrevealed=f"/measure/report?{_changed(asked, reveal=False)}",
        file_address=f"/measure/report.html?{asked.query()}",
    )


@router.get("/measure/report.json")
def report_json(request: Request) -> Response:
    """Return the same as data."""
    _, work = _report(request, Asked.read(list(request.query_params.multi_items())))
    return _data(work, lambda result: str(result["json"]))


@router.get("/measure/report.html")
def report_file(request: Request) -> Response:
    """Return the report as a file of its own."""
    asked = Asked.read(list(request.query_params.multi_items()))
    _, work = _report(request, asked)
    work.done.wait(_PATIENCE_SECONDS)
    if work.result is None:
        return RedirectResponse(f"/measure/report?{asked.query()}", status_code=303)
    disposition = {"Content-Disposition": 'attachment; filename="report.html"'}
    return Response(work.result["html"], media_type="text/html; charset=utf-8", headers=disposition)


@router.post("/measure/cancel")
async def cancel(request: Request) -> Response:
    """End a piece of work, and go back to where it can be asked differently."""
    form = await read_form(request)
    request.app.state.desk.cancel(form.get("work", ""))
    to = form.get("to", "")
    if re.fullmatch(r"/repository/entries/[0-9a-f]{16}(\?k=\d{1,7})?", to):
        return RedirectResponse(to, status_code=303)
    asked = Asked.read(parse_qsl(form.get("query", ""))).without_reveal()
    with contextlib.suppress(InputError):
        # Not where looking at the columns would be long work again.
        chosen, task = _columns_task(request, asked)
        if request.app.state.desk.has_done(chosen.key(task)):
            return RedirectResponse(f"/measure/columns?{asked.query()}", status_code=303)
    query = urlencode(parse_qsl(form.get("back", "")))
    return RedirectResponse(f"/measure?{query}" if query else "/measure", status_code=303)


@router.post("/measure/again")
async def again(request: Request) -> Response:
    """Forget what was found, so that it is looked at anew."""
    form = await read_form(request)
    asked = Asked.read(parse_qsl(form.get("query", "")))
    page = "columns" if form.get("page") == "columns" else "report"
    chosen, task = (_columns_task if page == "columns" else _report_task)(request, asked)
    request.app.state.desk.forget(chosen.key(task))
    return RedirectResponse(f"/measure/{page}?{asked.query()}", status_code=303)


def _in_short(request: Request) -> Response | None:
    """Return the way to the address that asks the same in short, where a form has sent all its fields."""
    parameters = list(request.query_params.multi_items())
    query = Asked.read(parameters).query()
    if _polls(request) or parse_qsl(query, keep_blank_values=True) == parameters:
        return None
    return RedirectResponse(f"{request.url.path}?{query}", status_code=303)


def _polls(request: Request) -> bool:
    """Whether a script asks how far the work is: when it is done, the whole page is loaded."""
    return request.headers.get("hx-request") == "true"


def _was_stopped(request: Request, task_of: Callable[[Request, Asked], tuple[Chosen, dict[str, Any]]]) -> bool:
    """Whether a script asks how far some work is that somebody has stopped."""
    if not _polls(request):
        return False
    chosen, task = task_of(request, Asked.read(list(request.query_params.multi_items())))
    desk: Desk = request.app.state.desk
    return desk.was_stopped(chosen.key(task))


def _columns(request: Request) -> tuple[Asked, Chosen, Work]:
    asked = Asked.read(list(request.query_params.multi_items()))
    chosen, task = _columns_task(request, asked)
    desk: Desk = request.app.state.desk
    return asked, chosen, desk.work(chosen.key(task), task, caller_of(request).account)


def _columns_task(request: Request, asked: Asked) -> tuple[Chosen, dict[str, Any]]:
    state = request.app.state
    chosen = choose(asked, state.roots, state.datasets, state.settings.memory)
    return chosen, {
        "task": "columns",
        "source": chosen.source,
        "reading": chosen.reading,
        "show_names": asked.show_names,
    }


def _report_task(request: Request, asked: Asked) -> tuple[Chosen, dict[str, Any]]:
    state = request.app.state
    chosen = choose(asked, state.roots, state.datasets, state.settings.memory)
    if not asked.qid:
        raise InputError("tick at least one column that someone may know")
    return chosen, {
        "task": "report",
        "source": chosen.source,
        "reading": chosen.reading,
        "qid": list(asked.qid),
        "by": asked.option("by"),
        "person": asked.option("person") or chosen.person,
        "reveal": asked.reveal,
    }


def _report(request: Request, asked: Asked) -> tuple[Chosen, Work]:
    chosen, task = _report_task(request, asked)
    desk: Desk = request.app.state.desk
    return chosen, desk.work(chosen.key(task), task, caller_of(request).account)


def _shown(request: Request, asked: Asked, chosen: Chosen) -> dict[str, Any]:
    return {
        "asked": asked,
        "chosen": chosen,
        "size": file_size(chosen.bytes),
        "json_address": _beside(request, f"{request.url.path}.json"),
    }


def _size(number: int, chosen: Chosen) -> str:
    return counted(number, "row") if "count" not in chosen.reading else f"{number:,} people"


def _without_result(request: Request, work: Work, title: str, shown: dict[str, Any]) -> Response:
    """Show how far the work is, or why it failed; a script that polls is told to load the page when work is done."""
    done = work.done.is_set()
    if done and _polls(request):
        return _REFRESH
    if done and work.result is None:
        status = 400 if work.exit_code == 2 else 422
        page = request.url.path.rsplit("/", 1)[-1]
        return render_page(request, "failed.html", status_code=status, sentence=work.error, page=page, **shown)
    percent = None if work.part is None else nearest(100 * work.part)
    address = f"{request.url.path}?{request.url.query}"
    return render_page(request, "working.html", work=work, title=title, percent=percent, address=address, **shown)


def _data(work: Work, made: Any) -> Response:
    """Return a result as JSON; 202 with the progress while it is being made."""
    if not work.done.wait(_PATIENCE_SECONDS):
        return JSONResponse({"working": work.label, "part": work.part, "work": work.ident}, 202)
    if work.result is None:
        return JSONResponse({"error": work.error}, 400 if work.exit_code == 2 else 422)
    return Response(made(work.result), media_type="application/json")


def _changed(asked: Asked, **changes: Any) -> str:
    return replace(asked, **changes).query()


def _beside(request: Request, path: str) -> str:
    return f"{path}?{request.url.query}" if request.url.query else path
