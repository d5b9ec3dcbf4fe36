"""Servers that lie are caught: wrong hashes and signatures, rewritten logs, huge and endless answers."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import Publisher, altered, shown_refs
from lying import Page, answering, honest

from idbits.canonical import canonical
from idbits.errors import RepositoryError
from idbits.repository import Repository, client, feeds, sync, syncing
from idbits.repository.audit_log import Line
from idbits.repository.entries import reference
from idbits.repository.feeds import FeedError, feed_page
from idbits.repository.foreign_entries import read_foreign_entry


def entry_of(page: Page) -> Page:
    return next(iter(page["entries"]))


def wrong_figure(page: Page) -> None:
    entry_of(page)["statement"]["n_people"] += 500


def wrong_reference(page: Page) -> None:
    entry_of(page)["ref"] = "0" * 16


def other_signature(page: Page) -> None:
    entry_of(page)["signature"] = altered(entry_of(page)["signature"])


def other_publisher(page: Page) -> None:
    entry_of(page)["publisher"] = "somebody"


def left_out_entry(page: Page) -> None:
    page["entries"].pop()


def extra_entry(page: Page) -> None:
    page["entries"].append({**entry_of(page), "sequence": 77})


def left_out_line(page: Page) -> None:
    del page["lines"][1]


def moved_lines(page: Page) -> None:
    page["lines"].reverse()


def changed_line(page: Page) -> None:
    page["lines"][0]["actor"] = "somebody"


def invented_line(page: Page) -> None:
    page["lines"].append({**page["lines"][-1], "sequence": page["lines"][-1]["sequence"] + 1})


def silence(page: Page) -> None:
    page.update(lines=[], entries=[], retractions=[])


def shorter_head(page: Page) -> None:
    page["head"]["sequence"] -= 1


def no_lines(page: Page) -> None:
    del page["lines"]


def strange_lines(page: Page) -> None:
    page["lines"] = [1, None, {}]


def strange_head(page: Page) -> None:
    page["head"] = {"sequence": "many", "hash": 3}


def strange_entries(page: Page) -> None:
    page["entries"] = [[], "x"]


def strange_retractions(page: Page) -> None:
    page["retractions"] = [{"ref": 1}]


def not_unicode(page: Page) -> None:
    page["lines"][-1]["actor"] = "\ud800"


def not_unicode_in_statement(page: Page) -> None:
    entry_of(page)["statement"]["source"] = "\ud800"


def not_a_number(page: Page) -> None:
    entry_of(page)["statement"]["kappa_nats"] = float("nan")


def retraction_that_is_not_json(page: Page) -> None:
    ref = page["entries"].pop()["ref"]
    page["retractions"] = [{"ref": ref, "reason": "wrong", "by": float("nan"), "at": ""}]
    chain_again(page, f"retraction:{ref}")


def retraction_without_a_line(page: Page) -> None:
    page["entries"][-1].update(status="retracted", reason="wrong", signature=None)


def chain_again(page: Page, subject: str) -> None:
    """Make the last line of a page about something else, with the right hash."""
    last = Line(**{**page["lines"][-1], "subject": subject})
    page["lines"][-1].update(subject=subject, hash=last.expected_hash())
    page["head"]["hash"] = last.expected_hash()


@pytest.mark.parametrize(
    "lie",
    [wrong_figure, wrong_reference, other_signature, other_publisher, left_out_entry, extra_entry, left_out_line,
     moved_lines, changed_line, invented_line, silence, shorter_head, no_lines, strange_lines, strange_head,
     strange_entries, strange_retractions, not_unicode, not_unicode_in_statement, not_a_number,
     retraction_that_is_not_json, retraction_without_a_line],
)  # fmt: skip
def test_a_lie_is_caught_and_nothing_of_it_is_added(
    theirs: Repository, ours: Repository, oslo: Publisher, lie: Callable[[Page], None]
) -> None:
    first = oslo.publish().ref
    lies: list[Callable[[Page], None]] = []

    def answer(path: str) -> bytes:
        page = honest(theirs, path)
        if "/feed" in path:
            for each in lies:
                each(page)
        return json.dumps(page).encode()

    with answering(answer) as address:
        ours.follow(address, by="tests")
        assert sync(ours, address).summary.added == [first]
        oslo.publish(qid=("age",))
        oslo.publish(qid=("height",))
        lies.append(lie)
        for _ in range(2):
            with pytest.raises(FeedError):
                sync(ours, address)
        assert shown_refs(ours) == {first}
        (state,) = ours.followed()
        assert state.problem
        # When the server sends the truth again, everything is read, and the problem is over.
        lies.clear()
        assert len(sync(ours, address).summary.added) == 2
        assert ours.followed()[0].problem is None
    assert ours.verify() == []


def test_rewritten_history_is_caught(ours: Repository, oslo: Publisher, theirs: Repository, tmp_path: Path) -> None:
    oslo.publish()
    other = Repository.open(str(tmp_path / "rewritten.db"))
    shown = [theirs]
    with answering(lambda path: json.dumps(honest(shown[0], path)).encode()) as address:
        ours.follow(address, by="tests")
        sync(ours, address)
        # The same publisher, the same number of lines, and more: but it is another log.
        again = Publisher(other, "oslo", "Oslo", signing=oslo.signing)
        again.publish(qid=("age",))
        shown[0] = other
        with pytest.raises(FeedError, match="rewritten"):
            sync(ours, address)
        again.publish(qid=("height",))
        with pytest.raises(FeedError, match="rewritten"):
            sync(ours, address)
        empty = Repository.open(str(tmp_path / "empty.db"))
        shown[0] = empty
        with pytest.raises(FeedError, match="cut off"):
            sync(ours, address)
        assert len(shown_refs(ours)) == 1
    other.close()
    empty.close()


def test_a_key_is_trusted_for_one_holder_only(theirs: Repository, ours: Repository, oslo: Publisher) -> None:
    """The other server has an entry of a holder that its key may not publish for here."""
    forger = Publisher(theirs, "forger", "Forger")
    ours.trust("forger", forger.signing.public_key, "Another holder", by="tests")
    wrong = forger.publish(qid=("age",)).ref
    good = oslo.publish().ref
    with answering(lambda path: json.dumps(honest(theirs, path)).encode()) as address:
        ours.follow(address, by="tests")
        summary = sync(ours, address).summary
    assert (summary.added, [refusal.where for refusal in summary.refused]) == ([good], [wrong])


def rechained(page: Page) -> None:
    """Compute the log of a page again, as the operator of the server could."""
    previous = page["lines"][0]["previous"]
    rows = {entry["sequence"]: read_foreign_entry(entry) for entry in page["entries"]}
    for line in page["lines"]:
        if line["sequence"] in rows:
            line["digest"] = rows[line["sequence"]].digest()
            line["subject"] = f"entry:{rows[line['sequence']].ref}"
        line["previous"] = previous
        line["hash"] = previous = Line(**line).expected_hash()
    page["head"]["hash"] = previous


def new_figure(page: Page) -> None:
    wrong_figure(page)
    entry_of(page)["ref"] = reference(canonical(entry_of(page)["statement"]))


@pytest.mark.parametrize("lie", [other_signature, new_figure])
def test_the_operator_of_a_server_cannot_invent_an_entry(
    theirs: Repository, ours: Repository, oslo: Publisher, lie: Callable[[Page], None]
) -> None:
    oslo.publish()
    good = oslo.publish(qid=("age",)).ref

    def answer(path: str) -> bytes:
        page = honest(theirs, path)
        if "/feed" in path and page["entries"]:
            lie(page)
            rechained(page)
        return json.dumps(page).encode()

    with answering(answer) as address:
        ours.follow(address, by="tests")
        summary = sync(ours, address).summary
    assert (summary.added, summary.refused_number) == ([good], 1)
    assert "signature does not verify" in summary.refused[0].why
    assert shown_refs(ours) == {good}


def test_huge_endless_and_slow_answers_end(
    ours: Repository, oslo: Publisher, theirs: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_MOST_FEED_BYTES", 1000)
    released = threading.Event()

    def slow(_: str) -> bytes:
        released.wait(20)
        return b"{}"

    answers = {
        "huge": (lambda _: b"x" * 5000, "larger"),
        "deep": (lambda _: b"[" * 900, "not valid JSON"),
        "gone": (lambda _: (_ for _ in ()).throw(ConnectionAbortedError()), "no answer"),
        "slow": (slow, "no answer"),
    }
    monkeypatch.setattr(client, "_MOST_SECONDS", 0.3)
    for name, (answer, why) in answers.items():
        with answering(answer) as address:
            ours.follow(address, by="tests")
            with pytest.raises(RepositoryError, match=why):
                sync(ours, address)
            if name == "slow":
                released.set()
    assert shown_refs(ours) == set()
    assert not any(each.problem for each in ours.followed())


@pytest.mark.parametrize("sent", [b"\x16\x03\x03\x3f\xff", b""], ids=["a handshake that trickles", "silence"])
def test_a_slow_handshake_ends(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(client, "_MOST_SECONDS", 0.3)
    is_over = threading.Event()

    def trickle(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(sent)
            for _ in range(100):
                if is_over.wait(0.1):
                    return
                connection.sendall(sent and b"\x0b")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=trickle, args=(listener,), daemon=True).start()
        began = time.monotonic()
        with pytest.raises(RepositoryError, match="in time"):
            client.RemoteRepository(f"https://127.0.0.1:{listener.getsockname()[1]}").feed()
        assert time.monotonic() - began < 5
        is_over.set()


def test_a_server_that_sends_line_by_line_slowly_is_left_for_later(
    ours: Repository, oslo: Publisher, theirs: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    oslo.publish()
    monkeypatch.setattr(syncing, "_LINES_AT_ONCE", 1)
    monkeypatch.setattr(syncing, "_MOST_WAITING_SECONDS", 0)
    head = theirs.head()[0]

    def answer(path: str) -> bytes:
        if "/vocabulary" in path:
            return json.dumps(honest(theirs, path)).encode()
        return json.dumps(theirs.feed(int(path.split("after=")[1].split("&")[0]), 1)).encode()

    with answering(answer) as address:
        ours.follow(address, by="tests")
        outcomes = [sync(ours, address) for _ in range(head)]
    assert [(each.lines, each.is_complete) for each in outcomes] == [(1, False)] * (head - 1) + [(1, True)]
    assert len(shown_refs(ours)) == 1


def test_short_pages_without_anything_new_do_not_fill_the_database(
    ours: Repository, theirs: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server can send one line at a time, with entries of keys that nobody knows."""
    stranger = Publisher(theirs, "stranger", "Stranger")
    for name in ("age", "gender", "height", "weight", "education", "religion"):
        stranger.publish(qid=(name,))
    monkeypatch.setattr(syncing, "_LINES_AT_ONCE", 1)

    def answer(path: str) -> bytes:
        after = int(path.split("after=")[1].split("&")[0]) if "/feed" in path else 0
        return json.dumps(theirs.feed(after, 1) if "/feed" in path else honest(theirs, path)).encode()

    with answering(answer) as address:
        ours.follow(address, by="tests")
        before = ours.head()[0]
        outcome = sync(ours, address)
        assert (outcome.lines, ours.head()[0]) == (7, before + 1)
        (followed,) = ours.followed()
        assert (followed.cursor.sequence, [key.entries for key in followed.untrusted.values()]) == (7, [6])
        monkeypatch.setattr(syncing, "_MOST_UNWRITTEN_LINES", 3)
        ours.unfollow(address, by="tests")
        ours.follow(address, by="tests")
        before = ours.head()[0]
        sync(ours, address)
        assert ours.head()[0] == before + 3
    assert ours.verify() == []


def test_a_log_that_grows_while_it_is_read_ends(
    ours: Repository, oslo: Publisher, theirs: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "_LINES_AT_ONCE", 1)
    asked = []

    def answer(path: str) -> bytes:
        asked.append(path)
        theirs.decide(ref=ref, decision="more", by="us", why="why not", recorded_by="tests")
        return json.dumps(honest(theirs, path) if "/vocabulary" in path else theirs.feed(len(asked) - 1, 1)).encode()

    ref = oslo.publish().ref
    monkeypatch.setattr(client.RemoteRepository, "vocabulary", lambda _: theirs.vocabulary())
    with answering(answer) as address:
        ours.follow(address, by="tests")
        outcome = sync(ours, address)
    # Two lines were there, and one more when the first page was made.
    assert (outcome.summary.added, outcome.lines) == ([ref], 3)


def test_pages_are_cut_at_long_entries(theirs: Repository, oslo: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("age", "gender", "height"):
        oslo.publish(qid=(name,))
    monkeypatch.setattr(feeds, "_MOST_CHARACTERS", 500)
    with theirs.database.reading() as connection:
        sizes = [len(feed_page(connection, after, 100)["lines"]) for after in range(4)]
    assert sizes == [2, 1, 1, 1]
