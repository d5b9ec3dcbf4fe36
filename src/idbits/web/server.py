"""The server under the app: uvicorn, bound to loopback, with limits for all connections.

Requests that arrive too slowly, or that two readers could read differently, are refused. uvicorn itself only closes
idle connections. All clients of a server on loopback have the same address, also those behind a proxy, so limits per
address do not help: when there are too many connections, the one that has been idle longest is closed.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import re
import sys
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from idbits.web.settings import WebSettings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["ConnectionLimits", "HttpConnection", "make_server"]

# The most connections accepted at once, before any is handled.
_BACKLOG = 512
_FILES = 4096
# Files open for other reasons: databases, worker processes, tables.
_OTHER_FILES = 150
_WRITE_SECONDS = 60.0
# A header line that starts with a space continues the line before: obsolete, and read differently by others.
_FOLDED = re.compile(rb"\n[ \t]")
_END_OF_HEAD = re.compile(rb"\n\r?\n")


def make_server(app: FastAPI, **options: Any) -> uvicorn.Server:
    """Return the server of an app; ``app.state.settings`` has its limits."""
    settings: WebSettings = app.state.settings
    most = max(50, min(settings.most_connections, _allowed_files() - _BACKLOG - _OTHER_FILES))
    limits = ConnectionLimits(most, settings.head_seconds, settings.body_seconds)
    # No access log: it would contain links with codes.
    config = uvicorn.Config(
        app,
        **{
            "http": functools.partial(HttpConnection, limits=limits),
            "ws": "none",
            "log_level": "warning",
            "access_log": False,
            "server_header": False,
            "date_header": False,
            "backlog": _BACKLOG,
            "timeout_keep_alive": 30,
            # The address of a form with a thousand ticked columns.
            "h11_max_incomplete_event_size": 64 * 1024,
            "proxy_headers": False,
            "lifespan": "off",
            **options,
        },
    )
    config.load()
    logging.getLogger("uvicorn.error").addFilter(_without_traceback)
    return uvicorn.Server(config)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Leave the type of an error in the log: a message or a traceback could contain what was sent."""
    if record.exc_info:
        kind = record.exc_info[0]
        record.msg, record.args = f"{record.getMessage().rstrip()} ({kind.__name__ if kind else 'unknown'})", ()
        record.exc_info = record.exc_text = None
    return True


def _allowed_files() -> int:
    """Return the number of files this process may open, after raising the limit."""
    if sys.platform == "win32":  # where nothing bounds sockets
        return _FILES
    try:
        import resource
    except ImportError:
        return _FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return _FILES if soft == resource.RLIM_INFINITY else soft


class ConnectionLimits:
    """The limits that the connections of one server share, and the connections that wait for their client.

    Args:
        most: the most connections at once.
        head_seconds: how long the head of a request may take.
        body_seconds: how long its body may take.
    """

    def __init__(self, most: int, head_seconds: float, body_seconds: float) -> None:
        self.most = most
        self.seconds = {"head": head_seconds, "body": body_seconds}
        # In the order in which they started to wait.
        self._waiting: dict[HttpConnection, None] = {}

    def note(self, connection: HttpConnection, *, waits: bool) -> None:
        """Record whether a connection waits for its client; one that already waits keeps its place."""
        if waits:
            self._waiting.setdefault(connection)
        else:
            self._waiting.pop(connection, None)

    def longest_waiting(self) -> HttpConnection | None:
        """Return the connection to close; None if all are being answered."""
        return next(iter(self._waiting), None)


class HttpConnection(H11Protocol):
    """One connection, with a time limit for its client to send the request and receive the answer."""

    def __init__(self, *args: Any, limits: ConnectionLimits, **options: Any) -> None:
        super().__init__(*args, **options)
        size = self.config.h11_max_incomplete_event_size
        assert size is not None
        self.conn = _StrictConnection(h11.SERVER, size)
        self._limits = limits
        self._awaited: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request; close a connection if there are too many."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        if len(self.connections) > self._limits.most:
            longest = self._limits.longest_waiting()
            (longest if longest is not None else self).drop()
        if not transport.is_closing():
            self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._limits.note(self, waits=False)
        self._await(None)
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        """Receive data from the client."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._look()

    def _look(self) -> None:
        """Set a time limit for the rest of the request; more bytes do not extend it."""
        state = self.conn.their_state
        idle = self.timeout_keep_alive_task is not None
        if self.transport.is_closing() or idle or state not in (h11.IDLE, h11.SEND_BODY):
            awaited = None
        else:
            awaited = "head" if state is h11.IDLE else "body"
        self._await(awaited)
        self._limits.note(self, waits=not self.transport.is_closing() and (idle or awaited is not None))

    def _await(self, awaited: str | None) -> None:
        if awaited == self._awaited:
            return
        self._awaited = awaited
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if awaited is not None:
            self._timer = self.loop.call_later(self._limits.seconds[awaited], self.drop)

    def drop(self) -> None:
        """Close the connection at once, even if not everything has been sent."""
        self._limits.note(self, waits=False)
        self.transport.abort()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, also if its client never received the last answer."""
        if self.transport.get_write_buffer_size():
            self.drop()
        else:
            super().timeout_keep_alive_handler()

    def pause_writing(self) -> None:
        """Set a time limit for a client that does not receive its answer."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(_WRITE_SECONDS, self.drop)

    def resume_writing(self) -> None:
        """Lift the time limit."""
        if self.flow is not None:
            super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None


class _StrictConnection(h11.Connection):
    """h11 that also refuses requests whose length or header lines a proxy could read differently.

    h11 itself refuses contradicting lengths, codings other than chunked, and spaces before a colon.
    """

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event; an ambiguous request is answered with 400, and the connection is closed."""
        if self.their_state is h11.IDLE:
            head = _END_OF_HEAD.split(self.trailing_data[0], maxsplit=1)[0]
            if _FOLDED.search(head):
                raise h11.RemoteProtocolError("a header continues in the next line")
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if b"transfer-encoding" in names and (b"content-length" in names or event.http_version < b"1.1"):
                raise h11.RemoteProtocolError("the request has two lengths")
        return event
