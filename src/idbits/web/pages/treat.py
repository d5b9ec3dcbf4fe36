"""The part Treat of an answer: what reaches a goal, before and after, and the treated file with its receipt."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from idbits.engines.open import is_database
from idbits.errors import InputError, NotAllowedError
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.browser import render_page
from idbits.web.pages.table_tasks import known_answer, known_result
from idbits.web.pages.table_work import (
    offered_table,
    person_arguments,
    request_of,
    start_table_work,
    table_work_page,
)
from idbits.web.pages.tabs import tab_page
from idbits.web.pages.waiting import PATIENCE_SECONDS, data_of_work
from idbits.web.security import owner_only
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest
from idbits.web.treating import RECEIPT, TREATED
from idbits.web.treatment_request import TreatmentChoice
from idbits.web.wording import as_sentence, without_commands
from idbits.web.work.worker import ApplyTask, TreatTask

__all__ = ["router", "written_receipt"]


def downloads_allowed(request: Request) -> None:
    """Refuse to hand out rows if the server was started without downloads."""
    if not state_of(request).settings.allows_downloads:
        raise NotAllowedError(
            "this server hands out no treated files; ask the person who started idbits to allow downloads"
        )


router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])


@router.get("/measure/treat")
def treat(request: Request) -> Response:
    """Show what reaches a goal, with the form for another goal; for people with several rows, what to do instead."""
    asked = request_of(request)
    known = known_answer(request, asked)
    if known is not None and cast("JsonObject", known["answer"])["has_several_rows"]:
        return _treatments(request, asked, offered_table(request, asked), None)
    return table_work_page(request, _treat_task, "Treating", _treatments, shorten=False, fail=_treat_failed)


def _choice(request: Request) -> TreatmentChoice:
    return TreatmentChoice.read(list(request.query_params.multi_items()))


def _treat_task(
    request: Request, asked: TableRequest, given: TreatmentChoice | None = None
) -> tuple[OfferedTable, TreatTask]:
    table, choice = offered_table(request, asked), given or _choice(request)
    if not asked.qid:
        raise InputError("tick at least one column that someone may know")
    if is_database(table.source):
        raise InputError("treatments need a table in a file; this source is a database")
    choice.check()
    return table, {
        "task": "treat",
        "source": table.source,
        "reading": table.reading,
        "qid": list(asked.qid),
        "persons": person_arguments(asked.persons(table.person)),
        "goal": choice.goal,
        "withhold": f"{choice.withhold}%",
        "keep": list(choice.keep),
    }


def _form(request: Request, asked: TableRequest, table: OfferedTable | None) -> dict[str, object]:
    choice = _choice(request)
    return {
        **tab_page(request, asked, table, "treat"),
        "choice": choice,
        "qid": [(name, name.partition(":")[0]) for name in asked.qid],
        "back": f"/measure/answer?{asked.without_reveal().query()}",
        "hidden": [*parse_qsl(asked.without_reveal().query(), keep_blank_values=True)],
        "downloads": state_of(request).settings.allows_downloads,
    }


def _treat_failed(request: Request, asked: TableRequest, error: str, status: int) -> Response:
    """Show the form again, with what was entered, what is wrong with it, and the treatments if they are known."""
    table, result = None, None
    with suppress(InputError):
        table, task = _treat_task(request, asked)
        if state_of(request).work_queue.has_done(table.key(task)):
            result = start_table_work(request, table, task).result
    return _treatments(request, asked, table, result, as_sentence(error), status)


def _treatments(
    request: Request,
    asked: TableRequest,
    table: OfferedTable | None,
    result: JsonObject | None,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    choice = replace(_choice(request), number=None)
    suggested = cast("list[JsonObject]", result["suggested"]) if result is not None else []
    addresses = [f"/measure/treated?{choice.chosen(number).query(asked)}" for number in range(len(suggested))]
    return render_page(
        request,
        "treat.html",
        status,
        **_form(request, asked, table),
        result=result,
        suggested=list(zip(suggested, addresses, strict=True)),
        bars=Markup(_drawn_bars(result)),  # noqa: S704 (our drawing, which escapes)
        problem=problem,
        data_address=f"/measure/treat.json?{choice.query(asked)}" if result is not None else "",
    )


def _drawn_bars(result: JsonObject | None) -> str:
    bars = cast("JsonObject | None", result["bars"]) if result is not None else None
    return str(bars["drawn"]) if bars is not None else ""


@router.get("/measure/treat.json")
def treat_json(request: Request) -> Response:
    """Return the same as data: a report with the treatments."""
    work = start_table_work(request, *_treat_task(request, request_of(request)))
    return data_of_work(work, lambda result: str(result["json"]))


@router.get("/measure/treated", dependencies=[Depends(downloads_allowed)])
def treated(request: Request) -> Response:
    """Write the treated file, and show what it gives away."""
    elsewhere = _without_plan(request)
    if elsewhere is not None:
        return elsewhere
    return table_work_page(request, _apply_task, "Writing", _treated_page, shorten=False, fail=_treat_failed)


def _without_plan(request: Request) -> Response | None:
    """Return the way back to the treatments if none was chosen that can be written."""
    asked = request_of(request)
    try:
        if _plan(request, asked) is not None:
            return None
    except InputError as error:
        return _treat_failed(request, asked, str(error), 400)
    choice = replace(_choice(request), number=None)
    return RedirectResponse(f"/measure/treat?{choice.query(asked)}", status_code=303)


def _plan(request: Request, asked: TableRequest) -> JsonObject | None:
    """Return the chosen treatment; None if it has not been looked for, does not exist, or misses its goal.

    Plans come from our own search and never from the address, so that no file is written that misses its goal.
    """
    number = _choice(request).number
    work = start_table_work(request, *_treat_task(request, asked))
    if not work.done.wait(PATIENCE_SECONDS) or work.result is None or number is None:
        return None
    return _suggestion(work.result, number)


def _suggestion(found: JsonObject, number: int | None) -> JsonObject | None:
    """Return a treatment by its number, if it reaches its goal."""
    suggested = cast("list[JsonObject]", found["suggested"])
    return (
        suggested[number] if number is not None and number < len(suggested) and suggested[number]["reached"] else None
    )


def _apply_task(request: Request, asked: TableRequest) -> tuple[OfferedTable, ApplyTask]:
    table, task = _treat_task(request, asked)
    chosen = _plan(request, asked)
    if chosen is None:
        raise InputError("this treatment is no longer known; look for treatments again")
    work = start_table_work(request, table, task)
    assert work.result is not None
    return table, _task_to_apply(table, task, work.result, chosen, asked, _choice(request))


def _task_to_apply(
    table: OfferedTable,
    task: TreatTask,
    found: JsonObject,
    chosen: JsonObject,
    asked: TableRequest,
    choice: TreatmentChoice,
) -> ApplyTask:
    """Return writing a treated file as work."""
    identifiers = cast("list[str]", found["identifiers"])
    planned = {name.partition(":")[0] for name in asked.qid}
    drop = [*dict.fromkeys(name for name in (*identifiers, *choice.drop) if name not in planned)]
    return {
        "task": "apply",
        "source": table.source,
        "reading": table.reading,
        "persons": task["persons"],
        "plan": cast("str", chosen["plan"]),
        "rest": cast("str", chosen["rest"]),
        "drop": drop,
        "keep": [name for name in cast("list[str]", found["kept"]) if name not in drop],
    }


def _treated_page(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    choice = _choice(request)
    query = choice.query(asked)
    return render_page(
        request,
        "treated.html",
        **_form(request, asked, table),
        result=result,
        notes=[without_commands(note) for note in cast("list[str]", result["notes"])],
        not_assessed=[without_commands(note) for note in cast("list[str]", result["not_assessed"])],
        treat_address=f"/measure/treat?{replace(choice, number=None).query(asked)}",
        file_address=f"/measure/treated.csv?{query}",
        receipt_address=f"/measure/treated.receipt.json?{query}",
        decide_address=f"/measure/decide?{query}",
    )


def written_receipt(request: Request, asked: TableRequest, choice: TreatmentChoice) -> Path | None:
    """Return the receipt of a treated file that has been written; None if there is none any more."""
    try:
        table, task = _treat_task(request, asked, choice)
        found = known_result(request, table, task)
        chosen = _suggestion(found, choice.number) if found is not None else None
        if found is None or chosen is None:
            return None
        written = state_of(request).work_queue.known(
            table.key(_task_to_apply(table, task, found, chosen, asked, choice))
        )
    except InputError:
        return None
    return written.file(RECEIPT) if written is not None else None


@router.get("/measure/treated.csv", dependencies=[Depends(downloads_allowed)])
def treated_file(request: Request) -> Response:
    """Return the treated file."""
    return _download(request, TREATED, "text/csv; charset=utf-8")


@router.get("/measure/treated.receipt.json", dependencies=[Depends(downloads_allowed)])
def receipt_file(request: Request) -> Response:
    """Return the receipt of the treated file."""
    return _download(request, RECEIPT, "application/json")


def _download(request: Request, name: str, media_type: str) -> Response:
    """Return a written file; if it is not there any more, go back to the page that writes it."""
    elsewhere = _without_plan(request)
    if elsewhere is not None:
        return elsewhere
    asked = request_of(request)
    work = start_table_work(request, *_apply_task(request, asked))
    path = work.file(name) if work.done.wait(PATIENCE_SECONDS) else None
    if path is None:
        return RedirectResponse(f"/measure/treated?{_choice(request).query(asked)}", status_code=303)
    return FileResponse(path, media_type=media_type, filename=name)
