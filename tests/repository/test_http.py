"""The JSON interface over real connections: roles, entries, and a client that verifies the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy
from helpers import Publisher, Served, altered, serving

from idbits.errors import EntryNotFoundError, InputError, NotAllowedError, RefusedError, RepositoryError
from idbits.repository import RemoteRepository, Repository
from idbits.repository.client import entry_from


@pytest.fixture
def remote(served: Served, city: Publisher) -> RemoteRepository:
    return RemoteRepository(served.address, city.api_key)


@pytest.mark.big
def test_publish_query_and_retract_from_afar(remote: RemoteRepository, city: Publisher) -> None:
    receipt = remote.publish(*city.signed())
    assert remote.publish(*city.signed()) == receipt
    entry = remote.entry(receipt.ref)
    assert entry == city.store.entry(receipt.ref)
    assert remote.entries(["sex"], {"City": "amsterdam"}).entries == (entry,)
    local = city.store.query(["sex"], {"City": "amsterdam"})
    assert remote.query(["sex"], {"City": "amsterdam"}) == local
    assert remote.query(["sex", "age"], {"City": "amsterdam"}, 5000).to_dict()["bounds"]
    assert remote.retract(receipt.ref, "wrong", by="me").status == "retracted"
    assert remote.entry(receipt.ref).is_retracted


def test_errors_come_back_as_what_they_are(remote: RemoteRepository, city: Publisher) -> None:
    remote.publish(*city.signed())
    with pytest.raises(RefusedError) as refused:
        remote.publish(*city.signed(n_people=1001))
    assert refused.value.rule == "difference"
    assert "1000" not in str(refused.value)
    with pytest.raises(EntryNotFoundError):
        remote.entry("0" * 16)
    with pytest.raises(RepositoryError):
        remote.entry("../../etc")
    with pytest.raises(InputError, match="no attribute"):
        remote.query(["shoe size"], {"City": "a"})


def test_inventories_and_vocabulary_from_afar(served: Served, city: Publisher) -> None:
    admin = RemoteRepository(served.address, city.store.add_account("root", "admin", by="tests"))
    assert admin.extend_vocabulary({"name": "shoe size", "aliases": {"maat": ""}}, by="").name == "shoe size"
    assert admin.vocabulary().resolve("MAAT").name == "shoe size"
    remote = RemoteRepository(served.address, city.api_key)
    table = {"name": "registry", "holder": "City", "columns": ["dob", "sex"], "population": {"City": "A"}, "size": 5000}
    remote.record_table(table, by="")
    with pytest.raises(NotAllowedError, match="data holder"):
        remote.record_table(table | {"holder": "Other"}, by="")
    remote.record_questionnaire({"name": "concert", "where": "hall", "questions": ["birthyear", "gender"]}, by="")
    assert remote.tables() == city.store.tables()
    assert remote.questionnaires() == city.store.questionnaires()
    assert [match.qid for match in remote.matches()] == [("birthdate:year", "gender")]
    assert remote.me().holder == "City"


ADMIN_ONLY = [
    ("GET", "/accounts", None),
    ("POST", "/accounts", {"name": "x", "role": "reader"}),
    ("POST", "/accounts/city/revocation", None),
    ("POST", "/vocabulary", {"name": "hat size"}),
    ("GET", "/audit/verification", None),
]
PUBLISHERS = [
    ("POST", "/entries", {"statement": "{}", "signature": "", "public_key": ""}),
    ("POST", "/entries/" + "0" * 16 + "/retraction", {"reason": "x"}),
    ("POST", "/tables", {"name": "x", "holder": "x", "columns": ["age"], "population": {"city": "x"}, "size": 5}),
    ("POST", "/questionnaires", {"name": "x", "where": "x", "questions": ["age"]}),
]
READERS = ["/entries", "/vocabulary", "/tables", "/questionnaires", "/matches", "/audit", "/me",
           "/query?qid=age&population=city%3Dx"]  # fmt: skip


def test_roles(served: Served, city: Publisher) -> None:
    keys = {role: city.store.add_account(role, role, by="t") for role in ("reader", "admin")} | {
        "publisher": city.api_key
    }
    keys["nobody"] = None  # type: ignore[assignment]
    keys["guess"] = altered(city.api_key)
    for role, key in keys.items():
        for method, path, body in ADMIN_ONLY:
            status, _, _ = served.ask(method, f"/api/v1{path}", body, key=key)
            assert (status in (401, 403)) == (role != "admin"), (role, path, status)
            if role == "admin" and path.endswith("revocation"):
                city.api_key = ""
        for path in READERS:
            status, _, _ = served.ask("GET", f"/api/v1{path}", key=key)
            assert status == (401 if role in ("nobody", "guess") or (role == "publisher" and not city.api_key) else 200)
        for method, path, body in PUBLISHERS:
            status, _, _ = served.ask(method, f"/api/v1{path}", body, key=key)
            refused = role in ("nobody", "guess", "reader") or (role == "publisher" and not city.api_key)
            forbidden = (401, 403)
            if path == "/entries" and not refused:
                assert status in (400, 403)
            else:
                assert (status in forbidden) == refused or (role == "publisher" and path == "/tables"), (role, path)


def test_a_revoked_key_opens_nothing(served: Served, city: Publisher) -> None:
    assert served.ask("GET", "/api/v1/entries", key=city.api_key)[0] == 200
    city.store.revoke("city", by="tests")
    assert served.ask("GET", "/api/v1/entries", key=city.api_key)[0] == 401


def test_keys_are_kept_as_digests(city: Publisher) -> None:
    assert city.store.database.path is not None
    city.store.close()
    raw = city.store.database.path.read_bytes()
    assert city.api_key.encode() not in raw
    # The secret part may contain an underscore itself.
    assert city.api_key[-16:].encode() not in raw


def test_open_reading(sqlite_store: Repository) -> None:
    with serving(sqlite_store, open_reading=True) as server:
        assert server.ask("GET", "/api/v1/entries")[0] == 200
        assert server.ask("GET", "/api/v1/accounts")[0] == 403
        assert server.ask("POST", "/api/v1/questionnaires", {})[0] == 401
        assert server.ask("GET", "/")[0] == 401


def test_decisions(served: Served, city: Publisher) -> None:
    ref = city.publish().ref
    decision = {"decision": "ask the year only", "by": "the board", "why": "too few\nshare it"}
    status, _, _ = served.ask("POST", f"/api/v1/entries/{ref}/decisions", decision, key=city.api_key)
    assert status == 201
    found = json.loads(served.ask("GET", f"/api/v1/entries/{ref}/decisions", key=city.api_key)[2])["decisions"]
    assert [{name: one[name] for name in decision} for one in found] == [decision]


def test_a_lying_server_is_found_out(city: Publisher) -> None:
    data: dict[str, Any] = city.store.entry(city.publish().ref).to_dict()
    assert entry_from(data).ref == data["ref"]
    lies: Iterator[dict[str, Any]] = iter(
        [
            data | {"statement": data["statement"] | {"kappa_nats": 0.1}},
            data | {"statement": data["statement"] | {"holder": "Other"}},
            data | {"ref": "0" * 16},
            data | {"signature": altered(data["signature"])},
            data | {"signature": None},
            {key: value for key, value in data.items() if key != "public_key"},
            data | {"statement": []},
        ]
    )
    for lie in lies:
        with pytest.raises(RepositoryError):
            entry_from(lie)


@pytest.mark.parametrize(
    "address",
    ["http://repository.example", "ftp://127.0.0.1", "http://user:pw@127.0.0.1", "https://", "http://127.0.0.1/?key=1",
     "http://127.0.0.1:99999"],
)  # fmt: skip
def test_addresses_that_are_not_used(address: str) -> None:
    with pytest.raises(InputError):
        RemoteRepository(address)


def test_nobody_answers() -> None:
    with pytest.raises(RepositoryError, match="no answer"):
        RemoteRepository("http://127.0.0.1:1", "key").vocabulary()


def test_a_full_disk_is_not_the_fault_of_who_asks(served: Served, city: Publisher) -> None:
    engine = city.store.database.engine
    with engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    engine.dispose()
    sqlalchemy.event.listen(engine, "connect", lambda raw, _: raw.execute(f"PRAGMA max_page_count={pages}"))
    answers = []
    for name in "abcdefgh":
        signed = city.signed(method="m" * 1000, source="s" * 1000, population={"municipality": name})
        body = dict(zip(("statement", "signature", "public_key"), signed, strict=True))
        status, _, answer = served.ask("POST", "/api/v1/entries", body, key=city.api_key)
        answers.append((status, json.loads(answer).get("error")))
    assert answers[-1] == (503, "the database of the repository failed (the disk is full)")
    assert served.ask("GET", "/api/v1/entries", key=city.api_key)[0] == 200
    assert city.store.verify() == []
