"""The commands around the repository, as they are typed: publish, query, predict, verify, and what goes wrong."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import closing
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from commands import Run

sys.path.append(str(Path(__file__).parents[1] / "repository"))

from helpers import serving

from idbits.repository import Repository


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """A folder with people, a key and a repository in which its owner may publish."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IDBITS_DATA", str(tmp_path / "data"))
    for name in ("IDBITS_REPOSITORY", "IDBITS_API_KEY", "IDBITS_API_KEY_FILE", "IDBITS_SIGNING_KEY"):
        monkeypatch.delenv(name, raising=False)
    rows = [(f"10{i % 7}1", "FM"[i % 2], 1950 + i % 50) for i in range(1400)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    pyarrow.parquet.write_table(pyarrow.table(columns, names=["postcode", "gender", "birthyear"]), "people.parquet")
    assert run("repository", "keygen").code == 0
    added = ["--role", "publisher", "--public-key", "data/signing-key.pem.pub", "--holder", "Office", "--json"]
    ended = run("repository", "add", "office", *added)
    assert ended.code == 0
    (tmp_path / "api-key").write_text(json.loads(ended.out)["key"])
    (tmp_path / "api-key").chmod(0o600)
    return tmp_path


PUBLISH = ["publish", "people.parquet", "--qid", "postcode,gender,birthyear", "--population", "City=Amsterdam"]


@pytest.mark.big
def test_the_whole_story(office: Path, run: Run) -> None:
    ended = run(*PUBLISH, "--date", "2020-01-01", "--json")
    assert ended.code == 0, ended.err
    made = json.loads(ended.out)
    assert (made["schema"], made["command"]) == ("idbits/1", "publish")
    assert made["statement"]["qid"] == ["birthdate:year", "gender", "postcode"]
    found = json.loads(run("query", "--qid", "Postcode,Sex,YoB", "--population", "Town=amsterdam", "--json").out)
    assert found["exact"][0]["ref"] == made["ref"]
    bound = run("query", "--qid", "gender", "--population", "City=Amsterdam").out
    assert "at most" in bound
    predicted = json.loads(run("predict", "uniqueness", "--k", "5", "--entry", made["ref"], "--json").out)
    assert predicted["kappa_nats"] == made["statement"]["kappa_nats"]
    assert predicted["n_values"] == made["statement"]["n_values"]
    for kind, more in (("singletons", ["--k", "5"]), ("group", ["--cost", "3"])):
        assert run("predict", kind, *more, "--entry", made["ref"]).code == 0
    (office / "survey.toml").write_text(f'population = 5000\n[[questions]]\nname = "q"\nentry = "{made["ref"]}"\n')
    assert run("questionnaire", "survey.toml").code == 0
    receipt = f"{made['receipt']['sequence']}:{made['receipt']['hash']}"
    assert run("repository", "verify", "--receipt", receipt).code == 0
    assert run("repository", "verify", "--receipt", f"2:{'0' * 64}").code == 1
    decide = ("repository", "decide", made["ref"], "ask the year only", "--by", "the board", "--why", "too few")
    decided = json.loads(run(*decide, "--json").out)
    listed = json.loads(run("repository", "decisions", made["ref"], "--json").out)["decisions"]
    names = ("decision", "by", "why", "sequence")
    assert [[one[name] for name in names] for one in listed] == [[decided[name] for name in names]]
    assert "ask the year only" in run("repository", "decisions", made["ref"]).out
    assert run("repository", "verify").code == 0
    assert run("repository", "retract", made["ref"], "--reason", "wrong").code == 0
    assert made["ref"] in run("repository", "entries", "--all").out
    assert run("predict", "uniqueness", "--k", "5", "--entry", made["ref"]).code == 3


@pytest.mark.big
def test_the_same_over_http(office: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Repository.open(str(office / "data" / "repository.db"))
    with serving(store) as server:
        monkeypatch.setenv("IDBITS_API_KEY_FILE", str(office / "api-key"))
        there = ["--repository", server.address]
        made = json.loads(run(*PUBLISH, "--date", "2020-01-01", "--json", *there).out)
        query = ["query", "--qid", "gender,postcode,birthyear", "--population", "City=Amsterdam"]
        far, near = run(*query, *there, "--json"), run(*query, "--json")
        assert json.loads(far.out) == json.loads(near.out)
        assert json.loads(far.out)["exact"][0]["ref"] == made["ref"]
        assert run("predict", "uniqueness", "--k", "5", "--entry", made["ref"], *there).code == 0
        assert made["ref"] in run("repository", "entries", *there).out
        decide = ("repository", "decide", made["ref"], "ask the year only", "--by", "the board", "--why", "too few")
        assert run(*decide, *there).code == 0
        far, near = run("repository", "decisions", made["ref"], *there), run("repository", "decisions", made["ref"])
        assert "ask the year only" in far.out
        assert far.out == near.out
        refused = run("publish", "people.parquet", "--qid", "gender", "--where", "birthyear <> 1950", *there,
                      "--population", "City=Amsterdam", "--date", "2020-01-01")  # fmt: skip
        assert refused.code == 1
        assert refused.err.startswith("idbits: refused by the rule difference: ")
        assert not any(character.isdigit() for character in refused.err)
        assert run("repository", "verify", *there).code == 2
        monkeypatch.setenv("IDBITS_API_KEY_FILE", "")
        assert run(*query, *there).code == 3
    store.close()


@pytest.mark.big
def test_inventories(office: Path, run: Run) -> None:
    (office / "inventory.toml").write_text(
        '[[tables]]\nname = "register"\nholder = "Office"\ncolumns = ["birthdate", "gender"]\nsize = 1400\n'
        'population = { City = "Amsterdam" }\n'
        '[[questionnaires]]\nname = "survey"\nwhere = "hall"\nquestions = ["birthyear", "gender"]\n'
    )
    assert run("repository", "inventory", "inventory.toml").code == 0
    match = json.loads(run("repository", "match", "--json").out)["matches"][0]
    assert match["qid"] == ["birthdate:year", "gender"]
    assert "survey (hall)" in run("repository", "match").out
    assert run("repository", "vocabulary", "--add", "shoe size", "--alias", "maat").code == 0
    assert "maat" in run("repository", "vocabulary").out
    assert "office" in run("repository", "accounts").out
    assert run("repository", "revoke", "office").code == 0
    assert run(*PUBLISH, "--holder", "Office").code == 3


@pytest.mark.big
def test_backups(office: Path, run: Run) -> None:
    run(*PUBLISH)
    assert run("repository", "backup", "b.jsonl").code == 0
    assert run("repository", "restore", "b.jsonl", "--repository", "new.db").code == 0
    assert run("repository", "verify", "--repository", "new.db").code == 0
    assert run("repository", "restore", "b.jsonl", "--repository", "new.db").code == 2
    assert run("repository", "export", "e.jsonl").code == 0
    assert run("repository", "export", "e.jsonl").code == 2
    assert stat.S_IMODE((office / "new.db").stat().st_mode) == 0o600
    assert stat.S_IMODE((office / "data").stat().st_mode) == 0o700


@pytest.mark.big
@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["query", "--qid", "age"], 2, "--population"),
        (["query", "--population", "City=x"], 2, "--qid"),
        (["query", "--qid", "age", "--population", "City"], 2, "--population must"),
        (["query", "--qid", "age", "--population", "City=a", "--population", "City=b"], 2, "two values"),
        (["query", "--qid", "agee", "--population", "City=x"], 2, 'did you mean "age"'),
        (["query", "--qid", "age", "--population", "City=x", "--size", "0"], 2, "size of the population"),
        (["query", "--qid", "age", "--population", "City=x", "--repository", "nothing.db"], 3, "no repository"),
        (["query", "--qid", "age", "--population", "City=x", "--repository", "http://x.example"], 2, "https"),
        (["query", "--qid", "age", "--population", "City=x", "--repository", "mysql://x/y"], 2, "SQLite or PostgreSQL"),
        (["query", "--qid", "age", "--population", "City=x", "--repository", "postgresql://a:b@x/y"], 2, "password"),
        (["query", "--qid", "age", "--population", "City=x", "--repository", "http://127.0.0.1:1"], 3, "no answer"),
        (["publish", "people.parquet", "--qid", "gender"], 2, "--population"),
        (["publish", "people.parquet", "--population", "City=x"], 2, "--qid"),
        (["publish", "nothing.csv", "--qid", "a", "--population", "City=x"], 2, "nothing.csv"),
        (["publish", "people.parquet", "--qid", "odd", "--population", "City=x"], 2, "no column"),
        (["publish", "people.parquet", "--qid", "gender", "--population", "City=x", "--key", "nothing.pem"], 2, "key"),
        (["publish", "people.parquet", "--qid", "gender", "--population", "City=x", "--as", "odd"], 2, "--as"),
        (["publish", "people.parquet", "--qid", "gender", "--population", "City=x", "--date", "now"], 2, "day"),
        (["publish", "people.parquet", "--qid", "gender", "--population", "City=x", "--coverage", "2"], 2, "coverage"),
        (["publish", "people.parquet", "--qid", "gender", "--population", "Postcode=1011"], 2, "--where"),
        (["publish", "people.parquet", "--qid", "gender", "--population", "City=x", "--where", "birthyear=1950"], 1,
         "floor"),
        (["predict", "uniqueness", "--k", "2", "--entry", "0123456789abcdef"], 3, "no entry"),
        (["predict", "uniqueness", "--k", "2", "--entry", "0123456789abcdef", "--values", "5"], 2, "--entry"),
        (["repository", "keygen"], 2, "never overwritten"),
        (["repository", "add", "Anonymous"], 2, "reserved"),
        (["repository", "add", "office"], 2, "already"),
        (["repository", "add", "x", "--role", "king"], 2, "role"),
        (["repository", "add", "x", "--role", "publisher"], 2, "public key"),
        (["repository", "add", "x", "--role", "publisher", "--public-key", "abc", "--holder", "x"], 2, "public key"),
        (["repository", "revoke", "nobody"], 2, "no account"),
        (["repository", "retract", "0123456789abcdef", "--reason", "x"], 3, "no entry"),
        (["repository", "decide", "0123456789abcdef", "x", "--by", "me", "--why", "y"], 3, "no entry"),
        (["repository", "decide", "0123456789abcdef", "x", "--by", "me"], 2, "who decided and why"),
        (["repository", "decisions", "0123456789abcdef"], 3, "no entry"),
        (["repository", "verify", "--receipt", "x"], 2, "NUMBER:HASH"),
        (["repository", "inventory", "people.parquet"], 2, "TOML"),
        (["repository", "restore", "nothing.jsonl"], 2, "cannot be read"),
        (["repository", "vocabulary", "--add", "sex"], 2, '"sex"'),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_one_line(office: Path, run: Run, words: list[str], code: int, sentence: str) -> None:
    ended = run(*words)
    assert ended.code == code, ended.err
    lines = [line for line in ended.err.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1
    assert lines[0].startswith("idbits: ")
    assert sentence in lines[0]


def test_keys_that_others_can_read_are_refused(office: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    key = office / "data" / "signing-key.pem"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(0o644)
    assert "chmod 600" in run(*PUBLISH).err
    monkeypatch.setenv("IDBITS_SIGNING_KEY", key.read_text())
    assert run(*PUBLISH).code == 0
    (office / "api-key").chmod(0o644)
    monkeypatch.setenv("IDBITS_API_KEY_FILE", str(office / "api-key"))
    ended = run("query", "--qid", "age", "--population", "City=x", "--repository", "http://127.0.0.1:1")
    assert "chmod 600" in ended.err
    assert os.environ["IDBITS_API_KEY_FILE"] not in ended.out


def test_nothing_of_a_cell_is_shown(office: Path, run: Run) -> None:
    ended = run("publish", "people.parquet", "--qid", "postcode", "--population", "City=x", "--distribution")
    assert ended.code == 0
    assert "1011" not in ended.out + ended.err


@pytest.mark.big
def test_two_repositories_by_commands(office: Path, run: Run) -> None:
    published = json.loads(run(*PUBLISH, "--date", "2020-01-01", "--json").out)["ref"]
    assert run("repository", "export", "export.jsonl").code == 0
    other = ("--repository", "other.db")
    untrusted = run("repository", "import", "export.jsonl", *other)
    assert (untrusted.code, "Keys that are not trusted here" in untrusted.out) == (0, True)
    assert run("repository", "trust", "office", "--holder", "Office", *other).code == 2
    key = ("--public-key", "data/signing-key.pem.pub")
    assert run("repository", "trust", "office", *key, "--holder", "Office", *other).code == 0
    tried = json.loads(run("repository", "import", "export.jsonl", "--dry-run", "--json", *other).out)
    assert (tried["dry_run"], tried["added"]) == (True, [published])
    imported = json.loads(run("repository", "import", "export.jsonl", "--from", "Office", "--json", *other).out)
    assert (imported["source"], imported["added"], imported["already_there"]) == ("Office", [published], 0)
    (listed,) = json.loads(run("repository", "entries", "--json", *other).out)["entries"]
    assert listed["imported_from"] == "Office"
    assert "No repository is followed" in run("repository", "followed", *other).out
    with closing(Repository.open(str(office / "data" / "repository.db"))) as store, serving(store) as server:
        follow = ("repository", "follow", server.address, *other)
        assert run(*follow).code == 0
        assert run(*follow).code == 2
        refused = run("repository", "sync", *other)
        assert (refused.code, "not signed in" in refused.out) == (3, True)
        assert run("repository", "unfollow", server.address, *other).code == 0
        assert run(*follow, "--api-key-file", "api-key").code == 0
        read = json.loads(run("repository", "sync", "--json", *other).out)["read"]
        assert [(each["url"], each["already_there"], each["complete"]) for each in read] == [(server.address, 1, True)]
        assert server.address in run("repository", "followed", *other).out
        # A key file that is missing does not keep the others from being read.
        (office / "api-key").rename(office / "moved")
        assert run("repository", "follow", f"{server.address}/other", *other).code == 0
        gone = json.loads(run("repository", "sync", "--json", *other).out)["failed"]
        assert [each["url"] for each in gone] == [server.address, f"{server.address}/other"]
        assert run("repository", "sync", server.address, *other).code == 2
        assert run("repository", "unfollow", f"{server.address}/other", *other).code == 0
        (office / "moved").rename(office / "api-key")
        store.retract(published, "wrong", by="tests")
        retracted = run("repository", "sync", server.address, *other)
        assert (retracted.code, "new conflicts, held back" in retracted.out) == (1, True)
    conflicts = json.loads(run("repository", "conflicts", "--json", *other).out)["conflicts"]
    assert [(each["ref"], each["kind"]) for each in conflicts] == [(published, "retracted")]
    assert run("repository", "resolve", published, "--keep", "ours", *other).code == 2
    decided = ("repository", "resolve", published, "--keep", "theirs", "--reason", "wrong", *other)
    assert (run(*decided).code, run(*decided).code) == (0, 2)
    assert run("repository", "conflicts", *other).out.startswith("No conflicts")
    (conflict,) = json.loads(run("repository", "conflicts", "--all", "--json", *other).out)["conflicts"]
    assert (conflict["kept"], conflict["reason"], conflict["why"]) == (
        "theirs",
        "wrong",
        "it was retracted there: wrong",
    )
    assert run("repository", "conflicts", "--all", *other).out.startswith("Decided")
    gone = run("repository", "sync", *other)
    assert (gone.code, "no answer" in gone.out) == (3, True)
    assert run("repository", "verify", *other).code == 0
