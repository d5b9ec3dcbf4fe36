"""Connections to servers that take their time: each ends after a while, however slowly its bytes come.

The time limit of a socket starts anew with every byte, so a slow server could keep us forever.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["TlsConnection", "hung_up_after"]

_SECONDS_BETWEEN_TRIES = 0.5


class TlsConnection(http.client.HTTPSConnection):
    """A connection whose socket is known during the TLS handshake, so that a slow handshake can be ended."""

    def __init__(self, host: str, port: int | None = None, *, timeout: float) -> None:
        self._tls = ssl.create_default_context()
        super().__init__(host, port, timeout=timeout, context=self._tls)

    def connect(self) -> None:
        """Connect, and then agree on the encryption."""
        http.client.HTTPConnection.connect(self)
        secure = self._tls.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock = secure
        secure.do_handshake()


@contextmanager
def hung_up_after(connection: http.client.HTTPConnection, seconds: float) -> Iterator[None]:
    """End a connection, also while it is made, if the block takes too long; raise a ``TimeoutError`` then."""
    is_done, is_late = threading.Event(), threading.Event()

    def watch() -> None:
        if is_done.wait(seconds):
            return
        is_late.set()
        # The socket may not exist yet, and be another one soon.
        while not is_done.is_set():
            with suppress(OSError, AttributeError):
                connection.sock.shutdown(socket.SHUT_RDWR)
            is_done.wait(_SECONDS_BETWEEN_TRIES)

    threading.Thread(target=watch, name="idbits-deadline", daemon=True).start()
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        if is_late.is_set():
            raise TimeoutError from error
        raise
    finally:
        is_done.set()
    if is_late.is_set():
        raise TimeoutError
