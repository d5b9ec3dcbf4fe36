"""Servers that answer whatever a test wants."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from idbits.repository import Repository

Page = dict[str, Any]


class Answering(BaseHTTPRequestHandler):
    answer: Callable[[str], bytes]

    def do_GET(self) -> None:
        try:
            body = type(self).answer(self.path)
        except ConnectionAbortedError:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def answering(answer: Callable[[str], bytes]) -> Iterator[str]:
    """Serve whatever a function returns."""
    yield from _serve(type("Handler", (Answering,), {"answer": staticmethod(answer)}))


def _serve(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Refusing(Answering):
    status = 400

    def do_GET(self) -> None:
        self.send_response(type(self).status)
        self.end_headers()
        self.wfile.write(json.dumps({"error": "no" * 10_000, "rule": "floor"}).encode())


@contextlib.contextmanager
def refusing() -> Iterator[str]:
    """Serve errors."""
    yield from _serve(Refusing)


def honest(store: Repository, path: str) -> Page:
    """Return what a repository really answers."""
    if "/vocabulary" in path:
        return {"concepts": [concept.to_dict() for concept in store.vocabulary().concepts]}
    return store.feed(int(path.split("after=")[1].split("&")[0]), 500)
