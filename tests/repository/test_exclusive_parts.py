"""Totals of exclusive parts: compared with all families by brute force, and with the search family by family."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from idbits.repository.conditions import exclude_each_other
from idbits.repository.counted_groups import GroupCount
from idbits.repository.exclusive_parts import FamilyTotal, exclusions, family_totals
from idbits.repository.small_groups import PublishedCounts, RefusalRule

DAY = 737_060
COUNTRY = frozenset({("country", "n")})
LISTS = {
    "gender": [("gender", value) for value in "fm"],
    "education": [("education", value) for value in "abc"],
    "age": [("age:band10", "0"), ("age:band10", "10"), *(("age:band5", str(age)) for age in (0, 5, 10, 15)),
            ("age:band7", "0"), ("age:band7", "7"), ("age", "3")],
}  # fmt: skip


def random_group(generator: random.Random) -> frozenset[tuple[str, str]]:
    concepts = generator.sample(sorted(LISTS), generator.choice((1, 1, 2, 3)))
    group = {generator.choice(LISTS[concept]) for concept in concepts}
    if generator.random() < 0.1:
        # Contradictory conditions are not refused, so they occur.
        group.add(generator.choice(LISTS["age"]))
    return frozenset(group)


def all_maximal_families(excludes: list[set[int]]) -> list[tuple[int, ...]]:
    """Return the maximal families of parts that exclude each other, trying every set of parts."""
    parts = range(len(excludes))
    families = [
        some
        for size in range(1, len(excludes) + 1)
        for some in itertools.combinations(parts, size)
        if all(b in excludes[a] for a, b in itertools.combinations(some, 2))
    ]
    return [some for some in families if not any(set(some) < set(other) for other in families)]


@pytest.mark.parametrize("seed", range(60))
def test_totals_of_all_families_against_brute_force(seed: int) -> None:
    generator = random.Random(seed)
    parts = list({random_group(generator) for _ in range(generator.randint(2, 9))})
    pairs = [
        {
            other
            for other, theirs in enumerate(parts)
            if any(exclude_each_other(a, b) for a in mine - theirs for b in theirs - mine)
        }
        for mine in parts
    ]
    excludes = exclusions(parts)
    assert [{other for other in range(len(parts)) if bits >> other & 1} for bits in excludes] == pairs
    counted: list[frozenset[FamilyTotal]] = [
        frozenset(
            (generator.randint(10, 99), generator.random() < 0.5, generator.random() < 0.5)
            for _ in range(generator.choice((1, 1, 2)))
        )
        for _ in parts
    ]
    wanted = {
        (sum(people for people, _, _ in chosen), any(cell for _, cell, _ in chosen), any(has for _, _, has in chosen))
        for family in all_maximal_families(pairs)
        for chosen in itertools.product(*(counted[part] for part in family))
    }
    assert family_totals(excludes, counted, 10**6) == wanted
    most = generator.randint(50, 300)
    below = {total for total in family_totals(excludes, counted, most) or () if total[0] < most}
    assert below == {total for total in wanted if total[0] < most}


class Subtracted(PublishedCounts):
    """The rules that subtract, without cross tables of known values, which do not use families."""

    def _known_values_leave_few(self, *_: object) -> bool:
        return False


class FamilyByFamily(Subtracted):
    """The same, with every family of exclusive parts listed and added up by itself."""

    def _totals_leave_few(self, *_: object) -> None:
        return None


def random_entry(generator: random.Random, numbers: dict[str, int]) -> list[GroupCount]:
    """Return an entry with true counts, sometimes those of another day, when other people lived there."""
    population = COUNTRY | (random_group(generator) if generator.random() < 0.7 else frozenset())
    day, holder = DAY + generator.choice((0, 0, 0, 200, 400)), generator.choice("aaab")

    def people(group: frozenset[tuple[str, str]]) -> int:
        name = repr(sorted(group - COUNTRY))
        size = numbers.setdefault(name, 4000 // 3 ** len(group - COUNTRY) + generator.choice((0, 0, 12, 40, 90, 150)))
        return size + generator.choice((0, 0, 0, 120))

    counts = [GroupCount(population, people(population), day, holder)]
    free = [concept for concept in LISTS if not any(name.startswith(concept) for name, _ in population)]
    if free and generator.random() < 0.5:
        values = LISTS[generator.choice(free)]
        view = generator.choice(values)[0]
        cells = [population | {value} for value in values if value[0] == view]
        counts += [GroupCount(group, people(group), day, holder, is_cell=True) for group in cells]
    return counts


@pytest.mark.parametrize("seed", range(40))
def test_the_rules_decide_as_they_do_family_by_family(seed: int) -> None:
    generator = random.Random(seed)
    quick = Subtracted(floor=100, is_whole=lambda concept: concept == "age")
    slow = FamilyByFamily(floor=100, is_whole=lambda concept: concept == "age")
    numbers: dict[str, int] = {}
    for _ in range(12):
        counts = random_entry(generator, numbers)
        decision = quick.refuses(counts)
        assert decision == slow.refuses(counts)
        # Refused entries are added too, sometimes: older repositories contain entries that today's rules refuse.
        if decision is None or (decision == RefusalRule.REMAINDER and generator.random() < 0.2):
            quick.add(counts)
            slow.add(counts)


def test_very_many_families_have_few_totals() -> None:
    known = PublishedCounts(floor=100, is_whole=lambda concept: concept == "age")
    bands = [GroupCount(COUNTRY | {("age:band10", str(age))}, 1000, DAY, is_cell=True) for age in range(0, 120, 10)]
    fives = [GroupCount(COUNTRY | {("age:band5", str(age))}, 500, DAY, is_cell=True) for age in range(0, 120, 5)]
    known.add([GroupCount(COUNTRY, 12_000, DAY), *bands])
    # 4,096 families, and all add up to 12,000.
    began = time.process_time()
    assert known.refuses([GroupCount(COUNTRY, 12_000, DAY), *fives]) is None
    assert time.process_time() - began < 1
    fives[-1] = GroupCount(fives[-1].group, 495, DAY, is_cell=True)
    assert known.refuses([GroupCount(COUNTRY, 12_000, DAY), *fives]) is not None
