"""MIC without files: a slow reference version that tries every partition, and general laws."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits.errors import InputError
from idbits.measures import mic
from idbits.measures.mic import (
    _equal_parts,
    grid_mutual_information_bits,
    maximal_information_coefficient,
    maximal_information_coefficients,
)


def information(rows: list[int], columns: list[int]) -> float:
    """Mutual information in bits, by S4 (1) as corrected."""
    n = len(rows)
    joint, by_row, by_column = Counter(zip(rows, columns, strict=True)), Counter(rows), Counter(columns)
    return math.fsum(k / n * math.log2(k * n / (by_row[r] * by_column[c])) for (r, c), k in joint.items())


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), min_size=1, max_size=80))
def test_grid_information_equals_a_direct_count(cells: list[tuple[int, int]]) -> None:
    rows, columns = map(list, zip(*cells, strict=True))
    found = grid_mutual_information_bits(np.array(rows), np.array(columns))
    assert found == pytest.approx(information(rows, columns), abs=1e-12)


def parts_one_by_one(sizes: list[int], parts: int) -> list[int]:
    """The equipartition as the paper describes it, value by value."""
    n, part, filled, done, wanted, found = sum(sizes), 0, 0, 0, sum(sizes) / parts, []
    for size in sizes:
        if filled and abs(filled + size - wanted) >= abs(filled - wanted):
            part, filled = part + 1, 0
            wanted = (n - done) / (parts - part)
        found.append(part)
        filled += size
        done += size
    return found


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(1, 12))
def test_equal_parts_are_those_of_the_paper(sizes: list[int], parts: int) -> None:
    assert _equal_parts(np.array(sizes), parts).tolist() == parts_one_by_one(sizes, parts)


def cuts(groups: int, columns: int) -> Iterator[list[int]]:
    """Yield every way to put so many groups, in order, into at most so many columns."""
    for places in itertools.combinations(range(1, groups), min(columns, groups) - 1):
        yield [sum(place <= group for place in places) for group in range(groups)]


def twin(x: list[int], y: list[int], cells: float) -> float:
    """Return MIC by trying every partition of one axis, the other being cut into equal parts."""
    best = 0.0
    for along, across in ((x, y), (y, x)):
        values = sorted(set(along))
        sizes = Counter(across)
        for n_rows in range(2, max(int(cells / 2), 2) + 1):
            kept = sorted(sizes)
            part = dict(zip(kept, parts_one_by_one([sizes[value] for value in kept], n_rows), strict=True))
            for n_columns in range(2, int(cells / n_rows) + 1):
                for columns in cuts(len(values), n_columns):
                    place = dict(zip(values, columns, strict=True))
                    bits = information([part[value] for value in across], [place[value] for value in along])
                    best = max(best, bits / math.log2(min(n_rows, n_columns)))
    return best


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=4, max_size=24))
def test_no_partition_does_better(points: list[tuple[int, int]]) -> None:
    x, y = map(list, zip(*points, strict=True))
    expected = twin(x, y, max(len(x) ** 0.6, 4.0))
    # So many clumps are allowed that none are merged: the optimum is then exact.
    assert maximal_information_coefficient(np.array(x), np.array(y), clumps=100) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("values", [2, 9, 10_000])
@pytest.mark.parametrize("equitable", [True, False])
def test_orders_together_as_one_by_one(monkeypatch: pytest.MonkeyPatch, values: int, equitable: bool) -> None:
    """All orders at once, in blocks of any size, give the same digits, though they have different clumps."""
    draw = np.random.default_rng(values)
    x, y = draw.integers(0, values, 90), draw.integers(0, 40, 90)
    orders = [y, np.sort(y), *(draw.permutation(y) for _ in range(3))]
    alone = [maximal_information_coefficient(x, order, equitable=equitable) for order in orders]
    assert maximal_information_coefficients(x, orders, equitable=equitable) == alone
    monkeypatch.setattr(mic, "_TOGETHER", 1)
    assert maximal_information_coefficients(x, orders, equitable=equitable) == alone


@pytest.mark.big
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=60))
def test_laws(points: list[tuple[int, int]]) -> None:
    x, y = np.array(points).T
    found = maximal_information_coefficient(x, y)
    assert -1e-12 <= found <= 1 + 1e-9
    assert maximal_information_coefficient(y, x) == pytest.approx(found, abs=1e-12)
    assert maximal_information_coefficient(np.exp(x), y) == pytest.approx(found, abs=1e-12)
    if len(set(x.tolist())) == 1 or len(set(y.tolist())) == 1:
        assert found == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("rows", [100, 400, 1000])
def test_a_copy_has_exactly_1(rows: int) -> None:
    values = np.random.default_rng(3).normal(size=rows)
    assert maximal_information_coefficient(values, values) == 1.0
    assert maximal_information_coefficient(values, -values) == 1.0


def test_bad_input() -> None:
    with pytest.raises(InputError, match="lengths"):
        maximal_information_coefficient(np.arange(3), np.arange(4))
    with pytest.raises(InputError, match="alpha"):
        maximal_information_coefficient(np.arange(3), np.arange(3), alpha=0)
    with pytest.raises(InputError, match="different orders"):
        maximal_information_coefficients(np.arange(3), [np.array([0, 1, 1]), np.array([0, 0, 1])])
    assert maximal_information_coefficient(np.arange(1), np.arange(1)) == 0.0
