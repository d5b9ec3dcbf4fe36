"""The page Other repositories: followed repositories, and conflicts that an admin decides with a reason."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "repository"))

from helpers import Publisher

from idbits.repository import Repository, export, import_file
from idbits.repository.feeds import Cursor
from idbits.repository.following import FollowedKey, write_progress
from idbits.web.app import create_app
from idbits.web.questions.bank import Bank
from idbits.web.questions.examples import ExampleBank
from idbits.web.settings import WebSettings

from .conftest import Site, signed_in


@pytest.fixture
def exchange(tmp_path: Path, bank: Bank) -> Iterator[tuple[Site, Publisher, Repository]]:
    """An app with an entry that disagrees with one of another repository, and one that is retracted there."""
    ours, theirs = (Repository.open(str(tmp_path / f"{name}.db")) for name in ("ours", "theirs"))
    oslo = Publisher(theirs, "oslo", "Oslo <b>")
    ours.trust("oslo", oslo.signing.public_key, "Oslo <b>", by="tests")
    shared = oslo.publish(qid=("age",), population={"municipality": "Oslo"}).ref
    export(theirs, tmp_path / "1.jsonl")
    import_file(ours, tmp_path / "1.jsonl", source="Norway")
    Publisher(ours).publish()
    oslo.publish(n_people=1005)
    theirs.retract(shared, "counted twice", by="oslo")
    export(theirs, tmp_path / "2.jsonl")
    import_file(ours, tmp_path / "2.jsonl", source="Norway")
    app = create_app(WebSettings(folders=(tmp_path,)), ours, ExampleBank(bank=bank))
    yield signed_in(app, tmp_path), oslo, ours
    app.state.work_queue.close()
    ours.close()
    theirs.close()


def test_conflicts_are_shown_without_figures_and_decided(exchange: tuple[Site, Publisher, Repository]) -> None:
    site, _, ours = exchange
    assert "2 conflicts need a decision" in site.text("/repository")
    page = site.text("/repository/exchange")
    assert "reveal a small group" in page
    assert "it was retracted there: counted twice" in page.lower()
    assert "Oslo &lt;b&gt;" in page
    assert "1,005" not in page
    assert "1005" not in page
    kinds = {conflict.kind: conflict.ref for conflict in ours.conflicts()}
    refused = site.post(f"/repository/conflicts/{kinds['rule']}", keep="theirs", reason="they <i>are right")
    assert refused.status_code == 400
    assert "refused by the rule difference" in refused.text.lower()
    assert "they &lt;i&gt;are right" in refused.text
    assert site.post(f"/repository/conflicts/{kinds['rule']}", keep="ours", reason=" ").status_code == 400
    assert site.post(f"/repository/conflicts/{kinds['rule']}", keep="both", reason="x").status_code == 400
    for kind, keep in (("rule", "ours"), ("retracted", "theirs")):
        answer = site.post(f"/repository/conflicts/{kinds[kind]}", keep=keep, reason=f"because of {kind}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/repository/exchange#conflicts")
    page = site.text("/repository/exchange")
    assert "There are none." in page
    assert "Took theirs: <bdi>because of retracted" in page
    assert ours.entry(kinds["retracted"]).status == "retracted"
    assert "need a decision" not in site.text("/repository")
    assert site.post("/repository/conflicts/nothing", keep="ours", reason="x").status_code == 404


def test_an_imported_entry_says_where_it_comes_from(exchange: tuple[Site, Publisher, Repository]) -> None:
    site, _, ours = exchange
    imported = next(entry for entry in ours.entries().entries if entry.imported_from is not None)
    page = site.text(f"/repository/entries/{imported.ref}")
    assert "from Norway" in page
    assert "Published there" in page


def test_followed_repositories_show_their_problems(
    exchange: tuple[Site, Publisher, Repository], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    monkeypatch.setenv("IDBITS_DATA", str(tmp_path))
    site, oslo, ours = exchange
    assert "No repository is followed" in site.text("/repository/exchange")
    followed = ours.follow("https://stats.example", by="tests", key_file="/secret/place.key")
    assert "Nothing was read yet" in site.text("/repository/exchange")
    keys = {oslo.signing.public_key: FollowedKey("Bergen", 2, Cursor(3, "0" * 64))}
    with ours.database.writing() as connection:
        state = replace(followed, cursor=Cursor(1200, "0" * 64), problem="the log was rewritten", untrusted=keys)
        write_progress(connection, state, by="tests")
    page = site.text("/repository/exchange")
    for words in ("Do not trust what it sends", "The log was rewritten", "line 1,200", "Bergen", "2 entries"):
        assert words in page
    assert "place.key" not in page
