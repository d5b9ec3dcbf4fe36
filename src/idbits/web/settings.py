"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["WebSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """What a server is started with.

    Attributes:
        host: the address to listen on; loopback only.
        port: the port; it is part of what the Host header must say.
        database: where the repository is kept, as a SQLAlchemy URL or a path; None for the user's data folder.
        floor: the least number of people a published population has.
        open_reading: whether reading needs no key.
        most_body_bytes: the largest request that is read.
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
    database: str | None = None
    floor: int = 100
    open_reading: bool = False
    most_body_bytes: int = 1024 * 1024
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
    def hosts(self) -> frozenset[str]:
        """The Host headers that are answered: a page elsewhere that points its name at loopback is not."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def address(self) -> str:
        """Where the server is found."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"
