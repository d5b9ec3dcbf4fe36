"""Behind Debian's nginx, with TLS and the configuration in the documentation."""

from __future__ import annotations

import datetime
import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from helpers import Process, Publisher, Served, serving

from databases import free_port
from idbits.errors import InputError
from idbits.repository import Repository
from idbits.web.settings import read_host_name

NAME = "repository.example.org"
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "behind-a-proxy.md"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def write_certificate(folder: Path) -> Path:
    """Write a self-signed certificate for the name; return its file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "repository.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "repository.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "repository.pem"


@dataclass
class Proxy:
    """nginx in front of ``idbits serve``."""

    port: int
    http_port: int
    certificate: Path
    key: str
    link: str
    ref: str

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request as a remote client would, resolving the name to this machine."""
        context = ssl.create_default_context(cafile=self.certificate)
        plain = socket.create_connection(("127.0.0.1", self.port), 30)
        connection = http.client.HTTPSConnection(NAME, context=context)
        connection.sock = context.wrap_socket(plain, server_hostname=NAME)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    if NGINX is None:
        pytest.skip("nginx is not installed (Debian: apt-get install nginx)")
    folder = tmp_path_factory.mktemp("proxy")
    store = Repository.open(str(folder / "repository.db"))
    publisher = Publisher(store)
    receipt = publisher.publish()
    store.close()
    process = Process(str(folder / "repository.db"), folder, "--host-name", NAME, "--port", str(free_port()))
    certificate = write_certificate(folder)
    ports = {"443 ssl": free_port(), "80": free_port()}
    # The configuration of the page, with the ports and files of this test.
    shown = re.search(r"^```nginx\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert shown is not None
    servers = shown[1].replace("127.0.0.1:8765", f"127.0.0.1:{process.port}")
    for written, port in ports.items():
        assert f"listen {written};" in servers
        servers = servers.replace(f"listen {written};", f"listen 127.0.0.1:{port}{written[3:]};")
    servers = servers.replace("/etc/ssl/repository.pem", str(certificate))
    servers = servers.replace("/etc/ssl/private/repository.key", str(folder / "repository.key"))
    paths = "".join(
        f"{kind}_temp_path {folder / kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder / 'nginx.pid'};\nerror_log {folder / 'error.log'};\n"
        f"{'user root;' if os.geteuid() == 0 else ''}\nevents {{}}\n"
        f"http {{\n{paths}access_log {folder / 'access.log'};\n{servers}}}\n"
    )
    command = [NGINX, "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", str(folder / "error.log")]
    nginx = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        for _ in range(200):
            assert nginx.poll() is None, nginx.communicate()[0].decode()
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", ports["443 ssl"])) == 0:
                    break
            time.sleep(0.05)
        yield Proxy(ports["443 ssl"], ports["80"], certificate, publisher.api_key, process.link, receipt.ref)
    finally:
        nginx.send_signal(signal.SIGTERM)
        nginx.communicate(timeout=30)
        process.stop()


def test_a_browser_signs_in_through_the_proxy(proxy: Proxy) -> None:
    link = urlsplit(proxy.link)
    assert (link.scheme, link.netloc) == ("https", NAME)
    status, headers, _ = proxy.ask("GET", f"{link.path}?{link.query}")
    assert (status, headers["location"]) == (303, "/")
    cookie, *marks = (part.strip() for part in headers["set-cookie"].split(";"))
    assert cookie.startswith("__Host-idbits_")
    assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= set(marks)
    address = f"/repository/entries/{proxy.ref}"
    shown = proxy.ask("GET", address, headers={"Cookie": cookie})[2].decode()
    (token,) = set(re.findall(r'name="csrf_token" value="([^"]+)"', shown))
    # The server accepts a form of its own page, and refuses forms of other origins.
    form = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    sent = f"csrf_token={token}&decision=ask&by=me&why=because".encode()
    for origin, expected in {f"https://{NAME}": 303, f"http://{NAME}": 403, "https://evil.example": 403}.items():
        status, headers, _ = proxy.ask("POST", f"{address}/decisions", sent, {**form, "Origin": origin})
        assert status == expected
        assert status != 303 or headers["location"].startswith("/repository/")


def test_pages_name_no_address_of_the_machine_behind_the_proxy(sqlite_store: Repository) -> None:
    with serving(sqlite_store, host_names=(NAME,)) as server:
        key = sqlite_store.add_account("reader", "reader", by="tests")
        for path in ("/repository", "/repository?qid=age&population=Country%3DX"):
            _, _, page = server.ask("GET", path, headers={"Host": NAME}, key=key)
            assert str(server.port) not in page.decode()


def test_a_program_uses_its_key_through_the_proxy(proxy: Proxy) -> None:
    key = {"Authorization": f"Bearer {proxy.key}"}
    assert proxy.ask("GET", "/api/v1/entries", headers=key)[0] == 200
    assert proxy.ask("GET", "/api/v1/entries")[0] == 401
    asked = b'{"name": "x", "where": "y", "questions": ["age"]}'
    assert proxy.ask("POST", "/api/v1/questionnaires", asked, {**key, "Content-Type": "application/json"})[0] == 201
    assert proxy.ask("GET", "/measure", headers=key)[0] == 403


def test_the_proxy_passes_no_other_name_on(proxy: Proxy) -> None:
    key = {"Authorization": f"Bearer {proxy.key}"}
    for host in ("evil.example", "127.0.0.1:8765", f"{NAME}.evil.example"):
        assert proxy.ask("GET", "/api/v1/entries", headers={**key, "Host": host})[0] == 400
    with socket.create_connection(("127.0.0.1", proxy.http_port), 10) as connection:
        connection.sendall(f"GET /x HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode())
        assert f"Location: https://{NAME}/x".encode() in connection.recv(65536)


def test_names_are_those_that_were_given(sqlite_store: Repository) -> None:
    with serving(sqlite_store, host_names=(NAME, "other.example:8443")) as server:

        def status(host: str, **headers: str) -> int:
            return server.ask("GET", "/health", headers={"Host": host, **headers})[0]

        accepted = (NAME, NAME.upper(), f"{NAME}:443", "other.example:8443", f"127.0.0.1:{server.port}")
        assert [status(host) for host in accepted] == [200] * 5
        others = ("other.example", f"{NAME}:80", f"{NAME}:{server.port}", f"x.{NAME}", f"{NAME}.", f"{NAME}:443:443")
        assert [status(host) for host in others] == [400] * 6
        assert status(NAME, Origin=f"https://{NAME}") == 200
        # Another name of the same server is still another origin.
        for origin in (f"http://{NAME}", "https://other.example:8443", server.address):
            assert status(NAME, Origin=origin) == 403
        assert status("other.example:8443", Origin="https://other.example:8443") == 200


def test_a_session_of_loopback_is_none_under_the_name(sqlite_store: Repository) -> None:
    with serving(sqlite_store, host_names=(NAME,)) as server:
        cookie = server.sign_in()
        assert server.ask("GET", "/repository.json", headers={"Cookie": cookie})[0] == 200
        assert server.ask("GET", "/repository.json", headers={"Cookie": cookie, "Host": NAME})[0] == 401


def test_without_a_name_there_is_none(served: Served) -> None:
    assert served.ask("GET", "/health", headers={"Host": NAME})[0] == 400


@pytest.mark.parametrize(
    "wrong",
    ["", "https://a.example", "a.example/", "*.example", "a..example", "-a.example", "a.example:0", "a.example:70000",
     "a.example:x", "a b", "a.example\n", "a_b.example", "ü.example", "a" * 64, ".".join(["a" * 60] * 5)],
)  # fmt: skip
def test_what_is_no_name_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="--host-name must be like"):
        read_host_name(wrong)
