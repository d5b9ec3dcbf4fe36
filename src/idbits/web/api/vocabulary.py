"""The vocabulary: the names of attributes."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import JSONResponse

from idbits.web.api.common import FAILURES, Admin, Body, Store

__all__ = ["router"]

router = APIRouter(tags=["vocabulary"], responses=FAILURES)


class NewConcept(Body):
    """A concept, or more aliases for an existing one."""

    name: str = Field(min_length=1, max_length=60)
    kind: str = Field(default="text", description="text, integer, number, boolean or date", max_length=20)
    description: str = Field(default="", max_length=500)
    aliases: dict[str, str] = Field(
        default_factory=dict, description="Other names, each with the transforms it implies.", max_length=50
    )


@router.get("/vocabulary", summary="All concepts")
def read_vocabulary(store: Store) -> JSONResponse:
    """Return all concepts with their aliases."""
    return JSONResponse({"concepts": [concept.to_dict() for concept in store.vocabulary().concepts]})


@router.post("/vocabulary", status_code=201, summary="Extend the vocabulary")
def extend(store: Store, caller: Admin, concept: NewConcept) -> JSONResponse:
    """Add a concept or aliases; the meaning of a name never changes."""
    return JSONResponse(store.extend_vocabulary(concept.model_dump(), by=caller.name).to_dict(), 201)
