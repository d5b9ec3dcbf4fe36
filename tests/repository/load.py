"""Readers and publishers at once, over real connections that are kept open."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from helpers import Publisher

from idbits.repository import Receipt

READS = (
    "/api/v1/entries?limit=5",
    "/api/v1/query?qid=gender&population=municipality%3D0-0",
    "/api/v1/query?qid=gender,age&population=municipality%3D0-0&size=5000",
    "/api/v1/vocabulary",
)


@dataclass
class Load:
    """The results of the load."""

    reads: int = 0
    published: list[Receipt] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    slowest_seconds: float = 0.0
    seconds: float = 0.0


class Caller:
    """One connection that is kept open."""

    def __init__(self, address: str, key: str, found: Load, lock: threading.Lock) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", urlsplit(address).port, timeout=120)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.found, self.lock = found, lock

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        start = time.monotonic()
        self.connection.request(method, path, json.dumps(body) if body is not None else None, self.headers)
        response = self.connection.getresponse()
        data = json.loads(response.read())
        with self.lock:
            self.found.slowest_seconds = max(self.found.slowest_seconds, time.monotonic() - start)
            if response.status not in (200, 201):
                self.found.errors.append(f"{method} {path}: {response.status} {data}")
        return data

    def read(self, place: int, until: float) -> None:
        number = place
        while time.monotonic() < until:
            self.ask("GET", READS[number % len(READS)])
            number += 1
            with self.lock:
                self.found.reads += 1

    def publish(self, place: int, until: float, publisher: Publisher) -> None:
        number = 0
        while time.monotonic() < until:
            town = {"municipality": f"{place}-{number}"}
            text, signature, public_key = publisher.signed(population=town, n_people=1000 + 200 * place)
            data = self.ask(
                "POST", "/api/v1/entries", {"statement": text, "signature": signature, "public_key": public_key}
            )
            if "receipt" in data:
                with self.lock:
                    self.found.published.append(Receipt(**data["receipt"]))
            number += 1

    def guarded(self, work: Any, *given: Any) -> None:
        try:
            work(*given)
        except Exception as error:  # noqa: BLE001 (the test reports any error)
            with self.lock:
                self.found.errors.append(repr(error))
        finally:
            self.connection.close()


def run_load(address: str, publishers: Sequence[Publisher], reader_key: str, *, readers: int, seconds: float) -> Load:
    """Run readers and publishers for some time; return the results."""
    found, lock = Load(), threading.Lock()
    start = time.monotonic()
    until = start + seconds
    threads = []
    for place in range(readers):
        caller = Caller(address, reader_key, found, lock)
        threads.append(threading.Thread(target=caller.guarded, args=(caller.read, place, until)))
    for place, one in enumerate(publishers):
        caller = Caller(address, one.api_key, found, lock)
        threads.append(threading.Thread(target=caller.guarded, args=(caller.publish, place, until, one)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.seconds = time.monotonic() - start
    return found
