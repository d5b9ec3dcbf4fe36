"""``idbits decide`` as an officer types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import idbits

WORDS = ("decide", "report.json", "--decision", "refuse", "--by", "Zoë", "--why", "half of the people are unique")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("zip,sex\n10,F\n10,F\n20,M\n", encoding="utf-8")
    Path("report.json").write_text(idbits.report("people.csv", "zip,sex", sections="bits").to_json(), encoding="utf-8")
    return tmp_path


def test_decide_list_verify(run, folder):
    ended = run(*WORDS)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Refused\n")
    assert "Reason: half of the people are unique" in ended.out
    assert "Zoë" in run("decide", "--list").out
    ended = run("decide", "--verify", "--json")
    answer = json.loads(ended.out)
    assert (ended.code, answer["action"], answer["verified"], answer["verdict_level"]) == (0, "verify", True, "warn")
    Path("report.json").write_text("{}", encoding="utf-8")
    ended = run("decide", "--verify")
    assert ended.code == 1
    assert "the report has changed since the decision" in ended.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("decide",), "name the report"),
        (WORDS[:-2], "--why is missing"),
        (("decide", "--list", "--verify"), "cannot be combined"),
        (("decide", "--list", "--by", "A"), "--by and --list cannot be combined"),
        ((*WORDS, "--noted", "1:ab"), "--noted is for --verify"),
        (("decide", "--verify", "--noted", "1:ab"), "--noted must be NUMBER:HASH"),
        (("decide", "--verify", "--public-key", "nonsense"), "--public-key must be a public key"),
        (("decide", "--verify"), "there is no file"),
        (("decide", "nothing.json", *WORDS[2:]), "cannot be opened"),
        ((*WORDS, "--out", "decisions.jsonl"), "name the same file"),
        ((*WORDS, "--key", "nothing.pem"), "cannot be read"),
    ],
)
def test_wrong_usage_is_one_line(run, folder, words, sentence):
    ended = run(*words)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.err.count("\n") == 1
    assert not Path("decisions.jsonl").exists()
