"""Forms and script requests from browsers, and pages for them.

Everything in pages is escaped, and every form sends the token of the session.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse

from idbits._version import __version__
from idbits.errors import InputError
from idbits.render.html import environment
from idbits.web.security import caller_of

__all__ = ["NAVIGATION", "comes_from_script", "read_form", "render_page", "with_query"]

NAVIGATION = (
    ("Questions", "/"),
    ("Repository", "/repository"),
    ("Measure", "/measure"),
    ("Compare", "/overlap"),
    ("Second table", "/link"),
    ("Decisions", "/decisions"),
)
_MOST_FIELDS = 1000


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form; the guard has checked its size."""
    body = await request.body()
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise InputError("the form cannot be read") from None


def comes_from_script(request: Request) -> bool:
    """Whether htmx sent the request, to replace a part of the page."""
    return request.headers.get("hx-request") == "true"


def with_query(request: Request, path: str) -> str:
    """Return a path with the parameters of the current address."""
    return f"{path}?{request.url.query}" if request.url.query else path


def render_page(request: Request, template: str, status_code: int = 200, /, **context: object) -> HTMLResponse:
    """Return a page; templates can use ``csrf_token``, ``role``, ``path``, ``navigation``, ``version``."""
    caller = caller_of(request)
    known = {
        "csrf_token": caller.session.csrf_token if caller.session is not None else "",
        "role": caller.role,
        "path": request.url.path,
        "navigation": NAVIGATION,
        "version": __version__,
        **context,
    }
    return HTMLResponse(environment("idbits.web").get_template(template).render(known), status_code)
