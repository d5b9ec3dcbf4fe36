"""Exports are imported with their signatures; what is not added is shown, and nothing breaks a rule of the union."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import Publisher, altered, fresh_postgresql, shown_refs, statement

from idbits.canonical import canonical
from idbits.errors import EntryNotFoundError, InputError, NotAllowedError, RefusedError
from idbits.repository import ImportSummary, Repository, SigningKey, export, import_file
from idbits.repository.accounts import find_by_public_key
from idbits.repository.conflicts import ConflictKind, record_conflict
from idbits.repository.entries import reference
from idbits.repository.foreign_entries import ForeignEntry, read_foreign_entry

Change = Callable[[dict[str, Any]], None]


def exchanged(theirs: Repository, ours: Repository, folder: Path, **options: Any) -> ImportSummary:
    file = folder / f"export {len(list(folder.iterdir()))}.jsonl"
    export(theirs, file)
    return import_file(ours, file, **options)


def test_entries_keep_their_signature_and_their_origin(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    receipt = oslo.publish()
    there = theirs.entry(receipt.ref)
    summary = exchanged(theirs, ours, tmp_path, source="Norway", by="admin")
    assert (summary.added, summary.needs_attention) == ([receipt.ref], False)
    here = ours.entry(receipt.ref)
    assert (here.statement, here.signature, here.public_key) == (there.statement, there.signature, there.public_key)
    assert (here.publisher, here.imported_from, there.imported_from) == ("oslo of Norway", "Norway", None)
    origin = ours.origin(receipt.ref)
    assert origin is not None
    assert (origin.source, origin.publisher, origin.published_at) == ("Norway", "oslo", there.published_at)
    line = next(line for line in ours.audit() if line.subject == f"entry:{receipt.ref}")
    assert (line.actor, line.action) == ("admin", "import from Norway")
    assert ours.verify() == []


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_import_can_be_repeated_and_tried(theirs: Repository, oslo: Publisher, tmp_path: Path, kind: str) -> None:
    ours = Repository.open(str(tmp_path / "new.db") if kind == "sqlite" else fresh_postgresql())
    ours.trust("oslo", oslo.signing.public_key, "Oslo", by="tests")
    first = oslo.publish().ref
    second = oslo.publish(n_people=2000, supersedes=first).ref
    before = ours.head()
    tried = exchanged(theirs, ours, tmp_path, dry_run=True)
    assert (set(tried.added), tried.dry_run, ours.head(), shown_refs(ours)) == ({first, second}, True, before, set())
    assert exchanged(theirs, ours, tmp_path).added == [first, second]
    assert ours.entry(first).superseded_by == second
    after = ours.head()
    again = exchanged(theirs, ours, tmp_path)
    assert (again.added, again.already_there, ours.head()) == ([], 2, after)
    assert ours.verify() == []
    # After a dry run and an import the rules know exactly what is there: one person less is refused.
    city = Publisher(ours)
    with pytest.raises(RefusedError):
        city.publish(n_people=2001)
    ours.close()


def test_unknown_keys_are_shown_and_not_trusted(theirs: Repository, ours: Repository, tmp_path: Path) -> None:
    bergen = Publisher(theirs, "bergen", "Bergen")
    ref = bergen.publish().ref
    summary = exchanged(theirs, ours, tmp_path)
    (key,) = summary.untrusted.values()
    assert (key.public_key, key.holder, key.entries) == (bergen.signing.public_key, "Bergen", 1)
    assert (summary.added, summary.needs_attention, shown_refs(ours)) == ([], False, set())
    ours.trust("bergen", key.public_key, "Bergen", by="tests")
    assert exchanged(theirs, ours, tmp_path).added == [ref]
    # A revoked publisher is not trusted any more.
    ours.revoke("bergen", by="tests")
    bergen.publish(qid=("age",))
    assert exchanged(theirs, ours, tmp_path).untrusted.keys() == {key.public_key}


def wrong_signature(entry: dict[str, Any]) -> None:
    entry["signature"] = altered(entry["signature"])


def changed_figures(entry: dict[str, Any]) -> None:
    entry["statement"]["n_people"] += 1000


def changed_figures_and_reference(entry: dict[str, Any]) -> None:
    entry["statement"]["n_people"] += 1000
    entry["ref"] = reference(canonical(entry["statement"]))


def no_signature(entry: dict[str, Any]) -> None:
    entry["signature"] = None


def no_statement(entry: dict[str, Any]) -> None:
    del entry["statement"]


def a_line_number_that_is_none(entry: dict[str, Any]) -> None:
    entry["sequence"] = "first"


@pytest.mark.parametrize(
    "change",
    [wrong_signature, changed_figures, changed_figures_and_reference, no_signature, no_statement,
     a_line_number_that_is_none],
)  # fmt: skip
def test_a_changed_entry_is_refused(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path, change: Change
) -> None:
    oslo.publish()
    good = oslo.publish(qid=("age",)).ref
    file = tmp_path / "export.jsonl"
    export(theirs, file)
    head, *lines = [json.loads(line) for line in file.read_text().splitlines()]
    change(next(line for line in lines if line["ref"] != good))
    file.write_text("".join(canonical(line) + "\n" for line in (head, *lines)))
    summary = import_file(ours, file)
    assert (summary.added, summary.refused_number, len(summary.refused)) == ([good], 1, 1)
    assert summary.needs_attention
    assert shown_refs(ours) == {good}


def test_an_entry_of_another_holder_is_refused(theirs: Repository, ours: Repository, tmp_path: Path) -> None:
    signing = SigningKey.generate()
    Publisher(theirs, "liar", "Oslo", signing=signing).publish()
    ours.trust("bergen", signing.public_key, "Bergen", by="tests")
    summary = exchanged(theirs, ours, tmp_path)
    assert [refusal.why for refusal in summary.refused] == ["this account may not publish for this data holder"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not an export"),
        ("{}\n", "not an export"),
        ('{"format":"idbits-backup/1"}\n', "not an export"),
        ("x" * 9_000_000, "too long"),
        ('{"format":"idbits-export/1","entries":2,"vocabulary":[]}\n', "incomplete"),
        ('{"format":"idbits-export/1","vocabulary":[1]}\n', "vocabulary"),
    ],
)
def test_other_files_are_not_imported(ours: Repository, tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text(text)
    with pytest.raises(InputError, match=why):
        import_file(ours, file)
    with pytest.raises(InputError, match="cannot be read"):
        import_file(ours, tmp_path / "none.jsonl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_cannot_be_read_twice(ours: Repository, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    with pytest.raises(InputError, match="save it as a file first"):
        import_file(ours, pipe)
    os.close(writer)


def test_a_rule_of_the_union_holds_an_entry_back(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    city = Publisher(ours)
    city.publish()
    ref = oslo.publish(n_people=1005).ref
    summary = exchanged(theirs, ours, tmp_path, source="Norway")
    (conflict,) = summary.conflicts
    assert (conflict.ref, conflict.kind, conflict.rule, conflict.source) == (ref, "rule", "difference", "Norway")
    assert summary.needs_attention
    assert shown_refs(ours).isdisjoint({ref})
    # No figure of it is shown to anybody.
    assert "1005" not in json.dumps(conflict.to_dict())
    with pytest.raises(EntryNotFoundError):
        ours.entry(ref)
    again = exchanged(theirs, ours, tmp_path)
    assert (again.conflicts, again.held_before, again.needs_attention) == ([], 1, False)
    # The rule cannot be overruled, and the conflict stays open.
    with pytest.raises(RefusedError):
        ours.resolve(ref, "theirs", "they are right", by="admin")
    assert [each.ref for each in ours.conflicts()] == [ref]
    decided = ours.resolve(ref, "ours", "it reveals five people", by="admin")
    assert (decided.kept, decided.reason, decided.decided_by) == ("ours", "it reveals five people", "admin")
    assert (ours.conflicts(), len(ours.conflicts(decided=True))) == ([], 1)
    assert any(line.action == "record conflict resolution" for line in ours.audit())
    with pytest.raises(InputError, match="already decided"):
        ours.resolve(ref, "ours", "again", by="admin")
    assert exchanged(theirs, ours, tmp_path).held_before == 1
    assert ours.verify() == []


def test_two_entries_of_a_file_are_compared_with_each_other(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    # There the floor is lower, so both are published.
    lower = Repository.open(str(tmp_path / "lower.db"), floor=2)
    Publisher(lower, "oslo", "Oslo", signing=oslo.signing)
    oslo.store = lower
    kept = oslo.publish().ref
    held = oslo.publish(n_people=1050).ref
    summary = exchanged(lower, ours, tmp_path)
    assert (summary.added, [each.ref for each in summary.conflicts]) == ([kept], [held])
    # The rules also know what was imported when somebody publishes later.
    with pytest.raises(RefusedError):
        Publisher(ours).publish(n_people=1040)
    lower.close()


def test_a_retraction_there_is_a_conflict_here(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    ref, other = oslo.publish().ref, oslo.publish(qid=("age",)).ref
    exchanged(theirs, ours, tmp_path)
    never = oslo.publish(qid=("height",)).ref
    for each in (ref, other, never):
        theirs.retract(each, "counted twice", by="oslo")
    summary = exchanged(theirs, ours, tmp_path)
    assert ({each.ref for each in summary.conflicts}, summary.withheld) == ({ref, other}, 1)
    assert {each.kind for each in summary.conflicts} == {"retracted"}
    assert ours.entry(ref).status == "current"
    ours.resolve(ref, "theirs", "counted twice", by="admin")
    assert (ours.entry(ref).status, ours.entry(ref).reason) == ("retracted", "counted twice")
    ours.resolve(other, "ours", "it is right", by="admin")
    assert ours.entry(other).status == "current"
    again = exchanged(theirs, ours, tmp_path)
    assert (again.conflicts, again.held_before, again.already_there, again.withheld) == ([], 1, 1, 1)
    assert ours.verify() == []


def test_a_conflict_ends_if_the_entry_is_retracted_there(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    Publisher(ours).publish()
    ref = oslo.publish(n_people=1005).ref
    assert len(exchanged(theirs, ours, tmp_path).conflicts) == 1
    theirs.retract(ref, "wrong", by="oslo")
    assert (exchanged(theirs, ours, tmp_path).withdrawn, ours.conflicts()) == (1, [])


def test_two_replacements_of_one_entry_are_a_conflict(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    first = oslo.publish().ref
    exchanged(theirs, ours, tmp_path)
    there = oslo.publish(n_people=2000, supersedes=first).ref
    text, signature, key = oslo.signed(n_people=3000, supersedes=first)
    here = ours.publish(text, signature, key).ref
    (conflict,) = exchanged(theirs, ours, tmp_path).conflicts
    assert (conflict.ref, conflict.kind, conflict.ours) == (there, "replaced", here)
    with pytest.raises(InputError, match=f"superseding {here}"):
        ours.resolve(there, "theirs", "newer", by="admin")
    ours.resolve(there, "ours", "newer", by="admin")
    assert ours.entry(first).superseded_by == here


def test_a_successor_comes_without_its_retracted_predecessor(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    first = oslo.publish().ref
    second = oslo.publish(n_people=2000, supersedes=first).ref
    theirs.retract(first, "wrong", by="oslo")
    summary = exchanged(theirs, ours, tmp_path)
    assert (summary.added, summary.withheld) == ([second], 1)
    assert ours.entry(second).status == "current"


def test_nobody_replaces_the_entries_of_others(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    """An imported entry that names one of another holder, which comes later, has no effect on it."""
    city = Publisher(theirs)
    victim = city.publish().ref
    text = canonical(statement(holder="Oslo", n_people=5000, supersedes=victim).to_dict())
    file = tmp_path / "lie.jsonl"
    lie = {
        "ref": reference(text), "sequence": 1, "status": "current",
        "statement": json.loads(text), "signature": oslo.signing.sign(text), "public_key": oslo.signing.public_key,
        "publisher": "oslo", "published_at": "2019-01-01",
    }  # fmt: skip
    file.write_text('{"format":"idbits-export/1","vocabulary":[]}\n' + canonical(lie) + "\n")
    assert len(import_file(ours, file).added) == 1
    ours.trust("city", city.signing.public_key, "City", by="tests")
    assert exchanged(theirs, ours, tmp_path).added == [victim]
    assert ours.entry(victim).status == "current"
    # Nor does it stand in the way of the victim's own successors, published here or imported.
    first, second = city.signed(n_people=2000, supersedes=victim), city.signed(n_people=3000, supersedes=victim)
    newer = ours.publish(*first).ref
    assert ours.entry(victim).superseded_by == newer
    with pytest.raises(InputError, match="already superseded"):
        ours.publish(*second)
    later = city.publish(n_people=2000, supersedes=victim).ref
    assert (later, exchanged(theirs, ours, tmp_path).already_there) == (newer, 2)
    assert ours.verify() == []


def test_a_successor_is_imported_past_another_holder_s_claim(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    city = Publisher(theirs)
    ours.trust("city", city.signing.public_key, "City", by="tests")
    victim = city.publish().ref
    newer = city.publish(n_people=2000, supersedes=victim).ref
    text = canonical(statement(holder="Oslo", n_people=5000, supersedes=victim).to_dict())
    with ours.intake() as intake:
        account = find_by_public_key(intake.connection, oslo.signing.public_key)
        assert account is not None
        assert intake.take_over(text, oslo.signing.sign(text), account, source="lie", by="tests") is not None
    summary = exchanged(theirs, ours, tmp_path)
    assert (summary.added, summary.conflicts) == ([victim, newer], [])
    assert ours.entry(victim).superseded_by == newer


def said_by_the_server(file: Path, kind: str) -> Path:
    """Return an export in which the other repository gives another kind of an attribute than the one it has."""
    lines = file.read_text().splitlines()
    head = json.loads(lines[0])
    for concept in head["vocabulary"]:
        if concept["name"] == "shoe size":
            concept["kind"] = kind
    changed = file.with_name(f"{file.stem} {kind}.jsonl")
    changed.write_text("\n".join([canonical(head), *lines[1:]]) + "\n")
    return changed


def test_the_kind_of_a_new_attribute_is_the_signed_one(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    theirs.extend_vocabulary({"name": "shoe size", "kind": "integer"}, by="tests")
    with pytest.raises(InputError, match="signed kind"):
        oslo.publish(qid=("shoe size",), kinds=(("shoe size", "text"),))
    with pytest.raises(InputError, match="signed kind"):
        oslo.publish(kinds=(("shoe size", "integer"),))
    ref = oslo.publish(qid=("shoe size:band5",), kinds=(("shoe size", "integer"),)).ref
    export(theirs, tmp_path / "export.jsonl")
    assert import_file(ours, said_by_the_server(tmp_path / "export.jsonl", "text")).added == [ref]
    added = ours.vocabulary().concept("shoe size")
    assert added is not None
    assert added.kind == "integer"
    assert ours.entry(ref).statement.kinds == (("shoe size", "integer"),)


@pytest.mark.parametrize("decides", [True, False])
def test_an_unsigned_kind_needs_an_admin(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path, decides: bool
) -> None:
    """Entries of programs that did not sign kinds, as those before version 1.0."""
    theirs.extend_vocabulary({"name": "shoe size", "kind": "number"}, by="tests")
    ref = oslo.publish(qid=("shoe size",)).ref
    export(theirs, tmp_path / "export.jsonl")
    lie = said_by_the_server(tmp_path / "export.jsonl", "text")
    (conflict,) = import_file(ours, lie).conflicts
    assert (conflict.ref, conflict.kind, ours.vocabulary().concept("shoe size")) == (ref, "unsigned", None)
    assert import_file(ours, lie).held_before == 1
    with pytest.raises(InputError, match="vocabulary --add"):
        ours.resolve(ref, "theirs", "it is right", by="admin")
    ours.extend_vocabulary({"name": "shoe size", "kind": "number"}, by="admin")
    if decides:
        ours.resolve(ref, "theirs", "asked Oslo", by="admin")
    else:
        # The next import that agrees with it adds the entry.
        (other,) = import_file(ours, lie).conflicts
        assert other.kind == "vocabulary"
        assert import_file(ours, tmp_path / "export.jsonl", source="Norway").added == [ref]
    assert (shown_refs(ours), ours.conflicts(), ours.verify()) == ({ref}, [], [])


def test_names_are_added_but_never_change(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    theirs.extend_vocabulary({"name": "shoe size", "kind": "number", "aliases": {"big": "band10"}}, by="tests")
    theirs.extend_vocabulary({"name": "pet", "kind": "text"}, by="tests")
    theirs.extend_vocabulary({"name": "unused", "kind": "text"}, by="tests")
    ours.extend_vocabulary({"name": "pet", "kind": "integer"}, by="tests")
    ours.extend_vocabulary({"name": "weight", "kind": "number", "aliases": {"big": ""}}, by="tests")
    known = oslo.publish(qid=("shoe size",), kinds=(("shoe size", "number"),)).ref
    other = oslo.publish(qid=("pet",), kinds=(("pet", "text"),)).ref
    summary = exchanged(theirs, ours, tmp_path)
    assert (summary.added, summary.concepts) == ([known], ["shoe size"])
    assert [(each.ref, each.kind) for each in summary.conflicts] == [(other, "vocabulary")]
    words = ours.vocabulary()
    assert (words.resolve("big").name, words.concept("unused")) == ("weight", None)
    added = words.concept("shoe size")
    assert added is not None
    # Aliases are not signed, so they stay there.
    assert (added.kind, added.aliases) == ("number", ())
    with pytest.raises(InputError, match="never changes"):
        ours.resolve(other, "theirs", "a pet is a pet", by="admin")


def test_only_entries_that_are_added_add_names(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    theirs.extend_vocabulary({"name": "shoe size", "kind": "integer"}, by="tests")
    Publisher(ours).publish()
    shoes = {"qid": ("shoe size",), "kinds": (("shoe size", "integer"),)}
    held = oslo.publish(n_people=1005, **shoes).ref
    summary = exchanged(theirs, ours, tmp_path)
    assert ([each.ref for each in summary.conflicts], summary.concepts) == ([held], [])
    assert ours.vocabulary().concept("shoe size") is None
    with pytest.raises(RefusedError):
        ours.resolve(held, "theirs", "newer", by="admin")
    assert ours.vocabulary().concept("shoe size") is None
    added = oslo.publish(n_people=2000, **shoes).ref
    summary = exchanged(theirs, ours, tmp_path)
    assert (summary.added, summary.concepts) == ([added], ["shoe size"])
    assert ours.vocabulary().concept("shoe size") is not None
    assert ours.verify() == []


def test_a_conflict_ends_if_the_entry_is_published_here(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    theirs.extend_vocabulary({"name": "shoe size", "kind": "number"}, by="tests")
    ref = oslo.publish(qid=("shoe size",)).ref
    assert [each.kind for each in exchanged(theirs, ours, tmp_path).conflicts] == ["unsigned"]
    ours.extend_vocabulary({"name": "shoe size", "kind": "number"}, by="tests")
    assert ours.publish(*oslo.signed(qid=("shoe size",))).ref == ref
    assert ours.conflicts(decided=True) == []
    assert (exchanged(theirs, ours, tmp_path).already_there, ours.conflicts(decided=True)) == (1, [])


def test_a_conflict_about_a_retraction_ends_if_ours_is_retracted(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    ref = oslo.publish().ref
    exchanged(theirs, ours, tmp_path)
    theirs.retract(ref, "wrong", by="oslo")
    assert [each.kind for each in exchanged(theirs, ours, tmp_path).conflicts] == ["retracted"]
    # Publishing it again changes nothing, so the conflict stays.
    ours.publish(*oslo.signed())
    assert [each.ref for each in ours.conflicts()] == [ref]
    ours.retract(ref, "wrong here, too", by="oslo of Norway", holder="Oslo")
    assert ours.conflicts(decided=True) == []
    assert (exchanged(theirs, ours, tmp_path).already_there, ours.conflicts(decided=True)) == (1, [])
    assert ours.verify() == []


@pytest.mark.parametrize("way", ["published", "imported", "decided"])
def test_a_retraction_is_shown_if_the_entry_comes_later(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path, way: str
) -> None:
    for store in (theirs, ours):
        store.extend_vocabulary({"name": "shoe size", "kind": "number"}, by="tests")
    ref = oslo.publish(qid=("shoe size",)).ref
    export(theirs, tmp_path / "before.jsonl")
    theirs.retract(ref, "counted twice", by="oslo")
    summary = exchanged(theirs, ours, tmp_path, source="Norway")
    assert (summary.withheld, ours.conflicts()) == (1, [])
    before = ours.head()
    assert (exchanged(theirs, ours, tmp_path).withheld, ours.head()) == (1, before)
    if way == "published":
        ours.publish(*oslo.signed(qid=("shoe size",)))
    elif way == "imported":
        summary = import_file(ours, tmp_path / "before.jsonl")
        assert (summary.added, [each.ref for each in summary.conflicts]) == ([ref], [ref])
    else:
        with ours.intake() as intake:
            (entry,) = _entries_of(tmp_path / "before.jsonl")
            record_conflict(intake.connection, entry, ConflictKind.UNSIGNED, "unsigned", source="Sweden", by="tests")
        ours.resolve(ref, "theirs", "it is right", by="admin")
    (conflict,) = ours.conflicts()
    assert (conflict.ref, conflict.kind, conflict.source) == (ref, "retracted", "Norway")
    assert conflict.why == "it was retracted there: counted twice"
    ours.resolve(ref, "ours", "it is right", by="admin")
    assert exchanged(theirs, ours, tmp_path).conflicts == []
    assert (ours.conflicts(), ours.entry(ref).status, ours.verify()) == ([], "current", [])


def _entries_of(file: Path) -> list[ForeignEntry]:
    return [read_foreign_entry(json.loads(line)) for line in file.read_text().splitlines()[1:]]


def test_decisions_need_a_side_and_a_reason(ours: Repository) -> None:
    with pytest.raises(InputError, match="ours"):
        ours.resolve("0" * 16, "both", "why not", by="admin")
    with pytest.raises(InputError, match="reason"):
        ours.resolve("0" * 16, "ours", "", by="admin")
    with pytest.raises(EntryNotFoundError):
        ours.resolve("0" * 16, "ours", "why not", by="admin")


def test_taking_theirs_needs_the_publisher_to_be_trusted_still(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    Publisher(ours).publish()
    ref = oslo.publish(n_people=1005).ref
    exchanged(theirs, ours, tmp_path)
    ours.revoke("oslo of Norway", by="tests")
    with pytest.raises(NotAllowedError):
        ours.resolve(ref, "theirs", "why not", by="admin")


def test_a_revoked_key_stays_revoked_and_a_new_one_can_be_trusted(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path
) -> None:
    old = oslo.publish().ref
    exchanged(theirs, ours, tmp_path)
    ours.revoke("oslo of Norway", by="tests")
    missed = oslo.publish(qid=("age",)).ref
    assert list(exchanged(theirs, ours, tmp_path).untrusted) == [oslo.signing.public_key]
    with pytest.raises(InputError, match="is revoked; ask the publisher for a new key"):
        ours.trust("oslo again", oslo.signing.public_key, "Oslo", by="tests")
    rotated = Publisher(theirs, "oslo 2", "Oslo")
    ours.trust("oslo 2", rotated.signing.public_key, "Oslo", by="tests")
    newer = rotated.publish(n_people=2000, supersedes=old).ref
    assert exchanged(theirs, ours, tmp_path).added == [newer]
    assert (ours.entry(old).superseded_by, shown_refs(ours)) == (newer, {old, newer})
    assert missed not in shown_refs(ours)
    assert ours.verify() == []


def test_an_interrupted_import_leaves_whole_batches(
    theirs: Repository, ours: Repository, oslo: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from idbits.repository import export_files
    from idbits.repository.importing import Importer

    published = [oslo.publish(qid=(name,)).ref for name in ("age", "gender", "height", "weight")]
    monkeypatch.setattr(export_files, "_AT_ONCE", 2)
    taken, take = [], Importer.take

    def interrupted(self: Importer, batch: Any, intake: Any) -> ImportSummary:
        taken.append(batch)
        summary = take(self, batch, intake)
        if len(taken) == 2:
            raise KeyboardInterrupt
        return summary

    monkeypatch.setattr(Importer, "take", interrupted)
    with pytest.raises(KeyboardInterrupt):
        exchanged(theirs, ours, tmp_path)
    assert shown_refs(ours) == set(published[:2])
    # What was undone is not remembered by the rules either.
    again = exchanged(theirs, ours, tmp_path)
    assert (again.added, again.already_there) == (published[2:], 2)
    assert ours.verify() == []
