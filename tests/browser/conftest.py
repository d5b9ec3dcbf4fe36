"""A real browser, and ``idbits serve`` as a user starts it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from idbits.examples.registry import write_registry

CHROMIUM = shutil.which("chromium")
HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "עמודה", "اسم العمود", "long " * 40, "a,b", "c|d",
    *(f"<b>{n}</b>" for n in range(53)),
]  # fmt: skip


# One module at a time: two browsers cannot be driven at once.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (tests/packages.sh)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@dataclass
class Server:
    """A running server; every browser context needs a link of its own."""

    address: str
    cookies: list[dict[str, Any]]


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    write_registry(folder / "people.csv", 2_000)
    (folder / "more").mkdir()
    write_registry(folder / "more" / "large.csv", 1_000_000)
    blocks = [f"{n},{n // 10},{(n - 2) // 10},{2 + n % 3}" for n in range(100)]
    (folder / "blocks.csv").write_text("block,town,post,people\n" + "\n".join(blocks) + "\n")
    for year in (1, 2):
        said = [f"n{n},{n * 7 % 40},{n * n % 9},{'abc'[n * n % 3]}" for n in range(year, 400)]
        (folder / f"survey{year}.csv").write_text("respondent,age,region,illness\n" + "\n".join(said) + "\n")
    rows = [f"p{n // 3},{n // 9},{20 + n % 13},{'FM'[n // 3 % 2]}" for n in range(900)]
    (folder / "visits.csv").write_text("patient,home,age,sex\n" + "\n".join(rows) + "\n")
    table = pa.table({name: [f"<i>{row % (place + 2)}</i>" for row in range(60)] for place, name in enumerate(HOSTILE)})
    parquet.write_table(table, folder / "hostile <b>.parquet")
    return folder


@contextmanager
def serving(chromium: Any, *words: str, **environment: str) -> Iterator[Server]:
    """Start ``idbits serve`` with some options, and open its link."""
    command = [sys.executable, "-m", "idbits.cli.main", "serve", "--quiet", "--port", "0", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env={**os.environ, **environment}
    ) as process:
        try:
            assert process.stdout is not None
            link = process.stdout.readline().strip()
            assert "/open?code=" in link
            context = chromium.new_context()
            context.new_page().goto(link)
            yield Server(link.partition("/open")[0], context.cookies())
            context.close()
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def server(chromium: Any, tables: Path) -> Iterator[Server]:
    with serving(chromium, "--demo", "--folder", str(tables)) as started:
        yield started


@pytest.fixture
def visit(chromium: Any, server: Any) -> Iterator[Callable[..., Any]]:
    """Open a page as a signed-in user; whatever the browser complains about fails the test."""
    contexts, complaints = [], []

    def opened(path: str = "/", scheme: str = "light", width: int = 1440, **options: Any) -> Any:
        context = chromium.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}, base_url=server.address, **options
        )
        contexts.append(context)
        context.add_cookies(server.cookies)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: complaints.append(request.url) if not request.url.startswith(server.address) else None,
        )
        page.complaints = complaints
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
