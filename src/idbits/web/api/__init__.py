"""The JSON interface under /api/v1: thin routes over ``idbits.repository``."""

from __future__ import annotations

from fastapi import APIRouter

from idbits.web.api import administration, entries, exchange, inventories, vocabulary

__all__ = ["routers"]

_PREFIX = "/api/v1"


def routers() -> list[APIRouter]:
    """Return the routers of the JSON interface."""
    above = APIRouter(prefix=_PREFIX)
    for part in (entries, vocabulary, inventories, exchange, administration):
        above.include_router(part.router)
    return [above]
