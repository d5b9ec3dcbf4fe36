"""The tab Decide, the page to print with the decision, and the page with all decisions."""

from __future__ import annotations

import re
import secrets
from pathlib import PurePath
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from idbits.errors import InputError
from idbits.studies.decide.result import DECISIONS, DecisionRecord
from idbits.studies.decide.study import LONGEST_NAME, LONGEST_REASON
from idbits.studies.decide.text import moment
from idbits.studies.shared.serialisation import JsonObject, to_json
from idbits.web.browser import read_form, render_page
from idbits.web.decisions import DecisionText
from idbits.web.pages.table_tasks import report_task
from idbits.web.pages.table_work import offered_table, request_of, start_table_work, table_work_page
from idbits.web.pages.tabs import tab_page
from idbits.web.pages.treat import written_receipt
from idbits.web.security import owner_only
from idbits.web.state import state_of
from idbits.web.table_request import OfferedTable, TableRequest
from idbits.web.treatment_request import TreatmentChoice
from idbits.web.wording import as_sentence
from idbits.web.work.worker import ReportTask

__all__ = ["router"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(owner_only)])

_AS_IT_IS, _TREATED, _REFUSED = DECISIONS
_LABELS = {_AS_IT_IS: "Hand over as it is", _TREATED: "Hand over after treatment", _REFUSED: "Do not hand over"}
_STANDINGS = {_AS_IT_IS: "within", _TREATED: "within", _REFUSED: "over"}
_MEASURING_SECONDS = 20.0
_EMPTY = DecisionText("", "", "")
_SHOWN_HERE = 5


@router.get("/measure/decide")
def decide(request: Request) -> Response:
    """Show the form of a decision about the measured table."""
    return table_work_page(request, _plain_report, "Measuring", _form, shorten=False)


def _plain_report(request: Request, asked: TableRequest) -> tuple[OfferedTable, ReportTask]:
    return report_task(request, asked.without_reveal())


def _form(
    request: Request,
    asked: TableRequest,
    table: OfferedTable,
    result: JsonObject,
    typed: DecisionText = _EMPTY,
    problem: str | None = None,
    form_key: str | None = None,
) -> Response:
    parameters = list(request.query_params.multi_items())
    return _decision_page(request, asked, table, result, TreatmentChoice.read(parameters), typed, problem, form_key)


def _decision_page(
    request: Request,
    asked: TableRequest,
    table: OfferedTable,
    result: JsonObject,
    choice: TreatmentChoice,
    typed: DecisionText,
    problem: str | None,
    form_key: str | None,
) -> Response:
    treated = choice.number is not None and written_receipt(request, asked, choice) is not None
    more = {
        _AS_IT_IS: "" if result["level"] == "good" else "Against the verdict: say why it is acceptable.",
        _TREATED: "The treated file that you wrote; its receipt is kept with the record."
        if treated
        else "Write the treated file under Treat first, and the record names it.",
        _REFUSED: "",
    }
    records = state_of(request).decisions.records()
    return render_page(
        request,
        "decide.html",
        200 if problem is None else 400,
        **tab_page(request, asked, table, "decide", result),
        decisions=[(key, label, more[key]) for key, label in _LABELS.items()],
        typed=typed if typed.decision or not treated else DecisionText(_TREATED, typed.by, typed.why),
        form_query=choice.query(asked) if treated else asked.without_reveal().query(),
        form_key=form_key or secrets.token_urlsafe(12),
        is_kept=state_of(request).settings.keeps_decisions,
        problem=problem,
        list_title="Earlier decisions",
        records=[_shown(record) for record in records[:_SHOWN_HERE]],
        problems=[],
    )


@router.post("/measure/decide")
async def record_decision(request: Request) -> Response:
    """Record a decision; sending the same form twice records it once."""
    form = await read_form(request)
    return await run_in_threadpool(_record, request, form)


def _record(request: Request, form: dict[str, str]) -> Response:
    try:
        parameters = parse_qsl(form.get("query", ""), max_num_fields=10_000)
    except ValueError:
        raise InputError("the form cannot be read") from None
    asked, choice = TableRequest.read(parameters).without_reveal(), TreatmentChoice.read(parameters)
    why = _one_sign_per_line_end(form.get("why", ""))
    typed = DecisionText(form.get("decision", ""), form.get("by", "").strip(), why)
    table, task = report_task(request, asked)
    work = start_table_work(request, table, task)
    work.done.wait(_MEASURING_SECONDS)
    if work.result is None:
        # The page shows how far the measurement is, or why it fails.
        return RedirectResponse(f"/measure/decide?{form.get('query', '')}", status_code=303)
    form_key = form.get("form", "")
    try:
        receipt = written_receipt(request, asked, choice) if choice.number is not None else None
        _check(typed, form_key, has_receipt=receipt is not None)
        used = receipt if typed.decision == _TREATED else None
        number = state_of(request).decisions.record(form_key, typed, str(work.result["json"]), used)
    except InputError as error:
        sentence = as_sentence(str(error))
        return _decision_page(request, asked, table, work.result, choice, typed, sentence, form_key or None)
    return RedirectResponse(f"/measure/decided?{asked.query()}&record={number}", status_code=303)


def _one_sign_per_line_end(typed: str) -> str:
    """Return a text as its field counted it: browsers send two signs for the end of a line."""
    return typed.replace("\r\n", "\n").strip()


def _check(typed: DecisionText, form_key: str, *, has_receipt: bool) -> None:
    """Refuse a decision in which something is missing."""
    if typed.decision not in DECISIONS:
        raise InputError("choose what you decide")
    if not typed.why:
        raise InputError("write the reason of the decision")
    if not typed.by:
        raise InputError("write who decides")
    if len(typed.why) > LONGEST_REASON:
        raise InputError(f"the reason may have at most {LONGEST_REASON:,} characters")
    if len(typed.by) > LONGEST_NAME:
        raise InputError(f"the name of the person who decides may have at most {LONGEST_NAME:,} characters")
    if typed.decision == _TREATED and not has_receipt:
        raise InputError("write the treated file under Treat first; the record then names it")
    if not re.fullmatch("[A-Za-z0-9_-]{8,64}", form_key):
        raise InputError("this form is incomplete; load the page again")


@router.get("/measure/decided")
def decided(request: Request) -> Response:
    """Show a recorded decision."""
    asked = request_of(request).without_reveal()
    record = _asked_record(request)
    return render_page(
        request,
        "decided.html",
        **tab_page(request, asked, offered_table(request, asked), "decide"),
        record=_shown(record),
        place=str(state_of(request).decisions.file),
        is_kept=state_of(request).settings.keeps_decisions,
        page_address=f"/measure/signed?{asked.query()}&record={record.sequence}",
    )


def _asked_record(request: Request) -> DecisionRecord:
    number = request.query_params.get("record", "")
    record = state_of(request).decisions.found(int(number)) if re.fullmatch("[0-9]{1,9}", number) else None
    if record is None:
        raise InputError("there is no decision with this number")
    return record


@router.get("/measure/signed")
def page_to_print(request: Request) -> Response:
    """Show the report with the decision in its box, to print and sign."""
    return table_work_page(request, _decided_report, "Writing the page about", _printed, shorten=False)


def _decided_report(request: Request, asked: TableRequest) -> tuple[OfferedTable, ReportTask]:
    table, task = report_task(request, asked.without_reveal())
    decisions = state_of(request).decisions
    if decisions.problems():
        raise InputError("the records are not as they were written; the page Decisions shows what is wrong")
    return table, {**task, "decision": {"folder": str(decisions.path), "number": _asked_record(request).sequence}}


def _printed(request: Request, asked: TableRequest, table: OfferedTable, result: JsonObject) -> Response:
    record = _asked_record(request)
    return render_page(
        request,
        "signed.html",
        asked=asked,
        table=table,
        report=Markup(result["part"]),  # noqa: S704 (made by our template, which escapes)
        title=result["title"],
        verdict=result["verdict"],
        back=f"/measure/decided?{asked.without_reveal().query()}&record={record.sequence}",
    )


@router.get("/decisions")
def all_decisions(request: Request) -> Response:
    """Show all decisions."""
    folder = state_of(request).decisions
    return render_page(
        request,
        "decisions.html",
        list_title="Latest first",
        records=[_shown(record) for record in folder.records()],
        problems=folder.problems(),
        place=str(folder.file),
    )


@router.get("/decisions.json")
def all_decisions_json(request: Request) -> Response:
    """Return all decisions as data."""
    records = [record.to_dict() for record in state_of(request).decisions.records()]
    return Response(to_json({"records": records}), media_type="application/json")


def _shown(record: DecisionRecord) -> dict[str, object]:
    """Return a record as the pages show it."""
    return {
        "number": record.sequence,
        "at": moment(record),
        "table": PurePath(record.data.source or "").name or "a database",
        "title": _LABELS[record.decision],
        "standing": _STANDINGS[record.decision],
        "by": record.by,
        "why": record.why,
        "verdict": record.verdict,
        "receipt": record.receipt.file if record.receipt is not None else "",
        "reference": record.reference,
    }
