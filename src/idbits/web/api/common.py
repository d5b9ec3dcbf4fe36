"""Shared parts of the routes: the caller and its rights, and the format of names and pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Path, Query
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request

from idbits.errors import InputError, NotAllowedError
from idbits.repository.accounts import may
from idbits.repository.service import Repository
from idbits.values.attributes import split_names
from idbits.web.security import Caller, caller_of
from idbits.web.state import state_of

__all__ = [
    "FAILURES", "Admin", "Body", "Pairs", "Publisher", "Qid", "Reader", "Ref", "Store", "holder_of", "read_pairs",
    "read_qid",
]  # fmt: skip


class Body(BaseModel):
    """The body of a request; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Failure(BaseModel):
    """An error, in one sentence; ``rule`` names the rule that refused an entry."""

    error: str
    rule: str | None = None


FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure, "description": description}
    for status, description in {
        400: "The request is not valid.",
        401: "The request needs a valid API key.",
        403: "The role of this API key does not allow this.",
        404: "No entry has this reference.",
        409: "A rule of the repository refuses the entry; ``rule`` names the rule.",
        413: "The request is too large.",
        422: "A part of the request has the wrong form.",
        429: "Too many requests; try again later.",
        503: "The repository cannot answer: its database failed, or its content was changed.",
    }.items()
}

Ref = Annotated[str, Path(description="The reference of an entry.", pattern="^[0-9a-f]{16}$")]
Qid = Annotated[str, Query(description="Attributes, separated by commas: birthdate:year,gender.", max_length=1000)]
Pairs = Annotated[
    list[str], Query(description="A pair that describes the population: City=Amsterdam. May be repeated.", max_length=8)
]


def _repository(request: Request) -> Repository:
    return state_of(request).repository


Store = Annotated[Repository, Depends(_repository)]


def _needs(role: str) -> Callable[[Request], Caller]:
    def check(request: Request) -> Caller:
        caller = caller_of(request)
        if not may(caller.role, role):
            raise NotAllowedError(f"this needs an API key with the role {role}")
        return caller

    return check


Reader = Annotated[Caller, Depends(_needs("reader"))]
Publisher = Annotated[Caller, Depends(_needs("publisher"))]
Admin = Annotated[Caller, Depends(_needs("admin"))]


def holder_of(caller: Caller) -> str | None:
    """Return the data holder that a caller may act for; None for an admin, who may act for any."""
    if may(caller.role, "admin"):
        return None
    if caller.key_account is None or caller.key_account.holder is None:
        raise NotAllowedError("this account has no data holder to act for")
    return caller.key_account.holder


def read_qid(text: str) -> list[str]:
    """Return the attributes of a comma-separated list."""
    return split_names(text)


def read_pairs(pairs: list[str]) -> dict[str, str]:
    """Return pairs from texts such as ``City=Amsterdam``."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip() or not value.strip() or name.strip() in values:
            raise InputError("write a population as City=Amsterdam, with each attribute once")
        values[name.strip()] = value.strip()
    return values
