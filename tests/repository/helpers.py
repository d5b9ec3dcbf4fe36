"""Publishers, statements and servers for the tests of the repository."""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from databases import postgresql_address, writer
from idbits.canonical import canonical
from idbits.repository import Receipt, Repository, SigningKey, Statement
from idbits.repository.entries import STATUSES
from idbits.web.app import create_app
from idbits.web.questions.examples import ExampleBank
from idbits.web.server import make_server
from idbits.web.settings import WebSettings


def fresh_postgresql() -> str:
    """Return the address of a new, empty database of the tests' PostgreSQL server."""
    address = postgresql_address()
    name = f"repository_{uuid.uuid4().hex[:12]}"
    with writer(address).connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(sa.text(f"CREATE DATABASE {name}"))
    writer(address).dispose()
    return sa.make_url(address).set(database=name).render_as_string(hide_password=False)


def shown_refs(repository: Repository) -> set[str]:
    """Return the references of all entries."""
    listing = repository.entries(status=STATUSES, limit=1000)
    assert not listing.unverified
    return {entry.ref for entry in listing.entries}


def altered(secret: str) -> str:
    """Return a key, token or signature with a different character near its end."""
    return secret[:-4] + ("B" if secret[-4] == "A" else "A") + secret[-3:]


def statement(**said: Any) -> Statement:
    """Return a consistent statement with the given fields, and defaults for the others."""
    n_values, bits = said.get("n_values", 4), said.get("entropy_bits", 1.5)
    usual: dict[str, Any] = {
        "qid": ("gender",),
        "population": (("municipality", "Amsterdam"),),
        "n_people": 1000,
        "n_values": n_values,
        "entropy_bits": bits,
        "kappa_nats": math.log(n_values) - bits * math.log(2),
        "holder": "City",
        "date": "2019-01-01",
        "method": "counted",
    }
    population = said.get("population")
    if isinstance(population, dict):
        said["population"] = tuple(sorted(population.items()))
    return Statement(**usual | said)


@dataclass
class Publisher:
    """An account with its keys."""

    store: Repository
    name: str = "city"
    holder: str = "City"
    role: str = "publisher"
    signing: SigningKey = field(default_factory=SigningKey.generate)
    api_key: str = ""

    def __post_init__(self) -> None:
        self.api_key = self.store.add_account(
            self.name, self.role, by="tests", public_key=self.signing.public_key, holder=self.holder
        )

    def signed(self, **said: Any) -> tuple[str, str, str]:
        text = canonical(statement(holder=self.holder, **said).to_dict())
        return text, self.signing.sign(text), self.signing.public_key

    def publish(self, **said: Any) -> Receipt:
        return self.store.publish(*self.signed(**said))


@dataclass
class Served:
    """A server in this process."""

    app: Any
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, key: str | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send one request unchanged and return status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = dict(headers or {})
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()

    def sign_in(self) -> str:
        """Return the cookie of a new session."""
        code = self.app.state.sessions.new_code()
        status, headers, _ = self.ask("GET", f"/open?code={code}")
        assert status == 303
        return headers["set-cookie"].split(";")[0]

    def csrf(self, cookie: str) -> str:
        session = self.app.state.sessions.find(cookie.partition("=")[2])
        assert session is not None
        return str(session.csrf_token)


@contextlib.contextmanager
def serving(store: Repository, example_bank: ExampleBank | None = None, **settings: Any) -> Iterator[Served]:
    """Serve a repository in a thread."""
    # Listen now, so that no other process can take the port before the server does.
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    app = create_app(WebSettings(port=port, **{"requests_a_minute": 0, **settings}), store, example_bank)
    server = make_server(app, log_level="critical")
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Served(app, port)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


class Process:
    """``idbits serve`` in a separate process, to be killed."""

    def __init__(self, database: str, folder: Path, *options: str) -> None:
        command = [
            sys.executable, "-c", "from idbits.cli.main import main; main()", "serve", "--port", "0",
            "--database", database, "--requests", "0", "--quiet", *options,
        ]  # fmt: skip
        environment = {**os.environ, "IDBITS_DATA": str(folder)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().decode().strip()
        assert self.link.startswith("http"), (self.link, self.process.stderr and self.process.stderr.read().decode())
        self.port = int(options[options.index("--port") + 1]) if "--port" in options else urlsplit(self.link).port

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """Kill it without warning, as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self._wait()

    def stop(self) -> None:
        self.process.terminate()
        self._wait()

    def _wait(self) -> None:
        self.process.communicate(timeout=120)
