"""Sessions: a one-time code from the terminal is exchanged for a cookie. They are kept in memory only."""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["BrowserSession", "Sessions"]

_MOST_SESSIONS = 1000


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A signed-in browser: the token that its forms must send, and when the session ends."""

    csrf_token: str
    ends_at: float


class Sessions:
    """All sessions of a server. Only digests of codes and cookies are kept.

    >>> sessions = Sessions(session_seconds=60, code_seconds=60)
    >>> code = sessions.new_code()
    >>> cookie = sessions.exchange(code)
    >>> sessions.find(cookie) is not None, sessions.exchange(code)
    (True, None)
    """

    def __init__(
        self, *, session_seconds: int, code_seconds: int | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.session_seconds = session_seconds
        self._code_seconds = code_seconds
        self._clock = clock
        self._codes: dict[bytes, float] = {}
        self._sessions: dict[bytes, BrowserSession] = {}
        self._lock = threading.Lock()

    def new_code(self) -> str:
        """Return a new code that opens one session, however late it is used unless codes have a time limit."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._codes[_digest(code)] = self._clock() + (
                math.inf if self._code_seconds is None else self._code_seconds
            )
        return code

    def exchange(self, code: str) -> str | None:
        """Return the cookie of a new session for an unused code; the code cannot be used again."""
        now, digest = self._clock(), _digest(code)
        with self._lock:
            # All codes are compared, as digests and in constant time.
            matches = [known for known in self._codes if hmac.compare_digest(known, digest)]
            ends_at = self._codes.pop(matches[0]) if matches else now
            if ends_at <= now:
                return None
            cookie = secrets.token_urlsafe(32)
            self._sessions = {key: session for key, session in self._sessions.items() if session.ends_at > now}
            while len(self._sessions) >= _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[_digest(cookie)] = BrowserSession(secrets.token_urlsafe(32), now + self.session_seconds)
            return cookie

    def find(self, cookie: str) -> BrowserSession | None:
        """Return the session of a cookie."""
        # A dictionary of digests: the time of a lookup may reveal something about a digest, but not about a cookie.
        session = self._sessions.get(_digest(cookie))
        return session if session is not None and session.ends_at > self._clock() else None

    def end(self, cookie: str) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(_digest(cookie), None)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
