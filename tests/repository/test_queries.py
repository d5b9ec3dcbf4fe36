"""Queries: exact entries first, then bounds and their limits."""

from __future__ import annotations

import math
from typing import Any

import pytest
from helpers import Publisher

from idbits.errors import InputError
from idbits.repository import Repository


def found(store: Repository, **asked: Any) -> dict[str, Any]:
    return store.query(
        asked.get("qid", ["gender"]), asked.get("population", {"City": "Amsterdam"}), asked.get("size")
    ).to_dict()


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
