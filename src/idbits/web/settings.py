"""What a server is started with."""

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
    """What a server is started with.

    Attributes:
        host: the address to listen on; loopback only.
        port: the port; it is part of what the Host header must say.
        host_names: the names under which a proxy with TLS passes requests on, as ``read_host_name`` returns them.
        database: where the repository is kept, as a SQLAlchemy URL or a path; None for the user's data folder.
        floor: the least number of people a published population has.
        open_reading: whether reading needs no key.
        most_body_bytes: the largest request that is read.
        head_seconds: how long the head of a request may take to arrive.
        body_seconds: how long its body may take.
        most_connections: how many connections there are at once; the one that is silent for longest makes room.
        requests_a_minute: how many requests one caller may make in a minute; 0 for any number.
        unlock_attempts_a_minute: how many wrong keys and codes are looked at in a minute.
        session_seconds: how long a browser stays signed in.
        code_seconds: how long the link with the one-time code works.
        folders: the folders whose files the page "Measure" offers.
        policy: the file of ``idbits check`` whose datasets that page offers, too.
        memory: the most memory that measuring a table takes, like ``"2GB"``; None for what the engine takes by itself.
        most_work: how many tables are measured at once; the others wait.
        demo: whether the repository is an example.
        examples: the folder of public statistics that examples are counted from; None for made-up people.
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
    code_seconds: int = 900
    folders: tuple[Path, ...] = ()
    policy: Path | None = None
    memory: str | None = None
    most_work: int = 2
    demo: bool = False
    examples: Path | None = None

    @property
    def own_hosts(self) -> frozenset[str]:
        """The Host headers of whoever sits at this machine."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def address(self) -> str:
        """Where the server is found: under the first name of its proxy, else on loopback."""
        if self.host_names:
            return f"https://{self.host_names[0]}"
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def origin(self, host: str) -> str | None:
        """Return the origin that a Host header stands for; None for one that is not answered.

        A page elsewhere that points its own name at loopback is not answered. What comes under the name of a proxy
        came to the proxy over TLS.
        """
        host = host.lower()
        if host in self.own_hosts:
            return f"http://{host}"
        name = host.removesuffix(_HTTPS_PORT)
        return f"https://{name}" if name in self.host_names else None


def read_host_name(text: str) -> str:
    """Return a name under which a proxy passes requests on, as a Host header has it.

    >>> read_host_name("Repository.Example.org"), read_host_name("repository.example.org:8443")
    ('repository.example.org', 'repository.example.org:8443')
    """
    name = text.lower()
    if _HOST_NAME.fullmatch(name) is None or int(name.partition(":")[2] or 1) > 65535:
        raise InputError(
            "a host name is written repository.example.org, with a port if it is not 443: no https://, no path "
            "(--host-name)"
        )
    return name.removesuffix(_HTTPS_PORT)
