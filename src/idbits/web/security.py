"""The guard in front of every route, which decides who may do what.

A browser signs in with a cookie, which it gets for the one-time code in the link that ``idbits serve`` prints; a
program with a key (``Authorization: Bearer``). Requests for another Host (a page elsewhere whose name points here),
from another Origin, without the token of the form, too large or too many are refused before any route sees them.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from idbits._version import __version__
from idbits.errors import NotAllowedError
from idbits.render.html import environment
from idbits.repository.accounts import ANONYMOUS_NAME, OWNER, Account
from idbits.web.limits import RateLimit, TooManyAtOnceError, Turns
from idbits.web.sessions import BrowserSession, Sessions
from idbits.web.settings import WebSettings
from idbits.web.ways_back import ways_back
from idbits.web.wording import as_sentence

__all__ = ["ANONYMOUS", "CSP", "Caller", "Guard", "caller_of", "exchange_code", "origin_of", "owner_only"]

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CSP,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # With no-referrer, browsers send forms with the Origin "null", which would be refused.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_OPENED = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>idbits</title>'
    '<meta http-equiv="refresh" content="0;url=/"></head><body><p><a href="/">Open idbits</a></p></body></html>'
)
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Paths that need no session and no key: signing in, and whether the server is running.
_OPEN_PATHS = frozenset({"/open", "/health"})
_STATIC = "/static/"
_API = "/api/"


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request.

    Attributes:
        name: the name in the audit log.
        role: ``"admin"``, ``"publisher"``, ``"reader"``, or None for an unknown sender.
        session: the session of the browser, if any.
        key_account: the account of the key, if one was sent.
    """

    name: str
    role: str | None
    session: BrowserSession | None = None
    key_account: Account | None = None

    @property
    def is_owner(self) -> bool:
        """Whether the request comes from a browser signed in with the link; the key of an admin is not the owner."""
        return self.session is not None

    @property
    def account(self) -> str | None:
        """The name of the account of the key; None for the owner."""
        return None if self.is_owner else self.name


ANONYMOUS = Caller(ANONYMOUS_NAME, None)

Authenticate = Callable[[str], Awaitable[Caller | None]]


def caller_of(request: Request) -> Caller:
    """Return the sender of a request; a dependency for routes."""
    caller: Caller = request.scope["idbits.caller"]
    return caller


def owner_only(request: Request) -> None:
    """Refuse everyone but the owner of this machine: keys give access to the repository, not to files.

    A dependency of every route that reaches files, configured sources, or their results.
    """
    if not caller_of(request).is_owner:
        raise NotAllowedError(
            "only the person who started idbits can measure tables; open the link that idbits showed when it started"
        )


class Guard:
    """ASGI middleware that refuses requests that are not allowed."""

    def __init__(self, app: ASGIApp, *, settings: WebSettings, sessions: Sessions, authenticate: Authenticate) -> None:
        self.app = app
        self.settings = settings
        self.sessions = sessions
        self._authenticate = authenticate
        self._requests = RateLimit(settings.requests_a_minute)
        self._attempts = RateLimit(settings.unlock_attempts_a_minute)
        self._turns = Turns()

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
        caller: Caller = scope["idbits.caller"]
        if caller.is_owner or scope["path"] in _OPEN_PATHS:
            await self.app(scope, receive, send)
            return
        try:
            async with self._turns.turn(caller.name):
                await self.app(scope, receive, send)
        except TooManyAtOnceError:
            too_many = _RefusedError(429, "too many requests at once; try again in a second", {"Retry-After": "1"})
            await too_many.response(scope)(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive) -> Receive:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        origin = self.settings.origin(hosts[0]) if len(hosts) == 1 else None
        if origin is None:
            raise _RefusedError(
                400, "this server does not answer under this name; idbits serve --host-name adds a name"
            )
        scope["idbits.origin"] = origin
        _check_origin(scope, headers, origin)
        caller = await self._caller(headers, origin)
        scope["idbits.caller"] = caller
        # Signing in is not limited, so that strangers cannot prevent it; codes are too long to be guessed.
        waiting = self._requests.take(caller.name) if scope["path"] not in _OPEN_PATHS else None
        if waiting is not None:
            raise _RefusedError(429, "too many requests; try again in a minute", {"Retry-After": str(int(waiting) + 1)})
        if caller.role is None and not self._is_open(scope):
            raise _RefusedError(
                401, "not signed in; open the link that idbits showed when it started (programs send a key)"
            )
        if scope["method"] in _SAFE_METHODS:
            return receive
        try:
            body = await asyncio.wait_for(self._body(headers, receive), self.settings.body_seconds)
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

    async def _caller(self, headers: Headers, origin: str) -> Caller:
        authorization = headers.get("authorization")
        if authorization is not None:
            return await self._key_holder(authorization)
        cookie = _cookie(headers, cookie_name(self.settings, origin))
        session = self.sessions.find(cookie) if cookie else None
        return Caller(OWNER, "admin", session) if session is not None else ANONYMOUS

    async def _key_holder(self, authorization: str) -> Caller:
        scheme, _, key = authorization.partition(" ")
        caller = await self._authenticate(key.strip()) if scheme.lower() == "bearer" and key else None
        if caller is not None:
            return caller
        # Holders of a key are never refused because of wrong keys of others.
        waiting = self._attempts.take("key")
        if waiting is not None:
            raise _RefusedError(
                429, "too many wrong keys; try again in a minute", {"Retry-After": str(int(waiting) + 1)}
            )
        raise _RefusedError(401, "this key is not known here")

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        most = self.settings.most_body_bytes
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > most:
            raise _RefusedError(413, f"a request may have at most {most:,} bytes")
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _RefusedError(400, "the request ended too early")
            body += message.get("body", b"")
            if len(body) > most:
                raise _RefusedError(413, f"a request may have at most {most:,} bytes")
            if not message.get("more_body", False):
                return bytes(body)


def exchange_code(request: Request, settings: WebSettings, sessions: Sessions) -> Response:
    """Exchange the one-time code of a link for a cookie, and go to the first page."""
    cookie = sessions.exchange(request.query_params.get("code", ""))
    if cookie is None:
        return PlainTextResponse(
            "This link has been used. Press Enter where idbits runs, and open the new link.\n",
            status_code=403,
        )
    response: Response = RedirectResponse("/", status_code=303)
    if request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        # Browsers send a strict cookie only with requests of our own pages, not after a redirect from elsewhere.
        response = HTMLResponse(_OPENED)
    origin = origin_of(request)
    response.set_cookie(
        cookie_name(settings, origin),
        cookie,
        max_age=sessions.session_seconds,
        path="/",
        httponly=True,
        samesite="strict",
        secure=_has_tls(origin),
    )
    return response


def origin_of(request: Request) -> str:
    """Return the origin of the request: ``http://127.0.0.1:8765``, or that of a proxy."""
    origin: str = request.scope["idbits.origin"]
    return origin


def cookie_name(settings: WebSettings, origin: str) -> str:
    """Return the name of the cookie; it contains the port, because browsers share cookies between ports.

    With ``__Host-`` browsers accept it only over TLS, and not from another name of the same domain.
    """
    return f"__Host-idbits_{settings.port}" if _has_tls(origin) else f"idbits_{settings.port}"


def _has_tls(origin: str) -> bool:
    return origin.startswith("https://")


def _check_origin(scope: Scope, headers: Headers, expected: str) -> None:
    """Refuse requests from pages of another origin."""
    origin = headers.get("origin")
    if origin is not None and origin.lower() != expected:
        raise _RefusedError(403, "requests from another origin are refused")
    crossing = headers.get("sec-fetch-site") in ("cross-site", "same-site")
    navigates = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
    if crossing and not navigates:
        raise _RefusedError(403, "requests from another origin are refused")


class _RefusedError(Exception):
    def __init__(
        self, status: int, sentence: str, headers: dict[str, str] | None = None, typed: dict[str, str] | None = None
    ) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.headers, self.typed = status, sentence, headers, typed

    def response(self, scope: Scope) -> Response:
        """Return JSON for programs, a page for browsers, and a line of text for others."""
        if scope["path"].startswith(_API):
            return JSONResponse({"error": self.sentence}, self.status, self.headers)
        if "text/html" not in Headers(scope=scope).get("accept", ""):
            return PlainTextResponse(f"idbits: {self.sentence}\n", self.status, self.headers)
        query = scope["query_string"].decode("latin-1")
        # Signed in or not, the links of the page are answered like any others.
        page = (
            environment("idbits.web")
            .get_template("refused.html")
            .render(
                sentence=as_sentence(self.sentence),
                ways_back=ways_back(scope["path"], query, self.status, self.typed),
                version=__version__,
            )
        )
        return HTMLResponse(page, self.status, self.headers)


def _check_token(headers: Headers, body: bytes, session: BrowserSession) -> None:
    """Refuse a change from a browser without the token of its session, in a header or in the form."""
    typed: dict[str, str] = {}
    token = headers.get("x-csrf-token")
    if token is None and headers.get("content-type", "").partition(";")[0].strip() == (
        "application/x-www-form-urlencoded"
    ):
        try:
            fields = dict(parse_qsl(body.decode("utf-8"), max_num_fields=1000))
            token = fields.get("csrf_token", "")
            typed |= {name: fields[name] for name in ("decision", "by", "why") if name in fields}
        except ValueError:
            token = ""
    if not hmac.compare_digest((token or "").encode("utf-8", "surrogatepass"), session.csrf_token.encode()):
        raise _RefusedError(403, "this page is too old; load it again and repeat the last step", typed=typed)


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return None
    return cookies[name].value if name in cookies else None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive that repeats the body that has been read."""
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
