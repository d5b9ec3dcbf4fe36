"""Errors: JSON for programs, and for people a page with a way back to the form."""

from __future__ import annotations

import logging

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idbits.errors import EntryNotFoundError, IdbitsError, InputError, NotAllowedError, RefusedError, RepositoryError
from idbits.web.ways_back import ways_back
from idbits.web.wording import as_sentence
from idbits.web.work.queue import TooMuchWorkError

__all__ = ["add_failures"]

_log = logging.getLogger("idbits.web")
_LONGEST_REASON = 300
_STATUS = (
    (TooMuchWorkError, 429),
    (RefusedError, 409),
    (EntryNotFoundError, 404),
    (NotAllowedError, 403),
    (InputError, 400),
    (RepositoryError, 503),
)


def add_failures(app: FastAPI) -> None:
    """Answer every error with a sentence and a status."""

    @app.exception_handler(IdbitsError)
    def _expected(request: Request, error: IdbitsError) -> Response:
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 422)
        response = _answer(request, status, str(error), getattr(error, "rule", None))
        if isinstance(error, TooMuchWorkError):
            response.headers["Retry-After"] = str(error.retry_after_seconds)
        return response

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        sentence = "this address does not exist" if error.status_code == 404 else str(error.detail)
        response = _answer(request, error.status_code, sentence)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> Response:
        # Which field and why, without its value.
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        return _answer(request, 422, f"{field}: {first['msg']}"[:_LONGEST_REASON])

    @app.exception_handler(Exception)
    def _unexpected(request: Request, error: Exception) -> Response:
        # Only the type: a message or a traceback could contain what was sent.
        _log.error("%s %s: %s", request.method, request.url.path, type(error).__name__)
        return _answer(request, 500, f"internal error ({type(error).__name__}); please report it")


def _answer(request: Request, status: int, sentence: str, rule: str | None = None) -> Response:
    if request.url.path.startswith("/api/") or request.url.path.endswith(".json"):
        body = {"error": sentence} | ({"rule": rule} if rule is not None else {})
        return JSONResponse(body, status)
    from idbits.web.browser import render_page

    ways = ways_back(request.url.path, request.url.query, status)
    return render_page(request, "error.html", status, sentence=as_sentence(sentence), ways_back=ways)
