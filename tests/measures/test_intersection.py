"""The intersection of two releases against its definition, in fractions."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.measures.intersection import Intersection, ReleasedRecords, intersect

Record = tuple[int, int]
"""The group and the value of a record."""


def compact(numbers: list[int]) -> np.ndarray:
    return np.unique(np.array(numbers, np.int64), return_inverse=True)[1]


def intersected(first: dict[int, Record], second: dict[int, Record]) -> Intersection:
    both = sorted(first.keys() & second.keys())
    releases = []
    for release in (first, second):
        people = list(release)
        groups = compact([release[person][0] for person in people])
        values = np.array([release[person][1] for person in people], np.int64)
        releases.append(ReleasedRecords(groups, values, np.array([people.index(person) for person in both], np.int64)))
    return intersect(*releases)


def divergence(shares: dict[int, Fraction], prior: dict[int, Fraction]) -> float:
    return math.fsum(float(share) * math.log2(share / prior[value]) for value, share in shares.items() if share)


def shares_of(records: list[int]) -> dict[int, Fraction]:
    return {value: Fraction(number, len(records)) for value, number in Counter(records).items()}


def by_definition(first: dict[int, Record], second: dict[int, Record]) -> dict[str, float]:
    prior = shares_of([value for release in (first, second) for _, value in release.values()])
    both = first.keys() & second.keys()
    figures: Counter[str] = Counter()
    lengths = []
    for person in both:
        groups = [release[person][0] for release in (first, second)]
        shares = [
            shares_of([value for group, value in release.values() if group == mine])
            for release, mine in zip((first, second), groups, strict=True)
        ]
        weights = {
            value: shares[0][value] * shares[1][value] / prior[value] for value in shares[0] if value in shares[1]
        }
        companions = [other for other in both if [first[other][0], second[other][0]] == groups]
        joint = shares_of([release[other][1] for other in companions for release in (first, second)])
        new = len(weights) == 1 and len(shares[0]) > 1 and len(shares[1]) > 1
        figures += Counter(
            people=1, empty=not weights, certain=len(weights) == 1, first=len(shares[0]) == 1,
            second=len(shares[1]) == 1, new=new, changed=first[person][1] != second[person][1],
            alone=len(companions) == 1, joint=len(joint) == 1,
        )  # fmt: skip
        lengths += [len(weights)] if weights else []
        figures["gain_first"] += divergence(shares[0], prior)
        figures["gain_second"] += divergence(shares[1], prior)
        figures["gain_joint"] += divergence(joint, prior)
        if weights:
            total = sum(weights.values())
            figures["gain_both"] += divergence({value: weight / total for value, weight in weights.items()}, prior)
    return {**figures, "l_min": min(lengths, default=0)}


def releases(most_people: int = 9) -> st.SearchStrategy[dict[int, Record]]:
    return st.dictionaries(
        st.integers(0, most_people), st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=most_people
    )


@given(releases(), releases())
def test_every_figure_against_the_definition(first: dict[int, Record], second: dict[int, Record]) -> None:
    if not first.keys() & second.keys():
        return
    found, expected = intersected(first, second), by_definition(first, second)
    n = found.n_people
    some = found.candidates > 0
    assert n == expected["people"]
    assert found.count(~some) == expected.get("empty", 0)
    assert found.count(found.is_certain) == expected.get("certain", 0)
    assert found.count(found.values_first == 1) == expected.get("first", 0)
    assert found.count(found.values_second == 1) == expected.get("second", 0)
    assert found.count(found.is_new) == expected.get("new", 0)
    assert found.changed == expected.get("changed", 0)
    assert found.count(found.people == 1) == expected.get("alone", 0)
    assert found.count(found.joint_values == 1) == expected.get("joint", 0)
    assert min(found.candidates[some].tolist(), default=0) == expected["l_min"]
    for gains, key in (
        (found.gains_first, "gain_first"),
        (found.gains_second, "gain_second"),
        (found.gains, "gain_both"),
        (found.joint_gains, "gain_joint"),
    ):
        assert float(np.dot(found.people, gains)) == pytest.approx(expected.get(key, 0.0), rel=1e-12, abs=1e-12)


@given(releases())
def test_a_release_with_itself_has_its_own_joint_groups(release: dict[int, Record]) -> None:
    found = intersected(release, release)
    assert not found.changed
    assert found.candidates.tolist() == found.values_first.tolist()
    np.testing.assert_allclose(found.joint_gains, found.gains_first, atol=1e-12)


def test_many_records_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(1)
    columns = [draw.integers(0, size, 4_000) for size in (40, 30, 6)]
    people = np.arange(4_000)
    first, second = (ReleasedRecords(compact(columns[index].tolist()), columns[2], people) for index in (0, 1))
    whole = intersect(first, second)
    monkeypatch.setattr("idbits.measures.intersection._CELLS_AT_ONCE", 100)
    parts = intersect(first, second)
    assert whole.gains.tolist() == parts.gains.tolist()
    assert whole.remaining.tolist() == parts.remaining.tolist()


def test_a_value_that_nearly_everybody_has_is_common() -> None:
    first = {person: (person % 2, 0) for person in range(40)} | {40: (2, 1)}
    found = intersected(first, first)
    assert found.count(found.is_certain) == 41
    assert found.count(found.is_common) == 40
    assert found.prior_entropy_bits == pytest.approx(-(40 / 41) * math.log2(40 / 41) - math.log2(1 / 41) / 41)
