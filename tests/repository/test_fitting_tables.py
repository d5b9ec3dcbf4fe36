"""The tables that fit some sums, compared with all tables of whole numbers."""

from __future__ import annotations

import itertools
import random

import numpy
import pytest

from idbits.repository.fitting_tables import FittingTables, group_masks, group_number, leaves_few


def tables(shape: tuple[int, ...], most: int) -> list[tuple[int, ...]]:
    cells = 1
    for size in shape:
        cells *= size
    return list(itertools.product(range(most + 1), repeat=cells))


def test_bounds_against_all_tables() -> None:
    """Two attributes: the linear programme gives the same answer as all tables of whole numbers."""
    generator, limit = random.Random(3), 3
    everything, groups = tables((2, 2), 6), group_masks((2, 2))
    lines = [row for row in groups if row.sum() in (1, 2, 4)]
    seen = set()
    for _ in range(150):
        true = numpy.array(generator.choice(everything))
        # With the total known, no cell can have more people than we try.
        chosen = [numpy.ones(4), *generator.sample(lines, generator.randint(0, 3))]
        sums = numpy.array(chosen)
        if true.sum() > 6:
            continue
        fitting = [one for one in everything if all(row @ one == row @ true for row in chosen)]
        expected = any(all(0 < row @ one < limit for one in fitting) for row in groups)
        assert leaves_few(sums, sums @ true, groups, limit) == expected
        seen.add(expected)
    assert seen == {True, False}


def test_tables_that_do_not_exist() -> None:
    both, one = [1.0, 1.0], [1.0, 0.0]
    assert leaves_few(numpy.array([both, one]), numpy.array([10.0, 20.0]), group_masks((2,)), 10) is None
    # The same sum twice adds no information.
    walk = FittingTables(numpy.array([both, both, one]), numpy.array([30.0, 30.0, 20.0]))
    assert walk.exist
    assert walk.vertex.tolist() == [20.0, 10.0]


@pytest.mark.parametrize("shape", [(2,), (4, 3), (6,), (9, 2)])
def test_groups_are_counted_as_they_are_made(shape: tuple[int, ...]) -> None:
    assert len(group_masks(shape)) == group_number(shape)
    assert len({tuple(row) for row in group_masks(shape)}) == group_number(shape)
