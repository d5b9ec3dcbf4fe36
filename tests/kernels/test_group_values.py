"""People by group and value, counted in every way that an engine can give rows."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idbits.counts import CodedRows
from idbits.kernels.group_values import GroupCells, cells_of_triples, counted_rows

rows_of = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=40)


def content(cells: GroupCells) -> Counter[tuple[tuple[int, int], ...]]:
    """Return the groups, whatever their numbers."""
    ends = [*cells.starts[1:].tolist(), cells.n_cells][: cells.n_groups]
    return Counter(
        tuple(zip(cells.values[start:end].tolist(), cells.counts[start:end].tolist(), strict=True))
        for start, end in zip(cells.starts.tolist(), ends, strict=True)
    )


def slow(rows: list[tuple[int, int, int]], people: list[int] | None = None) -> Counter[tuple[tuple[int, int], ...]]:
    groups: dict[tuple[int, int], Counter[int]] = {}
    for (a, b, value), number in zip(rows, people or [1] * len(rows), strict=True):
        if number:
            groups.setdefault((a, b), Counter())[value] += number
    return Counter(tuple(sorted(values.items())) for values in groups.values())


def coded(rows: list[tuple[int, int, int]], people: list[int] | None = None, size: int = 5) -> CodedRows:
    columns = tuple(np.array(column, np.uint32) for column in zip(*rows, strict=True))
    return CodedRows(columns, (size, size, 5), np.array(people) if people is not None else None)


@given(rows_of, st.integers(0, 3))
def test_rows_in_every_form(rows: list[tuple[int, int, int]], seed: int) -> None:
    people = np.random.default_rng(seed).integers(0, 4, len(rows)).tolist()
    assert content(counted_rows(coded(rows)).cells) == slow(rows)
    assert content(counted_rows(coded(rows, people)).cells) == slow(rows, people)
    # Codes that do not fit in 64 bits.
    wide = coded(rows, size=2**31)
    assert content(counted_rows(wide).cells) == slow(rows)
    groups = np.array([a * 3 + b for a, b, _ in rows])
    values = np.array([value for _, _, value in rows])
    assert sum(content(cells_of_triples(groups, values, np.array(people), 5)[0]).values()) == len(
        {group for group, number in zip(groups.tolist(), people, strict=True) if number}
    )


@given(rows_of)
def test_the_cell_of_each_row(rows: list[tuple[int, int, int]]) -> None:
    for size in (5, 2**31):
        counted = counted_rows(coded(rows, size=size), with_indices=True)
        cells, indices = counted.cells, counted.indices
        assert indices is not None
        first, second = counted.group_codes()
        pairs = list(zip(first[cells.groups[indices]].tolist(), second[cells.groups[indices]].tolist(), strict=True))
        assert pairs == [(a, b) for a, b, _ in rows]
        assert cells.values[indices].tolist() == [value for _, _, value in rows]
        by_group: dict[int, set[tuple[int, int]]] = {}
        for (a, b, _), group in zip(rows, cells.groups[indices].tolist(), strict=True):
            by_group.setdefault(group, set()).add((a, b))
        assert all(len(members) == 1 for members in by_group.values())


@given(rows_of)
def test_largest_counts(rows: list[tuple[int, int, int]]) -> None:
    cells = counted_rows(coded(rows)).cells
    ends = [*cells.starts[1:].tolist(), cells.n_cells]
    for group, (start, end) in enumerate(zip(cells.starts.tolist(), ends, strict=True)):
        counts = sorted(cells.counts[start:end].tolist(), reverse=True)
        assert cells.descending[start:end].tolist() == counts
        for rank in (1, 2, 3):
            assert cells.largest(rank)[group] == ([*counts, 0, 0, 0])[rank - 1]
            assert cells.sum_of_largest(rank)[group] == sum(counts[:rank])
        assert cells.sums_from_here()[start:end].tolist() == [sum(counts[i:]) for i in range(len(counts))]


@given(rows_of, st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_other_numbers_for_values(rows: list[tuple[int, int, int]], numbers: list[int]) -> None:
    cells = counted_rows(coded(rows)).cells
    merged = cells.renumbered(np.array(numbers), 3)
    assert content(merged) == slow([(a, b, numbers[value]) for a, b, value in rows])
    kept, groups = cells.with_cells(cells.values != 2)
    assert content(kept) == slow([row for row in rows if row[2] != 2])
    assert len(groups) == kept.n_groups


def test_counts_too_large_to_pack_with_the_group() -> None:
    counts = np.array([2**62, 3, 2**61, 2**61 + 1])
    cells = GroupCells(np.array([0, 1, 0, 1]), counts, np.array([0, 2]), 2)
    assert cells.descending.tolist() == [2**62, 3, 2**61 + 1, 2**61]
