"""Exchange with other repositories: the feed that they follow, those that are followed here, and conflicts."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import JSONResponse

from idbits.web.api.common import FAILURES, Admin, Body, Ref, Store

__all__ = ["router"]

router = APIRouter(tags=["exchange"], responses=FAILURES)


class Resolution(Body):
    """The decision on a conflict, and why."""

    keep: Literal["ours", "theirs"]
    reason: str = Field(min_length=1, max_length=500)


@router.get("/feed", summary="The audit log with its entries, to follow this repository")
def read_feed(
    store: Store, after: Annotated[int, Query(ge=0, lt=2**31)] = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> JSONResponse:
    """Return lines of the log after a line, oldest first, their entries and retractions, and the head of the log."""
    return JSONResponse(store.feed(after, limit))


@router.get("/followed", summary="The repositories that are followed here")
def read_followed(store: Store, caller: Admin) -> JSONResponse:  # noqa: ARG001 (only checks the role)
    """Return the followed repositories, how far each was read, and problems with them."""
    return JSONResponse({"followed": [followed.to_dict() for followed in store.followed()]})


@router.get("/conflicts", summary="Conflicts with other repositories")
def read_conflicts(store: Store, caller: Admin, decided: Annotated[bool, Query()] = False) -> JSONResponse:  # noqa: ARG001
    """Return the open conflicts, oldest first; ``decided`` includes those that were decided."""
    return JSONResponse({"conflicts": [conflict.to_dict() for conflict in store.conflicts(decided=decided)]})


@router.post("/conflicts/{ref}/resolution", status_code=201, summary="Decide a conflict")
def resolve(store: Store, caller: Admin, ref: Ref, resolution: Resolution) -> JSONResponse:
    """Keep ours or take theirs, with the reason. A rule of small groups cannot be overruled."""
    return JSONResponse(store.resolve(ref, resolution.keep, resolution.reason, by=caller.name).to_dict(), 201)
