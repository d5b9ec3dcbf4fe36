"""The app with made-up questions and entries, and a browser's session to ask it with."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from idbits.examples.registry import write_registry
from idbits.repository.service import Repository
from idbits.web import demo
from idbits.web.app import create_app
from idbits.web.questions.bank import Bank
from idbits.web.questions.examples import ExampleBank, made_up
from idbits.web.settings import WebSettings

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


@pytest.fixture(scope="session")
def bank() -> Bank:
    return made_up(PEOPLE)


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
    demo._made_up(repository, PUBLISHED_PEOPLE)
    settings = WebSettings(folders=(people,), decisions=tmp_path_factory.mktemp("decisions"), demo=True)
    app = create_app(settings, repository, ExampleBank(bank=bank))
    browser = TestClient(app, base_url=settings.address)
    browser.get(f"/open?code={app.state.sessions.new_code()}")
    yield Site(app, browser, people)
    app.state.work_queue.close()
    repository.close()
