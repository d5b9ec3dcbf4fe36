"""The second page: find an entry, see where it comes from, predict with it, write down what was decided."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from idbits.errors import EntryNotFoundError, IdbitsError, InputError, NotAllowedError
from idbits.repository.accounts import may
from idbits.repository.entries import Entry
from idbits.repository.service import Repository
from idbits.studies.shared.serialisation import to_json, with_schema
from idbits.web.api.common import read_pairs, read_qid
from idbits.web.forecasting import forecast, forecast_task, is_quick, read_k, shown_forecast
from idbits.web.forms import read_form
from idbits.web.pages.entry_shown import (
    answered,
    charts,
    decided,
    facts,
    listed,
    named,
    provenance,
    spread_words,
    where,
)
from idbits.web.rendering import render_page
from idbits.web.security import caller_of

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_PATIENCE_SECONDS = 1.0
_LISTED = 50


@router.get("/repository")
def find(request: Request) -> Response:
    """Show entries that fit, and the latest decisions."""
    given = request.query_params
    problem = None
    try:
        found = _found(request)
    except InputError as error:
        problem, found = str(error), {"entries": (), "unverified": (), "answer": None, "more": False}
    store: Repository = request.app.state.repository
    decisions = store.decisions()[-5:][::-1]
    return render_page(
        request,
        "repository.html",
        status_code=200 if problem is None else 400,
        problem=problem,
        given={name: given.get(name, "") for name in ("text", "qid", "population", "size", "old", "offset")},
        rows=[listed(entry) for entry in found["entries"]],
        unverified=found["unverified"],
        answer=answered(found["answer"]),
        more=found["more"],
        next_offset=_offset(request) + _LISTED,
        decisions=[decided(one) for one in decisions],
        concepts=store.vocabulary().concepts,
        matches=store.matches()[:5],
        demo=request.app.state.settings.demo,
        total=store.head()[0],
        json_address=f"/repository.json?{request.url.query}" if request.url.query else "/repository.json",
    )


@router.get("/repository.json")
def find_json(request: Request) -> Response:
    """Return the same as data."""
    found = _found(request)
    data: dict[str, Any] = {
        "entries": [entry.to_dict() for entry in found["entries"]],
        "unverified": list(found["unverified"]),
    }
    if found["answer"] is not None:
        data |= {"query": found["answer"].to_dict()}
    return Response(to_json(with_schema("repository", data)), media_type="application/json")


def _offset(request: Request) -> int:
    text = request.query_params.get("offset") or "0"
    if not text.isdecimal() or len(text) > 8:
        raise InputError("an offset is a whole number")
    return int(text)


def _found(request: Request) -> dict[str, Any]:
    """Return the entries and the answer that the parameters ask for."""
    given, store = request.query_params, request.app.state.repository
    if any(len(value) > 1000 or "\0" in value for value in given.values()):
        raise InputError("a field holds at most 1,000 characters, all of them text")
    qid, population = given.get("qid", "").strip(), given.get("population", "").strip()
    if population and not qid:
        raise InputError("say which questions you mean, for example age, gender")
    if qid and not population:
        raise InputError("say of which people, for example Country=Norway")
    answer = None
    if qid:
        size = given.get("size", "").replace(",", "").strip()
        if size and (not size.isdecimal() or not 1 <= int(size[:12]) <= 10**11):
            raise InputError("the size of a population is a whole number")
        pairs = [part for part in population.split(",") if part.strip()]
        answer = store.query(read_qid(qid), read_pairs(pairs), int(size) if size else None)
        return {"entries": answer.exact, "unverified": (), "answer": answer, "more": False}
    status = ("current", "superseded", "retracted") if given.get("old") == "yes" else ("current",)
    listing = store.entries(text=given.get("text", ""), status=status, limit=_LISTED + 1, offset=_offset(request))
    return {
        "entries": listing.entries[:_LISTED], "unverified": listing.unverified, "answer": None,
        "more": len(listing.entries) > _LISTED,
    }  # fmt: skip


@router.get("/repository/entries/{ref}.json")
def show_json(request: Request, ref: str) -> Response:
    """Return an entry, what it predicts and what was decided, as data."""
    entry, k = _entry(request, ref), read_k(request.query_params.get("k"))
    data: dict[str, Any] = {"entry": entry.to_dict(), "decisions": request.app.state.repository.decisions(entry.ref)}
    if not entry.is_retracted:
        done, found, error, work = _forecast(request, entry, k)
        if not done:
            return JSONResponse({"working": work.label, "part": work.part, "work": work.ident}, 202)
        data |= (
            {"error": error}
            if found is None
            else {"uniqueness": found["uniqueness"], "singletons": found["singletons"]}
        )
    return Response(to_json(with_schema("entry", data)), media_type="application/json")


@router.get("/repository/entries/{ref}")
def show(request: Request, ref: str) -> Response:
    """Show an entry: where it comes from, how uneven it is, what it predicts, what was decided."""
    entry, typed_k = _entry(request, ref), request.query_params.get("k")
    try:
        k = read_k(typed_k)
    except InputError as error:
        return _page(request, entry, read_k(None), problem=None, wrong_k=(typed_k or "", str(error)))
    return _page(request, entry, k, problem=None)


@router.post("/repository/entries/{ref}/decisions")
async def decide(request: Request, ref: str) -> Response:
    """Write down what was decided, by whom, and why."""
    from starlette.concurrency import run_in_threadpool

    form = await read_form(request)
    typed = {name: form.get(name, "").strip() for name in ("decision", "by", "why")}
    return await run_in_threadpool(_decide, request, ref, typed)


def _decide(request: Request, ref: str, typed: dict[str, str]) -> Response:
    caller, store = caller_of(request), request.app.state.repository
    if not may(caller.role, "publisher"):
        raise NotAllowedError("this needs a key of the role publisher")
    entry, k = _entry(request, ref), read_k(request.query_params.get("k"))
    try:
        store.decide(ref=entry.ref, recorded_by=caller.name, **typed)
    except InputError as error:
        return _page(request, entry, k, problem=str(error), typed=typed, status_code=400)
    return RedirectResponse(f"/repository/entries/{entry.ref}?k={k}#decisions", status_code=303)


def _entry(request: Request, ref: str) -> Entry:
    if re.fullmatch("[0-9a-f]{16}", ref) is None:
        raise EntryNotFoundError("no entry has this reference")
    store: Repository = request.app.state.repository
    return store.entry(ref)


def _forecast(request: Request, entry: Entry, k: int) -> tuple[bool, dict[str, Any] | None, str | None, Any]:
    """Return whether the forecast is done, what it is, or why there is none, and who is at work."""
    task = forecast_task(entry, k)
    if is_quick(entry, k):
        try:
            return True, forecast(k, task["drawn_from"]), None, None
        except IdbitsError as error:
            return True, None, str(error), None
    work = request.app.state.desk.work(f"forecast {entry.ref} {k}", task, caller_of(request).account)
    done = work.done.wait(_PATIENCE_SECONDS)
    return done, work.result, work.error, work


def _page(
    request: Request,
    entry: Entry,
    k: int,
    *,
    problem: str | None,
    typed: dict[str, str] | None = None,
    wrong_k: tuple[str, str] | None = None,
    status_code: int = 200,
) -> Response:
    """Show an entry; with a number of people that is none, which is told with what is wrong, nothing is predicted."""
    store: Repository = request.app.state.repository
    said = entry.statement
    others = [other for other in store.entries(said.qid, dict(said.population)).entries if other.ref != entry.ref]
    shown: dict[str, Any] = {
        "entry": entry,
        "title": f"{named(said.qid)} in {where(said.population)}",
        "facts": facts(entry),
        "provenance": provenance(entry),
        "others": [listed(other) for other in others],
        "spread": spread_words((entry, *others)) if others and entry.status == "current" else None,
        "decisions": [decided(one) for one in store.decisions(entry.ref)],
        "typed": typed or {},
        "problem": problem,
        "k": k,
        # A field that was emptied to be filled anew stays empty.
        "k_typed": "" if request.query_params.get("k") == "" else k,
        "json_address": f"/repository/entries/{entry.ref}.json?k={k}",
        "ask_address": f"/?{urlencode([('place', 'other'), ('people', said.n_people), ('q', f'entry.{entry.ref}')])}",
        "charts": None,
        "may_decide": may(caller_of(request).role, "publisher"),
    }
    if entry.is_retracted:
        return render_page(
            request,
            "entry.html",
            status_code=status_code,
            **shown,
            wrong_k=None,
            done=True,
            found=None,
            sentence="",
            error=None,
            work=None,
        )
    if wrong_k is None:
        done, found, error, work = _forecast(request, entry, k)
    else:
        done, found, work = True, None, None
        shown["k_typed"], error = wrong_k
    shown["charts"] = charts(entry, k)
    sentence = shown_forecast(found, k) if found is not None else ""
    # Scripts show nothing of an answer that says it failed.
    with_script = request.headers.get("hx-request") == "true"
    status = 400 if wrong_k is not None and not with_script else status_code
    return render_page(
        request,
        "entry.html",
        status_code=status,
        **shown,
        wrong_k=wrong_k,
        done=done,
        found=found,
        sentence=sentence,
        error=error,
        work=work,
    )
