"""Pairs of columns added to rows that are grouped already, in each of the ways that depend on the groups."""

import itertools
from collections import Counter

import numpy as np
import pytest

from idbits.counts import CodedRows
from idbits.kernels import grouped_rows as kernel
from idbits.kernels.coded import CodedColumns, ready
from idbits.kernels.grouped_rows import GroupedRows
from idbits.kernels.small_groups import SmallGroups
from idbits.kernels.subsets import count_related, put_together

SIZES = (40, 12, 7, 3, 2)


def survey(n: int = 1_500) -> CodedColumns:
    draw = np.random.default_rng(7)
    return ready(CodedRows(tuple((draw.random(n) ** 2 * size).astype(np.uint32) for size in SIZES), SIZES))


def spectrum_by_hand(table: CodedColumns, columns: tuple[int, ...]) -> list[tuple[int, int]]:
    rows = Counter(zip(*(table.codes[column].tolist() for column in columns), strict=True))
    return sorted(Counter(rows.values()).items())


@pytest.mark.parametrize("block", [1, 64, 1 << 15])
@pytest.mark.parametrize("most_members", [1, 3, 8])
@pytest.mark.parametrize("spacious", [False, True])
@pytest.mark.parametrize("shared", [(), (0,), (1, 0), (0, 1, 2)])
def test_pairs_of_columns_split_groups_as_by_hand(
    monkeypatch: pytest.MonkeyPatch, block: int, most_members: int, shared: tuple[int, ...], *, spacious: bool
) -> None:
    monkeypatch.setattr(kernel, "_BLOCK", block)
    monkeypatch.setattr(kernel, "_MOST_MEMBERS", most_members)
    monkeypatch.setattr(kernel, "_FEWEST_ROWS", 1)
    # Without room for a key of the shared columns, people are split column by column.
    monkeypatch.setattr(kernel, "_KEY_BITS", 5 if spacious else 64)
    table = survey()
    pairs = list(itertools.combinations([column for column in range(5) if column not in shared], 2))
    grouped = GroupedRows.of(table, shared)
    assert bool(grouped.small) == (most_members > 1 and len(shared) > 1)
    for pair, spectrum in zip(pairs, grouped.spectra(pairs), strict=True):
        assert spectrum.pairs() == spectrum_by_hand(table, (*shared, *pair))
        assert spectrum.n_values == spectrum.n_sets


def test_keys_of_more_than_32_bits() -> None:
    table = survey(200)
    wide = CodedColumns(table.codes, (40, 12, 1 << 20, 1 << 20, 2), None, 200)
    (spectrum,) = GroupedRows.of(wide, (4,)).spectra([(2, 3)])
    assert spectrum.pairs() == spectrum_by_hand(table, (4, 2, 3))


def test_keys_that_do_not_fit_in_64_bits() -> None:
    """Of 8 groups, the keys of the first and the fifth would be equal if their upper bits were lost."""
    draw = np.random.default_rng(3)
    groups = np.repeat(np.arange(8, dtype=np.uint8), 20)
    codes = (groups, *(draw.integers(0, 5, 160).astype(np.uint32) for _ in range(2)))
    table = CodedColumns(codes, (8, 1 << 31, 1 << 31), None, 160)
    (spectrum,) = GroupedRows.of(table, (0,)).spectra([(1, 2)])
    assert spectrum.pairs() == spectrum_by_hand(table, (0, 1, 2))


def test_wide_and_narrow_pairs_are_counted_as_every_numpy_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy before 2.3 counts only what is an int64 without loss, which uint64 is not."""
    count = np.bincount

    def strict(values: np.ndarray, *others: object, **options: object) -> np.ndarray:
        assert np.can_cast(values.dtype, np.int64, "safe")
        return count(values, *others, **options)  # type: ignore[no-any-return,call-overload]

    monkeypatch.setattr(np, "bincount", strict)
    table = survey(200)
    wide = CodedColumns(table.codes, (40, 1 << 20, 1 << 20, 3, 2), None, 200)
    for pair, spectrum in zip([(1, 2), (3, 4)], GroupedRows.of(wide, ()).spectra([(1, 2), (3, 4)]), strict=True):
        assert spectrum.pairs() == spectrum_by_hand(table, pair)


@pytest.mark.parametrize("n_members", range(2, 9))
@pytest.mark.parametrize("n_groups", [1, 64, 130])
def test_small_groups_are_split_as_by_hand(n_members: int, n_groups: int) -> None:
    draw = np.random.default_rng(n_members)
    codes = tuple(draw.integers(0, size, n_members * n_groups).astype(np.uint8) for size in (2, 3, 4))
    rows = draw.permutation(n_members * n_groups).reshape(n_members, n_groups)
    groups = SmallGroups(CodedColumns(codes, (2, 3, 4), None, rows.size), rows)
    for columns in ([0], [2], [0, 1], [0, 1, 2]):
        sizes: Counter[int] = Counter()
        for members in rows.T:
            sizes.update(Counter(tuple(codes[column][row] for column in columns) for row in members).values())
        assert groups.n_by_size(columns) == [sizes[size] for size in range(n_members + 1)]


@pytest.mark.parametrize("counted", [False, True])
def test_related_sets_of_rows_and_of_counted_people(*, counted: bool) -> None:
    table = survey()
    people = np.random.default_rng(1).integers(1, 4, table.n_rows) if counted else None
    rows = CodedColumns(table.codes, table.sizes, people, table.n_rows if people is None else int(people.sum()))
    masks = [0b00011, 0b10010, 0b00111, 0b11010, 0b11111]
    found = {}
    for related in put_together(masks, [2, 0, 1, 3, 4]):
        found |= count_related(rows, related, (), [], ()).spectra
    assert sorted(found) == sorted(masks)
    for mask, spectrum in found.items():
        keys = list(zip(*(table.codes[column].tolist() for column in range(5) if mask >> column & 1), strict=True))
        sizes: Counter[tuple[int, ...]] = Counter()
        for row, key in enumerate(keys):
            sizes[key] += 1 if people is None else int(people[row])
        assert spectrum.pairs() == sorted(Counter(sizes.values()).items())
