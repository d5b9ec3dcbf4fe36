"""Pages from templates: everything is escaped, and every form carries the session's token."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from idbits._version import __version__
from idbits.render.html import environment
from idbits.web.security import caller_of, known_to_pages, origin_of

__all__ = ["NAVIGATION", "render_page"]

NAVIGATION = (("Questions", "/"), ("Repository", "/repository"), ("Measure", "/measure"))


def render_page(request: Request, template: str, *, status_code: int = 200, **context: Any) -> HTMLResponse:
    """Return a page; templates know ``csrf_token``, ``role``, ``path``, ``address``, ``navigation``, ``version``."""
    known = {
        **known_to_pages(caller_of(request)),
        "path": request.url.path,
        "navigation": NAVIGATION,
        "address": origin_of(request),
        "version": __version__,
        **context,
    }
    return HTMLResponse(environment("idbits.web").get_template(template).render(known), status_code)
