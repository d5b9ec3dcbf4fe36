"""Backups can be restored into any database, completely or not at all; exports contain no key."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pytest
from helpers import Publisher, fresh_postgresql

from idbits.errors import InputError, RepositoryError
from idbits.repository import Repository, backup, export, restore


@pytest.fixture
def filled(store: Repository) -> Repository:
    city = Publisher(store)
    first = city.publish().ref
    city.publish(n_people=2000, supersedes=first)
    store.retract(city.publish(qid=("age",)).ref, "wrong", by="tests")
    store.extend_vocabulary({"name": "shoe size", "aliases": {"schoenmaat": ""}}, by="tests")
    store.decide(ref=first, decision="ask less", by="board", why="too few", recorded_by="tests")
    return store


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_backup_is_restored_as_it_was(filled: Repository, target: str, tmp_path: Path) -> None:
    file = tmp_path / "backup.jsonl"
    rows = backup(filled, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = Repository.open(str(tmp_path / "new.db") if target == "sqlite" else fresh_postgresql())
    assert restore(again, file) == rows
    assert again.head() == filled.head()
    assert again.entries(status=("current", "superseded", "retracted")) == filled.entries(
        status=("current", "superseded", "retracted")
    )
    assert again.decisions() == filled.decisions()
    assert again.vocabulary().resolve("schoenmaat").name == "shoe size"
    assert again.verify(filled.head()) == []
    with pytest.raises(InputError, match="empty"):
        restore(again, file)
    again.close()


def sealed(*lines: str) -> list[str]:
    """Return lines with the end of a complete backup."""
    seal = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    return [f"{line}\n" for line in (*lines, f'{{"end":"{seal}","lines":{len(lines)}}}')]


def test_a_damaged_backup_restores_nothing(filled: Repository, tmp_path: Path) -> None:
    file = tmp_path / "backup.jsonl"
    backup(filled, file)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    wrong = {
        "cut off": lines[:-1],
        "a line less": [*lines[:3], *lines[4:]],
        "changed": [line.replace("Amsterdam", "Rotterdam") for line in lines],
        "more": [*lines, lines[1]],
        "no backup": ["{}\n"],
        "no head": sealed('{"format":"idbits-backup/1","version":2}'),
        "no JSON": ["x\n"],
        "empty": [],
    }
    for name, text in wrong.items():
        damaged = tmp_path / "damaged.jsonl"
        damaged.write_text("".join(text), encoding="utf-8")
        again = Repository.open(str(tmp_path / f"{name}.db"))
        with pytest.raises(InputError):
            restore(again, damaged)
        assert again.head()[0] == 0
        again.close()


@pytest.mark.parametrize(
    ("version", "line"),
    [
        (2, '{"row":{},"table":[]}'),
        (2, '{"row":{"x":1},"table":"audit"}'),
        (2, '{"row":{"by":"a","at":"a","name":"a","sequence":' + "9" * 30 + '},"table":"revocations"}'),
        (2, '{"row":{"at":["a"],"name":"a","sequence":1},"table":"revocations"}'),
        (2, '{"row":NaN,"table":"audit"}'),
        (2, '{"row":"\\ud800","table":"audit"}'),
        (2, '{"row":' + "[" * 100_000 + "]" * 100_000 + ',"table":"audit"}'),
        (1, '{"row":{"ref":"a"},"table":"entries"}'),
        (1, '{"row":{"population":"","public_key":"","published_at":"","publisher":"","qid":"","ref":"","sequence":1,'
            '"signature":"","statement":"[]","supersedes":null},"table":"entries"}'),
    ],
)  # fmt: skip
def test_a_backup_that_no_version_wrote_is_refused(
    sqlite_store: Repository, tmp_path: Path, version: int, line: str
) -> None:
    file = tmp_path / "backup.jsonl"
    head = f'{{"format":"idbits-backup/1","head":{{"hash":"","sequence":0}},"version":{version}}}'
    file.write_text("".join(sealed(head, line)), encoding="utf-8")
    with pytest.raises(InputError):
        restore(sqlite_store, file)
    assert sqlite_store.head()[0] == 0


def test_a_backup_whose_seal_was_made_anew_does_not_verify(filled: Repository, tmp_path: Path) -> None:
    file = tmp_path / "backup.jsonl"
    backup(filled, file)
    lines = [line.replace('"by":"board"', '"by":"boord"').replace("board", "boord") for line in
             file.read_text(encoding="utf-8").splitlines()[:-1]]  # fmt: skip
    file.write_text("".join(sealed(*lines)), encoding="utf-8")
    again = Repository.open(str(tmp_path / "new.db"))
    with pytest.raises(RepositoryError, match="does not verify"):
        restore(again, file)
    assert again.head()[0] == 0
    again.close()


def test_an_existing_file_is_never_overwritten(filled: Repository, tmp_path: Path) -> None:
    file = tmp_path / "there.jsonl"
    file.write_text("mine")
    for write in (backup, export):
        with pytest.raises(InputError, match="already exists"):
            write(filled, file)
    assert file.read_text() == "mine"
    with pytest.raises(InputError, match="cannot be written"):
        backup(filled, tmp_path / "no" / "folder.jsonl")


def test_an_export_holds_entries_and_no_key(filled: Repository, tmp_path: Path) -> None:
    file = tmp_path / "entries.jsonl"
    assert export(filled, file) == 3
    first, *entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert first["format"] == "idbits-export/1"
    assert sorted(entry["status"] for entry in entries) == ["current", "retracted", "superseded"]
    text = file.read_text(encoding="utf-8")
    assert "key_digest" not in text
    assert "idbits_" not in text


def test_an_export_is_one_state_while_others_publish(
    filled: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry is published between two pages of an export: nothing is exported twice."""
    from idbits.repository import backups

    other = Publisher(filled, "other", "Other holder")
    number, head = len(filled.entries(status=("current", "superseded", "retracted")).entries), filled.head()
    written, sent = backups.canonical, []

    def and_publish(data: object) -> str:
        text = written(data)
        if '"ref"' in text and not sent:
            sent.append(other.publish(population={"municipality": "Rotterdam"}).ref)
        return text

    monkeypatch.setattr(backups, "_PAGE", 1)
    monkeypatch.setattr(backups, "canonical", and_publish)
    file = tmp_path / "export.jsonl"
    assert export(filled, file) == number
    first, *lines = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    assert first["head"] == {"sequence": head[0], "hash": head[1]}
    refs = [line["ref"] for line in lines]
    assert len(set(refs)) == len(refs)
    assert sent[0] not in refs
