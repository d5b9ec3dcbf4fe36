"""The pages of the app, one file each: a router that ``routers`` lists."""

from __future__ import annotations

from fastapi import APIRouter

from idbits.web.pages import attack, link, measure, overlap, questions, repository, treat

__all__ = ["routers"]


def routers() -> list[APIRouter]:
    """Return the routers of all pages. They are left out of the OpenAPI description."""
    about_tables = [measure.router, overlap.router, link.router, attack.router, treat.router]
    return [questions.router, repository.router, *about_tables]
