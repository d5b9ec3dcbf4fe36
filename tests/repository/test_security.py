"""What the guard refuses: other hosts, other origins, no token, too large, too many, links used twice."""

from __future__ import annotations

import concurrent.futures
import errno
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import quote

import pytest
from helpers import Process, Publisher, Served, altered, serving

from idbits.errors import InputError, RepositoryError
from idbits.repository import Repository, SigningKey
from idbits.web.limits import RateLimit
from idbits.web.security import CSP
from idbits.web.sessions import Sessions

QUESTIONS = {"name": "x", "where": "y", "questions": ["age"]}


@pytest.mark.big
def test_a_link_opens_one_session(served: Served) -> None:
    code = served.app.state.sessions.new_code()
    status, headers, _ = served.ask("GET", f"/open?code={code}")
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert served.ask("GET", f"/open?code={code}")[0] == 403
    assert served.ask("GET", "/", headers={"Cookie": cookie.split(";")[0]})[0] == 200
    assert served.ask("GET", "/")[0] == 401
    assert served.ask("GET", "/", headers={"Cookie": f"idbits_{served.port}=guess"})[0] == 401
    assert served.ask("GET", "/open?code=guess")[0] == 403


def test_one_code_opens_one_session_however_many_try_at_once(served: Served) -> None:
    code = served.app.state.sessions.new_code()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: served.ask("GET", f"/open?code={code}")[0], range(32)))
    assert found.count(303) == 1


def test_codes_and_sessions_end() -> None:
    now = [0.0]
    sessions = Sessions(session_seconds=100, code_seconds=10, clock=lambda: now[0])
    old, code = sessions.new_code(), sessions.new_code()
    cookie = sessions.exchange(code)
    assert cookie is not None
    now[0] = 11
    assert sessions.exchange(old) is None
    assert sessions.find(cookie) is not None
    now[0] = 101
    assert sessions.find(cookie) is None


@pytest.mark.big
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", "", "[::1]"],
)
def test_other_hosts(served: Served, city: Publisher, host: str) -> None:
    status, _, _ = served.ask(
        "GET", "/api/v1/entries", headers={"Host": host.format(port=served.port)}, key=city.api_key
    )
    assert status == 400


def test_no_host_and_two_hosts(served: Served) -> None:
    for hosts in ("", f"Host: 127.0.0.1:{served.port}\r\nHost: 127.0.0.1:{served.port}\r\n"):
        with socket.create_connection(("127.0.0.1", served.port), 10) as connection:
            connection.sendall(f"GET /health HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n".encode())
            assert b" 400 " in connection.recv(100)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_own_hosts(served: Served, name: str) -> None:
    assert served.ask("GET", "/health", headers={"Host": f"{name}:{served.port}"})[0] == 200


@pytest.mark.big
def test_other_origins_and_forms_without_the_token(served: Served) -> None:
    cookie = served.sign_in()
    token = served.csrf(cookie)
    good = {"Cookie": cookie, "X-CSRF-Token": token, "Origin": served.address}

    def post(headers: dict[str, str]) -> int:
        return served.ask("POST", "/api/v1/questionnaires", QUESTIONS, headers)[0]

    assert post(good) == 201
    assert post({**good, "Origin": "http://evil.example"}) == 403
    assert post({**good, "Origin": "null"}) == 403
    assert post({**good, "Origin": "http://127.0.0.1"}) == 403
    assert post({**good, "Sec-Fetch-Site": "cross-site"}) == 403
    assert post({**good, "X-CSRF-Token": altered(token)}) == 403
    assert post({name: value for name, value in good.items() if name != "X-CSRF-Token"}) == 403
    assert post({"X-CSRF-Token": token}) == 401
    reading = {"Cookie": cookie, "Origin": "http://evil.example"}
    assert served.ask("GET", "/api/v1/entries", headers=reading)[0] == 403
    navigating = {"Cookie": cookie, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert served.ask("GET", "/", headers=navigating)[0] == 200


def test_the_token_in_a_form(served: Served) -> None:
    cookie = served.sign_in()
    form = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    token = served.csrf(cookie)
    # The guard accepts the request, but no page accepts this form.
    assert served.ask("POST", "/", f"a=b&csrf_token={token}".encode(), form)[0] == 405
    assert served.ask("POST", "/", b"a=b&csrf_token=x", form)[0] == 403
    assert served.ask("POST", "/", b"\xff=\xff&&&csrf_token", form)[0] == 403
    assert served.ask("POST", "/", b"a&" * 5000, form)[0] == 403


def test_sizes(sqlite_store: Repository) -> None:
    city = Publisher(sqlite_store)
    with serving(sqlite_store, most_body_bytes=1000) as server:
        assert server.ask("POST", "/api/v1/entries", b"x" * 1001, key=city.api_key)[0] == 413
        assert server.ask("POST", "/api/v1/entries", b"x" * 1000, key=city.api_key)[0] == 422
        with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
            lines = ["POST /api/v1/entries HTTP/1.1", f"Host: 127.0.0.1:{server.port}"]
            lines += [f"Authorization: Bearer {city.api_key}", "Transfer-Encoding: chunked", "", ""]
            connection.sendall("\r\n".join(lines).encode() + (b"3e8\r\n" + b"x" * 1000 + b"\r\n") * 2)
            assert b" 413 " in connection.recv(100)


def test_rates(sqlite_store: Repository) -> None:
    city = Publisher(sqlite_store)
    with serving(sqlite_store, requests_a_minute=20, unlock_attempts_a_minute=5) as server:
        found = [server.ask("GET", "/api/v1/entries", key=city.api_key) for _ in range(30)]
        assert {one[0] for one in found} == {200, 429}
        assert int(found[-1][1]["retry-after"]) >= 1
        guesses = [server.ask("GET", "/api/v1/entries", key="guess")[0] for _ in range(10)]
        assert guesses[:4] == [401] * 4
        assert guesses[-1] == 429
        # Wrong guesses by others lock nobody out.
        reader = sqlite_store.add_account("reader", "reader", by="tests")
        assert server.ask("GET", "/api/v1/entries", key=reader)[0] == 200


def test_strangers_keep_nobody_from_signing_in(sqlite_store: Repository) -> None:
    with serving(sqlite_store, requests_a_minute=5) as server:
        assert {server.ask("GET", "/repository")[0] for _ in range(20)} == {401, 429}
        cookie = {"Cookie": server.sign_in()}
        assert server.ask("GET", "/repository.json", headers=cookie)[0] == 200


def test_buckets_fill_again() -> None:
    now = [0.0]
    limit = RateLimit(60, clock=lambda: now[0])
    assert [limit.take("a") for _ in range(60)] == [None] * 60
    assert limit.take("a") == pytest.approx(1.0)
    now[0] = 1.0
    assert limit.take("a") is None


@pytest.mark.big
def test_every_answer_has_the_headers(served: Served) -> None:
    cookie = served.sign_in()
    for path in ("/", "/static/base.css", "/api/openapi.json", "/api/v1/entries", "/nothing", "/health"):
        _, headers, _ = served.ask("GET", path, headers={"Cookie": cookie})
        assert headers["content-security-policy"] == CSP
        assert "unsafe" not in CSP
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"
        assert (headers.get("cache-control") == "no-store") == (not path.startswith("/static"))


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"]
)
def test_no_way_out_of_the_static_files(served: Served, path: str) -> None:
    status, _, body = served.ask("GET", path, headers={"Cookie": served.sign_in()})
    assert status == 404
    assert b"import" not in body


@pytest.mark.big
def test_no_page_loads_anything_from_elsewhere(served: Served) -> None:
    cookie = served.sign_in()
    for path in ("/", "/nothing"):
        _, _, body = served.ask("GET", path, headers={"Cookie": cookie})
        assert b"http://" not in body
        assert b"https://" not in body
        assert b"<script>" not in body
    assert served.ask("GET", "/docs", headers={"Cookie": cookie})[0] == 404
    assert json.loads(served.ask("GET", "/api/openapi.json", headers={"Cookie": cookie})[2])["openapi"]


@pytest.mark.big
def test_errors_tell_nothing_that_was_sent(served: Served, city: Publisher) -> None:
    status, _, body = served.ask("POST", "/api/v1/entries", {"statement": "sekret", "odd": "sekret"}, key=city.api_key)
    assert status == 422
    assert b"sekret" not in body
    status, _, body = served.ask("GET", "/api/v1/entries?limit=sekret", key=city.api_key)
    assert status == 422
    assert b"sekret" not in body


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    started = Process(str(tmp_path / "repository.db"), tmp_path)
    yield started
    if started.process.poll() is None:
        started.stop()


@pytest.mark.big
def test_no_secret_is_printed_or_logged(process: Process) -> None:
    import http.client

    secrets = ["sekret-code", "sekret-key"]
    for path, headers in (("/open?code=sekret-code", {}), ("/api/v1/entries", {"Authorization": "Bearer sekret-key"})):
        connection = http.client.HTTPConnection("127.0.0.1", process.port, timeout=20)
        connection.request("GET", path, headers=headers)
        assert connection.getresponse().status in (401, 403)
        connection.close()
    process.process.terminate()
    out, err = process.process.communicate(timeout=30)
    assert not any(secret.encode() in out + err for secret in secrets)


@pytest.mark.big
def test_it_listens_on_loopback_only(process: Process) -> None:
    assert process.process.pid
    listening = Path(f"/proc/{process.process.pid}/net/tcp")
    if not listening.exists():
        pytest.skip("only Linux tells which addresses are listened on")
    port = f"{process.port:04X}"
    addresses = [line.split()[1] for line in listening.read_text().splitlines()[1:] if line.split()[3] == "0A"]
    assert [address for address in addresses if address.endswith(f":{port}")] == [f"0100007F:{port}"]


@pytest.mark.big
def test_a_taken_port_is_said(process: Process) -> None:
    command = [sys.executable, "-c", "from idbits.cli.main import main; main()", "serve", "--port", str(process.port)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert found.stderr.startswith(f"idbits: port {process.port} cannot be used")


@pytest.mark.big
def test_enter_prints_a_new_link(tmp_path: Path) -> None:
    import os
    import pty

    above, below = pty.openpty()
    command = [sys.executable, "-c", "from idbits.cli.main import main; main()", "serve", "--port", "0"]
    started = subprocess.Popen(
        command, stdin=below, stdout=subprocess.PIPE, text=True, env={**os.environ, "IDBITS_DATA": str(tmp_path)}
    )
    assert started.stdout is not None
    try:
        said = [started.stdout.readline() for _ in range(3)]
        assert "works once" in said[0]
        assert said[1].startswith("http://127.0.0.1:")
        os.write(above, b"\n")
        again = started.stdout.readline()
        assert again.startswith(said[1].partition("code=")[0])
        assert again != said[1]
    finally:
        started.terminate()
        started.communicate(timeout=30)
        os.close(above)
        os.close(below)
    assert (tmp_path / "repository.db").exists()


@pytest.mark.big
def test_the_server_opens_no_address_that_a_client_names(served: Served, city: Publisher, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("who,zip\nalice,1011\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/people.parquet"
        for named in (address, secret.as_uri(), str(secret)):
            asked = {"name": named, "where": named, "questions": ["gender"], "population": {"City": named}}
            table = {"name": named, "holder": "City", "columns": [named], "population": {"City": named}, "size": 5000}
            answers = [
                served.ask("POST", "/api/v1/questionnaires", asked, key=city.api_key),
                served.ask("POST", "/api/v1/tables", table, key=city.api_key),
                served.ask("GET", f"/api/v1/entries?qid={quote(named, safe='')}", key=city.api_key),
                served.ask("GET", f"/measure/columns?in=0&file={quote(named, safe='')}", key=city.api_key),
            ]
            assert all(status < 500 for status, _, _ in answers)
            assert not any(b"alice" in body for _, _, body in answers)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_a_key_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, key = tmp_path / "key.pem", SigningKey.generate()

    def full(*_: object) -> IO[bytes]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("idbits.signing.os.fdopen", full)
    with pytest.raises(InputError, match="No space left"):
        key.write(file)
    monkeypatch.undo()
    key.write(file)
    assert SigningKey.read(file).public_key == key.public_key


def test_a_database_that_does_not_answer_is_told_as_such() -> None:
    with pytest.raises(RepositoryError, match="cannot be reached"):
        Repository.open("postgresql://127.0.0.1:1/nothing?connect_timeout=2")


@pytest.mark.parametrize(("site", "redirects"), [(None, True), ("none", True), ("cross-site", False)])
def test_a_link_opened_from_a_file_signs_in_with_a_strict_cookie(
    served: Served, site: str | None, redirects: bool
) -> None:
    """After a redirect from another site, browsers do not send the new cookie; a page of our own leads on."""
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"} if site is not None else {}
    code = served.app.state.sessions.new_code()
    status, answered, body = served.ask("GET", f"/open?code={code}", headers=headers)
    assert status == (303 if redirects else 200)
    assert "samesite=strict" in answered["set-cookie"].lower()
    assert (b"http-equiv" in body) is not redirects
    assert code.encode() not in body
