"""Groups of similar people, compared with a slow version that splits one group after the other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.lattice.splitting import SplitTable, split_groups

Row = tuple[int, ...]


def halves(rows: list[int], ranks: list[int], people: list[int], least: int) -> tuple[list[int], list[int]] | None:
    """Cut rows as evenly as possible, the first of equally even cuts; None if a half has too few people."""
    size = sum(people[row] for row in rows)
    cuts = []
    for border in sorted({ranks[row] for row in rows})[1:]:
        left = [row for row in rows if ranks[row] < border]
        n_left = sum(people[row] for row in left)
        cuts.append((abs(2 * n_left - size), border, left, min(n_left, size - n_left)))
    if not cuts:
        return None
    _, _, left, smaller = min(cuts, key=lambda cut: cut[:2])
    return (left, [row for row in rows if row not in left]) if smaller >= least else None


def one_by_one(table: SplitTable) -> list[int]:
    """Split each group along its widest column that can be cut; number the groups by their first rows."""
    ranks, people = [column.tolist() for column in table.ranks], table.people.tolist()
    waiting, final = [list(range(len(people)))], []
    while waiting:
        rows = waiting.pop()
        spans = [max(column[row] for row in rows) - min(column[row] for row in rows) for column in ranks]
        widths = [
            span / (number - 1) * weight if number > 1 else 0.0
            for span, number, weight in zip(spans, table.n_ranks, table.weights, strict=True)
        ]
        order = sorted((index for index, width in enumerate(widths) if width > 0), key=lambda index: -widths[index])
        parts = (halves(rows, ranks[index], people, table.least_size) for index in order)
        found = next((part for part in parts if part is not None), None)
        if found is None:
            final.append(rows)
        else:
            waiting.extend(found)
    numbers = [0] * len(people)
    for number, rows in enumerate(sorted(final, key=min)):
        for row in rows:
            numbers[row] = number
    return numbers


@given(
    st.lists(st.tuples(*[st.integers(0, 5)] * 3, st.integers(1, 3)), min_size=1, max_size=60),
    st.integers(1, 6),
    st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=3, max_size=3),
)
def test_groups_and_their_numbers(rows: list[Row], least: int, weights: list[float]) -> None:
    *ranks, people = (np.array(column) for column in zip(*rows, strict=True))
    table = SplitTable(ranks, [6, 6, 6], people, weights, (), lambda sizes, _: sizes < least, least)
    assert split_groups(table).tolist() == one_by_one(table)
