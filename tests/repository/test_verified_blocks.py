"""Verified blocks are remembered outside the database, and a changed entry is caught all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from helpers import Publisher, statement

from idbits.canonical import canonical
from idbits.errors import RepositoryError
from idbits.repository import Repository, SigningKey, entry_verification, loading, schema, verified_blocks
from idbits.repository import entries as entries_module
from idbits.repository.verified_blocks import VerifiedBlocks, dense_blocks

TOWN = {"country": "NL", "municipality": "town 3"}


@pytest.fixture(autouse=True)
def small_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDBITS_DATA", str(tmp_path / "data"))
    for module in (verified_blocks, loading):
        monkeypatch.setattr(module, "BLOCK_LINES", 16)


@pytest.fixture
def country(sqlite_store: Repository) -> Publisher:
    """A country and its towns: a new town is compared with all of them."""
    city = Publisher(sqlite_store)
    city.publish(population={"country": "NL"}, n_people=10**9)
    for number in range(32):
        city.publish(population={"country": "NL", "municipality": f"town {number}"}, n_people=1000 + number * 200)
    return city


def restarted(publisher: Publisher) -> None:
    """Open the repository as another process would."""
    publisher.store = Repository(publisher.store.database)


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts whose signatures were verified from the database for the rules."""
    texts: list[str] = []
    signed_by = entry_verification.is_signed_by

    def noted(public_key: str, text: str, signature: str) -> bool:
        texts.append(text)
        return signed_by(public_key, text, signature)

    monkeypatch.setattr(entry_verification, "is_signed_by", noted)
    return texts


def test_a_second_start_verifies_only_what_is_new(country: Publisher, verified: list[str]) -> None:
    restarted(country)
    country.publish(population={"country": "NL", "municipality": "new"})
    assert len(verified) >= 33
    verified.clear()
    restarted(country)
    country.publish(population={"country": "NL", "municipality": "newer"})
    assert len(verified) < 16
    # Verifying before somebody publishes does the same for what is left.
    verified.clear()
    restarted(country)
    country.store.verify_ahead()
    assert not verified


def test_verifying_ahead_leaves_little_to_do(country: Publisher, verified: list[str]) -> None:
    restarted(country)
    country.store.verify_ahead()
    assert len(verified) > 25
    verified.clear()
    restarted(country)
    country.publish(population={"country": "NL", "municipality": "new"})
    assert len(verified) < 16


def change(store: Repository, entry: str, **columns: Any) -> None:
    """Change an entry in the database, as somebody with write access could."""
    with store.database.engine.begin() as connection:
        connection.execute(sa.text("DROP TRIGGER IF EXISTS entries_no_update"))
        connection.execute(schema.entries.update().where(schema.entries.c.ref == entry).values(**columns))


def forged(signing: SigningKey) -> dict[str, str]:
    """Return the columns of an entry of another size, signed by somebody."""
    made = statement(population=TOWN, n_people=999_999)
    text = canonical(made.to_dict())
    return {"ref": entries_module.reference(text), "statement": text, "signature": signing.sign(text)}


@pytest.mark.parametrize("remembered", [False, True])
@pytest.mark.parametrize("kind", ["signature", "number", "forged text", "forged text and key", "publisher"])
def test_a_changed_entry_is_caught(country: Publisher, kind: str, remembered: bool) -> None:
    store = country.store
    if remembered:
        store.verify_ahead()
    entry = store.entries(population=TOWN).entries[0]
    signing = SigningKey.generate()
    if kind == "signature":
        change(store, entry.ref, signature=signing.sign("another text"))
    elif kind == "number":
        change(store, entry.ref, signature=sa.literal_column("x'00'"))
    elif kind == "publisher":
        change(store, entry.ref, publisher="nobody")
    else:
        key = {"public_key": signing.public_key} if kind == "forged text and key" else {}
        change(store, entry.ref, **forged(signing), **key)
    restarted(country)
    with pytest.raises(RepositoryError, match="changed after signing"):
        country.publish(population={"country": "NL", "municipality": "new"})
    # Also after verifying ahead: a block with a changed entry is never remembered.
    country.store.verify_ahead()
    restarted(country)
    with pytest.raises(RepositoryError, match="changed after signing"):
        country.publish(population={"country": "NL", "municipality": "new"})


def test_an_entry_that_is_inserted_into_a_remembered_block_is_caught(country: Publisher) -> None:
    store = country.store
    store.decide(ref=store.entries().entries[0].ref, decision="a", by="b", why="c", recorded_by="d")
    for number in range(20):
        country.publish(population={"country": "BE", "municipality": f"town {number}"}, n_people=1000 + 200 * number)
    store.verify_ahead()
    lines = store.audit(limit=1000)
    free = next(line.sequence for line in lines if line.subject.startswith("record:"))
    signing = SigningKey.generate()
    with store.database.engine.begin() as connection:
        copied = dict(connection.execute(sa.select(schema.entries)).first()._mapping)
        columns = forged(signing) | {"public_key": signing.public_key, "sequence": free}
        connection.execute(schema.entries.insert().values(**copied | columns))
    restarted(country)
    with pytest.raises(RepositoryError, match="changed after signing"):
        country.publish(population={"country": "NL", "municipality": "new"})


def test_the_file_must_belong_to_this_user_alone(country: Publisher, tmp_path: Path) -> None:
    country.store.verify_ahead()
    (file,) = (tmp_path / "data" / "verified").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert VerifiedBlocks(country.store.database)
    file.chmod(0o666)
    assert not VerifiedBlocks(country.store.database)
    file.chmod(0o600)
    file.parent.chmod(0o777)
    assert not VerifiedBlocks(country.store.database)
    file.parent.chmod(0o700)
    for text in ("", "{", "[]", '{"format":"other","blocks":{"1":"a"}}', '{"format":"idbits-verified/1"}'):
        file.write_text(text)
        assert not VerifiedBlocks(country.store.database)
    # Digests that are wrong are worth nothing, and do not hide anything.
    file.write_text(json.dumps({"format": "idbits-verified/1", "blocks": {"0": "0" * 64, "1": "1" * 64}}))
    change(country.store, country.store.entries(population=TOWN).entries[0].ref, publisher="nobody")
    restarted(country)
    with pytest.raises(RepositoryError, match="changed after signing"):
        country.publish(population={"country": "NL", "municipality": "new"})


def test_a_folder_that_cannot_be_written_only_costs_time(
    country: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("IDBITS_DATA", str(tmp_path / "file"))
    restarted(country)
    country.store.verify_ahead()
    country.publish(population={"country": "NL", "municipality": "new"})


def test_only_complete_blocks_with_many_wanted_entries_are_verified_as_a_whole() -> None:
    assert list(dense_blocks(range(16, 20), range(2))) == [1]
    assert list(dense_blocks(range(16, 19), range(2))) == []
    assert list(dense_blocks(range(32, 48), range(2))) == []


def test_the_place_of_the_file_depends_on_the_database(country: Publisher, tmp_path: Path) -> None:
    country.store.verify_ahead()
    other = Repository.open(str(tmp_path / "other.db"))
    assert not VerifiedBlocks(other.database)
    other.close()
    assert len(list((tmp_path / "data" / "verified").iterdir())) == 1
