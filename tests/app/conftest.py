"""The app with made-up questions and entries, and a browser's session to ask it with."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from idbits.examples.registry import write_registry
from idbits.repository.service import Repository
from idbits.web.app import create_app
from idbits.web.questions.bank import Bank
from idbits.web.questions.examples import ExampleBank
from idbits.web.settings import WebSettings

from .invented import invented_bank, publish_invented

PEOPLE = 5_000
# Of fewer people the finest example leaves nearly everybody unique, and would be refused.
PUBLISHED_PEOPLE = 50_000


@dataclass
class Site:
    """The app, a signed-in browser, and what its forms must carry."""

    app: FastAPI
    browser: TestClient
    folder: Path

    def get(self, address: str, **options: Any) -> Any:
        return self.browser.get(address, **options)

    def text(self, address: str, status: int = 200) -> str:
        """Return a page, waiting for work that goes on."""
        for _ in range(90):
            answer = self.browser.get(address)
            if "<progress" not in answer.text:
                break
        assert answer.status_code == status, answer.text
        return answer.text

    def data(self, address: str, status: int = 200) -> Any:
        """Return JSON, waiting for work that goes on."""
        for _ in range(60):
            answer = self.browser.get(address)
            if answer.status_code != 202:
                break
        assert answer.status_code == status, answer.text
        return answer.json()

    @property
    def token(self) -> str:
        """The token of this browser's forms: a page with a form has it."""
        ref = self.app.state.repository.entries().entries[0].ref
        return re.search(r'name="csrf_token" value="([^"]+)"', self.text(f"/repository/entries/{ref}"))[1]

    def post(self, address: str, **fields: str) -> Any:
        return self.browser.post(address, data={"csrf_token": self.token, **fields}, follow_redirects=False)


def signed_in(app: FastAPI, folder: Path) -> Site:
    """Open the link of an app in a new browser on this machine."""
    browser = TestClient(app, base_url=f"http://127.0.0.1:{app.state.settings.port}")
    browser.get(f"/open?code={app.state.sessions.new_code()}")
    return Site(app, browser, folder)


@pytest.fixture(scope="session")
def bank() -> Bank:
    return invented_bank(PEOPLE)


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with tables of made-up people."""
    folder = tmp_path_factory.mktemp("tables")
    write_registry(folder / "people.parquet", PEOPLE)
    (folder / "towns").mkdir()
    write_registry(folder / "towns" / "town.csv", 1_000)
    (folder / "notes.md").write_text("no table")
    (folder / ".hidden.csv").write_text("a,b\n1,2\n")
    return folder


@pytest.fixture(scope="session")
def site(bank: Bank, people: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    repository = Repository.open(str(tmp_path_factory.mktemp("data") / "repository.sqlite"))
    publish_invented(repository, PUBLISHED_PEOPLE)
    settings = WebSettings(folders=(people,), decisions=tmp_path_factory.mktemp("decisions"), demo=True)
    app = create_app(settings, repository, ExampleBank(bank=bank))
    yield signed_in(app, people)
    app.state.work_queue.close()
    repository.close()


ConfiguredSite = Callable[[Path], Site]


@pytest.fixture
def configured_site(bank: Bank, people: Path, tmp_path: Path) -> Iterator[ConfiguredSite]:
    """Return a function that starts an app with the datasets of a policy, and no folder."""
    started: list[tuple[FastAPI, Repository]] = []

    def start(policy: Path) -> Site:
        settings = WebSettings(policy=policy)
        repository = Repository.open(str(tmp_path / "configured.sqlite"))
        app = create_app(settings, repository, ExampleBank(bank=bank))
        browser = TestClient(app, base_url=settings.address)
        browser.get(f"/open?code={app.state.sessions.new_code()}")
        started.append((app, repository))
        return Site(app, browser, people)

    yield start
    for app, repository in started:
        app.state.work_queue.close()
        repository.close()
