"""A short load by many clients: no error, no lost entry. ``bench/repository.py`` runs it for a minute."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sqlalchemy as sa
from helpers import Process, Publisher, fresh_postgresql
from load import run_load

from databases import writer
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


def test_servers_of_one_postgresql_wait_for_each_other_whatever_its_default_isolation() -> None:
    address = fresh_postgresql()
    name = sa.make_url(address).database
    with writer(address).connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text(f"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'"))
    writer(address).dispose()
    stores = [Repository.open(address) for _ in range(2)]
    publishers = [Publisher(store, f"p{place}", f"Holder {place}") for place, store in enumerate(stores)]

    def publish(one: Publisher) -> list[str]:
        return [one.publish(population={"municipality": f"{one.name}-{town}"}).ref for town in range(15)]

    with ThreadPoolExecutor(2) as pool:
        refs = [ref for found in pool.map(publish, publishers) for ref in found]
    assert len(set(refs)) == 30
    assert stores[0].verify() == []
    for store in stores:
        store.close()
