"""Roll-ups count what a slow count finds, in whatever way columns are packed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.lattice import packing, walk
from idbits.kernels.lattice.hashed import HashedNodes
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Lattice, Walk, WalkStep
from random_lattices import Drawn, drawn_lattices, ladders


def check_groups(drawn: Drawn, groups: NodeGroups) -> None:
    """Compare sizes, values and cells with the slow count."""
    slow = drawn.groups(groups.levels)
    assert sorted(groups.sizes.tolist()) == drawn.sizes(groups.levels)
    values = groups.values()
    found = Counter(zip(*(column.tolist() for column in values), groups.sizes.tolist(), strict=True))
    expected = Counter()
    for rows in slow.values():
        lattice = drawn.lattice
        of_first = (
            int(column.maps[level][codes[rows[0]]])
            for column, codes, level in zip(lattice.columns, lattice.codes, groups.levels, strict=True)
        )
        expected[(*of_first, sum(drawn.people[row] for row in rows))] += 1
    assert found == expected
    for cells in groups.cells:
        by_group = [
            (cells.values[start:end].tolist(), cells.counts[start:end].tolist())
            for start, end in zip(cells.starts, [*cells.starts[1:], len(cells.values)], strict=True)
        ]
        slow_cells = []
        for rows in slow.values():
            counts: Counter[int] = Counter()
            for row in rows:
                counts[drawn.secrets[row]] += drawn.people[row]
            slow_cells.append((sorted(counts), [counts[value] for value in sorted(counts)]))
        assert sorted(by_group) == sorted(slow_cells)
        assert [sum(people) for _, people in by_group] == groups.sizes.tolist()


@given(drawn_lattices(), st.booleans())
def test_every_node_is_visited_once_with_the_right_groups(drawn: Drawn, looks_up: bool) -> None:
    seen = []

    def visit(groups: NodeGroups) -> None:
        seen.append(groups.levels)
        check_groups(drawn, groups)

    with pytest.MonkeyPatch.context() as patch:
        if looks_up:
            # No column gets bit fields: levels are looked up.
            patch.setattr(packing, "_WIDEST_FIELD", -1)
        lattice = Lattice(drawn.lattice.columns, drawn.lattice.codes, drawn.lattice.people)
        lattice.walk(Walk(visit))
    assert sorted(seen) == list(lattice.nodes())


@given(drawn_lattices(sensitive=True), st.integers(7, 14))
def test_columns_without_room_in_a_key_are_counted_alike(drawn: Drawn, room: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "BITS", room)
        whole = drawn.lattice
        lattice = Lattice(whole.columns, whole.codes, whole.people, whole.sensitive)
        seen = []

        def visit(groups: NodeGroups) -> None:
            seen.append(groups.levels)
            check_groups(drawn, groups)
            check_groups(drawn, lattice.groups_at(groups.levels))

        lattice.walk(Walk(visit))
    assert sorted(seen) == list(lattice.nodes())


@given(drawn_lattices(sensitive=True), st.booleans(), st.booleans())
def test_equal_rows_are_merged_with_their_people(drawn: Drawn, has_people: bool, is_sensitive: bool) -> None:
    columns, rows = drawn.lattice.columns, np.array(drawn.rows, np.uint32)
    people = np.array(drawn.people) if has_people else None
    secrets = [(np.array(drawn.secrets), 3)] if is_sensitive else []
    lattice = Lattice(columns, list(rows.T), people, secrets, merge=True)
    expected: Counter[tuple[int, ...]] = Counter()
    for row, codes in enumerate(drawn.rows):
        numbers = (int(column.ranks[code]) for column, code in zip(columns, codes, strict=True))
        secret = (drawn.secrets[row],) if is_sensitive else ()
        expected[(*numbers, *secret)] += drawn.people[row] if has_people else 1
    found = zip(
        *(codes.tolist() for codes in lattice.codes), *(codes.tolist() for codes, _ in lattice.sensitive), strict=True
    )
    assert dict(zip(found, lattice.people.tolist(), strict=True)) == dict(expected)
    assert len(lattice.people) == len(expected)
    seen = []

    def visit(groups: NodeGroups) -> None:
        seen.append(groups.levels)
        if has_people:
            check_groups(drawn, groups)

    lattice.walk(Walk(visit))
    assert sorted(seen) == list(lattice.nodes())


@given(drawn_lattices(sensitive=True), st.data())
def test_hashed_nodes_are_counted_alike(drawn: Drawn, data: st.DataObject) -> None:
    nodes = HashedNodes(drawn.lattice, seed=7)
    for node in data.draw(st.lists(st.sampled_from(list(drawn.lattice.nodes())), min_size=1, max_size=4)):
        check_groups(drawn, nodes.groups_at(node))


@given(drawn_lattices(), st.data())
def test_skipped_subtrees_are_left_out_and_others_are_not(drawn: Drawn, data: st.DataObject) -> None:
    lattice = drawn.lattice
    skipped = data.draw(st.sampled_from(list(lattice.nodes())))
    depth = data.draw(st.integers(1, len(lattice.order)))
    prefix = tuple(skipped[index] for index in lattice.order[:depth])
    seen = []
    lattice.walk(
        Walk(
            lambda groups: seen.append(groups.levels),
            lambda levels: WalkStep.SKIP if levels == prefix else WalkStep.VISIT,
        )
    )
    expected = [node for node in lattice.nodes() if tuple(node[index] for index in lattice.order[:depth]) != prefix]
    assert sorted(seen) == expected


@given(ladders())
def test_each_level_keeps_the_order_of_the_one_below(levels: list[list[int]]) -> None:
    column = ColumnLevels.of([np.array(level) for level in levels])
    for of_code, of_number, size in zip(levels, column.maps, column.sizes, strict=True):
        assert np.all(np.diff(of_number) >= 0)
        assert size == len(set(of_code))
        # The same codes are together, and no others.
        numbers = of_number[column.ranks]
        assert len(set(zip(of_code, numbers.tolist(), strict=True))) == size


@given(ladders())
def test_chosen_levels_are_those_of_the_whole_ladder(levels: list[list[int]]) -> None:
    column = ColumnLevels.of([np.array(level) for level in levels])
    part = column.only(range(1, column.n_levels))
    assert part.sizes == column.sizes[1:]
    assert [raw.tolist() for raw in part.raw_values] == [raw.tolist() for raw in column.raw_values[1:]]
