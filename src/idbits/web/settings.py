"""The settings of a server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from idbits.errors import InputError

__all__ = ["WebSettings", "read_host_name"]

_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}(:|$)){_LABEL}(\.{_LABEL})*(:[1-9][0-9]{{0,4}})?")
_HTTPS_PORT = ":443"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """The settings of a server.

    Attributes:
        host: the address to listen on; loopback only.
        port: the port; the Host header must contain it.
        host_names: the names under which a proxy with TLS forwards requests, as ``read_host_name`` returns them.
        database: where the repository is kept, as a SQLAlchemy URL or a path; None for the user's data folder.
        floor: the smallest number of people in a published population.
        open_reading: whether entries can be read without a key.
        most_body_bytes: the size of the largest request.
        head_seconds: how long the head of a request may take to arrive.
        body_seconds: how long its body may take.
        most_connections: the most connections at once; above it, the one that has been idle longest is closed.
        requests_a_minute: the most requests of one caller per minute; 0 for no limit.
        unlock_attempts_a_minute: the most wrong keys and codes per minute.
        session_seconds: how long a browser stays signed in.
        code_seconds: how long the link with the one-time code works; None until it is used.
        folders: the folders whose files the page "Measure" offers.
        policy: a policy of ``idbits check`` whose datasets that page also offers.
        memory: the most memory for measuring a table, like ``"2GB"``; None for the default of the engine.
        downloads: whether treated tables can be downloaded; None for yes, unless there is a name of a proxy: rows of a
            table then leave this machine only if the person who starts the server says so.
        decisions: the folder in which decisions about tables are recorded; None for the user's data folder.
        keeps_decisions: whether that folder stays when the server ends.
        most_work: the most tables to measure at once; others wait.
        demo: whether the repository is an example.
        examples: a folder of public statistics for the examples; None for those that come with idbits.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    host_names: tuple[str, ...] = ()
    database: str | None = None
    floor: int = 100
    open_reading: bool = False
    most_body_bytes: int = 1024 * 1024
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    most_connections: int = 1000
    requests_a_minute: int = 6000
    unlock_attempts_a_minute: int = 60
    session_seconds: int = 12 * 3600
    code_seconds: int | None = None
    folders: tuple[Path, ...] = ()
    policy: Path | None = None
    memory: str | None = None
    downloads: bool | None = None
    decisions: Path | None = None
    keeps_decisions: bool = True
    most_work: int = 2
    demo: bool = False
    examples: Path | None = None

    @property
    def own_hosts(self) -> frozenset[str]:
        """The Host headers of requests from this machine."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def allows_downloads(self) -> bool:
        """Whether treated tables can be downloaded."""
        return self.downloads if self.downloads is not None else not self.host_names

    @property
    def address(self) -> str:
        """The address of the server: the first name of its proxy, or loopback."""
        if self.host_names:
            return f"https://{self.host_names[0]}"
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def origin(self, host: str) -> str | None:
        """Return the origin for a Host header; None for a request that must be refused.

        Pages elsewhere that point their own name at loopback are refused. Requests with the name of a proxy reached
        the proxy over TLS.
        """
        host = host.lower()
        if host in self.own_hosts:
            return f"http://{host}"
        name = host.removesuffix(_HTTPS_PORT)
        return f"https://{name}" if name in self.host_names else None


def read_host_name(text: str) -> str:
    """Return the name under which a proxy forwards requests, as in a Host header.

    >>> read_host_name("Repository.Example.org"), read_host_name("repository.example.org:8443")
    ('repository.example.org', 'repository.example.org:8443')
    """
    name = text.lower()
    if _HOST_NAME.fullmatch(name) is None or int(name.partition(":")[2] or 1) > 65535:
        raise InputError(
            "--host-name must be like repository.example.org, with a port if it is not 443, without https:// and a path"
        )
    return name.removesuffix(_HTTPS_PORT)
