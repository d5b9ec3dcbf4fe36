"""Every test of the repository runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import Publisher, Served, fresh_postgresql, serving

from idbits.repository import Repository


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "repository.db") if request.param == "sqlite" else fresh_postgresql()


@pytest.fixture
def store(database: str) -> Iterator[Repository]:
    repository = Repository.open(database)
    yield repository
    repository.close()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Repository]:
    repository = Repository.open(str(tmp_path / "repository.db"))
    yield repository
    repository.close()


@pytest.fixture
def city(sqlite_store: Repository) -> Publisher:
    return Publisher(sqlite_store)


@pytest.fixture
def served(sqlite_store: Repository) -> Iterator[Served]:
    with serving(sqlite_store) as server:
        yield server


@pytest.fixture
def theirs(tmp_path: Path) -> Iterator[Repository]:
    """Another repository."""
    repository = Repository.open(str(tmp_path / "theirs.db"))
    yield repository
    repository.close()


@pytest.fixture
def ours(sqlite_store: Repository) -> Repository:
    """This repository, beside another one."""
    return sqlite_store


@pytest.fixture
def oslo(theirs: Repository, ours: Repository) -> Publisher:
    """A publisher of the other repository, who is trusted in this one under another name."""
    oslo = Publisher(theirs, "oslo", "Oslo")
    ours.trust("oslo of Norway", oslo.signing.public_key, "Oslo", by="tests")
    return oslo
