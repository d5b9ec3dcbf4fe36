"""What holds for every page: nothing inline, nothing from elsewhere, data beside it, and a door that is shut."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from idbits.web.questions.link import QuestionLink

from .conftest import Site

PAGES = [
    "/", QuestionLink(asked=("example.birthdate", "=60,40|Own")).address(), "/repository", "/repository?text=gender",
    "/measure", "/measure?in=0&dir=towns", "/measure/columns?in=0&file=people.parquet", "/nothing-here", "/?people=x",
    "/overlap", "/overlap?kind=zones", "/overlap?kind=releases&in=0&file=people.parquet",
    "/overlap/columns?kind=zones&in=0&file=people.parquet",
    "/overlap/columns?kind=releases&in=0&file=people.parquet&in2=0&file2=towns%2Ftown.csv",
    "/overlap/columns?kind=zones",
    "/link", "/link?in=0&file=people.parquet", "/link/columns?in=0&file=people.parquet",
    "/link/columns?in=0&file=people.parquet&in2=0&file2=towns%2Ftown.csv",
    "/attack", "/attack?in=0&file=people.parquet", "/attack?in=0&file=people.parquet&in2=0&file2=towns%2Ftown.csv",
    "/attack/columns?in=0&file=people.parquet&in2=0&file2=towns%2Ftown.csv",
]  # fmt: skip


def everything(site: Site) -> list[str]:
    ref = site.app.state.repository.entries().entries[0].ref
    compared = "/overlap/report?kind=zones&in=0&file=people.parquet&zones=zip&zones=gender"
    linked = "/link/report?in=0&file=people.parquet&in2=0&file2=towns%2Ftown.csv&on=zip&on=gender"
    attacked = "/attack/report?in=0&file=people.parquet&in2=0&file2=towns%2Ftown.csv&attacks=50"
    # Their work is done once, so that the pages are more than a progress bar.
    for address in (compared, linked, attacked, *(page for page in PAGES if "columns" in page and "file2" in page)):
        site.text(address)
    return [*PAGES, compared, linked, attacked, f"/repository/entries/{ref}", f"/repository/entries/{ref}?k=7"]


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(site: Site) -> None:
    for address in everything(site):
        answer = site.get(address)
        page = answer.text
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", page), address
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page)), address
        loaded = re.findall(r'(?:src|href|action)="([^"]*)"', page)
        assert all(where.startswith(("/", "#", "?")) for where in loaded), (address, loaded)
        assert answer.headers["cache-control"] == "no-store"


def test_every_page_has_its_data_beside_it(site: Site) -> None:
    for address in everything(site):
        page = site.get(address)
        if page.status_code != 200:
            continue
        beside = re.search(r'rel="alternate" type="application/json" href="([^"]+)"', page.text)
        assert beside is not None, address
        found = site.get(beside[1].replace("&amp;", "&"))
        assert found.status_code in (200, 202), address
        assert found.headers["content-type"] == "application/json"
        found.json()


def test_every_form_that_changes_something_carries_the_token(site: Site) -> None:
    for address in everything(site):
        for form in re.findall(r"<form[^>]*method=\"post\".*?</form>", site.get(address).text, flags=re.DOTALL):
            assert 'name="csrf_token" value="' in form, address


def test_every_field_has_a_label(site: Site) -> None:
    for address in everything(site):
        page = site.get(address).text
        labelled = set(re.findall(r'<label[^>]*for="([^"]+)"', page))
        for tag in re.findall(r"<(?:input|select|textarea)[^>]*>", page):
            if 'type="hidden"' in tag or "aria-label=" in tag:
                continue
            ident = re.search(r'id="([^"]+)"', tag)
            assert ident is not None, tag
            assert ident[1] in labelled, tag
        ids = re.findall(r'\bid="([^"]+)"', page)
        assert len(ids) == len(set(ids)), address


def test_nobody_else_sees_a_page(site: Site) -> None:
    stranger = TestClient(site.app, base_url="http://127.0.0.1:8765")
    for address in (*everything(site), "/questions.json", "/measure.json", "/repository.json"):
        assert stranger.get(address).status_code == 401
    assert stranger.get("/static/base.css").status_code == 200
    elsewhere = TestClient(site.app, base_url="http://evil.example:8765", cookies=dict(site.browser.cookies))
    assert elsewhere.get("/").status_code == 400


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/vendor/../../app.py"]
)
def test_nothing_but_static_files_is_served_as_such(site: Site, path: str) -> None:
    assert site.get(path).status_code in (400, 404)


def test_the_vendored_script_comes_with_its_licence(site: Site) -> None:
    page = site.text("/")
    script = re.search(r'src="(/static/vendor/[^"]+)"', page)
    assert script is not None
    assert site.get(script[1]).status_code == 200
    assert "Zero-Clause BSD" in site.text("/static/vendor/htmx-LICENSE.txt")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--folder", "nowhere"], 'the folder "nowhere" cannot be opened (--folder)'),
        (["--policy", "nowhere.toml"], 'the policy "nowhere.toml"'),
        (["--examples", "."], '"." contains none of the files nl-ages.csv'),
        (["--memory", "much"], "500MB"),
    ],
)
def test_what_the_server_cannot_be_started_with(options: list[str], sentence: str, tmp_path: Path) -> None:
    start = [sys.executable, "-m", "idbits.cli.main", "serve", "--port", "0", "--database", "r.sqlite", *options]
    ended = subprocess.run(start, capture_output=True, text=True, cwd=tmp_path, timeout=60, env=_environment())
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("idbits: ")
    assert sentence in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


COUNTS = """
import time
import duckdb
from idbits.cli.main import main
from idbits.web.questions.examples import ExampleBank

def bank(self, progress=None):
    until = time.monotonic() + 3
    while time.monotonic() < until:
        duckdb.connect().execute("SELECT count(DISTINCT range % 7) FROM range(100000)").fetchall()

ExampleBank.bank = bank
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_server_that_is_stopped_while_it_counts_ends_as_any_other(tmp_path: Path) -> None:
    start = [sys.executable, "-c", COUNTS, "serve", "--port", "0", "--database", "r.sqlite", "--quiet"]
    with subprocess.Popen(
        start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=_environment()
    ) as process:
        assert process.stdout is not None
        assert "/open?code=" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "idbits: stopped\n")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code", "said"), [(2, 130, "idbits: stopped\n"), (15, 143, "")])
def test_a_server_that_is_stopped_at_once_ends_in_order(number: int, code: int, said: str, tmp_path: Path) -> None:
    main = "from idbits.cli.main import main; main()"
    start = [sys.executable, "-c", main, "serve", "--port", "0", "--database", "r.sqlite", "--quiet"]
    for _ in range(3):
        with subprocess.Popen(
            start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=_environment()
        ) as process:
            assert process.stdout is not None
            assert "/open?code=" in process.stdout.readline()
            process.send_signal(number)
            _, told = process.communicate(timeout=60)
        assert (process.returncode, told) == (code, said)


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
