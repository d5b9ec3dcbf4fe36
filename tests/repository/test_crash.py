"""kill -9 in the middle of publishing: every acknowledged entry is there, and the chain verifies."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from helpers import Process, Publisher

from idbits.errors import IdbitsError
from idbits.repository import Receipt, RemoteRepository, Repository

PUBLISHERS = 4


def publish_until_killed(one: Publisher, remote: RemoteRepository, name: str, acknowledged: list[Receipt]) -> None:
    for number in range(10_000):
        town = {"municipality": f"{name}-{number}"}
        try:
            acknowledged.append(remote.publish(*one.signed(population=town, n_people=1000)))
        except IdbitsError:
            return


def test_what_was_acknowledged_survives_a_kill(database: str, tmp_path: Path) -> None:
    store = Repository.open(database)
    publishers = [Publisher(store, f"p{place}", f"Holder {place}") for place in range(PUBLISHERS)]
    store.close()
    acknowledged: list[Receipt] = []
    for attempt in range(2):
        process = Process(database, tmp_path)
        remotes = [(one, RemoteRepository(process.address, one.api_key)) for one in publishers]
        threads = [
            threading.Thread(target=publish_until_killed, args=(one, remote, f"{attempt}-{place}", acknowledged))
            for place, (one, remote) in enumerate(remotes)
        ]
        for thread in threads:
            thread.start()
        for _ in range(6000):
            if len(acknowledged) >= 25 * (attempt + 1):
                break
            time.sleep(0.01)
        process.kill()
        for thread in threads:
            thread.join(60)
    assert len(acknowledged) >= 50
    again = Repository.open(database)
    assert again.verify() == []
    lines = {line.sequence: line for line in again.audit(limit=100_000)}
    for receipt in acknowledged:
        assert again.entry(receipt.ref).sequence == receipt.sequence
        assert lines[receipt.sequence].hash == receipt.hash
    publishers[0].store = again
    publishers[0].publish(population={"municipality": "after"}, n_people=1000)
    assert again.verify() == []
    again.close()
