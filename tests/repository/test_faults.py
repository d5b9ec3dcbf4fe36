"""A small part of ``faults.py``: kills and power cuts lose no acknowledged entry, and the log verifies."""

from __future__ import annotations

import random

import pytest
from faults import cut_migration, cut_publishing, kill_migration, recorded_publishing
from killing import Killed, kill_on_postgresql, kill_on_sqlite
from power import SECTOR, STRACE, Call, Content, Disk, replay

needs_strace = pytest.mark.skipif(STRACE is None, reason="strace is not installed (Debian: apt-get install strace)")


@pytest.mark.parametrize("kill", [kill_on_sqlite, kill_on_postgresql])
def test_kills_lose_nothing_that_was_acknowledged(kill: object) -> None:
    found = Killed()
    kill(6, random.Random(1), found)  # type: ignore[operator]
    assert found.problems == []
    assert found.kills >= 6
    assert found.acknowledged >= 2
    assert found.server_kills == (1 if kill is kill_on_postgresql else 0)


@pytest.mark.server
def test_a_migration_is_killed_at_its_steps() -> None:
    for kind, (steps, problems) in kill_migration(entries=2, every=6).items():
        assert steps >= 4, kind
        assert problems == [], kind


@needs_strace
def test_power_cuts_at_every_call_of_a_migration() -> None:
    found = cut_migration(2, random.Random(2))
    assert found.problems == []
    assert found.calls >= 20


@needs_strace
def test_power_cuts_lose_nothing_that_was_acknowledged() -> None:
    calls = recorded_publishing(45)
    assert sum(call.name == "sync" for call in calls) >= 45
    found = cut_publishing(calls, 40, random.Random(3))
    assert found.problems == []
    assert found.acknowledged >= 20
    # The test can fail: if syncs do nothing, entries are lost.
    assert cut_publishing(calls, 20, random.Random(4), syncs=False).problems


def test_what_is_not_synced_may_be_there_in_part() -> None:
    disk = Disk()
    replay([Call("create", "a"), Call("sync folder", ""), Call("write", "a", data=b"x" * 600), Call("sync", "a")], disk)
    replay([Call("write", "a", offset=500, data=b"y" * 1000), Call("truncate", "a", offset=1200)], disk)
    chance, states = random.Random(5), set()
    for _ in range(200):
        found = disk.names["a"].after(chance, 0.5)
        assert found[:500] == b"x" * 500
        assert set(found[500:]) <= {0, ord("x"), ord("y")}
        states.add(bytes(found))
    # Three sectors and the end of the file, each written or not.
    assert len(states) > 8
    assert bytes(disk.names["a"].after(chance, 1.0)) == b"x" * 500 + b"y" * 700
    assert bytes(disk.names["a"].after(chance, 0.0)) == b"x" * 600
    assert SECTOR == 512
    assert Content().after(chance, 0.0) == b""
