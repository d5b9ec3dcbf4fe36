"""What routes share: who asks, what they may, and how names and pairs are written."""

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
    """What is sent: no keys but its own."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Failure(BaseModel):
    """What went wrong, in one sentence."""

    error: str
    rule: str | None = None


FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure, "description": description}
    for status, description in {
        400: "The request cannot be understood.",
        401: "Sign in first.",
        403: "The key's role may not do this.",
        404: "There is no such entry.",
        409: "A rule of the repository refuses this; ``rule`` names it.",
        413: "The request is too large.",
        422: "What was sent does not fit.",
        429: "Too many requests.",
        503: "The repository cannot answer: its database failed, or what it holds was changed.",
    }.items()
}

Ref = Annotated[str, Path(description="The reference of an entry.", pattern="^[0-9a-f]{16}$")]
Qid = Annotated[str, Query(description="Attributes, parted by commas: birthdate:year,gender.", max_length=1000)]
Pairs = Annotated[
    list[str], Query(description="Pairs that describe the population: City=Amsterdam. Repeats.", max_length=8)
]


def _repository(request: Request) -> Repository:
    return state_of(request).repository


Store = Annotated[Repository, Depends(_repository)]


def _needs(role: str) -> Callable[[Request], Caller]:
    def check(request: Request) -> Caller:
        caller = caller_of(request)
        if not may(caller.role, role):
            raise NotAllowedError(f"this needs a key of the role {role}")
        return caller

    return check


Reader = Annotated[Caller, Depends(_needs("reader"))]
Publisher = Annotated[Caller, Depends(_needs("publisher"))]
Admin = Annotated[Caller, Depends(_needs("admin"))]


def holder_of(caller: Caller) -> str | None:
    """Return in whose name a caller may speak; None for anybody's, which only an admin may."""
    if may(caller.role, "admin"):
        return None
    if caller.key_account is None or caller.key_account.holder is None:
        raise NotAllowedError("this account does not speak for a data holder")
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
            raise InputError("a population is written City=Amsterdam, each attribute once")
        values[name.strip()] = value.strip()
    return values
