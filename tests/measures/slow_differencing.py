"""Differencing by trying every set of atoms against the row space of the zones, in exact arithmetic: slow."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Atom = tuple[int, int, int]
"""The zone of the first zoning, the zone of the second, and the people."""


def rank(rows: Sequence[Sequence[int]]) -> int:
    """Return the rank of a matrix by elimination with fractions."""
    matrix = [[Fraction(number) for number in row] for row in rows]
    done = 0
    for column in range(len(matrix[0]) if matrix else 0):
        pivot = next((index for index in range(done, len(matrix)) if matrix[index][column]), None)
        if pivot is None:
            continue
        matrix[done], matrix[pivot] = matrix[pivot], matrix[done]
        for index in range(done + 1, len(matrix)):
            factor = matrix[index][column] / matrix[done][column]
            if factor:
                matrix[index] = [mine - factor * other for mine, other in zip(matrix[index], matrix[done], strict=True)]
        done += 1
    return done


def zone_rows(atoms: Sequence[Atom]) -> list[list[int]]:
    """Return for each zone which atoms lie in it."""
    firsts, seconds = ({atom[side] for atom in atoms} for side in (0, 1))
    return [
        [int(atom[side] == zone) for atom in atoms] for side, zones in ((0, firsts), (1, seconds)) for zone in zones
    ]


def computable_sets(atoms: Sequence[Atom]) -> list[frozenset[int]]:
    """Return every set of atoms whose sum follows from the counts of the zones."""
    rows = zone_rows(atoms)
    whole = rank(rows)
    found = []
    for size in range(1, len(atoms) + 1):
        for chosen in combinations(range(len(atoms)), size):
            wanted = [int(index in chosen) for index in range(len(atoms))]
            if rank([*rows, wanted]) == whole:
                found.append(frozenset(chosen))
    return found


def smallest_isolated(atoms: Sequence[Atom], limit: int) -> dict[int, int]:
    """Return, for each atom that differencing isolates, the people of the smallest computable set with it."""
    computable = computable_sets(atoms)
    isolated = {}
    for index, (first, second, _) in enumerate(atoms):
        smallest = min(sum(atoms[other][2] for other in chosen) for chosen in computable if index in chosen)
        zones = [sum(people for a, _, people in atoms if a == first), sum(p for _, b, p in atoms if b == second)]
        if smallest < min(limit, *zones):
            isolated[index] = smallest
    return isolated


def smallest_cut(atoms: Sequence[Atom], index: int) -> int:
    """Return the smallest directed cut with an atom by augmenting paths (Ford and Fulkerson), in the whole graph."""
    room: dict[object, dict[object, float]] = {}
    for first, second, people in atoms:
        room.setdefault(("a", first), {})[("b", second)] = people
        room.setdefault(("b", second), {})[("a", first)] = float("inf")
    start, end = ("a", atoms[index][0]), ("b", atoms[index][1])
    total = 0
    while True:
        before: dict[object, object] = {start: start}
        waiting = [start]
        for node in waiting:
            for other, left in room[node].items():
                if left and other not in before:
                    before[other] = node
                    waiting.append(other)
        if end not in before:
            return total
        path, node = [], end
        while node != start:
            path.append((before[node], node))
            node = before[node]
        most = min(room[tail][head] for tail, head in path)
        total += int(most)
        for tail, head in path:
            room[tail][head] -= most
            room[head][tail] += most


def isolated_by_cuts(atoms: Sequence[Atom], limit: int) -> dict[int, int]:
    """Return the same as ``smallest_isolated``, by the smallest cut of each small atom."""
    isolated = {}
    for index, (first, second, people) in enumerate(atoms):
        if people >= limit:
            continue
        zones = [sum(p for a, _, p in atoms if a == first), sum(p for _, b, p in atoms if b == second)]
        smallest = smallest_cut(atoms, index)
        if smallest < min(limit, *zones):
            isolated[index] = smallest
    return isolated
