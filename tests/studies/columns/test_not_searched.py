"""What a search that ends early says about the sets that it did not examine."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pyarrow
import pytest

import idbits
from idbits.progress import TimeIsUpError
from idbits.studies.columns import conclusions
from idbits.studies.columns.search import ColumnSearch, CountedSubsets

NAMES = [f"c{number}" for number in range(11)]


def survey(seed: int, n_rows: int) -> pyarrow.Table:
    draw = np.random.default_rng(seed)
    sizes = [n_rows if number % 3 == 0 else (2, 3, 8)[number % 4 % 3] for number in range(11)]
    return pyarrow.table({name: draw.integers(0, size, n_rows) for name, size in zip(NAMES, sizes, strict=True)})


def counted_or_decided(search: ColumnSearch, size: int) -> int:
    """Count the sets one by one: counted, known not to be unique, or decided by what is known of their parts."""
    known = [search._figures, search._not_unique, search._bounds.kept]
    masks = (sum(1 << column for column in columns) for columns in combinations(range(11), size))
    return sum(any(mask in part for part in known) for mask in masks)


@pytest.mark.parametrize(("steps", "max_sets"), [(3, None), (6, None), (3, 120), (10**9, 60)])
def test_open_sets_are_counted_once(monkeypatch: pytest.MonkeyPatch, steps: int, max_sets: int | None) -> None:
    monkeypatch.setattr(conclusions, "_MOST_ORDERS", 10)
    go, advance = ColumnSearch.go, CountedSubsets.advance
    searches: list[ColumnSearch] = []
    left = 0

    def start(search: ColumnSearch) -> None:
        nonlocal left
        left = steps
        searches.append(search)
        go(search)

    def step(counted: CountedSubsets, part_done: float) -> None:
        nonlocal left
        left -= 1
        if searches and left < 0:
            raise TimeIsUpError
        advance(counted, part_done)

    monkeypatch.setattr(ColumnSearch, "go", start)
    monkeypatch.setattr(CountedSubsets, "advance", step)
    answer = idbits.columns(survey(2, 60), NAMES, 0.5, max_size=4, max_sets=max_sets)
    (search,) = searches
    n_open = dict.fromkeys(range(2, 5), 0)
    for part in answer.not_searched:
        for size in range(part.size, min(part.to_size, 4) + 1):
            n_open[size] += part.sets if part.size == part.to_size else math.comb(11, size)
    stopped = {part.size for part in answer.not_searched if "stopped" in part.reason and part.size == part.to_size}
    last = min(stopped, default=4)
    for size in range(2, last + 1):
        assert n_open[size] == math.comb(11, size) - counted_or_decided(search, size)
    assert answer.complete == (not any(n_open.values()))
