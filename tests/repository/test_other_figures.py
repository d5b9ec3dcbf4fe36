"""Different figures of one holder, for the same question and day, in two repositories are a conflict, never merged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from helpers import Publisher, shown_refs

from idbits.errors import RefusedError
from idbits.repository import ImportSummary, Repository, export, import_file
from idbits.repository.statements import Cell, Cells


@pytest.fixture
def both(theirs: Repository, ours: Repository) -> tuple[Publisher, Publisher]:
    """A holder that publishes in both repositories with the same key."""
    here = Publisher(ours)
    return here, Publisher(theirs, "the city", signing=here.signing)


def exchanged(theirs: Repository, ours: Repository, folder: Path, **options: Any) -> ImportSummary:
    file = folder / f"export {len(list(folder.iterdir()))}.jsonl"
    export(theirs, file)
    return import_file(ours, file, **options)


def listed(women: int, men: int) -> dict[str, Any]:
    """Return the figures of a complete distribution of 1,000 people."""
    bits = -sum(people / 1000 * math.log2(people / 1000) for people in (women, men))
    cells = Cells((Cell(("f",), women), Cell(("m",), men)))
    return {"entropy_bits": bits, "n_values": 2, "distribution": cells}


_OTHER = [
    ({}, {"entropy_bits": 1.4}), ({}, {"n_people": 2000}), ({}, {"n_values": 5}), (listed(700, 300), listed(300, 700)),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), _OTHER)
def test_other_figures_for_the_same_day_are_a_conflict_on_both_sides(
    both: tuple[Publisher, Publisher],
    theirs: Repository,
    ours: Repository,
    tmp_path: Path,
    one: dict[str, Any],
    other: dict[str, Any],
) -> None:
    here, there = both
    mine, yours = here.publish(**one).ref, there.publish(**other).ref
    for first, second, kept, held in ((theirs, ours, mine, yours), (ours, theirs, yours, mine)):
        summary = exchanged(first, second, tmp_path)
        assert (summary.added, summary.needs_attention) == ([], True)
        (conflict,) = second.conflicts()
        assert (conflict.ref, conflict.kind, conflict.ours) == (held, "differs", kept)
        assert shown_refs(second) == {kept}
        again = exchanged(first, second, tmp_path)
        assert (again.conflicts, again.held_before) == ([], 1)
        assert second.verify() == []


def test_theirs_stands_beside_ours_if_an_admin_says_so(
    both: tuple[Publisher, Publisher], theirs: Repository, ours: Repository, tmp_path: Path
) -> None:
    here, there = both
    mine, yours = here.publish().ref, there.publish(entropy_bits=1.4).ref
    exchanged(theirs, ours, tmp_path)
    ours.resolve(yours, "theirs", "both surveys count", by="admin")
    assert shown_refs(ours) == {mine, yours}
    answer = ours.query(["gender"], {"municipality": "Amsterdam"})
    assert answer.spread is not None
    assert not answer.spread.is_one_figure
    assert exchanged(theirs, ours, tmp_path).already_there == 1


def test_theirs_comes_if_ours_is_retracted(
    both: tuple[Publisher, Publisher], theirs: Repository, ours: Repository, tmp_path: Path
) -> None:
    here, there = both
    mine, yours = here.publish().ref, there.publish(entropy_bits=1.4).ref
    exchanged(theirs, ours, tmp_path)
    ours.retract(mine, "counted twice", by="city")
    assert exchanged(theirs, ours, tmp_path).added == [yours]
    assert ours.conflicts() == []


def test_what_does_not_disagree_is_no_conflict(
    both: tuple[Publisher, Publisher], theirs: Repository, ours: Repository, tmp_path: Path
) -> None:
    here, there = both
    first = here.publish().ref
    other_texts = there.publish(method="counted again")
    other_day = there.publish(entropy_bits=1.4, date="2019-02-01")
    newer = there.publish(entropy_bits=1.3, supersedes=other_texts.ref, date="2019-03-01")
    other_question = there.publish(qid=("age",), entropy_bits=1.4)
    oslo = Publisher(theirs, "oslo", "Oslo")
    ours.trust("oslo of Norway", oslo.signing.public_key, "Oslo", by="tests")
    other_holder = oslo.publish(entropy_bits=1.4)
    added = [each.ref for each in (other_texts, other_day, newer, other_question, other_holder)]
    assert exchanged(theirs, ours, tmp_path).added == added
    # What a repository has side by side comes side by side.
    exchanged(ours, theirs, tmp_path)
    beside = there.publish(entropy_bits=1.2).ref
    assert exchanged(theirs, ours, tmp_path).added == [beside]
    assert first in shown_refs(theirs)


def test_a_list_and_its_entropy_agree(
    both: tuple[Publisher, Publisher], theirs: Repository, ours: Repository, tmp_path: Path
) -> None:
    here, there = both
    here.publish(entropy_bits=1.0, n_values=2)
    whole = there.publish(**listed(500, 500)).ref
    assert exchanged(theirs, ours, tmp_path).added == [whole]


def test_a_rule_comes_first_and_cannot_be_overruled(
    both: tuple[Publisher, Publisher], theirs: Repository, ours: Repository, tmp_path: Path
) -> None:
    here, there = both
    here.publish()
    close = there.publish(n_people=1005).ref
    exchanged(theirs, ours, tmp_path)
    assert [each.kind for each in ours.conflicts()] == ["rule"]
    with pytest.raises(RefusedError):
        ours.resolve(close, "theirs", "nearly the same", by="admin")
