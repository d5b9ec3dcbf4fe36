"""The server under the app: uvicorn, bound to loopback, with limits for whoever connects."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import uvicorn

from idbits.web.connections import Connection, ConnectionLimits

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["make_server"]

# How many connections are accepted in one go, before any of them is looked at.
_BACKLOG = 512
_FILES = 4096
# Files that are open for other reasons: databases, worker processes, tables.
_OTHER_FILES = 150


def make_server(app: FastAPI, **options: Any) -> uvicorn.Server:
    """Return the server of an app; ``app.state.settings`` has its limits."""
    settings = app.state.settings
    most = max(50, min(settings.most_connections, _allowed_files() - _BACKLOG - _OTHER_FILES))
    limits = ConnectionLimits(most, settings.head_seconds, settings.body_seconds)
    # No access log: links with codes would be in it.
    config = uvicorn.Config(
        app,
        **{
            "http": functools.partial(Connection, limits=limits),
            "ws": "none",
            "log_level": "warning",
            "access_log": False,
            "server_header": False,
            "date_header": False,
            "backlog": _BACKLOG,
            "timeout_keep_alive": 30,
            "h11_max_incomplete_event_size": 32 * 1024,
            "proxy_headers": False,
            "lifespan": "off",
            **options,
        },
    )
    config.load()
    return uvicorn.Server(config)


def _allowed_files() -> int:
    """Return how many files this process may open, after asking for more."""
    try:
        import resource
    except ImportError:  # Windows, where nothing bounds sockets
        return _FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return _FILES if soft == resource.RLIM_INFINITY else soft
