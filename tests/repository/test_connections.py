"""Connections that send slowly, never end, or have an ambiguous length."""

from __future__ import annotations

import contextlib
import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import Process, Publisher, Served, serving

from idbits.repository import Repository

HALF_OPEN = 1_050


@contextlib.contextmanager
def connected(port: int, sent: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        connection.sendall(sent)
        yield connection


def answer(connection: socket.socket) -> bytes:
    """Return everything received until the server closes the connection."""
    found = bytearray()
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            found += piece
    return bytes(found)


def read_ok(connection: socket.socket) -> None:
    """Read the answer of /health."""
    found = b""
    while not found.endswith(b"\r\n\r\nok\n"):
        piece = connection.recv(65536)
        assert piece
        found += piece
    assert found.startswith(b"HTTP/1.1 200 ")


def test_half_open_connections_keep_nobody_out(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2 * HALF_OPEN:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * HALF_OPEN), hard))
    database = str(tmp_path / "repository.db")
    store = Repository.open(database)
    key = store.add_account("reader", "reader", by="tests")
    store.close()
    process = Process(database, tmp_path)
    asking = f"GET /api/v1/entries HTTP/1.1\r\nHost: 127.0.0.1:{process.port}\r\nAuthorization: Bearer {key}\r\n"
    try:
        with contextlib.ExitStack() as stack:
            for number in range(HALF_OPEN):
                # Some have sent nothing, some part of the head, some part of the body.
                part = (b"", asking.encode(), asking.replace("GET", "POST").encode() + b"Content-Length: 9\r\n\r\nx")
                stack.enter_context(connected(process.port, part[number % 3]))
            start = time.monotonic()
            whole = stack.enter_context(connected(process.port, f"{asking}Connection: close\r\n\r\n".encode()))
            assert answer(whole).startswith(b"HTTP/1.1 200 ")
            assert time.monotonic() - start < 15
    finally:
        process.stop()


@pytest.fixture
def hasty(sqlite_store: Repository) -> Iterator[Served]:
    with serving(sqlite_store, head_seconds=1.0, body_seconds=2.0) as server:
        yield server


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x", b"GET /health HTTP/1.1\r\nHost: {host}"])
def test_a_head_that_does_not_come_is_not_waited_for(hasty: Served, sent: bytes) -> None:
    with connected(hasty.port, sent.replace(b"{host}", f"127.0.0.1:{hasty.port}".encode())) as connection:
        start = time.monotonic()
        assert answer(connection) == b""
        assert 0.5 < time.monotonic() - start < 8


def test_bytes_that_trickle_do_not_extend_the_time(hasty: Served) -> None:
    with connected(hasty.port, b"GET /health HTTP/1.1\r\n") as connection:
        start = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - start < 10:
                connection.sendall(b"X-A: b\r\n")
                time.sleep(0.2)
        assert time.monotonic() - start < 8


@pytest.mark.parametrize("path", ["/health", "/api/v1/entries"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_body_that_does_not_come_is_not_waited_for(hasty: Served, method: str, path: str) -> None:
    """Even if the server answered before the body arrived, or each byte arrives shortly after the last."""
    key = hasty.app.state.repository.add_account("reader", "reader", by="tests")
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{hasty.port}\r\nAuthorization: Bearer {key}\r\n"
    with connected(hasty.port, f"{head}Content-Length: 1000\r\n\r\n".encode()) as connection:
        start = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - start < 12:
                connection.sendall(b"x")
                time.sleep(0.2)
        assert time.monotonic() - start < 10


def test_the_next_request_of_a_connection_has_its_time_too(hasty: Served) -> None:
    whole = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{hasty.port}\r\n\r\n".encode()
    with connected(hasty.port, whole) as connection:
        for _ in range(3):
            read_ok(connection)
            # Idle for longer than the head of a request may take; 30 seconds are allowed.
            time.sleep(1.5)
            connection.sendall(whole)
        read_ok(connection)
        start = time.monotonic()
        connection.sendall(whole[:20])
        assert answer(connection) == b""
        assert time.monotonic() - start < 8


def test_the_connection_that_was_silent_for_longest_makes_room(sqlite_store: Repository) -> None:
    with serving(sqlite_store, most_connections=50) as server, contextlib.ExitStack() as stack:
        silent = [stack.enter_context(connected(server.port)) for _ in range(60)]
        for _ in range(5):
            assert server.ask("GET", "/health")[0] == 200
        time.sleep(0.5)
        ended = []
        for connection in silent:
            connection.setblocking(False)
            try:
                ended.append(connection.recv(1) == b"")
            except BlockingIOError:
                ended.append(False)
            except ConnectionResetError:
                ended.append(True)
        assert ended.count(True) >= 10
        assert ended == sorted(ended, reverse=True), "the oldest go first"


HOST = b"Host: {host}\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
BODY = b"\r\n2\r\n{}\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n" + CHUNKED + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + CHUNKED + b"Content-Length: 12\r\n" + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\nTransfer-Encoding:\tchunked \r\n" + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5, 6\r\n\r\nhello!",
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: +5\r\n\r\nhello",
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length : 5\r\n\r\nhello",
        b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: xchunked\r\n" + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked, identity\r\n" + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + CHUNKED + CHUNKED + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding:\r\n chunked\r\n" + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + b"X-A: b\r\n\tc\r\n" + CHUNKED + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + b"X-A: b\n c\n\n",
        b"POST / HTTP/1.0\r\n" + HOST + CHUNKED + BODY,
        b"POST / HTTP/1.1\r\n" + HOST + b"X-A: b\x00c\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
        b"GET /\r\n\r\n",
    ],
)
def test_requests_that_can_be_read_in_two_ways_are_refused(served: Served, request_: bytes) -> None:
    hidden = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
    sent = (request_ + hidden).replace(b"{host}", f"127.0.0.1:{served.port}".encode())
    with connected(served.port, sent) as connection:
        found = answer(connection)
    assert found.startswith(b"HTTP/1.1 400 ")
    # The connection ends there: the rest was not read as a request.
    assert found.count(b"HTTP/1.1 ") == 1


def test_lengths_that_agree_and_chunks_are_read(served: Served, city: Publisher) -> None:
    head = f"POST /api/v1/questionnaires HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: close\r\n"
    head += f"Authorization: Bearer {city.api_key}\r\nContent-Type: application/json\r\n"
    asked = b'{"name": "x", "where": "y", "questions": ["age"]}'
    for framed in (
        f"Content-Length: {len(asked)}\r\nContent-Length: {len(asked)}\r\n\r\n".encode() + asked,
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(asked), asked),
    ):
        with connected(served.port, head.encode() + framed) as connection:
            assert answer(connection).startswith(b"HTTP/1.1 201 ")


def test_no_upgrade_leaves_the_guard(served: Served) -> None:
    head = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    with connected(served.port, head.encode()) as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
