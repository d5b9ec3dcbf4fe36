"""The two inventories and what matches in them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import JSONResponse

from idbits.web.api.common import FAILURES, Body, Publisher, Store, holder_of

__all__ = ["router"]

router = APIRouter(tags=["inventories"], responses=FAILURES)

_MOST_PEOPLE = 10**11
Names = Annotated[list[str], Field(min_length=1, max_length=200)]


class NewTable(Body):
    """A table that a holder has."""

    name: str = Field(min_length=1, max_length=200)
    holder: str = Field(min_length=1, max_length=200)
    columns: Names
    population: dict[str, str] = Field(min_length=1, max_length=8)
    size: int = Field(ge=1, le=_MOST_PEOPLE)


class NewQuestionnaire(Body):
    """A questionnaire and what it asks."""

    name: str = Field(min_length=1, max_length=200)
    where: str = Field(description="Where it is held.", min_length=1, max_length=200)
    questions: Names
    population: dict[str, str] = Field(default_factory=dict, max_length=8)
    people: int | None = Field(default=None, ge=1, le=_MOST_PEOPLE)


@router.get("/tables", summary="Which holders have which columns")
def read_tables(store: Store) -> JSONResponse:
    """Return the holders' tables."""
    return JSONResponse({"tables": [table.to_dict() for table in store.tables()]})


@router.post("/tables", status_code=201, summary="Write down a holder's table")
def add_table(store: Store, caller: Publisher, table: NewTable) -> JSONResponse:
    """Write down a table; one of the same holder and name is replaced on the list."""
    recorded = store.record_table(table.model_dump(), by=caller.name, holder=holder_of(caller))
    return JSONResponse(recorded.to_dict(), 201)


@router.get("/questionnaires", summary="Which questions are asked where")
def read_questionnaires(store: Store) -> JSONResponse:
    """Return the questionnaires."""
    return JSONResponse({"questionnaires": [questionnaire.to_dict() for questionnaire in store.questionnaires()]})


@router.post("/questionnaires", status_code=201, summary="Write down a questionnaire")
def add_questionnaire(store: Store, caller: Publisher, questionnaire: NewQuestionnaire) -> JSONResponse:
    """Write down a questionnaire; one of the same name and place is replaced on the list."""
    return JSONResponse(store.record_questionnaire(questionnaire.model_dump(), by=caller.name).to_dict(), 201)


@router.get("/matches", summary="Quasi-identifiers worth publishing, most exposed first")
def read_matches(store: Store, published: Annotated[bool, Query()] = False) -> JSONResponse:
    """Return what is asked for and could be counted; with ``published`` what has been published, too."""
    return JSONResponse({"matches": [match.to_dict() for match in store.matches(published=published)]})
