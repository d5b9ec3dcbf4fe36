"""Who may ask what: the guard in front of every route.

A browser is let in by a cookie, which it gets for the one-time code in the link that ``idbits serve`` prints; a
program by a key (``Authorization: Bearer``). Requests for another Host (a page elsewhere whose name points here), from
another Origin, without the form's token, too large or too many are refused before any route sees them.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from idbits.repository.accounts import ANONYMOUS_NAME, OWNER
from idbits.web.limits import RateLimit
from idbits.web.sessions import Session, Sessions
from idbits.web.settings import WebSettings

__all__ = ["ANONYMOUS", "CSP", "Caller", "Guard", "caller_of"]

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CSP,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # With no-referrer, browsers send forms with the Origin "null", which is nobody's.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_BODY_SECONDS = 30.0
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# What needs no session and no key: the way in, the looks of it, and whether the server lives.
_OPEN_PATHS = frozenset({"/open", "/health"})
_STATIC = "/static/"
_API = "/api/"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    Attributes:
        name: what the audit log calls them.
        role: ``"admin"``, ``"publisher"``, ``"reader"``, or None for somebody unknown.
        session: the browser's session, if it is one.
    """

    name: str
    role: str | None
    session: Session | None = None


ANONYMOUS = Caller(ANONYMOUS_NAME, None)

Authenticate = Callable[[str], Awaitable[Caller | None]]


def caller_of(request: Request) -> Caller:
    """Return who asks; a dependency for routes."""
    caller: Caller = request.scope["idbits.caller"]
    return caller


class Guard:
    """ASGI middleware that lets in who may come in."""

    def __init__(self, app: ASGIApp, *, settings: WebSettings, sessions: Sessions, authenticate: Authenticate) -> None:
        self.app = app
        self.settings = settings
        self.sessions = sessions
        self.cookie = cookie_name(settings)
        self._authenticate = authenticate
        self._requests = RateLimit(settings.requests_a_minute)
        self._attempts = RateLimit(settings.unlock_attempts_a_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        send = _with_headers(scope, send)
        try:
            receive = await self._let_in(scope, receive)
        except _RefusedError as refused:
            await refused.response(scope)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive) -> Receive:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.settings.hosts:
            raise _RefusedError(400, "this server answers only on loopback, under its own name")
        self._check_origin(scope, headers)
        caller = await self._caller(headers)
        scope["idbits.caller"] = caller
        waiting = self._requests.take(caller.name)
        if waiting is not None:
            raise _RefusedError(429, "too many requests", {"Retry-After": str(int(waiting) + 1)})
        if caller.role is None and not self._is_open(scope):
            raise _RefusedError(401, "sign in first: open the link that idbits serve prints, or send a key")
        if scope["method"] in _SAFE_METHODS:
            return receive
        try:
            body = await asyncio.wait_for(self._body(headers, receive), _BODY_SECONDS)
        except TimeoutError:
            raise _RefusedError(408, "the request took too long") from None
        if caller.session is not None:
            _check_token(headers, body, caller.session)
        return _replay(body, receive)

    def _is_open(self, scope: Scope) -> bool:
        path: str = scope["path"]
        if path in _OPEN_PATHS or path.startswith(_STATIC):
            return scope["method"] in _SAFE_METHODS
        return self.settings.open_reading and scope["method"] in _SAFE_METHODS and path.startswith(_API)

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """Refuse requests that a page of another origin makes, whatever they ask."""
        own = {f"http://{host}" for host in self.settings.hosts}
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in own:
            raise _RefusedError(403, "requests from another origin are refused")
        crossing = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        navigates = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if crossing and not navigates:
            raise _RefusedError(403, "requests from another origin are refused")

    async def _caller(self, headers: Headers) -> Caller:
        authorization = headers.get("authorization")
        if authorization is not None:
            return await self._key_holder(authorization)
        cookie = _cookie(headers, self.cookie)
        session = self.sessions.find(cookie) if cookie else None
        return Caller(OWNER, "admin", session) if session is not None else ANONYMOUS

    async def _key_holder(self, authorization: str) -> Caller:
        scheme, _, key = authorization.partition(" ")
        caller = await self._authenticate(key.strip()) if scheme.lower() == "bearer" and key else None
        if caller is not None:
            return caller
        # Who has a key is never kept out by others' guesses.
        waiting = self._attempts.take("key")
        if waiting is not None:
            raise _RefusedError(429, "too many wrong keys", {"Retry-After": str(int(waiting) + 1)})
        raise _RefusedError(401, "this key is not known here")

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        most = self.settings.most_body_bytes
        said = headers.get("content-length", "0")
        if not said.isdecimal() or int(said[:20]) > most:
            raise _RefusedError(413, f"a request holds at most {most:,} bytes")
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _RefusedError(400, "the request ended too early")
            body += message.get("body", b"")
            if len(body) > most:
                raise _RefusedError(413, f"a request holds at most {most:,} bytes")
            if not message.get("more_body", False):
                return bytes(body)

    def open_link(self, request: Request) -> Response:
        """Exchange the one-time code of a link for a cookie, and go to the first page."""
        cookie = self.sessions.exchange(request.query_params.get("code", ""))
        if cookie is None:
            return PlainTextResponse(
                "This link has been used or is too old. Press Enter where idbits serve runs, and open the new one.\n",
                status_code=403,
            )
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(
            self.cookie, cookie, max_age=self.sessions.session_seconds, path="/", httponly=True, samesite="strict"
        )
        return response


def cookie_name(settings: WebSettings) -> str:
    """Return the name of the cookie: cookies do not tell ports apart, so the name does."""
    return f"idbits_{settings.port}"


class _RefusedError(Exception):
    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.headers = status, sentence, headers

    def response(self, scope: Scope) -> Response:
        """Return what the caller sees: JSON for programs, a line for people."""
        if scope["path"].startswith(_API):
            return JSONResponse({"error": self.sentence}, self.status, self.headers)
        return PlainTextResponse(f"idbits: {self.sentence}\n", self.status, self.headers)


def _check_token(headers: Headers, body: bytes, session: Session) -> None:
    """Refuse a change from a browser that does not carry the session's token, in a header or in its form."""
    token = headers.get("x-csrf-token")
    if token is None and headers.get("content-type", "").partition(";")[0].strip() == (
        "application/x-www-form-urlencoded"
    ):
        try:
            token = parse_qs(body.decode("utf-8"), max_num_fields=1000).get("csrf_token", [""])[0]
        except ValueError:
            token = ""
    if not hmac.compare_digest((token or "").encode("utf-8", "surrogatepass"), session.csrf_token.encode()):
        raise _RefusedError(403, "this page is too old: load it again")


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return None
    return cookies[name].value if name in cookies else None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives the body that has been read once more."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again


def _with_headers(scope: Scope, send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            if not scope["path"].startswith(_STATIC):
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sending


def known_to_pages(caller: Caller) -> dict[str, Any]:
    """Return what a template may know of who asks."""
    return {"csrf_token": caller.session.csrf_token if caller.session is not None else "", "role": caller.role}
