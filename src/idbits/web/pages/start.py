"""The first page."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from idbits.web.rendering import render_page

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/", response_class=HTMLResponse)
def start(request: Request) -> HTMLResponse:
    """Show where to go."""
    return render_page(request, "start.html")
