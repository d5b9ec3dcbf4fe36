"""Other repositories: those that are followed, and conflicts with them, which an admin decides."""

from __future__ import annotations

import re

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from idbits.errors import EntryNotFoundError, InputError, NotAllowedError, RefusedError
from idbits.render.numbers import count
from idbits.repository.accounts import may
from idbits.repository.conflicts import Conflict, ConflictKind
from idbits.repository.following import Followed
from idbits.web.browser import read_form, render_page
from idbits.web.pages.entry_view import moment, population_in_words, qid_in_words
from idbits.web.security import caller_of
from idbits.web.state import state_of
from idbits.web.wording import as_sentence

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_ADDRESS = "/repository/exchange"
_TITLES = {
    ConflictKind.RULE: "Together with the entries here, it would reveal a small group",
    ConflictKind.REPLACED: "Two entries replace the same one",
    ConflictKind.VOCABULARY: "It uses a name that means something else here",
    ConflictKind.UNSIGNED: "It uses a name that is unknown here, and nobody signed what it means",
    ConflictKind.DIFFERS: "The same holder published other figures here, for the same day",
    ConflictKind.RETRACTED: "It was retracted there, and not here",
}
_TAKING = {
    ConflictKind.RULE: "Try to add theirs",
    ConflictKind.UNSIGNED: "Try to add theirs",
    ConflictKind.DIFFERS: "Show both",
    ConflictKind.RETRACTED: "Retract ours too",
}
"""What taking theirs means, for the kinds of conflicts in which it is possible."""


@router.get(_ADDRESS)
def show(request: Request) -> Response:
    """Show the followed repositories and the conflicts with other repositories."""
    _require_admin(request)
    return _page(request)


@router.post("/repository/conflicts/{ref}")
async def decide(request: Request, ref: str) -> Response:
    """Decide a conflict, with the reason."""
    from starlette.concurrency import run_in_threadpool

    form = await read_form(request)
    return await run_in_threadpool(_decide, request, ref, form.get("keep", ""), form.get("reason", "").strip())


def _decide(request: Request, ref: str, keep: str, reason: str) -> Response:
    _require_admin(request)
    if re.fullmatch("[0-9a-f]{16}", ref) is None:
        raise EntryNotFoundError("there is no conflict about an entry with this reference")
    try:
        state_of(request).repository.resolve(ref, keep, reason, by=caller_of(request).name)
    except (InputError, RefusedError) as error:
        return _page(request, problem=(ref, as_sentence(str(error))), typed=reason)
    return RedirectResponse(f"{_ADDRESS}#conflicts", status_code=303)


def _require_admin(request: Request) -> None:
    if not may(caller_of(request).role, "admin"):
        raise NotAllowedError("only an admin sees conflicts with other repositories")


def _page(request: Request, *, problem: tuple[str, str] | None = None, typed: str = "") -> Response:
    store = state_of(request).repository
    conflicts = store.conflicts(decided=True)
    return render_page(
        request,
        "exchange.html",
        400 if problem is not None else 200,
        followed=[_followed_row(each) for each in store.followed()],
        open=[_conflict_row(each) for each in conflicts if each.is_open],
        decided=[_conflict_row(each) for each in conflicts if not each.is_open][::-1],
        problem=problem,
        typed=typed,
    )


def _followed_row(followed: Followed) -> dict[str, object]:
    return {
        "url": followed.url,
        "since": moment(followed.added_at),
        "read": moment(followed.read_at) if followed.read_at is not None else "",
        "line": count(followed.cursor.sequence),
        "problem": as_sentence(followed.problem) if followed.problem is not None else "",
        "untrusted": [(each.holder, each.entries, key) for key, each in followed.untrusted.items()],
    }


def _conflict_row(conflict: Conflict) -> dict[str, object]:
    return {
        "ref": conflict.ref,
        "title": _TITLES.get(conflict.kind, conflict.kind),
        "qid": qid_in_words(conflict.qid),
        "where": population_in_words(conflict.population),
        "holder": conflict.holder,
        "date": conflict.date,
        "source": conflict.source,
        "seen": moment(conflict.seen_at),
        "why": as_sentence(conflict.why),
        "ours": conflict.ours,
        "taking": _TAKING.get(conflict.kind, ""),
        "kept": conflict.kept,
        "reason": conflict.reason,
        "by": conflict.decided_by,
        "when": moment(conflict.decided_at) if conflict.decided_at is not None else "",
    }
