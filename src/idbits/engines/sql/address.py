"""Database addresses and passwords: a password is never part of an address and never shown."""

from __future__ import annotations

import os
import re
import sqlite3
from importlib import import_module
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from idbits.engines.sources.files import ADDRESSES, NO_ADDRESS
from idbits.errors import InputError
from idbits.storage import expand_home

__all__ = ["PASSWORD_VARIABLE", "engine_of", "parse_address"]

PASSWORD_VARIABLE = "IDBITS_DB_PASSWORD"  # noqa: S105 (a name, not a password)

_SECRETS = re.compile("pass|pwd|secret|token|credential|private|apikey|api_key|access_key", re.IGNORECASE)
_DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}
_EXTRA = "pip install 'idbits[sql]'"


def parse_address(text: str) -> URL:
    """Parse an address; refuse one that contains a password, without repeating it."""
    if text.partition("://")[0].lower() in ADDRESSES:
        raise InputError(NO_ADDRESS)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise InputError("not a valid database address; write it like postgresql://host/database") from None
    parts = [*url.query, *(str(value) for value in url.query.values() if "=" in str(value))]
    # An empty password, as in user:@host, gives nothing away.
    if url.password or any(_SECRETS.search(part) for part in parts):
        raise InputError(
            "the address must not contain a password, which other users could see in the list of processes; set "
            f"{PASSWORD_VARIABLE}, or use .pgpass, PGPASSWORD, MYSQL_PWD or the keyring"
        )
    return url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))


def engine_of(url: URL) -> sa.Engine:
    """Return an engine that looks up its password when it connects."""
    try:
        engine = sa.create_engine(url, poolclass=sa.pool.NullPool, **_arguments(url))
    except NoSuchModuleError:
        raise InputError(
            f'"{url.get_backend_name()}" is not a database type that SQLAlchemy knows here; install its dialect'
        ) from None
    except ImportError:
        hint = f"; run {_EXTRA}" if url.drivername in _DRIVERS.values() else ""
        raise InputError(f"the driver for {url.drivername} is not installed{hint}") from None

    @sa.event.listens_for(engine, "do_connect")
    def _find_password(_dialect: object, _record: object, _arguments: object, parameters: dict[str, object]) -> None:
        password = _password(url)
        if password is not None and "password" not in parameters:
            parameters["password"] = password

    return engine


def _arguments(url: URL) -> dict[str, object]:
    backend = url.get_backend_name()
    if backend == "sqlite":
        return {"creator": lambda: _open_sqlite(url)}
    if backend in ("mysql", "mariadb"):
        return {"connect_args": {"charset": "utf8mb4"}}
    if backend == "postgresql":
        return {"connect_args": {"application_name": "idbits"}}
    return {}


def _open_sqlite(url: URL) -> sqlite3.Connection:
    path = Path(expand_home(url.database or ""))
    if not path.is_file():
        raise InputError(f"the SQLite file {path} does not exist; check the path")
    # This way, a file is neither created nor changed.
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)


def _password(url: URL) -> str | None:
    backend = url.get_backend_name()
    if backend not in ("postgresql", "mysql", "mariadb", "mssql", "oracle", "snowflake"):
        return None  # other databases have no password, or their own way to pass it
    password = os.environ.get(PASSWORD_VARIABLE)
    if password is None and backend in ("mysql", "mariadb"):
        password = os.environ.get("MYSQL_PWD")
    if password is None and not (backend == "postgresql" and _libpq_knows()):
        password = _from_keyring(url)
    return password


def _libpq_knows() -> bool:
    return any(name in os.environ for name in ("PGPASSWORD", "PGPASSFILE", "PGSERVICE"))


def _from_keyring(url: URL) -> str | None:
    if url.username is None:
        return None
    try:
        keyring = import_module("keyring")
        password = keyring.get_password(f"idbits:{url.host or 'localhost'}/{url.database or ''}", url.username)
    except Exception:  # noqa: BLE001 (a keyring that is locked or not there is none)
        return None
    return None if password is None else str(password)
