"""Thousands of small repositories, and an attacker who knows all values: is a small group revealed?

    python tests/repository/simulate_remainders.py --repositories 200000 --seed 1

Each world has two or three attributes with known lists of values. Holders publish populations and distributions in
random order through the real rules. Then the attacker takes every cell of the full cross table for an unknown whole
number, 0 or more, and every published figure for a sum of cells, and asks of each group (some values of every
attribute) that has 1 to 9 people whether that follows:

- by exact linear algebra in fractions, with cells that must be empty left out as they are found (always);
- by the largest and least number of people that the group can have, with an integer programming solver (on a share of
  the worlds, ``--bounded``).

It shares no code with the rules.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy
from scipy.optimize import Bounds, LinearConstraint, milp

from idbits.repository.counted_groups import GroupCount
from idbits.repository.small_groups import LEAST_CELL, PublishedCounts

DAY = 737_060
NAMES = ("gender", "education", "religion")
SIZES = ((0, 0), (1, 9), (1, 9), (10, 30), (40, 150), (150, 400), (400, 900))
Kind = tuple[int, ...]


@dataclass
class World:
    """People by the values of their attributes, and the published figures about them.

    Attributes:
        lists: how many values each attribute has; everybody knows them.
        people: how many people have each combination of values.
        sums: what was published, as the combinations that a figure adds up, and the figure.
    """

    lists: tuple[int, ...]
    people: dict[Kind, int]
    sums: list[tuple[frozenset[Kind], int]] = field(default_factory=list)

    @classmethod
    def drawn(cls, generator: random.Random) -> World:
        lists = tuple(generator.randint(2, 4) for _ in range(generator.choice((2, 2, 3))))
        kinds = itertools.product(*map(range, lists))
        return cls(lists, {kind: generator.randint(*generator.choice(SIZES)) for kind in kinds})

    def those(self, fixed: dict[int, int]) -> frozenset[Kind]:
        """Return the combinations that have given values."""
        return frozenset(
            kind for kind in self.people if all(kind[attribute] == value for attribute, value in fixed.items())
        )

    def size(self, kinds: frozenset[Kind]) -> int:
        return sum(self.people[kind] for kind in kinds)

    def publish(self, generator: random.Random, known: PublishedCounts) -> bool:
        """Publish an entry as the publishing program would; return whether the rules accept it."""
        attributes = list(range(len(self.lists)))
        generator.shuffle(attributes)
        narrowed = generator.choice((0, 0, 1, 1, 2))
        fixed = {place: generator.randrange(self.lists[place]) for place in attributes[:narrowed]}
        free = attributes[narrowed:]
        counted = generator.sample(free, generator.randint(0, min(2, len(free))))
        sums = [(self.those(fixed), self.size(self.those(fixed)))]
        counts = [GroupCount(_group(fixed), sums[0][1], DAY)]
        cells = []
        if counted:
            for values in itertools.product(*(range(self.lists[place]) for place in counted)):
                own = fixed | dict(zip(counted, values, strict=True))
                cells.append((self.size(self.those(own)), own))
            cells.sort(key=lambda cell: -cell[0])
            listed = [cell for cell in cells if cell[0] >= LEAST_CELL]
            left = sums[0][1] - sum(people for people, _ in listed)
            while listed and 0 < left < LEAST_CELL:
                left += listed.pop()[0]
            cells = listed
        for people, own in cells:
            counts.append(GroupCount(_group(own), people, DAY, is_cell=True))
            sums.append((self.those(own), people))
        if known.refuses(counts, sums[0][1] - sum(people for people, _ in cells) if counted else 0) is not None:
            return False
        known.add(counts)
        self.sums += sums
        return True


def _group(fixed: dict[int, int]) -> frozenset[tuple[str, str]]:
    return frozenset({("municipality", "a"), *((NAMES[place], f"v{value}") for place, value in fixed.items())})


@lru_cache
def all_groups(lists: tuple[int, ...]) -> numpy.ndarray:
    """Return every group of a world (some values of every attribute), one row each with 1 for its combinations."""
    sides = [
        [set(some) for number in range(1, size + 1) for some in itertools.combinations(range(size), number)]
        for size in lists
    ]
    kinds = list(itertools.product(*map(range, lists)))
    return numpy.array(
        [
            [all(value in side for value, side in zip(kind, chosen, strict=True)) for kind in kinds]
            for chosen in itertools.product(*sides)
        ],
        dtype=numpy.int32,
    )


def small_groups(world: World) -> list[frozenset[Kind]]:
    """Return the groups of 1 to 9 people."""
    kinds, groups = sorted(world.people), all_groups(world.lists)
    sizes = groups @ numpy.array([world.people[kind] for kind in kinds], dtype=numpy.int32)
    return [
        frozenset(kind for kind, chosen in zip(kinds, row, strict=True) if chosen)
        for row in groups[(sizes > 0) & (sizes < LEAST_CELL)]
    ]


class Solved:
    """The published sums, solved for as many cells as possible."""

    def __init__(self, world: World) -> None:
        self._rows: dict[Kind, dict[Kind, Fraction]] = {}
        empty: set[Kind] = set()
        while True:
            self._rows = {}
            for kinds, _ in world.sums:
                self._add({kind: Fraction(1) for kind in kinds - empty})
            # If a published or computed sum is 0, all its cells are empty.
            more = {
                kind
                for kind, people in world.people.items()
                if not people and kind not in empty and self.holds(frozenset({kind}))
            }
            more |= {kind for kinds, people in world.sums if not people for kind in kinds if kind not in empty}
            if not more:
                self.empty = empty
                return
            empty |= more

    def _reduced(self, row: dict[Kind, Fraction]) -> dict[Kind, Fraction]:
        for lead, other in self._rows.items():
            if factor := row.get(lead):
                for kind, number in other.items():
                    row[kind] = row.get(kind, Fraction(0)) - factor * number
                row = {kind: number for kind, number in row.items() if number}
        return row

    def _add(self, row: dict[Kind, Fraction]) -> None:
        row = self._reduced(row)
        if row:
            lead = next(iter(row))
            row = {kind: number / row[lead] for kind, number in row.items()}
            for known, other in self._rows.items():
                if factor := other.get(lead):
                    changed = {
                        kind: other.get(kind, Fraction(0)) - factor * row.get(kind, Fraction(0))
                        for kind in other.keys() | row.keys()
                    }
                    self._rows[known] = {kind: number for kind, number in changed.items() if number}
            self._rows[lead] = row

    def holds(self, kinds: frozenset[Kind]) -> bool:
        """Return whether the number of people in a group can be computed."""
        return not self._reduced({kind: Fraction(1) for kind in kinds})


def is_bounded(world: World, kinds: frozenset[Kind]) -> bool:
    """Return whether every table that fits has 1 to 9 people in a group, by integer programming."""
    cells = sorted(world.people)
    matrix = numpy.array([[float(kind in some) for kind in cells] for some, _ in world.sums])
    people = numpy.array([float(number) for _, number in world.sums])
    wanted = numpy.array([float(kind in kinds) for kind in cells])
    fits = LinearConstraint(matrix, people, people)
    for sign in (1, -1):
        ended = milp(sign * wanted, constraints=fits, bounds=Bounds(0, 10**6), integrality=numpy.ones(len(cells)))
        if ended.status == 3:
            return False
        assert ended.status == 0, ended.message
        size = round(sign * ended.fun)
        if (sign > 0 and size < 1) or (sign < 0 and size >= LEAST_CELL):
            return False
    return True


def leak(world: World, bounded: bool) -> str | None:
    """Return how a small group is revealed; None if none is."""
    if not world.sums:
        return None
    solved, groups = Solved(world), small_groups(world)
    for kinds in groups:
        if solved.holds(kinds - solved.empty):
            return f"{sorted(kinds)} has {world.size(kinds)} people"
    if bounded:
        for kinds in groups:
            if is_bounded(world, kinds):
                return f"{sorted(kinds)} is known to have 1 to 9 people"
    return None


def simulate(repositories: int, seed: int, bounded: float, known_lists: bool = True) -> tuple[int, int, int, list[str]]:
    """Return the numbers of entries accepted and tried and of worlds attacked by bounds, and the leaks."""
    generator, leaks = random.Random(seed), []
    accepted = tried = attacked = 0
    for number in range(repositories):
        world, known = World.drawn(generator), PublishedCounts(floor=100)
        if not known_lists:
            known._known_values_leave_few = lambda _: False  # type: ignore[method-assign]
        for _ in range(generator.randint(3, 8)):
            tried += 1
            accepted += world.publish(generator, known)
        solving = generator.random() < bounded
        attacked += solving
        found = leak(world, solving)
        if found is not None:
            leaks.append(f"repository {number}: lists {world.lists}, people {world.people}, sums {world.sums}: {found}")
    return accepted, tried, attacked, leaks


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repositories", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bounded", type=float, default=0.05, help="share of worlds attacked by bounds, too")
    parser.add_argument("--without-lists", action="store_true", help="leave out the rule for known lists")
    asked = parser.parse_args()
    began, spent, done, totals, leaks = time.monotonic(), time.process_time(), 0, [0, 0, 0], []
    block = 500
    while done < asked.repositories:
        number = min(block, asked.repositories - done)
        *more, found = simulate(number, asked.seed * 10**6 + done, asked.bounded, not asked.without_lists)
        totals = [a + b for a, b in zip(totals, more, strict=True)]
        leaks += found
        done += number
        rate, own = done / (time.monotonic() - began), done / (time.process_time() - spent)
        print(
            f"{done:,} repositories, {totals[0]:,} of {totals[1]:,} entries accepted, "
            f"{totals[2]:,} attacked by bounds, {len(leaks)} leaks, {rate:.1f} per second, "
            f"{own:.1f} per second of processor time", flush=True,
        )  # fmt: skip
    for one in leaks[:5]:
        print(one)
    sys.exit(1 if leaks else 0)


if __name__ == "__main__":
    main()
