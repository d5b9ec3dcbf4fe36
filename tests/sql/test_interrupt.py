"""Ctrl-C: the command ends at once, and the query is gone in the server, too."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from commands import Start

# Slow by counting, not by sleeping: a server notices that a client has gone only where a query sleeps.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS i FROM n"
SLOW = {
    "counting": {
        "postgresql": ENDLESS,
        "mariadb": "SELECT count(*) AS i FROM seq_1_to_1000000 AS a, seq_1_to_1000000 AS b",
    },
}
MARKS = {"counting": ("n(i)", "seq_1_to"), "sleeping": ("nap(600", "nap(600")}


def running(server: Any, what: str) -> int:
    """Return how many slow queries run in the server."""
    if server.name == "postgresql":
        return server.rows(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
            "AND datname = current_database() "
            f"AND position('{MARKS[what][0]}' in query) > 0"
        )[0][0]
    return server.rows(
        "SELECT count(*) FROM information_schema.processlist WHERE command <> 'Sleep' AND id <> connection_id() "
        "AND db = database() "
        f"AND locate('{MARKS[what][1]}', info) > 0"
    )[0][0]


def until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def begun(start: Start, address: str, query: str) -> subprocess.Popen[bytes]:
    return start(
        "measure", address, "--qid", "i", "--query", query, "--quiet", "--timeout", "0",
        # Shells start background work with SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    """Press Ctrl-C; return how the command ended, which must be soon."""
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - sent < 8
    return process.returncode, out, err


@pytest.mark.parametrize("what", list(MARKS))
def test_ctrl_c_stops_the_query_in_the_server(server: Any, start: Start, what: str) -> None:
    query = SLOW[what][server.name] if what in SLOW else server.slow_query("i", 600)
    process = begun(start, server.address, query)
    assert until(lambda: running(server, what) > 0, 30), process.poll()
    assert ended(process) == (130, b"", b"idbits: stopped\n")
    assert until(lambda: running(server, what) == 0, 8)


def test_ctrl_c_stops_sqlite(sqlite: Any, start: Start, tmp_path: Path) -> None:
    sqlite.fill("people", [sa.Column("i", sa.Integer())], [{"i": 1}])
    process = begun(start, sqlite.address, ENDLESS)

    def counts() -> bool:
        """Whether the process works: the endless query is all that it has to do for a second."""
        ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(ticks[11]) + int(ticks[12]) > 300

    assert until(counts, 30), process.poll()
    assert ended(process) == (130, b"", b"idbits: stopped\n")


def test_a_second_ctrl_c_ends_it_all_the_same(postgresql: Any, start: Start) -> None:
    process = begun(start, postgresql.address, postgresql.slow_query("i", 600))
    assert until(lambda: running(postgresql, "sleeping") > 0, 30), process.poll()
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    code, out, err = ended(process)
    assert (code in (130, -signal.SIGINT), out) == (True, b"")
    assert b"Traceback" not in err
    assert until(lambda: running(postgresql, "sleeping") == 0, 8)
