"""Many at once, for a moment: no error, no lost entry. ``bench/repository.py`` does it for a minute."""

from __future__ import annotations

from pathlib import Path

from helpers import Process, Publisher
from load import run_load

from idbits.repository import Repository


def test_readers_and_publishers_at_once(database: str, tmp_path: Path) -> None:
    store = Repository.open(database)
    publishers = [Publisher(store, f"p{place}", f"Holder {place}") for place in range(4)]
    reader = store.add_account("reader", "reader", by="tests")
    store.close()
    process = Process(database, tmp_path)
    try:
        found = run_load(process.address, publishers, reader, readers=12, seconds=3)
    finally:
        process.stop()
    assert found.errors == []
    assert found.reads > 0
    assert len(found.published) > 0
    again = Repository.open(database)
    assert again.verify() == []
    refs = {line.subject for line in again.audit(limit=100_000) if line.action == "publish"}
    assert refs == {f"entry:{receipt.ref}" for receipt in found.published}
    again.close()
