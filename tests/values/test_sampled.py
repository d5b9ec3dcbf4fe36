"""Columns described by a sample of their rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idbits.values.attributes import Kind
from idbits.values.plain import profile_column
from idbits.values.sampled import profile_of_sample

CELLS = st.lists(
    st.one_of(st.none(), st.sampled_from(["a", "b c", "12", "-3", "4.5", "007", "2020-01-31", "NA"])), max_size=60
)


def sampled(cells: list[str | None]):
    counts = Counter(cell for cell in cells if cell is not None)
    return profile_of_sample(
        lambda number: list(counts)[:number], np.array(list(counts.values()), np.int64), cells.count(None), Kind.TEXT
    )


@given(CELLS)
def test_few_values_are_described_exactly(cells: list[str | None]) -> None:
    assert sampled(cells) == profile_column(cells, [1] * len(cells), Kind.TEXT)


def test_what_holds_for_all_values_looked_at_holds_for_all() -> None:
    cells = [str(number) for number in range(5_000)] + [None] * 7
    profile = sampled(cells)
    assert (profile.people, profile.null_people, profile.distinct, profile.unique_people) == (5_007, 7, 5_000, 5_000)
    assert profile.numbers == profile.known
    assert profile.fractions == profile.dates == profile.spaced == 0


def test_one_exception_is_not_lost() -> None:
    profile = sampled(["one", *(str(number) for number in range(5_000))])
    assert 0 < profile.numbers < profile.known
