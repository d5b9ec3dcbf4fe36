"""The JSON interface, under /api/v1: thin routes over ``idbits.repository``."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["routers"]


def routers() -> list[APIRouter]:
    """Return the routers of the JSON interface."""
    return []
