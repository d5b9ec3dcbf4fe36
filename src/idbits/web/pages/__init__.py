"""The pages of the app, one file each: a router that ``routers`` lists."""

from __future__ import annotations

from fastapi import APIRouter

from idbits.web.pages import (
    answer,
    attack,
    decide,
    exchange,
    link,
    measure,
    over_time,
    overlap,
    population,
    questions,
    repository,
    treat,
)

__all__ = ["routers"]


def routers() -> list[APIRouter]:
    """Return the routers of all pages. They are left out of the OpenAPI description."""
    about_a_table = (measure, answer, population, over_time, treat, decide)
    return [page.router for page in (questions, exchange, repository, *about_a_table, overlap, link, attack)]
