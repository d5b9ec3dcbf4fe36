"""Bounds are valid: for random people and random entries, the true entropy is between them."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from helpers import statement
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits.repository import Cell, Cells, Entry
from idbits.repository.bounds import bounds_from, relation

COLUMNS = ("gender", "age", "age:band10", "municipality", "education")


def view(person: dict[str, str], name: str) -> str:
    return str(int(person["age"]) // 10 * 10) if name == "age:band10" else person[name]


def entropy(people: list[dict[str, str]], qid: tuple[str, ...]) -> float:
    counts = Counter(tuple(view(person, name) for name in qid) for person in people)
    n = len(people)
    return abs(math.fsum(-k / n * math.log2(k / n) for k in counts.values()))


def entry(
    people: list[dict[str, str]], qid: tuple[str, ...], population: tuple[tuple[str, str], ...], whole: bool
) -> Entry:
    qid = tuple(sorted(qid))
    bits = entropy(people, qid)
    counts = Counter(tuple(view(person, name) for name in qid) for person in people)
    cells = Cells(tuple(Cell(value, n) for value, n in counts.items())) if whole else None
    said = statement(
        qid=qid, population=population, n_people=len(people), n_values=max(10_000, len(counts)), entropy_bits=bits
    )
    said = statement(**{**{f: getattr(said, f) for f in said.__slots__}, "distribution": cells})
    return Entry(ref="0" * 16, statement=said, publisher="p", published_at="")


PERSON = st.fixed_dictionaries(
    {
        "gender": st.sampled_from("fm"),
        "age": st.sampled_from([str(age) for age in range(18, 60, 3)]),
        "municipality": st.sampled_from("abc"),
        "education": st.sampled_from("xyz"),
        "country": st.just("n"),
    }
)
QIDS = st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3, unique=True).map(tuple)
POPULATIONS = st.sampled_from(
    [
        (("country", "n"),),
        (("country", "n"), ("gender", "f")),
        (("country", "n"), ("gender", "f"), ("municipality", "a")),
    ]
)


@pytest.mark.big
@settings(max_examples=200)
@given(
    st.lists(PERSON, min_size=5, max_size=80),
    QIDS,
    POPULATIONS,
    st.lists(st.tuples(QIDS, POPULATIONS, st.booleans()), min_size=1, max_size=6),
)
def test_the_truth_lies_between_the_bounds(
    people: list[dict[str, str]],
    qid: tuple[str, ...],
    population: tuple[tuple[str, str], ...],
    published: list[tuple[tuple[str, ...], tuple[tuple[str, str], ...], bool]],
) -> None:
    def within(pairs: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
        return [person for person in people if all(person[name] == value for name, value in pairs)]

    meant = within(population)
    if not meant:
        return
    entries = [entry(within(pairs), names, pairs, whole) for names, pairs, whole in published if within(pairs)]
    truth = entropy(meant, qid)
    for bound in bounds_from(entries, qid, population, len(meant)):
        if bound.side == "at least":
            assert bound.entropy_bits <= truth + 1e-9, bound.why
        else:
            assert bound.entropy_bits >= truth - 1e-9, bound.why


def test_relations() -> None:
    assert relation(["age", "gender"], ["gender", "age"]) == "same"
    assert relation(["age", "gender"], ["age:band5"]) == "coarser"
    assert relation(["age:band5"], ["age", "gender"]) == "finer"
    assert relation(["age:band5"], ["gender"]) is None


def test_values_are_counted_as_they_are_written() -> None:
    people = [{"gender": gender, "education": word} for gender in "fm" for word in ("a", "A", "ß", "ss")]
    whole = entry(people, ("education", "gender"), (("country", "n"),), whole=True)
    found = bounds_from([whole], ("education",), (("country", "n"),), len(people))
    assert [(bound.side, bound.entropy_bits) for bound in found if "counted" in bound.why] == [
        ("at least", 2.0), ("at most", 2.0),
    ]  # fmt: skip
    firsts = bounds_from([whole], ("education:prefix1",), (("country", "n"),), len(people))
    assert {bound.entropy_bits for bound in firsts if "counted" in bound.why} == {2.0}


@pytest.mark.parametrize(("coverage", "bounded"), [(None, True), (1.0, True), (0.5, False)])
def test_a_sample_of_the_whole_says_nothing_about_the_size_of_a_part(coverage: float | None, bounded: bool) -> None:
    # Half of 1,000 people were counted: perhaps 200 of the 400 in the part, all different; the others are all the same.
    counted = [{"age": str(age), "country": "n"} for age in (*range(200), *[999] * 300)]
    whole = entry(counted, ("age",), (("country", "n"),), whole=False)
    said = {name: getattr(whole.statement, name) for name in whole.statement.__slots__} | {"coverage": coverage}
    sample = Entry(ref="0" * 16, statement=statement(**said), publisher="p", published_at="")
    part = (("country", "n"), ("gender", "f"))
    found = [bound for bound in bounds_from([sample], ("age",), part, 400) if bound.refs]
    assert bool(found) == bounded
    if bounded:
        assert min(bound.entropy_bits for bound in found if bound.side == "at most") < math.log2(200)


def test_the_most_frequent_values_are_others_in_another_population() -> None:
    # All men have job a, the most frequent of all; in the part, the most frequent is b, which only some women have.
    jobs = {"a": ("m", 250), "b": ("f", 260), "c": ("f", 240)}
    counts = {(gender, job if job == "b" else "(other values)"): people for job, (gender, people) in jobs.items()}
    part = (("country", "n"), ("municipality", "a"))
    bits = -sum(k / 750 * math.log2(k / 750) for k in counts.values())
    said = statement(qid=("gender", "occupation:top1"), population=part, n_people=750, entropy_bits=bits)
    known = Entry(ref="0" * 16, statement=said, publisher="p", published_at="")
    truth = 1.0
    found = bounds_from([known], ("gender", "occupation:top1"), (("country", "n"),), 1000)
    assert all(bound.entropy_bits <= truth for bound in found if bound.side == "at least")
    alone = statement(qid=("occupation:top1",), population=part, n_people=750, entropy_bits=0.9)
    known = Entry(ref="0" * 16, statement=alone, publisher="p", published_at="")
    assert any(bound.refs for bound in bounds_from([known], ("occupation:top1",), (("country", "n"),), 1000))
