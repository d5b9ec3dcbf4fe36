"""Who reaches what: every route has a decision here, and is asked with every kind of key over real connections."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from helpers import Publisher, Served, serving
from starlette.routing import Mount

from idbits.examples.registry import write_registry
from idbits.repository import Repository
from idbits.web.questions.bank import Bank
from idbits.web.questions.examples import ExampleBank

from .invented import publish_invented

ANYONE, READER, PUBLISHER, ADMIN, OWNER = "anyone", "reader", "publisher", "admin", "owner"
ORDER = (ANYONE, READER, PUBLISHER, ADMIN, OWNER)
REF = "0123456789abcdef"
# OWNER is the browser's session: what reaches files, configured sources or results that were measured in them.
DECISIONS = {
    "GET /open": ANYONE,
    "GET /health": ANYONE,
    "GET /static/report.css": ANYONE,
    "GET /api/openapi.json": READER,
    "GET /": READER,
    "GET /questions.json": READER,
    "GET /repository": READER,
    "GET /repository.json": READER,
    "GET /repository/entries/{ref}": READER,
    "GET /repository/entries/{ref}.json": READER,
    "POST /repository/entries/{ref}/decisions": PUBLISHER,
    "GET /repository/exchange": ADMIN,
    "POST /repository/conflicts/{ref}": ADMIN,
    "GET /measure": OWNER,
    "GET /measure.json": OWNER,
    "GET /measure/people": OWNER,
    "GET /measure/columns": OWNER,
    "GET /measure/columns.json": OWNER,
    "GET /measure/report": OWNER,
    "GET /measure/report.json": OWNER,
    "GET /measure/report.html": OWNER,
    "GET /measure/report.pdf": OWNER,
    "GET /measure/answer": OWNER,
    "GET /measure/learnt": OWNER,
    "GET /measure/population": OWNER,
    "GET /measure/second": OWNER,
    "GET /measure/time": OWNER,
    "GET /measure/time.json": OWNER,
    "GET /measure/time.html": OWNER,
    "GET /measure/decide": OWNER,
    "POST /measure/decide": OWNER,
    "GET /measure/decided": OWNER,
    "GET /measure/signed": OWNER,
    "GET /decisions": OWNER,
    "GET /decisions.json": OWNER,
    "GET /measure/treat": OWNER,
    "GET /measure/treat.json": OWNER,
    "GET /measure/treated": OWNER,
    "GET /measure/treated.csv": OWNER,
    "GET /measure/treated.receipt.json": OWNER,
    "POST /measure/cancel": OWNER,
    "POST /measure/again": OWNER,
    "GET /overlap": OWNER,
    "GET /overlap.json": OWNER,
    "GET /overlap/columns": OWNER,
    "GET /overlap/columns.json": OWNER,
    "GET /overlap/report": OWNER,
    "GET /overlap/report.json": OWNER,
    "GET /overlap/report.html": OWNER,
    "GET /overlap/report.pdf": OWNER,
    "POST /overlap/cancel": OWNER,
    "POST /overlap/again": OWNER,
    "GET /link": OWNER,
    "GET /link.json": OWNER,
    "GET /link/columns": OWNER,
    "GET /link/columns.json": OWNER,
    "GET /link/report": OWNER,
    "GET /link/report.json": OWNER,
    "GET /link/report.html": OWNER,
    "GET /link/report.pdf": OWNER,
    "POST /link/cancel": OWNER,
    "POST /link/again": OWNER,
    "GET /attack": OWNER,
    "GET /attack.json": OWNER,
    "GET /attack/columns": OWNER,
    "GET /attack/columns.json": OWNER,
    "GET /attack/report": OWNER,
    "GET /attack/report.json": OWNER,
    "GET /attack/report.html": OWNER,
    "GET /attack/report.pdf": OWNER,
    "POST /attack/cancel": OWNER,
    "POST /attack/again": OWNER,
    "GET /api/v1/entries": READER,
    "POST /api/v1/entries": PUBLISHER,
    "GET /api/v1/entries/{ref}": READER,
    "POST /api/v1/entries/{ref}/retraction": PUBLISHER,
    "GET /api/v1/entries/{ref}/decisions": READER,
    "POST /api/v1/entries/{ref}/decisions": READER,
    "GET /api/v1/query": READER,
    "GET /api/v1/vocabulary": READER,
    "POST /api/v1/vocabulary": ADMIN,
    "GET /api/v1/tables": READER,
    "POST /api/v1/tables": PUBLISHER,
    "GET /api/v1/questionnaires": READER,
    "POST /api/v1/questionnaires": PUBLISHER,
    "GET /api/v1/matches": READER,
    "GET /api/v1/feed": READER,
    "GET /api/v1/followed": ADMIN,
    "GET /api/v1/conflicts": ADMIN,
    "POST /api/v1/conflicts/{ref}/resolution": ADMIN,
    "GET /api/v1/audit": READER,
    "GET /api/v1/audit/verification": ADMIN,
    "GET /api/v1/me": READER,
    "GET /api/v1/accounts": ADMIN,
    "POST /api/v1/accounts": ADMIN,
    "POST /api/v1/accounts/{name}/revocation": ADMIN,
}


def routes_of(app: FastAPI) -> set[str]:
    """Return every route of the app; what is mounted are the static files."""
    found: set[str] = set()
    for route in app.routes:
        if isinstance(route, Mount):
            assert route.path == "/static"
            continue
        # Newer versions of FastAPI keep a router that was included as one route.
        parts = route.effective_route_contexts() if hasattr(route, "effective_route_contexts") else [route]
        found |= {f"{method} {part.path}" for part in parts for method in part.methods if method != "HEAD"}
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("owner")
    write_registry(folder / "people.csv", 1_000)
    dataset = f'[[dataset]]\nname = "register"\nsource = "{folder / "people.csv"}"\nqid = ["gender"]\n'
    (folder / "idbits.toml").write_text(f'rules = ["k_min >= 1"]\n{dataset}')
    return folder


@pytest.fixture(scope="module")
def server(folder: Path, bank: Bank) -> Iterator[Served]:
    store = Repository.open(str(folder / "repository.db"))
    publish_invented(store, 5_000)
    settings = {"folders": (folder,), "policy": folder / "idbits.toml", "decisions": folder / "decided"}
    with serving(store, ExampleBank(bank=bank), **settings) as server:
        yield server
        server.app.state.work_queue.close()
    store.close()


@pytest.fixture(scope="module")
def keys(server: Served) -> dict[str, str]:
    store = server.app.state.repository
    publisher = Publisher(store, "publisher", "Publisher")
    added = {role: store.add_account(role, role, by="tests") for role in (READER, ADMIN)}
    return added | {PUBLISHER: publisher.api_key}


def test_every_route_has_a_decision(server: Served) -> None:
    assert routes_of(server.app) == set(DECISIONS)


@pytest.mark.parametrize(("route", "decision"), DECISIONS.items())
def test_routes_keep_to_their_decision(server: Served, keys: dict[str, str], route: str, decision: str) -> None:
    method, path = route.split(" ")
    path = path.replace("{ref}", REF).replace("{name}", "nobody")
    body = b"{}" if method == "POST" else None
    for role in ORDER[:4]:
        status, _, said = server.ask(method, path, body, key=keys.get(role))
        refused = status == 401 or (status == 403 and path != "/open")
        assert refused == (ORDER.index(role) < ORDER.index(decision)), (role, status, said)
    if method == "GET":
        status, _, _ = server.ask(method, path, headers={"Cookie": server.sign_in()})
        assert status not in (401, 403) or path == "/open"


@pytest.mark.parametrize("source", ["in=0&file=people.csv", "set=register"])
@pytest.mark.parametrize(
    "page",
    ["people", "columns", "columns.json", "report", "report.json", "report.html", "report.pdf", "answer", "learnt",
     "population", "second", "time", "time.json", "time.html", "treat", "treated.csv", "decide", "decided", "signed"],
)  # fmt: skip
def test_no_key_opens_a_file(server: Served, keys: dict[str, str], source: str, page: str) -> None:
    _refused_with_every_key(server, keys, f"/measure/{page}?{source}&q=gender&when=birthdate&record=1&reveal=yes")


@pytest.mark.parametrize("source", ["in=0&file=people.csv", "set=register"])
@pytest.mark.parametrize("page", ["columns", "columns.json", "report", "report.json", "report.html", "report.pdf"])
def test_no_key_compares_files(server: Served, keys: dict[str, str], source: str, page: str) -> None:
    _refused_with_every_key(server, keys, f"/overlap/{page}?kind=zones&{source}&zones=gender&zones=a&reveal=yes")


@pytest.mark.parametrize("source", ["in=0&file=people.csv&in2=0&file2=people.csv", "set=register&set2=register"])
@pytest.mark.parametrize("page", ["columns", "columns.json", "report", "report.json", "report.html", "report.pdf"])
def test_no_key_links_files(server: Served, keys: dict[str, str], source: str, page: str) -> None:
    _refused_with_every_key(server, keys, f"/link/{page}?{source}&on=gender&known=everyone")


@pytest.mark.parametrize("source", ["in=0&file=people.csv&in2=0&file2=people.csv", "set=register&set2=register"])
@pytest.mark.parametrize("page", ["columns", "columns.json", "report", "report.json", "report.html", "report.pdf"])
def test_no_key_attacks_files(server: Served, keys: dict[str, str], source: str, page: str) -> None:
    _refused_with_every_key(server, keys, f"/attack/{page}?{source}&attack=inference&infer=gender")


def _refused_with_every_key(server: Served, keys: dict[str, str], address: str) -> None:
    for key in keys.values():
        status, _, said = server.ask("GET", address, key=key)
        assert status == 403
        # The way back repeats the column that was asked for, and nothing from the file.
        assert not any(column in said for column in (b"birthdate", b"zip"))
        # A cookie beside the key does not help: the sender of a key is its holder.
        assert server.ask("GET", address, headers={"Cookie": server.sign_in()}, key=key)[0] == 403
    assert server.app.state.work_queue._works == {}


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
DECISION = b"query=in%3D0%26file%3Dpeople.csv%26q%3Dgender&form=abcdefgh&decision=refuse&by=A&why=B"


def test_no_key_records_or_reads_a_decision(server: Served, keys: dict[str, str]) -> None:
    for key in keys.values():
        assert server.ask("POST", "/measure/decide", DECISION, FORM, key)[0] == 403
        assert server.ask("GET", "/decisions", key=key)[0] == 403
        assert server.ask("GET", "/decisions.json", key=key)[0] == 403
    assert not server.app.state.decisions.path.exists()
    assert server.app.state.work_queue._works == {}


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, 403),
        ({"X-CSRF-Token": "guess"}, 403),
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "elsewhere.example"}, 400),
    ],
)
def test_no_other_page_records_a_decision(server: Served, more: dict[str, str], status: int) -> None:
    """The owner's browser sends its cookie; the token of the form, the Origin or the Host is wrong."""
    cookie = server.sign_in()
    session = server.app.state.sessions.find(cookie.partition("=")[2])
    token = {"X-CSRF-Token": session.csrf_token} if more and "X-CSRF-Token" not in more else {}
    assert server.ask("POST", "/measure/decide", DECISION, {**FORM, "Cookie": cookie, **token, **more})[0] == status
    assert not server.app.state.decisions.path.exists()


@pytest.mark.parametrize("file", ["../secret.csv", "/etc/passwd", ".hidden.csv", "idbits.toml/../../x", "no.csv"])
@pytest.mark.parametrize(
    "page", ["people", "columns", "answer", "learnt", "population", "second", "time", "treat", "decide", "signed"]
)
def test_no_page_leaves_the_offered_folder(server: Served, page: str, file: str) -> None:
    more = {"time": "&when=b", "signed": "&record=1", "population": "&in2=0&file2=people.csv&look=up"}.get(page, "")
    address = f"/measure/{page}?{urlencode({'in': '0', 'file': file, 'person': 'a', 'q': 'gender'})}{more}"
    status, _, said = server.ask("GET", address, headers={"Cookie": server.sign_in()})
    assert status == 400, said
    assert server.app.state.work_queue._works == {}


@pytest.mark.parametrize("file", ["../secret.csv", "/etc/passwd", ".hidden.csv", "idbits.toml/../../x", "no.csv"])
def test_no_population_is_outside_the_offered_folder(server: Served, file: str) -> None:
    query = urlencode({"in": "0", "file": "people.csv", "q": "gender", "in2": "0", "file2": file, "look": "up"})
    status, _, said = server.ask("GET", f"/measure/population?{query}", headers={"Cookie": server.sign_in()})
    assert status == 400, said
    assert server.app.state.work_queue._works == {}


def test_an_admin_s_key_stops_no_work(server: Served, keys: dict[str, str]) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in (
        "/measure/cancel",
        "/measure/again",
        "/overlap/cancel",
        "/overlap/again",
        "/link/cancel",
        "/link/again",
        "/attack/cancel",
        "/attack/again",
    ):
        assert server.ask("POST", path, b"work=x&query=set%3Dregister", form, keys[ADMIN])[0] == 403


def test_one_key_fills_no_queue_but_its_own(server: Served, keys: dict[str, str]) -> None:
    store, queue = server.app.state.repository, server.app.state.work_queue
    ref = next(entry.ref for entry in store.entries().entries if entry.is_whole)

    def forecast(k: int, key: str) -> tuple[int, dict[str, str]]:
        status, headers, _ = server.ask("GET", f"/repository/entries/{ref}.json?k={k}", key=key)
        return status, headers

    with ThreadPoolExecutor(30) as pool:
        answers = list(pool.map(lambda k: forecast(k, keys[READER]), range(900_000, 900_030)))
    assert {status for status, _ in answers} <= {200, 202, 429}
    refused = [headers for status, headers in answers if status == 429]
    assert len(refused) >= 20
    assert all(int(headers["retry-after"]) >= 1 for headers in refused)
    assert sum(work.by == READER for work in (*queue._waiting, *queue._running)) <= 4
    # The owner's work begins at once, and another key has a place, too.
    cookie = {"Cookie": server.sign_in()}
    status, _, said = server.ask("GET", "/measure/columns.json?in=0&file=people.csv", headers=cookie)
    assert status in (200, 202)
    assert not [work for work in queue._waiting if work.by is None]
    assert forecast(800_000, keys[PUBLISHER])[0] in (200, 202)
    assert not [work for work in queue._waiting if work.by == PUBLISHER]
    until = time.monotonic() + 120
    while status == 202 and time.monotonic() < until:
        status, _, said = server.ask("GET", "/measure/columns.json?in=0&file=people.csv", headers=cookie)
    assert status == 200
    assert json.loads(said)["n_rows"] == 1_000


def test_requests_of_one_key_leave_threads_to_the_owner(server: Served, keys: dict[str, str]) -> None:
    """Sixty requests that each wait a second for work: in one line they would take all threads for seconds."""
    queue, begun = server.app.state.work_queue, threading.Event()
    queue.close()
    ref = next(entry.ref for entry in server.app.state.repository.entries().entries if entry.is_whole)
    cookie = {"Cookie": server.sign_in()}
    stop = threading.Event()

    def poll(_: int) -> None:
        while not stop.is_set():
            begun.set()
            server.ask("GET", f"/repository/entries/{ref}.json?k=700000", key=keys[READER])

    at_once, queue._at_once = queue._at_once, 0
    try:
        with ThreadPoolExecutor(60) as pool:
            list_of = [pool.submit(poll, number) for number in range(60)]
            assert begun.wait(10)
            time.sleep(2)
            waits = []
            for _ in range(10):
                start = time.monotonic()
                assert server.ask("GET", "/repository.json?text=nothing", headers=cookie)[0] == 200
                waits.append(time.monotonic() - start)
            stop.set()
            for one in list_of:
                one.result(60)
    finally:
        queue._at_once = at_once
        queue.close()
    assert sorted(waits)[5] < 0.5, waits


def test_the_log_has_no_message_of_an_unexpected_error(
    server: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lines: list[str] = []

    class Noting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    def fail() -> None:
        raise RuntimeError("a value of a cell")

    handler, loggers = Noting(), [logging.getLogger(name) for name in ("uvicorn.error", "idbits.web")]
    monkeypatch.setattr(server.app.state.decisions, "records", fail)
    for logger in loggers:
        logger.addHandler(handler)
        caplog.set_level(logging.WARNING, logger.name)
    try:
        status, _, said = server.ask("GET", "/decisions", headers={"Cookie": server.sign_in()})
        until = time.monotonic() + 10
        while len(lines) < 2 and time.monotonic() < until:
            time.sleep(0.01)
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    assert status == 500
    assert lines == ["GET /decisions: RuntimeError", "Exception in ASGI application (RuntimeError)"]
    assert b"a value of a cell" not in said
