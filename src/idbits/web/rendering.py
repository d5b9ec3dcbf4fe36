"""Pages from templates: everything is escaped, and every form carries the session's token."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from idbits._version import __version__
from idbits.render.text import safe
from idbits.web.security import caller_of, known_to_pages

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["NAVIGATION", "environment", "render_page"]

NAVIGATION = (("Questions", "/"), ("Repository", "/repository"), ("Measure", "/measure"))


def render_page(request: Request, template: str, *, status_code: int = 200, **context: Any) -> HTMLResponse:
    """Return a page; templates know ``csrf_token``, ``role``, ``path``, ``address``, ``navigation``, ``version``."""
    known = {
        **known_to_pages(caller_of(request)),
        "path": request.url.path,
        "navigation": NAVIGATION,
        "address": request.app.state.settings.address,
        "version": __version__,
        **context,
    }
    return HTMLResponse(environment().get_template(template).render(known), status_code)


@cache
def environment() -> Environment:
    """Return the environment of all templates of the app."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("idbits.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda shown: safe(shown) if type(shown) is str else shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
