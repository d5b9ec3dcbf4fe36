"""The two inventories and their matches."""

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
    """A questionnaire and its questions."""

    name: str = Field(min_length=1, max_length=200)
    where: str = Field(description="Where the questionnaire is used.", min_length=1, max_length=200)
    questions: Names
    population: dict[str, str] = Field(default_factory=dict, max_length=8)
    people: int | None = Field(default=None, ge=1, le=_MOST_PEOPLE)


@router.get("/tables", summary="The tables of data holders")
def read_tables(store: Store) -> JSONResponse:
    """Return the recorded tables of all holders."""
    return JSONResponse({"tables": [table.to_dict() for table in store.tables()]})


@router.post("/tables", status_code=201, summary="Record a holder's table")
def add_table(store: Store, caller: Publisher, table: NewTable) -> JSONResponse:
    """Record a table; it replaces a table of the same holder and name in the list."""
    recorded = store.record_table(table.model_dump(), by=caller.name, holder=holder_of(caller))
    return JSONResponse(recorded.to_dict(), 201)


@router.get("/questionnaires", summary="All questionnaires")
def read_questionnaires(store: Store) -> JSONResponse:
    """Return the recorded questionnaires."""
    return JSONResponse({"questionnaires": [questionnaire.to_dict() for questionnaire in store.questionnaires()]})


@router.post("/questionnaires", status_code=201, summary="Record a questionnaire")
def add_questionnaire(store: Store, caller: Publisher, questionnaire: NewQuestionnaire) -> JSONResponse:
    """Record a questionnaire; it replaces one with the same name and place in the list."""
    return JSONResponse(store.record_questionnaire(questionnaire.model_dump(), by=caller.name).to_dict(), 201)


@router.get("/matches", summary="Quasi-identifiers worth publishing, most exposed first")
def read_matches(store: Store, published: Annotated[bool, Query()] = False) -> JSONResponse:
    """Return quasi-identifiers that are asked for and could be counted; ``published`` includes published ones."""
    return JSONResponse({"matches": [match.to_dict() for match in store.matches(published=published)]})
