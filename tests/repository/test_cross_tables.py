"""An attacker who knows the values of attributes finds no small group: examples, brute force and simulated worlds."""

from __future__ import annotations

import itertools

import pytest
from simulate_remainders import simulate

from idbits.repository.counted_groups import GroupCount
from idbits.repository.small_groups import PublishedCounts, RefusalRule

DAY = 737_060


def count(people: int, holder: str = "", is_cell: bool = False, **pairs: str) -> GroupCount:
    group = frozenset({("municipality", "a"), *((name.replace("_", ":"), value) for name, value in pairs.items())})
    return GroupCount(group, people, DAY, holder, is_cell)


def published(*counts: GroupCount) -> PublishedCounts:
    known = PublishedCounts(floor=100, is_whole=lambda concept: concept == "age")
    known.add(counts)
    return known


def test_parts_that_make_up_a_whole_that_nobody_published() -> None:
    # All are men or women, so 900 own a car, and 9 of them have another education.
    known = published(count(500, gender="f", car="y"), count(400, gender="m", car="y"))
    assert known.refuses([count(891, education="a", car="y")]) == RefusalRule.REMAINDER
    assert known.refuses([count(890, education="a", car="y")]) is None
    assert known.refuses([count(900, education="a", car="y")]) is None


def test_a_cell_that_follows_from_two_entries_and_the_values() -> None:
    known = published(
        count(881, gender="c", education="y"), count(250, gender="a"), count(430, gender="b", education="y")
    )
    known.add([count(772, education="x")])
    # 881 and 430 of three genders have education y, one of two: 247 of the first gender do, so 3 do not.
    assert known.refuses([count(2330)]) == RefusalRule.REMAINDER


def test_counts_that_say_that_there_are_other_values() -> None:
    # 1200 live here, so 300 are neither: nothing is known about their cars.
    known = published(count(1200), count(500, gender="f"), count(400, gender="m"))
    assert known.refuses([count(891, education="a")]) is None
    known = published(count(1200), count(500, gender="f", car="y"), count(400, gender="m", car="y"))
    assert known.refuses([count(1091, car="y")]) is None


def test_one_published_value_is_never_all() -> None:
    assert published(count(500, gender="f")).refuses([count(491, education="a")]) is None


def test_the_oldest_band_is_the_last_one() -> None:
    older = [count(147), *(count(24, is_cell=True, age_band2=first) for first in ("8", "10"))]
    # 60 are 7 or older and 63 are 6 or older, if nobody is older than 11.
    known = published(*older, count(15, is_cell=True, age_band2="6"))
    assert known.refuses([count(147), count(60, is_cell=True, age_cap7="7")], 87) == RefusalRule.REMAINDER
    known = published(*older, count(40, is_cell=True, age_band2="6"))
    assert known.refuses([count(147), count(68, is_cell=True, age_cap7="7")], 79) is None


def test_nobody_is_older_than_the_highest_age() -> None:
    def cell(people: int, **pairs: str) -> GroupCount:
        return count(people, is_cell=True, **pairs)

    known = published(
        count(227, education="b"), cell(120, education="b", religion="x"), cell(107, education="b", religion="y"),
        count(108, age_cap8="5"), cell(56, age_cap8="5", education="c"), cell(29, age_cap8="5", education="b"),
        cell(23, age_cap8="5", education="a"),
        count(266, religion="x"), cell(101, religion="x", age_band6="0", education="a"),
        cell(66, religion="x", age_band6="0", education="b"), cell(54, religion="x", age_band6="6", education="b"),
    )  # fmt: skip
    # If the band of 6 to 11 has only people aged 6, then 9 of those with religion x have another education.
    six = [count(125, age="6"), cell(62, age="6", religion="y"), cell(63, age="6", religion="x")]
    assert known.refuses(six) == RefusalRule.REMAINDER
    # 10 are enough.
    six = [count(126, age="6"), cell(62, age="6", religion="y"), cell(64, age="6", religion="x")]
    assert known.refuses(six) is None


def test_holders_who_contradict_each_other() -> None:
    # The other holder counted other people, but the entry still completes what the first one published.
    known = published(
        count(500, "x", gender="f", car="y"), count(400, "x", gender="m", car="y"), count(1300, "y", car="y")
    )
    assert known.refuses([count(891, "x", education="a", car="y")]) == RefusalRule.REMAINDER


@pytest.mark.big
def test_towns_stay_publishable() -> None:
    known = PublishedCounts(floor=100)
    everywhere = frozenset({("country", "n")})
    known.add([GroupCount(everywhere, 60_000, DAY)])
    for town, gender in itertools.product(range(30), "fm"):
        group = everywhere | {("municipality", str(town)), ("gender", gender)}
        new = [GroupCount(group, 900 + 7 * town, DAY)]
        assert known.refuses(new) is None
        known.add(new)


@pytest.mark.big
def test_no_small_group_follows_in_simulated_repositories() -> None:
    """The long run: python tests/repository/simulate_remainders.py --repositories 200000."""
    accepted, tried, attacked, leaks = simulate(150, seed=11, bounded=0.1)
    assert leaks == []
    assert attacked > 0
    assert accepted > tried / 2


@pytest.mark.big
def test_the_attacker_finds_what_the_other_rules_leave() -> None:
    assert simulate(400, seed=10**6, bounded=0.0, known_lists=False)[3]
