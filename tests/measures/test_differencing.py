"""Geographical differencing against linear algebra, against plain flows, and on cases with a known answer."""

import csv
import gzip
import importlib.util
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits.measures.differencing import Differencing, ZoneAtoms, isolate


def _slow() -> Any:
    spec = importlib.util.spec_from_file_location("slow_differencing", Path(__file__).parent / "slow_differencing.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


slow = _slow()
Atoms = list[tuple[int, int, int]]


def found(atoms: Atoms, limit: int = 10, **more: int) -> Differencing:
    columns = np.array(atoms, np.int64).reshape(-1, 3).T
    return isolate(ZoneAtoms.of(*columns), limit, **more)


def check_groups(atoms: Atoms, answer: Differencing, expected: dict[int, int]) -> None:
    """Every isolated atom is in a group of its smallest size; every group is some atom's, and its recipe is right."""
    zones = answer.atoms.zone_people
    sizes: dict[int, int] = {}
    for group in answer.groups:
        assert group.people == sum(atoms[index][2] for index in group.atoms) < answer.limit
        added, taken = zones if group.adds_first else zones[::-1]
        assert added[list(group.added)].sum() - taken[list(group.taken)].sum() == group.people
        assert any(expected.get(index) == group.people for index in group.atoms)
        for index in group.atoms:
            sizes[index] = min(sizes.get(index, group.people), group.people)
    for index, people in expected.items():
        assert sizes[index] == people


def test_the_example_of_the_specification() -> None:
    answer = found([(0, 0, 50), (0, 1, 3), (1, 1, 40)])
    assert [(group.people, group.added, group.taken) for group in answer.groups] == [(3, (0,), (0,))]
    assert (answer.n_components, answer.isolated_people, answer.small_zones) == (1, 3, 0)


def test_a_full_grid_gives_only_its_zones() -> None:
    assert not found([(0, 0, 3), (0, 1, 50), (1, 0, 50), (1, 1, 4)]).groups


def test_nested_zones_give_nothing_new() -> None:
    answer = found([(0, 0, 4), (1, 0, 60), (2, 1, 70), (3, 1, 2)])
    assert not answer.groups
    assert (answer.small_zones, answer.people_in_small_zones) == (2, 6)


def test_a_small_zone_is_published_and_not_differenced() -> None:
    # Zone 1 of the first zoning has 3 people and lies inside zone 0 of the second.
    answer = found([(0, 0, 50), (1, 0, 3), (0, 1, 40)])
    assert not answer.groups
    assert (answer.small_zones, answer.people_in_small_zones) == (1, 3)


def test_two_atoms_that_are_only_isolated_together() -> None:
    # No bridge: second 2 + 3 minus first 2 is two atoms, of 2 and of 3 people.
    atoms = [(0, 0, 50), (0, 1, 60), (0, 2, 2), (1, 0, 70), (1, 1, 80), (1, 3, 3), (2, 2, 90), (2, 3, 40)]
    (group,) = found(atoms).groups
    assert (group.people, group.atoms) == (5, (2, 5))
    assert (group.adds_first, group.added, group.taken) == (False, (2, 3), (2,))


def test_groups_may_overlap_and_people_are_counted_once() -> None:
    answer = found([(0, 0, 50), (0, 1, 2), (0, 2, 3), (1, 1, 50), (1, 2, 2), (2, 2, 50)])
    assert [(group.people, group.atoms) for group in answer.groups] == [(5, (1, 2)), (5, (2, 4))]
    assert (answer.isolated_people, answer.isolated_atoms.tolist()) == (7, [1, 2, 4])


@st.composite
def zonings(draw: st.DrawFn) -> Atoms:
    cells = [(first, second) for first in range(4) for second in range(4)]
    chosen = draw(st.lists(st.sampled_from(cells), unique=True, min_size=1, max_size=7))
    return [(*cell, draw(st.sampled_from([1, 2, 3, 5, 8, 20, 50]))) for cell in sorted(chosen)]


@settings(max_examples=60)
@given(zonings(), st.sampled_from([2, 4, 6, 10, 30]))
def test_every_set_of_atoms_against_the_row_space(atoms: Atoms, limit: int) -> None:
    answer = found(atoms, limit)
    computable = slow.computable_sets(atoms)
    assert all(frozenset(group.atoms) in computable for group in answer.groups)
    check_groups(atoms, answer, slow.smallest_isolated(atoms, limit))


def test_ten_atoms_against_the_row_space() -> None:
    draw = random.Random(5)
    cells = [(first, second) for first in range(5) for second in range(5)]
    for _ in range(3):
        atoms = [(*cell, draw.choice([1, 2, 3, 30])) for cell in sorted(draw.sample(cells, 10))]
        check_groups(atoms, found(atoms, 6), slow.smallest_isolated(atoms, 6))


@pytest.mark.parametrize("seed", range(4))
def test_larger_graphs_against_plain_flows(seed: int) -> None:
    draw = random.Random(seed)
    several = 0
    for _ in range(60):
        n_first, n_second, spread = draw.randint(3, 12), draw.randint(3, 12), draw.choice([0.2, 0.3, 1.0])
        cells = [
            (first, second)
            for first in range(n_first)
            for second in range(n_second)
            if abs(first / n_first - second / n_second) < spread
        ]
        people = draw.choice([[1, 2], [1, 2, 3, 5, 8, 20, 50], [1, 30], [3]])
        chosen = sorted(draw.sample(cells, draw.randint(1, min(40, len(cells)))))
        atoms = [(*cell, draw.choice(people)) for cell in chosen]
        limit = draw.choice([2, 4, 6, 10, 30])
        answer = found(atoms, limit)
        check_groups(atoms, answer, slow.isolated_by_cuts(atoms, limit))
        several += any(len(group.atoms) > 1 for group in answer.groups)
    assert several, "no case had a group of several atoms"


def test_planted_slivers_among_many_zones() -> None:
    # Pairs of large zones that agree but for one sliver each: differencing isolates every sliver, and nothing else.
    draw = np.random.default_rng(3)
    slivers = draw.integers(1, 30, 500)
    atoms = []
    for index, people in enumerate(slivers.tolist()):
        atoms += [(2 * index, 2 * index, 900), (2 * index, 2 * index + 1, people), (2 * index + 1, 2 * index + 1, 700)]
    answer = found(atoms)
    assert [group.people for group in answer.groups] == sorted(slivers[slivers < 10].tolist())
    assert answer.n_components == 500


def test_more_people_than_32_bits_count() -> None:
    billions = 3 * 10**9
    answer = found([(0, 0, billions), (0, 1, 3), (1, 1, billions), (1, 2, billions), (0, 2, billions)])
    assert [group.people for group in answer.groups] == []
    answer = found([(0, 0, billions), (0, 1, 3), (1, 1, billions)])
    assert [group.people for group in answer.groups] == [3]


def test_the_largest_limit() -> None:
    million = 10**6
    atoms = [
        (0, 0, 600 * million),
        (0, 1, 500 * million),
        (1, 1, 300 * million),
        (1, 2, million),
        (2, 2, 999 * million),
    ]
    atoms += [(2, 0, 800 * million)]
    check_groups(sorted(atoms), found(atoms, 10**9), slow.isolated_by_cuts(sorted(atoms), 10**9))


def test_large_blocks_are_searched_for_bridges_only_and_say_so() -> None:
    # A block of three zones, once contracted, and a sliver between two large zones beside it.
    block = [(0, 0, 50), (0, 1, 2), (0, 2, 3), (1, 1, 50), (1, 2, 2), (2, 2, 50)]
    atoms = [*block, (5, 5, 50), (5, 6, 4), (6, 6, 60)]
    complete, partly = found(atoms), found(atoms, most_zones=2)
    assert [group.people for group in complete.groups] == [4, 5, 5]
    assert not len(complete.unsearched)
    assert [group.people for group in partly.groups] == [4]
    assert partly.unsearched.tolist() == [1, 2, 4]


def test_empty_atoms_and_no_atoms() -> None:
    assert found([(0, 0, 50), (0, 1, 3), (1, 1, 40), (1, 0, 0)]).groups
    nothing = found([])
    assert (nothing.groups, nothing.n_components, nothing.isolated_people) == ((), 0, 0)


def test_real_postcodes_with_borders_that_moved(shared_data: Path) -> None:
    # Inhabitants by postcode of four digits (Statistics Netherlands); districts of hundreds, and the same twelve off.
    people: Counter[int] = Counter()
    with gzip.open(shared_data / "nl-postcode-age-sex.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if float(row["postcode"]) >= 1000:
                people[int(float(row["postcode"]))] += int(float(row["inwoners"] or 0))
    pairs: Counter[tuple[int, int]] = Counter()
    for postcode, number in people.items():
        pairs[postcode // 100, (postcode - 12) // 100] += number
    atoms = [(*pair, number) for pair, number in sorted(pairs.items()) if number]
    answer = found(atoms, 2_000)
    expected = slow.isolated_by_cuts(atoms, 2_000)
    assert expected
    check_groups(atoms, answer, expected)
