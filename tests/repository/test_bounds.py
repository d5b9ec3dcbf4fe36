"""Bounds hold: on random people, whatever was published, the true entropy lies between them."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from helpers import Publisher, statement
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits.errors import InputError
from idbits.repository import Cell, Cells, Entry, Repository
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


def found(store: Repository, **asked: Any) -> dict[str, Any]:
    return store.query(
        asked.get("qid", ["gender"]), asked.get("population", {"City": "Amsterdam"}), asked.get("size")
    ).to_dict()


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
    # Half of 1,000 people were counted: of 400 in the part perhaps 200, all different; the others are all alike.
    counted = [{"age": str(age), "country": "n"} for age in (*range(200), *[999] * 300)]
    whole = entry(counted, ("age",), (("country", "n"),), whole=False)
    said = {name: getattr(whole.statement, name) for name in whole.statement.__slots__} | {"coverage": coverage}
    sample = Entry(ref="0" * 16, statement=statement(**said), publisher="p", published_at="")
    part = (("country", "n"), ("gender", "f"))
    found = [bound for bound in bounds_from([sample], ("age",), part, 400) if bound.refs]
    assert bool(found) == bounded
    if bounded:
        assert min(bound.entropy_bits for bound in found if bound.side == "at most") < math.log2(200)


def test_exact_first_then_bounds(store: Repository) -> None:
    city, other = Publisher(store), Publisher(store, "other", "Other")
    city.publish()
    other.publish(entropy_bits=1.25, n_people=1200)
    city.publish(qid=("age",), n_values=100, entropy_bits=6.0)
    city.publish(population={"country": "NL", "municipality": "Amsterdam", "education": "high"}, n_people=250)
    answer = found(store)
    assert len(answer["exact"]) == 2
    assert answer["spread"] == {
        "entries": 2, "holders": 2, "entropy_bits_min": 1.25, "entropy_bits_max": 1.5,
        "kappa_nats_min": math.log(4) - 1.5 * math.log(2), "kappa_nats_max": math.log(4) - 1.25 * math.log(2),
    }  # fmt: skip
    both = found(store, qid=["gender", "age"])
    assert both["exact"] == []
    assert (both["entropy_bits_at_least"], both["entropy_bits_at_most"]) == (6.0, 7.25)
    assert both["k_hat_at_most"] == both["size"] / 2**6
    unequal = "entries of the same population count different numbers of people"
    assert unequal in both["limits"]
    assert unequal not in found(store, qid=["age"])["limits"]
    wider = found(store, population={"City": "Amsterdam", "Education": "low"}, size=500)
    assert wider["entropy_bits_at_most"] == min(1.5 / (500 / 1000), 1.25 / (500 / 1200), math.log2(500))
    assert found(store, population={"City": "Rotterdam"}, size=500)["bounds"][0]["refs"] == []
    assert "spread" in str(store.query(["gender"], {"City": "Amsterdam"}))


def test_the_most_frequent_values_are_others_in_another_population() -> None:
    # All men have job a, the most frequent one of all; in the part it is b, which women have or have not.
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


def test_entries_that_contradict_each_other_make_nothing_known(sqlite_store: Repository) -> None:
    city, other = Publisher(sqlite_store), Publisher(sqlite_store, "other", "Other")
    city.publish(qid=("age:band5",), n_values=1000, entropy_bits=9.0)
    other.publish(qid=("age", "gender"), n_values=200, entropy_bits=7.5)
    answer = sqlite_store.query(["age"], {"City": "Amsterdam"})
    assert "contradict" in str(answer)
    assert "but known" not in str(answer)
    assert any("contradict" in limit for limit in answer.limits)
    city.publish(qid=("gender:top2",), entropy_bits=1.5)
    other.publish(qid=("education", "gender"), entropy_bits=1.5)
    known = sqlite_store.query(["gender"], {"City": "Amsterdam"})
    assert "but known" in str(known)
    assert not any("contradict" in limit for limit in known.limits)


def test_a_spread_of_kappa_alone_is_a_spread(sqlite_store: Repository) -> None:
    Publisher(sqlite_store).publish(n_values=4)
    Publisher(sqlite_store, "other", "Other").publish(n_values=8)
    told = " ".join(str(sqlite_store.query(["gender"], {"City": "Amsterdam"})).split())
    assert "with a spread" in told
    assert "1.50 bits, kappa 0.3466 to 1.0397 nats" in told


def test_many_narrower_entries_do_not_hide_those_of_the_population(
    sqlite_store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    city = Publisher(sqlite_store)
    city.publish(qid=("age",), n_values=100, entropy_bits=6.0, n_people=100_000)
    for name in "abcd":
        part = {"municipality": "Amsterdam", "education": name}
        city.publish(qid=("religion",), population=part)
        city.publish(qid=("age", "gender"), n_values=100, entropy_bits=5.0, population=part)
    monkeypatch.setattr("idbits.repository.queries._MOST_ENTRIES", 4)
    answer = sqlite_store.query(["age", "gender"], {"City": "Amsterdam"})
    best = answer.best("at least")
    assert best is not None
    assert best.entropy_bits == 6.0
    assert any("newest 4 entries" in limit for limit in answer.limits)


def test_odd_questions(sqlite_store: Repository) -> None:
    for qid, population, size in [
        ([], {"City": "a"}, None), (["age"], {}, None), (["age"], {"City": "a"}, 0), (["odd"], {"City": "a"}, None),
        (["age", "age"], {"City": "a"}, None), (["age"], {"City": "a", "Town": "b"}, None),
        (["age"], {"City": " a"}, None),
    ]:  # fmt: skip
        with pytest.raises(InputError):
            sqlite_store.query(qid, population, size)


def test_a_rounded_entropy_gives_bounds_that_still_hold(city: Publisher) -> None:
    city.publish(qid=("education",), n_values=400, n_people=2000, entropy_bits=7.25, entropy_decimals=2)
    finer = city.store.query(["education", "gender"], {"City": "Amsterdam"}).bounds
    assert [bound.entropy_bits for bound in finer if bound.side == "at least"] == [pytest.approx(7.24)]
    coarser = city.store.query(["education:top5"], {"City": "Amsterdam"}).bounds
    assert min(bound.entropy_bits for bound in coarser if bound.side == "at most") == pytest.approx(7.26)
