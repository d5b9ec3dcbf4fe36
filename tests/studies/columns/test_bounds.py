"""The bounds of sets of columns against counting, and a search with and without them."""

import itertools
from collections import Counter

import numpy as np
import pyarrow
import pytest

import idbits
from idbits.counts import Spectrum
from idbits.studies.columns import search
from idbits.studies.columns.bounds import GroupBounds, SplitGroups
from idbits.studies.columns.result import SubsetFigures

SIZES = (9, 7, 5, 4, 3, 3, 2)


def uneven(n: int, sizes: tuple[int, ...], seed: int = 3) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return np.stack([(draw.random(n) ** 3 * size).astype(int) for size in sizes])


def spectrum_of(table: np.ndarray, mask: int) -> Spectrum:
    columns = [column for column in range(len(table)) if mask >> column & 1]
    groups = Counter(zip(*table[columns].tolist(), strict=True))
    return Spectrum.of(Counter(groups.values()))


def test_no_set_has_more_unique_people_than_its_parts_have_room_for() -> None:
    table = uneven(300, SIZES)
    figures, groups = {}, {}
    for columns in (*itertools.combinations(range(7), 1), *itertools.combinations(range(7), 2)):
        mask = sum(1 << column for column in columns)
        spectrum = spectrum_of(table, mask)
        figures[mask], groups[mask] = SubsetFigures.of(spectrum), SplitGroups(spectrum)
    sizes = [int(codes.max()) + 1 for codes in table]
    bounds = GroupBounds(figures, sizes, 300, groups)
    n_ruled_out = 0
    assert bounds.have_room((1 << 60) - 1, 301)
    for mask in range(1, 1 << 7):
        unique = dict(spectrum_of(table, mask).pairs()).get(1, 0)
        assert bounds.have_room(mask, unique)
        n_ruled_out += sum(
            bounds.allow(mask, people) and not bounds.have_room(mask, people) for people in range(unique + 1, 301, 10)
        )
    assert n_ruled_out > 100


@pytest.mark.parametrize(("n_parts", "most"), [(1, 5), (2, 27), (3, 29), (29, 81), (30, 85), (99, 85)])
def test_groups_of_several_people_are_not_split_into_more_parts_than_there_are(n_parts: int, most: int) -> None:
    assert SplitGroups(Spectrum.of({1: 5, 2: 10, 30: 2})).most_unique(n_parts) == most


@pytest.mark.parametrize("remembered", [60, 2_000])
def test_a_search_finds_the_same_sets_with_fewer_counted(monkeypatch: pytest.MonkeyPatch, remembered: int) -> None:
    sizes = (30, 20, 12, 10, 8, 6, 5, 4, 3, 3, 2)
    table = uneven(1_000, sizes)
    people = pyarrow.table({f"c{column:02}": [f"v{code}" for code in codes] for column, codes in enumerate(table)})
    answers = {}
    for few in (0, 1_000_000):
        monkeypatch.setattr(search, "_FEW_SETS", few)
        monkeypatch.setattr(search, "_MOST_GROUPED", few or remembered)
        answers[few] = idbits.columns(people, list(people.column_names), [0.3, 0.6], max_size=4)
    with_room, everything = answers.values()
    assert with_room.complete
    assert with_room.n_counted < everything.n_counted
    assert with_room.minimal == everything.minimal
    for entry in with_room.minimal:
        assert entry.sets or entry.share == 1.0
