"""What nobody signed (retractions, the vocabulary, errors of a server) hides no entry and ends no conflict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Publisher, shown_refs
from lying import Refusing, answering, honest, refusing

from idbits.errors import NotAllowedError, RepositoryError
from idbits.repository import Repository, foreign_retractions, sync, syncing
from idbits.repository.audit_log import write_record
from idbits.repository.backups import export
from idbits.repository.database import data_folder
from idbits.repository.export_files import import_file
from idbits.repository.feeds import FeedError


@pytest.mark.parametrize("cut", [False, True], ids=["at once", "after an interruption"])
def test_an_entry_cannot_be_left_out_as_retracted(
    theirs: Repository, ours: Repository, oslo: Publisher, monkeypatch: pytest.MonkeyPatch, cut: bool
) -> None:
    """The server cannot hide an entry on one page and pretend that its retraction comes later."""
    refs = [oslo.publish(qid=(name,)).ref for name in ("gender", "age", "height", "weight")]
    monkeypatch.setattr(syncing, "_LINES_AT_ONCE", 2)
    cuts = [True] if cut else []
    theirs.retract(refs[3], "wrong", by="oslo")

    def answer(path: str) -> bytes:
        if "/vocabulary" in path:
            return json.dumps(honest(theirs, path)).encode()
        after = int(path.split("after=")[1].split("&")[0])
        if after >= 4 and cuts and cuts.pop():
            raise ConnectionAbortedError
        page = theirs.feed(after, 2)
        for entry in page["entries"]:
            if entry["ref"] == refs[1]:
                entry.update(status="retracted", reason="wrong", signature=None)
        return json.dumps(page).encode()

    with answering(answer) as address:
        ours.follow(address, by="tests")
        if cut:
            with pytest.raises(RepositoryError, match="no answer"):
                sync(ours, address)
        for _ in range(2):
            with pytest.raises(FeedError, match=f"left out entry {refs[1]} as retracted"):
                sync(ours, address)
        ours.unfollow(address, by="tests")
        refs[1] = ""
        ours.follow(address, by="tests")
        assert len(sync(ours, address).summary.added) == 1
    assert len(shown_refs(ours)) == 3


def test_a_server_cannot_end_the_conflicts_of_others(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    Publisher(ours).publish()
    ref = oslo.publish(n_people=1005).ref

    def answer(path: str) -> bytes:
        return json.dumps(honest(theirs, path)).encode()

    with answering(answer) as first, answering(answer) as second:
        for address in (first, second):
            ours.follow(address, by="tests")
            sync(ours, address)
        theirs.retract(ref, "wrong", by="oslo")
        assert sync(ours, second).summary.withdrawn == 0
        assert [conflict.source for conflict in ours.conflicts()] == [first]
        export(theirs, tmp_path / "entries.jsonl")
        assert import_file(ours, tmp_path / "entries.jsonl").withdrawn == 0
        assert sync(ours, first).summary.withdrawn == 1
        assert ours.conflicts() == []


def test_a_wrong_vocabulary_keeps_no_entry_out(theirs: Repository, ours: Repository, oslo: Publisher) -> None:
    """Nobody signs a vocabulary, so an entry that one server makes look strange is tried again with another's."""
    ref = oslo.publish(qid=("age",)).ref

    def honestly(path: str) -> bytes:
        return json.dumps(honest(theirs, path)).encode()

    def lying(path: str) -> bytes:
        return honestly(path).replace(b'"integer"', b'"text"')

    with answering(lying) as first, answering(lying) as second, answering(honestly) as third:
        for address in (first, second, third):
            ours.follow(address, by="tests")
        (conflict,) = sync(ours, first).summary.conflicts
        assert conflict.kind == "vocabulary"
        again = sync(ours, second).summary
        assert (again.conflicts, again.held_before) == ([], 1)
        assert sync(ours, third).summary.added == [ref]
    assert ours.conflicts(decided=True) == []
    assert ours.verify() == []


def test_a_server_that_blames_us_stops_no_others(ours: Repository) -> None:
    """An error of the other server is not a wrong request of ours, which would end the reading of all others."""
    with refusing() as address:
        ours.follow(address, by="tests")
        for status in (400, 404, 409, 500):
            Refusing.status = status
            with pytest.raises(RepositoryError) as caught:
                sync(ours, address)
            assert len(str(caught.value)) < 1100


def test_a_changed_database_sends_no_key_elsewhere(
    ours: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who edits the database cannot make us send the key of a followed repository to another server."""
    monkeypatch.setenv("IDBITS_DATA", str(tmp_path / "data"))
    file = tmp_path / "reader.key"
    file.write_text("idbits_0_secret")
    file.chmod(0o600)
    ours.follow("https://stats.example", by="tests", key_file=str(file))
    asked: list[str] = []

    def answer(path: str) -> bytes:
        asked.append(path)
        return b"{}"

    with answering(answer) as address:
        with ours.database.writing() as connection:
            body = {"url": address, "key_file": str(file), "insecure": False}
            write_record(connection, "followed repository", address, body, by="tests")
        with pytest.raises(NotAllowedError, match="the API key is not sent"):
            sync(ours, address)
        assert asked == []
        ours.unfollow(address, by="tests")
        ours.follow(address, by="tests", key_file=str(file))
        with pytest.raises(FeedError):
            sync(ours, address)
        assert len(asked) == 1
        for permission in (data_folder() / "followed-keys").iterdir():
            permission.chmod(0o666)
        with pytest.raises(NotAllowedError, match="the API key is not sent"):
            sync(ours, address)


def test_a_server_that_invents_retractions_hides_none_of_others(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_retractions, "_MOST_REMEMBERED", 3)
    ref, file = oslo.publish().ref, tmp_path / "before.jsonl"
    export(theirs, file)
    theirs.retract(ref, "counted twice", by="oslo")
    with ours.intake() as intake:
        for number in range(5):
            invented = intake.connection, f"{number:016x}", "wrong"
            foreign_retractions.remember_retraction(*invented, source="https://100%.example", by="tests")
    export(theirs, tmp_path / "after.jsonl")
    assert import_file(ours, tmp_path / "after.jsonl").withheld == 1
    assert [each.ref for each in import_file(ours, file).conflicts] == [ref]
    kinds = [line.action for line in ours.audit() if line.action == "record retraction elsewhere"]
    assert len(kinds) == 4
