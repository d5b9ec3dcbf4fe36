"""Repositories follow each other over real connections: both end with the same entries, and lies are caught."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import Publisher, Served, fresh_postgresql, serving, shown_refs

from idbits.errors import InputError, NotAllowedError, RefusedError
from idbits.repository import RemoteRepository, Repository, export, import_file, importing, sync, syncing
from idbits.repository.importing import Importer


@pytest.fixture
def there(theirs: Repository) -> Iterator[Served]:
    with serving(theirs, open_reading=True) as server:
        yield server


@pytest.fixture
def followed(ours: Repository, there: Served) -> str:
    ours.follow(there.address, by="tests")
    return there.address


def test_what_is_new_is_added(theirs: Repository, ours: Repository, oslo: Publisher, followed: str) -> None:
    assert sync(ours, followed).summary.added == []
    first = oslo.publish().ref
    assert sync(ours, followed).summary.added == [first]
    assert ours.entry(first).imported_from == followed
    second = oslo.publish(n_people=2000, supersedes=first).ref
    outcome = sync(ours, followed)
    assert (outcome.summary.added, outcome.summary.already_there, outcome.lines) == ([second], 0, 1)
    (state,) = ours.followed()
    assert (state.cursor.sequence, state.cursor.hash) == theirs.head()
    before = ours.head()
    assert (sync(ours, followed).lines, ours.head()) == (0, before)
    assert ours.verify() == []


def test_two_repositories_that_follow_each_other_come_to_rest(
    theirs: Repository, ours: Repository, oslo: Publisher, followed: str
) -> None:
    city = Publisher(ours, "city", "City")
    theirs.trust("city", city.signing.public_key, "City", by="tests")
    with serving(ours, open_reading=True) as here:
        theirs.follow(here.address, by="tests")
        oslo.publish()
        city.publish(population={"municipality": "Bergen"})
        for _ in range(2):
            sync(ours, followed)
            sync(theirs, here.address)
        heads = ours.head(), theirs.head()
        for _ in range(3):
            assert sync(ours, followed).summary.added == []
            assert sync(theirs, here.address).summary.added == []
        assert (ours.head(), theirs.head()) == heads
    assert shown_refs(ours) == shown_refs(theirs)
    assert len(shown_refs(ours)) == 2
    assert (ours.verify(), theirs.verify()) == ([], [])


def test_a_server_that_needs_a_key_gets_only_its_own(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = oslo.publish().ref
    monkeypatch.setenv("IDBITS_DATA", str(tmp_path / "data"))
    reader = theirs.add_account("reader", "reader", by="tests")
    with serving(theirs) as server:
        ours.follow(server.address, by="tests")
        # This key is for another server, even if it would work here.
        monkeypatch.setenv("IDBITS_API_KEY", reader)
        with pytest.raises(NotAllowedError):
            sync(ours, server.address)
        ours.unfollow(server.address, by="tests")
        file = tmp_path / "reader.key"
        file.write_text(reader)
        file.chmod(0o600)
        ours.follow(server.address, by="tests", key_file=str(file))
        assert sync(ours, server.address).summary.added == [ref]
        file.chmod(0o644)
        with pytest.raises(InputError, match="chmod"):
            sync(ours, server.address)
    assert reader not in json.dumps([each.to_dict() for each in ours.followed()])


def test_entries_are_added_later_if_their_key_is_trusted_later(
    theirs: Repository, ours: Repository, oslo: Publisher, followed: str
) -> None:
    bergen, bodo = Publisher(theirs, "bergen", "Bergen"), Publisher(theirs, "bodo", "Bodo")
    wanted = [bergen.publish(qid=("age",)).ref]
    bodo.publish(qid=("height",))
    oslo.publish()
    sync(ours, followed)
    wanted.append(bergen.publish(qid=("weight",)).ref)
    bodo.publish(qid=("education",))
    assert sync(ours, followed).summary.added == []
    (state,) = ours.followed()
    assert {key.holder: key.entries for key in state.untrusted.values()} == {"Bergen": 2, "Bodo": 2}
    ours.trust("bergen", bergen.signing.public_key, "Bergen", by="tests")
    assert sync(ours, followed).summary.added == wanted
    (state,) = ours.followed()
    assert {key.holder: key.entries for key in state.untrusted.values()} == {"Bodo": 2}
    assert (state.cursor.sequence, state.cursor.hash) == theirs.head()


def test_rules_of_the_union_and_retractions_are_conflicts(
    theirs: Repository, ours: Repository, oslo: Publisher, followed: str
) -> None:
    Publisher(ours).publish()
    held = oslo.publish(n_people=1005).ref
    shared = oslo.publish(qid=("age",), population={"municipality": "Oslo"}).ref
    never = oslo.publish(qid=("height",), population={"municipality": "Oslo"}).ref
    theirs.retract(never, "wrong", by="oslo")
    first = sync(ours, followed).summary
    assert (first.added, [each.ref for each in first.conflicts], first.withheld) == ([shared], [held], 1)
    theirs.retract(shared, "counted twice", by="oslo")
    theirs.retract(held, "too close", by="oslo")
    second = sync(ours, followed).summary
    assert ([each.kind for each in second.conflicts], second.withdrawn) == (["retracted"], 1)
    assert [each.ref for each in ours.conflicts()] == [shared]


def test_reading_goes_on_after_an_interruption(
    theirs: Repository, ours: Repository, oslo: Publisher, followed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = [oslo.publish(qid=(name,)).ref for name in ("age", "gender", "height", "weight", "education")]
    monkeypatch.setattr(syncing, "_LINES_AT_ONCE", 2)
    take, taken = Importer.take, []

    def interrupted(self: Importer, batch: Any, intake: Any) -> Any:
        summary = take(self, batch, intake)
        taken.append(len(batch))
        if len(taken) == 2:
            raise KeyboardInterrupt
        return summary

    with monkeypatch.context() as patch:
        patch.setattr(Importer, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sync(ours, followed)
    # The first line is that of the account.
    assert shown_refs(ours) == set(published[:1])
    outcome = sync(ours, followed)
    assert (outcome.summary.added, outcome.summary.already_there) == (published[1:], 0)
    monkeypatch.setattr(syncing, "_MOST_LINES", 2)
    ours.unfollow(followed, by="tests")
    ours.follow(followed, by="tests")
    assert not sync(ours, followed).is_complete
    assert ours.verify() == []


@pytest.mark.parametrize("is_file", [False, True], ids=["followed", "a file"])
def test_others_can_publish_between_entries_that_take_long(
    theirs: Repository, ours: Repository, oslo: Publisher, followed: str, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path, is_file: bool,
) -> None:  # fmt: skip
    refs = [oslo.publish(qid=(name,)).ref for name in ("age", "gender", "height", "weight")]
    theirs.retract(refs[3], "wrong", by="oslo")
    last = oslo.publish(qid=("education",)).ref
    monkeypatch.setattr(importing, "_MOST_SECONDS", -1.0)
    transactions, intake = [], Repository.intake

    def counted(self: Repository, **options: Any) -> Any:
        transactions.append(self)
        return intake(self, **options)

    monkeypatch.setattr(Repository, "intake", counted)
    if is_file:
        export(theirs, tmp_path / "export.jsonl")
        summary = import_file(ours, tmp_path / "export.jsonl")
    else:
        summary = sync(ours, followed).summary
        assert ours.followed()[0].cursor.sequence == theirs.head()[0]
    assert summary.added == [*refs[:3], last]
    assert len(transactions) == (5 if is_file else 3)
    assert ours.verify() == []


def test_following_needs_an_address_that_is_safe(ours: Repository) -> None:
    for address in ("ftp://a.example", "http://a.example", "https://user:key@a.example", "https://a.example/?key=1"):
        with pytest.raises(InputError):
            ours.follow(address, by="tests")
    ours.follow("https://a.example/", by="tests")
    with pytest.raises(InputError, match="already"):
        ours.follow("https://a.example", by="tests")
    with pytest.raises(InputError, match="not followed"):
        ours.unfollow("https://b.example", by="tests")
    ours.unfollow("https://a.example", by="tests")
    assert ours.followed() == []


@pytest.mark.server
def test_a_followed_repository_may_use_another_database(theirs: Repository, oslo: Publisher, there: Served) -> None:
    ours = Repository.open(fresh_postgresql())
    ours.trust("oslo", oslo.signing.public_key, "Oslo", by="tests")
    first = oslo.publish().ref
    ours.follow(there.address, by="tests")
    assert sync(ours, there.address).summary.added == [first]
    theirs.retract(first, "wrong", by="oslo")
    (conflict,) = sync(ours, there.address).summary.conflicts
    ours.resolve(conflict.ref, "theirs", "wrong", by="tests")
    # Its own feed can be followed in turn.
    third = Repository.open(str(theirs.database.path) + ".third")
    third.trust("oslo", oslo.signing.public_key, "Oslo", by="tests")
    with serving(ours, open_reading=True) as here:
        third.follow(here.address, by="tests")
        summary = sync(third, here.address).summary
    assert (summary.added, summary.withheld, ours.verify()) == ([], 1, [])
    third.close()
    ours.close()


def test_admins_see_and_decide_conflicts_over_http(
    theirs: Repository, ours: Repository, oslo: Publisher, followed: str
) -> None:
    Publisher(ours).publish()
    ref = oslo.publish(n_people=1005).ref
    sync(ours, followed)
    keys = {role: ours.add_account(role, role, by="tests") for role in ("reader", "admin")}
    with serving(ours) as here:
        reader, admin = (RemoteRepository(here.address, keys[role]) for role in ("reader", "admin"))
        for ask in (reader.conflicts, lambda: reader.resolve(ref, "ours", "why not", by="")):
            with pytest.raises(NotAllowedError):
                ask()
        assert admin.conflicts() == ours.conflicts()
        with pytest.raises(RefusedError) as refused:
            admin.resolve(ref, "theirs", "they are right", by="")
        assert refused.value.rule == "difference"
        assert admin.resolve(ref, "ours", "it reveals five people", by="").decided_by == "admin"
        assert (admin.conflicts(), len(admin.conflicts(decided=True))) == ([], 1)
        _, _, body = here.ask("GET", "/api/v1/followed", key=keys["admin"])
        (shown,) = json.loads(body)["followed"]
        assert (shown["url"], shown["head"]["sequence"]) == (followed, theirs.head()[0])
        assert reader.feed(0, 2)["head"]["sequence"] == ours.head()[0]
