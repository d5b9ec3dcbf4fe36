"""Accounts and the audit log."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse

from idbits.web.api.common import FAILURES, Admin, Body, Store
from idbits.web.security import caller_of

__all__ = ["router"]

router = APIRouter(tags=["administration"], responses=FAILURES)


class NewAccount(Body):
    """A new account, which gets an API key."""

    name: str = Field(min_length=1, max_length=80)
    role: Literal["reader", "publisher", "admin"]
    public_key: str | None = Field(default=None, max_length=100)
    holder: str | None = Field(default=None, max_length=200)


@router.get("/me", summary="The account of this key")
def me(request: Request) -> JSONResponse:
    """Return the account that sent the request."""
    caller = caller_of(request)
    if caller.key_account is not None:
        return JSONResponse(asdict(caller.key_account))
    return JSONResponse(
        {"name": caller.name, "role": caller.role, "public_key": None, "holder": None, "revoked": False}
    )


@router.get("/accounts", summary="All accounts")
def read_accounts(store: Store, caller: Admin) -> JSONResponse:  # noqa: ARG001 (only checks the role)
    """Return all accounts, without their keys."""
    return JSONResponse({"accounts": [asdict(account) for account in store.accounts()]})


@router.post("/accounts", status_code=201, summary="Add an account")
def add_account(store: Store, caller: Admin, account: NewAccount) -> JSONResponse:
    """Add an account and return its API key, which cannot be shown again."""
    key = store.add_account(
        account.name, account.role, by=caller.name, public_key=account.public_key, holder=account.holder
    )
    return JSONResponse({"name": account.name, "role": account.role, "key": key}, 201)


@router.post("/accounts/{name}/revocation", status_code=201, summary="Revoke an account's key")
def revoke(store: Store, caller: Admin, name: Annotated[str, Path(max_length=80)]) -> JSONResponse:
    """Revoke the API key of an account; its published entries stay."""
    store.revoke(name, by=caller.name)
    return JSONResponse({"name": name, "revoked": True}, 201)


@router.get("/audit", summary="Lines of the audit log")
def read_audit(
    store: Store, after: Annotated[int, Query(ge=0, lt=2**31)] = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> JSONResponse:
    """Return lines of the log, oldest first, and the head: the number and hash of the last line."""
    sequence, hash_ = store.head()
    lines = [line.to_dict() for line in store.audit(after=after, limit=limit)]
    return JSONResponse({"lines": lines, "head": {"sequence": sequence, "hash": hash_}})


@router.get("/audit/verification", summary="Check the whole repository")
def verify(store: Store, caller: Admin) -> JSONResponse:  # noqa: ARG001
    """Check the log, the rows and the signatures, and return all problems found."""
    problems = store.verify()
    sequence, hash_ = store.head()
    return JSONResponse(
        {
            "verified": not problems,
            "problems": [asdict(problem) for problem in problems],
            "head": {"sequence": sequence, "hash": hash_},
        }
    )
