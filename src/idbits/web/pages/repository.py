"""The second page: find an entry, see its source, predict with it, record decisions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from idbits.errors import EntryNotFoundError, IdbitsError, InputError, NotAllowedError
from idbits.repository.accounts import may
from idbits.repository.entries import Entry
from idbits.repository.queries import QueryAnswer
from idbits.studies.shared.serialisation import JsonObject, plain, to_json, with_schema
from idbits.web.api.common import read_qid
from idbits.web.browser import comes_from_script, read_form, render_page, with_query
from idbits.web.forecasting import forecast, forecast_sentence, forecast_task, is_quick, read_k
from idbits.web.pages.entry_view import (
    answer_in_words,
    decision_row,
    entry_charts,
    entry_row,
    facts,
    population_in_words,
    provenance,
    qid_in_words,
    spread_in_words,
)
from idbits.web.pages.look_up import look_up_choices, look_up_help, read_population
from idbits.web.security import caller_of
from idbits.web.state import state_of
from idbits.web.wording import as_sentence
from idbits.web.work.queue import Work

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_PATIENCE_SECONDS = 1.0
_LISTED = 50
_DECISION = {"decision": "What was decided?", "by": "By whom?", "why": "Why?"}
"""The label of each field of a decision."""


@dataclass(frozen=True, slots=True)
class _SearchResult:
    """Matching entries; the answer, if a precise question was asked; and whether there are more entries."""

    entries: tuple[Entry, ...] = ()
    unverified: tuple[str, ...] = ()
    answer: QueryAnswer | None = None
    has_more: bool = False


@router.get("/repository")
def find(request: Request) -> Response:
    """Show matching entries and the latest decisions."""
    given = request.query_params
    problem = None
    try:
        _require_something_to_look_up(request)
        offset, matches = _offset(request), _search(request)
    except InputError as error:
        problem, offset, matches = as_sentence(str(error)), 0, _SearchResult()
    state = state_of(request)
    store = state.shown_repository()
    qid, population = given.get("qid", "").strip(), given.get("population", "").strip()
    examples = state.shows_examples
    is_incomplete = problem is not None and not given.get("text") and not (qid and population)
    return render_page(
        request,
        "repository.html",
        200 if problem is None else 400,
        problem=problem,
        given={name: given.get(name, "") for name in ("text", "qid", "population", "size", "old", "offset")},
        rows=[entry_row(entry) for entry in matches.entries],
        unverified=matches.unverified,
        answer=answer_in_words(matches.answer),
        more=matches.has_more,
        next_offset=offset + _LISTED,
        decisions=[decision_row(decision) for decision in store.decisions()[-5:][::-1]],
        concepts=store.vocabulary().concepts,
        matches=store.matches()[:5],
        help=look_up_help(store),
        choices=look_up_choices(store, qid, population) if is_incomplete else (),
        missing=[name for name, typed in (("qid", qid), ("population", population)) if is_incomplete and not typed],
        examples=examples,
        demo=state.settings.demo or examples,
        total=store.head()[0],
        conflicts=len(state.repository.conflicts()) if may(caller_of(request).role, "admin") else None,
        json_address=with_query(request, "/repository.json"),
    )


@router.get("/repository.json")
def find_json(request: Request) -> Response:
    """Return the same as data."""
    matches = _search(request)
    data: JsonObject = {
        "entries": [plain(entry.to_dict()) for entry in matches.entries],
        "unverified": list(matches.unverified),
    }
    if matches.answer is not None:
        data |= {"query": plain(matches.answer.to_dict())}
    return Response(to_json(with_schema("repository", data)), media_type="application/json")


def _require_something_to_look_up(request: Request) -> None:
    given = request.query_params
    if "qid" in given and not any(given.get(name, "").strip() for name in ("qid", "population", "text")):
        raise InputError("enter the questions and the population to look up")


def _offset(request: Request) -> int:
    text = request.query_params.get("offset") or "0"
    if not text.isdecimal() or len(text) > 8:
        raise InputError("offset must be a whole number")
    return int(text)


def _search(request: Request) -> _SearchResult:
    """Return the entries and the answer for the parameters of the address."""
    given, store = request.query_params, state_of(request).shown_repository()
    if any(len(value) > 1000 or "\0" in value for value in given.values()):
        raise InputError("a field may have at most 1,000 characters of text")
    qid, population = given.get("qid", "").strip(), given.get("population", "").strip()
    if population and not qid:
        raise InputError("enter at least one question, for example age, gender")
    if qid and not population:
        raise InputError("enter a population, for example Country=Norway")
    if qid:
        size = given.get("size", "").replace(",", "").strip()
        if size and (not size.isdecimal() or not 1 <= int(size[:12]) <= 10**11):
            raise InputError("the number of people must be a whole number")
        answer = store.query(read_qid(qid), read_population(population), int(size) if size else None)
        return _SearchResult(answer.exact, answer=answer)
    status = ("current", "superseded", "retracted") if given.get("old") == "yes" else ("current",)
    listing = store.entries(text=given.get("text", ""), status=status, limit=_LISTED + 1, offset=_offset(request))
    more = len(listing.entries) > _LISTED
    return _SearchResult(listing.entries[:_LISTED], listing.unverified, has_more=more)


@router.get("/repository/entries/{ref}.json")
def show_json(request: Request, ref: str) -> Response:
    """Return an entry, its prediction and its decisions as data."""
    entry, k = _entry(request, ref), read_k(request.query_params.get("k"))
    decisions = state_of(request).shown_repository().decisions(entry.ref)
    data: JsonObject = {"entry": plain(entry.to_dict()), "decisions": plain(decisions)}
    if not entry.is_retracted:
        outcome = _forecast(request, entry, k)
        if outcome.work is not None and not outcome.is_done:
            work = outcome.work
            return JSONResponse({"working": work.label, "part": work.part, "work": work.ident}, 202)
        if outcome.prediction is None:
            data |= {"error": outcome.error}
        else:
            data |= {name: outcome.prediction[name] for name in ("uniqueness", "singletons")}
    return Response(to_json(with_schema("entry", data)), media_type="application/json")


@router.get("/repository/entries/{ref}")
def show(request: Request, ref: str) -> Response:
    """Show an entry: its source, unevenness, prediction and decisions."""
    entry, typed_k = _entry(request, ref), request.query_params.get("k")
    try:
        k = read_k(typed_k)
    except InputError as error:
        return _page(request, entry, read_k(None), wrong_k=(typed_k or "", as_sentence(str(error))))
    # An error page leads back to a decision that was typed already.
    typed = {name: value for name in _DECISION if (value := request.query_params.get(name))}
    return _page(request, entry, k, typed=typed)


@router.post("/repository/entries/{ref}/decisions")
async def decide(request: Request, ref: str) -> Response:
    """Record a decision: what, by whom, and why."""
    from starlette.concurrency import run_in_threadpool

    form = await read_form(request)
    typed = {name: form.get(name, "").strip() for name in _DECISION}
    return await run_in_threadpool(_decide, request, ref, typed)


def _decide(request: Request, ref: str, typed: dict[str, str]) -> Response:
    caller, state = caller_of(request), state_of(request)
    if not may(caller.role, "publisher"):
        raise NotAllowedError("recording a decision needs a key with the role publisher")
    if state.shows_examples:
        raise NotAllowedError("decisions about examples are not recorded; publish an entry first")
    entry, k = _entry(request, ref), read_k(request.query_params.get("k"))
    try:
        state.repository.decide(ref=entry.ref, recorded_by=caller.name, **typed)
    except InputError as error:
        message = re.sub(r'"(decision|by|why)"', lambda match: f"“{_DECISION[match[1]]}”", str(error))
        return _page(request, entry, k, problem=as_sentence(message), typed=typed)
    return RedirectResponse(f"/repository/entries/{entry.ref}?k={k}#decisions", status_code=303)


def _entry(request: Request, ref: str) -> Entry:
    if re.fullmatch("[0-9a-f]{16}", ref) is None:
        raise EntryNotFoundError("no entry has this reference")
    return state_of(request).shown_repository().entry(ref)


@dataclass(frozen=True, slots=True)
class _Forecast:
    """The prediction of an entry, or why there is none; and the work, if it takes long."""

    prediction: JsonObject | None = None
    error: str | None = None
    work: Work | None = None
    is_done: bool = True


def _forecast(request: Request, entry: Entry, k: int) -> _Forecast:
    task = forecast_task(entry, k)
    if is_quick(entry, k):
        try:
            return _Forecast(forecast(k, task["drawn_from"]))
        except IdbitsError as error:
            return _Forecast(error=as_sentence(str(error)))
    queue = state_of(request).work_queue
    work = queue.work(f"forecast {entry.ref} {k}", task, caller_of(request).account)
    done = work.done.wait(_PATIENCE_SECONDS)
    return _Forecast(work.result, as_sentence(work.error) if work.error else None, work, done)


def _page(
    request: Request,
    entry: Entry,
    k: int,
    *,
    problem: str | None = None,
    typed: dict[str, str] | None = None,
    wrong_k: tuple[str, str] | None = None,
) -> Response:
    """Show an entry; ``wrong_k`` is a number of people that cannot be used, and why: then nothing is predicted."""
    state, statement = state_of(request), entry.statement
    store, examples = state.shown_repository(), state.shows_examples
    same = store.entries(statement.qid, dict(statement.population)).entries
    others = [other for other in same if other.ref != entry.ref]
    if entry.is_retracted:
        wrong_k, outcome = None, _Forecast()
    elif wrong_k is not None:
        outcome = _Forecast(error=wrong_k[1])
    else:
        outcome = _forecast(request, entry, k)
    # A field that was cleared stays empty.
    k_shown = "" if request.query_params.get("k") == "" else k
    ask = [("place", "other"), ("people", statement.n_people), ("q", f"entry.{entry.ref}")]
    # Scripts do not show answers with an error status.
    failed = problem is not None or (wrong_k is not None and not comes_from_script(request))
    return render_page(
        request,
        "entry.html",
        400 if failed else 200,
        entry=entry,
        title=f"{qid_in_words(statement.qid)} in {population_in_words(statement.population)}",
        facts=facts(entry),
        provenance=provenance(entry, store.origin(entry.ref) if entry.imported_from is not None else None),
        others=[entry_row(other) for other in others],
        spread=spread_in_words((entry, *others)) if others and entry.status == "current" else None,
        decisions=[decision_row(decision) for decision in store.decisions(entry.ref)],
        typed=typed or {},
        problem=problem,
        k=k,
        k_typed=wrong_k[0] if wrong_k is not None else k_shown,
        wrong_k=wrong_k,
        json_address=f"/repository/entries/{entry.ref}.json?k={k}",
        ask_address=f"/?{urlencode(ask)}",
        charts=entry_charts(entry, k) if not entry.is_retracted else None,
        examples=examples,
        may_decide=may(caller_of(request).role, "publisher") and not examples,
        done=outcome.is_done,
        prediction=outcome.prediction,
        sentence=forecast_sentence(outcome.prediction, k) if outcome.prediction is not None else "",
        error=outcome.error,
        work=outcome.work,
    )
