"""Entries: publish, find, query and retract them, and record decisions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import JSONResponse

from idbits.studies.shared.serialisation import with_schema
from idbits.web.api.common import (
    FAILURES,
    Body,
    Pairs,
    Publisher,
    Qid,
    Reader,
    Ref,
    Store,
    holder_of,
    read_pairs,
    read_qid,
)

__all__ = ["router"]

router = APIRouter(tags=["entries"], responses=FAILURES)


class SignedStatement(Body):
    """An entry as its publisher signed it."""

    statement: str = Field(description="The canonical text of the statement.", min_length=2, max_length=900_000)
    signature: str = Field(description="Its Ed25519 signature, base64.", max_length=100)
    public_key: str = Field(description="The publisher's public key, base64.", max_length=100)


class Retraction(Body):
    """The reason why an entry is retracted."""

    reason: str = Field(min_length=1, max_length=500)


class Decision(Body):
    """A decision based on an entry, who made it, and why."""

    decision: str = Field(min_length=1, max_length=1000)
    by: str = Field(min_length=1, max_length=1000)
    why: str = Field(min_length=1, max_length=1000)


@router.get("/entries", summary="List entries")
def list_entries(
    store: Store,
    qid: Annotated[str | None, Query(max_length=1000)] = None,
    population: Annotated[list[str] | None, Query(max_length=8)] = None,
    holder: Annotated[str | None, Query(max_length=200)] = None,
    text: Annotated[str | None, Query(description="Words to search for.", max_length=200)] = None,
    status: Annotated[list[Literal["current", "superseded", "retracted"]] | None, Query(max_length=3)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, lt=10**9)] = 0,
) -> JSONResponse:
    """Return entries with verified signatures, newest first; changed entries are listed by reference only."""
    listing = store.entries(
        read_qid(qid) if qid else None,
        read_pairs(population) if population else None,
        holder=holder,
        text=text,
        status=status or ("current",),
        limit=limit,
        offset=offset,
    )
    return JSONResponse(
        {"entries": [entry.to_dict() for entry in listing.entries], "unverified": list(listing.unverified)}
    )


@router.post("/entries", status_code=201, summary="Publish an entry")
def publish(store: Store, caller: Publisher, signed: SignedStatement) -> JSONResponse:
    """Publish a signed statement; publishing the same one again returns the same receipt."""
    # A browser session belongs to the owner of the machine, who is not a publisher: the signature decides.
    by = None if caller.session is not None else caller.name
    receipt = store.publish(signed.statement, signed.signature, signed.public_key, by=by)
    return JSONResponse({"receipt": asdict(receipt)}, 201)


@router.get("/entries/{ref}", summary="One entry")
def read_entry(store: Store, ref: Ref) -> JSONResponse:
    """Return an entry, after verifying its signature; a retracted entry has no figures."""
    return JSONResponse(store.entry(ref).to_dict())


@router.post("/entries/{ref}/retraction", status_code=201, summary="Retract an entry")
def retract(store: Store, caller: Publisher, ref: Ref, retraction: Retraction) -> JSONResponse:
    """Retract an entry of the account's data holder; an admin may retract any entry."""
    entry = store.retract(ref, retraction.reason, by=caller.name, holder=holder_of(caller))
    return JSONResponse(entry.to_dict(), 201)


@router.get("/entries/{ref}/decisions", summary="Decisions on an entry")
def read_decisions(store: Store, ref: Ref) -> JSONResponse:
    """Return the decisions based on an entry, oldest first."""
    store.entry(ref)
    return JSONResponse({"decisions": store.decisions(ref)})


@router.post("/entries/{ref}/decisions", status_code=201, summary="Record a decision")
def decide(store: Store, caller: Reader, ref: Ref, decision: Decision) -> JSONResponse:
    """Record a decision based on an entry."""
    sequence = store.decide(
        ref=ref, decision=decision.decision, by=decision.by, why=decision.why, recorded_by=caller.name
    )
    return JSONResponse({"sequence": sequence}, 201)


@router.get("/query", summary="What is known about a quasi-identifier in a population")
def query(
    store: Store, qid: Qid, population: Pairs, size: Annotated[int | None, Query(ge=1, le=10**11)] = None
) -> JSONResponse:
    """Return exact entries with their spread, and bounds from other entries."""
    answer = store.query(read_qid(qid), read_pairs(population), size)
    return JSONResponse(with_schema("query", answer.to_dict()))
