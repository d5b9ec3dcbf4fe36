"""Decisions: what a record contains, what an attacker can and cannot change unseen, and what stops in between."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import itertools
import json
import os
import resource
import shutil
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pytest

import idbits
from idbits.canonical import canonical, digest
from idbits.errors import InputError
from idbits.signing import ENTRY, SigningKey
from idbits.studies.decide import decision_file

SCHEMA = json.loads((Path(idbits.__file__).parent / "studies/decide/decision.schema.json").read_text(encoding="utf-8"))
LOG = Path("decisions.jsonl")


def refuse(number: int = 1, **options: object) -> idbits.RecordedDecision:
    return idbits.decide("report.json", "refuse", by=f"Officer {number}", why=f"reason {number}", **options)


def lines() -> list[str]:
    return LOG.read_text(encoding="utf-8").splitlines(keepends=True)


def problems(**options: object) -> list[str]:
    return [each.problem for each in idbits.verify_decisions(**options).problems]


@pytest.fixture
def key(folder: Path) -> SigningKey:
    made = SigningKey.generate()
    made.write(folder / "key.pem")
    return made


def test_a_record_has_the_hashes_of_the_files_computed_independently(folder: Path, key: SigningKey) -> None:
    idbits.decide(
        "report.json", "approve-with-treatment", by="Zoë Ångström 李", why="fine", key="key.pem", plan="plan.json",
        receipt="receipt.json",
    )  # fmt: skip
    (line,) = lines()
    record = json.loads(line)

    def sha256(name: str) -> str:
        return hashlib.sha256(Path(name).read_bytes()).hexdigest()

    assert record["report"] == {"file": "report.json", "sha256": sha256("report.json")}
    assert record["plan"] == {"file": "plan.json", "sha256": sha256("plan.json")}
    assert record["receipt"] == {"file": "receipt.json", "sha256": sha256("receipt.json")}
    assert record["data"] == {"source": "people.csv", "sha256": sha256("people.csv"), "files": 1, "state": "same"}
    assert (record["n_people"], record["singletons"], record["qid"]) == (61, 1, ["zip", "sex"])
    assert record["by"] == "Zoë Ångström 李"
    jsonschema.validate(record, SCHEMA)
    assert "secretjob" not in line
    assert idbits.verify_decisions().verified


def test_each_record_contains_the_hash_of_the_one_before(folder: Path) -> None:
    for number in range(3):
        refuse(number)
    records = [json.loads(line) for line in lines()]
    assert [record["sequence"] for record in records] == [1, 2, 3]
    assert records[0]["previous"] == "0" * 64
    for before, after in itertools.pairwise(records):
        assert after["previous"] == before["hash"]
        body = {name: value for name, value in before.items() if name != "hash"}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert before["hash"] == hashlib.sha256(text.encode()).hexdigest()
    check = idbits.verify_decisions()
    assert (check.verified, check.exit_code, check.head) == (True, 0, f"3:{records[2]['hash']}")


def test_every_changed_byte_of_a_line_is_found(folder: Path) -> None:
    refuse(1)
    refuse(2)
    content = LOG.read_bytes()
    end = content.index(b"\n")
    for position in range(0, end, 3):
        changed = bytearray(content)
        changed[position] = ord("0") if changed[position] != ord("0") else ord("1")
        LOG.write_bytes(bytes(changed))
        assert not idbits.verify_decisions().verified, position


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ((0, 2), "does not follow line 1"),
        ((1, 2), "does not follow the beginning"),
        ((1, 0, 2), "does not follow"),
        ((0, 0, 1, 2), "does not follow line 1"),
        ((0, 1, 2), None),
    ],
)
def test_removed_moved_and_repeated_lines_are_found(folder: Path, order: tuple[int, ...], found: str | None) -> None:
    for number in range(3):
        refuse(number)
    written = lines()
    LOG.write_text("".join(written[index] for index in order), encoding="utf-8")
    assert (found is None and not problems()) or any(found in problem for problem in problems() if found)


def test_a_line_removed_from_the_end_is_found_only_with_a_reference_noted_elsewhere(folder: Path) -> None:
    refuse(1)
    noted = refuse(2).record.reference
    LOG.write_text(lines()[0], encoding="utf-8")
    assert idbits.verify_decisions().verified
    assert problems(noted=[noted]) == ["record 2 was noted, and is no longer there"]


def test_a_chain_written_anew_is_found_only_by_signatures_of_known_keys(folder: Path, key: SigningKey) -> None:
    refuse(1, key="key.pem")
    record = json.loads(lines()[0])
    forged = {**record, "decision": "approve"}
    forged["hash"] = digest(canonical({name: value for name, value in forged.items() if name != "hash"}))
    LOG.write_text(canonical(forged) + "\n", encoding="utf-8")
    assert problems() == ["has a wrong signature"]
    unsigned = {**forged, "public_key": None, "signature": None}
    unsigned["hash"] = digest(canonical({name: value for name, value in unsigned.items() if name != "hash"}))
    LOG.write_text(canonical(unsigned) + "\n", encoding="utf-8")
    assert problems() == []
    assert problems(public_key=[key.public_key]) == ["is not signed"]
    assert problems(noted=[f"1:{record['hash']}"]) == ["record 1 is not the one that was noted"]


def test_a_signature_of_an_entry_does_not_pass_for_one_of_a_decision(folder: Path, key: SigningKey) -> None:
    signed = refuse(1, key="key.pem").record
    record = {**signed.to_dict(), "signature": key.sign(signed.signed_text, ENTRY)}
    record["hash"] = digest(canonical({name: value for name, value in record.items() if name != "hash"}))
    LOG.write_text(canonical(record) + "\n", encoding="utf-8")
    assert problems() == ["has a wrong signature"]


def test_a_signature_with_an_unknown_key_is_named(folder: Path, key: SigningKey) -> None:
    refuse(1, key="key.pem")
    other = SigningKey.generate().public_key
    assert problems(public_key=[other]) == ["is signed with another key"]
    assert problems(public_key=[other, key.public_key]) == []


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("report.json", "the report has changed since the decision"),
        ("people.csv", "the data have changed since the decision"),
        ("plan.json", "the plan has changed since the decision"),
        ("receipt.json", "the receipt has changed since the decision"),
    ],
)
def test_files_that_changed_are_found_and_missing_ones_are_no_problem(folder: Path, name: str, problem: str) -> None:
    refuse(1, plan="plan.json", receipt="receipt.json")
    path = Path(name)
    path.write_bytes(path.read_bytes() + b" ")
    assert problems() == [problem]
    path.unlink()
    check = idbits.verify_decisions()
    assert check.verified
    assert "missing" in check.checked[0].files.values()


def test_data_that_changed_before_the_decision_are_recorded_as_changed(folder: Path) -> None:
    Path("people.csv").write_text("zip,sex\n1,F\n", encoding="utf-8")
    answer = refuse()
    assert str(answer.record.data.state) == "changed"
    assert any("have changed since the report" in note for note in answer.notes)


def test_data_of_several_files_keep_their_hash(folder: Path) -> None:
    parts = folder / "parts"
    parts.mkdir()
    for name in ("a.csv", "b.csv"):
        (parts / name).write_text("zip,sex\n10,F\n10,F\n20,M\n", encoding="utf-8")
    for source in ("parts", "parts/*.csv"):
        Path("report.json").write_text(idbits.report(source, "zip", sections="bits").to_json(), encoding="utf-8")
        assert str(refuse().record.data.state) == "same"


def test_a_report_elsewhere_has_its_records_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = folder / "inner"
    inner.mkdir()
    shutil.move("report.json", inner / "report.json")
    answer = idbits.decide("inner/report.json", "approve", by="A", why="b")
    assert answer.record.data.source == "../people.csv"
    monkeypatch.chdir("/")
    check = idbits.verify_decisions(inner)
    assert check.verified
    assert {str(state) for state in check.checked[0].files.values()} == {"same"}
    assert len(idbits.list_decisions(inner / "report.json").records) == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is not valid JSON"),
        ("<html></html>", "is not valid JSON"),
        ("[1]", "is not an answer of idbits"),
        ('{"schema": "idbits/1", "command": "measure"}', "is an answer of idbits.measure, not a report"),
        ('{"schema": "idbits/1", "command": "report"}', "is not a complete report"),
        (
            '{"schema": "idbits/1", "command": "report", "verdict": {}, "origin": {}, "measurement": {"qid": [1]}}',
            "is not a complete report",
        ),
        ('{"schema": "idbits/1", "command": "report", "verdict": {"title": "x", "level": "bad"}, "origin": {}, '
         '"measurement": {"qid": ["a"], "n_rows": 1, "n_people": 1, "singletons": 1}}', "which data it is about"),
        ("[" * 100_000, "is not valid JSON"),
    ],
)  # fmt: skip
def test_what_is_not_a_report_is_refused(folder: Path, content: str, sentence: str) -> None:
    Path("report.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        refuse()
    assert not LOG.exists()


def test_a_receipt_or_plan_of_something_else_is_refused(folder: Path) -> None:
    other = {**json.loads(Path("receipt.json").read_text(encoding="utf-8")), "source": {"sha256": "1" * 64, "rows": 1}}
    other["output"] = {"sha256": "2" * 64, "rows": 1}
    Path("other.json").write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(InputError, match="the receipt of other data"):
        refuse(receipt="other.json")
    plan = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    Path("other-plan.json").write_text(json.dumps({**plan, "goal": ["k_min >= 7"]}), encoding="utf-8")
    with pytest.raises(InputError, match="the receipt of another plan"):
        refuse(receipt="receipt.json", plan="other-plan.json")
    with pytest.raises(InputError, match="is not a plan"):
        refuse(plan="report.json")
    with pytest.raises(InputError, match="not a receipt"):
        refuse(receipt="report.json")
    assert not LOG.exists()


@pytest.mark.parametrize(
    ("by", "why", "sentence"),
    [
        (" ", "x", "needs a text for by="),
        ("x", "\n", "needs a text for why="),
        ("x" * 201, "x", "at most 200"),
        ("x", "x" * 1_000_000, "has 1,000,000 characters; at most 5,000"),
        ("\udc80", "x", "is not valid Unicode"),
    ],
)
def test_texts_are_limited(folder: Path, by: str, why: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        idbits.decide("report.json", "approve", by=by, why=why)
    assert not LOG.exists()


def test_line_breaks_and_control_characters_stay_in_one_line_and_are_shown(folder: Path) -> None:
    idbits.decide("report.json", "approve", by="A\x1b[31m\u202eB", why='one\ntwo"\u2028')
    assert len(lines()) == 1
    shown = str(idbits.list_decisions())
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert idbits.verify_decisions().verified


def test_a_wrong_decision_names_the_nearest(folder: Path) -> None:
    with pytest.raises(InputError, match='did you mean "approve"'):
        idbits.decide("report.json", "aprove", by="A", why="b")


def test_a_key_that_everybody_can_read_is_refused(folder: Path, key: SigningKey) -> None:
    Path("key.pem").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        refuse(key="key.pem")
    Path("plan.json").chmod(0o600)
    with pytest.raises(InputError, match="not a valid Ed25519 key"):
        refuse(key="plan.json")
    assert not LOG.exists()


def test_nothing_is_added_to_a_damaged_file(folder: Path) -> None:
    refuse(1)
    good = LOG.read_bytes()
    for damaged in (good[:-1], good.replace(b"Officer", b"officer"), b"alias ll='ls -l'\n"):
        LOG.write_bytes(damaged)
        with pytest.raises(InputError, match="is damaged, so nothing is added"):
            refuse(2)
        assert LOG.read_bytes() == damaged
        assert idbits.verify_decisions().exit_code == 1


def test_an_empty_file_takes_records_but_does_not_verify(folder: Path) -> None:
    LOG.write_bytes(b"")
    assert problems() == ["the file has no records"]
    assert refuse().record.sequence == 1


def test_two_people_deciding_at_the_same_time_make_one_chain(folder: Path) -> None:
    start = threading.Barrier(2)

    def decide_often(name: str) -> None:
        start.wait()
        for number in range(5):
            idbits.decide("report.json", "refuse", by=name, why=str(number))

    # Each call opens the file anew, so that threads exclude each other like processes.
    with ThreadPoolExecutor(2) as people:
        list(people.map(decide_often, "AB"))
    log = idbits.list_decisions()
    assert sorted((record.by, record.why) for record in log.records) == [(n, str(i)) for n in "AB" for i in range(5)]
    assert idbits.verify_decisions().verified


def test_a_locked_file_is_an_error_after_a_while(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    monkeypatch.setattr(decision_file, "_WAIT_SECONDS", 0.05)
    with LOG.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process is writing"):
            refuse()


@contextlib.contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let the system write the first bytes of a line and then no more, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_the_file_as_it_was(folder: Path) -> None:
    refuse(1)
    before = LOG.read_bytes()
    with largest_file(len(before) + 10), pytest.raises(InputError, match="no decision was recorded"):
        refuse(2)
    assert LOG.read_bytes() == before
    assert refuse(2).record.sequence == 2


def test_ctrl_c_in_the_middle_leaves_the_file_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(1)
    before = LOG.read_bytes()
    write = os.write

    def interrupted(descriptor: int, data: bytes) -> int:
        write(descriptor, data[:20])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            refuse(2)
    assert LOG.read_bytes() == before
    assert idbits.verify_decisions().verified


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_folder_that_cannot_be_written_is_one_sentence(folder: Path) -> None:
    for parent in (folder, *folder.parents[:3]):
        parent.chmod(0o755)
    os.seteuid(65534)
    try:
        with pytest.raises(InputError, match="cannot be written: Permission denied"):
            refuse()
    finally:
        os.seteuid(0)


def test_a_folder_or_device_in_place_of_the_file_is_refused(folder: Path) -> None:
    LOG.mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        refuse()
    LOG.rmdir()
    LOG.symlink_to("/dev/null")
    with pytest.raises(InputError, match="is not a file"):
        refuse()


def test_without_the_extra_records_are_written_and_signatures_not_checked(
    folder: Path, key: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(1, key="key.pem")
    monkeypatch.delitem(sys.modules, "idbits.signing")
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    assert importlib.util.find_spec("idbits.signing") is not None
    refuse(2)
    with pytest.raises(InputError, match=r"idbits\[web\]"):
        refuse(3, key="key.pem")
    check = idbits.verify_decisions()
    assert (check.verified, check.exit_code, check.signatures_unchecked) == (False, 3, 1)
