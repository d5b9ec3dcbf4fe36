"""Spectra of subsets, partitions and minimal sample uniques against counting rows one by one."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.counts import CodedRows, Spectrum
from idbits.kernels.coded import CodedColumns, collapsed, packed_keys, ready
from idbits.kernels.partition import Partition, sorted_with_positions
from idbits.kernels.run_lengths import size_counts
from idbits.kernels.sample_uniques import minimal_sample_uniques, n_sets_up_to, subset_score
from idbits.kernels.subsets import Chain, chain_spectra, spectrum_of_columns, symmetric_chains


@st.composite
def coded_tables(draw, most_columns=5):
    """Draw (rows as tuples, people or None, the table as codes)."""
    n_columns = draw(st.integers(1, most_columns))
    n_rows = draw(st.integers(1, 30))
    cardinalities = draw(st.lists(st.integers(1, 5), min_size=n_columns, max_size=n_columns))
    rows = [tuple(draw(st.integers(0, size - 1)) for size in cardinalities) for _ in range(n_rows)]
    people = draw(st.none() | st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
    # Sizes far beyond what occurs: codes of an engine may have holes.
    spread = draw(st.sampled_from([1, 1_000]))
    codes = tuple(np.array([row[c] * spread for row in rows], np.uint32) for c in range(n_columns))
    sizes = tuple(size * spread for size in cardinalities)
    weights = None if people is None else np.array(people, np.int64)
    return rows, people, CodedRows(codes, sizes, weights)


def counted(rows, people, columns):
    """Count people by their values in some columns."""
    counts = Counter()
    for place, row in enumerate(rows):
        counts[tuple(row[c] for c in columns)] += 1 if people is None else people[place]
    return +counts


def spectrum_by_hand(rows, people, columns):
    return sorted(Counter(counted(rows, people, columns).values()).items())


def wide(table: CodedColumns) -> CodedColumns:
    """Return the table with sizes that leave no room in 64 bits."""
    return CodedColumns(table.codes, tuple(2**31 for _ in table.sizes), table.people, table.n_people)


@pytest.mark.parametrize("n", range(9))
def test_chains_hold_every_subset_once(n: int) -> None:
    chains = symmetric_chains(n)
    masks = [mask for chain in chains for mask in chain.masks()]
    assert sorted(masks) == list(range(1, 2**n))
    for chain in chains:
        sizes = [mask.bit_count() for mask in chain.masks()]
        assert sizes == list(range(sizes[0], sizes[0] + len(sizes)))
        assert sizes[0] + sizes[-1] in (n, n + 1)
    if n:
        assert len(chains) == math.comb(n, n // 2)


@pytest.mark.big
@given(coded_tables())
def test_all_subsets_equal_counting_by_hand(drawn) -> None:
    rows, people, coded = drawn
    table = ready(coded)
    for form in (table, collapsed(table)):
        found = dict(pair for chain in symmetric_chains(len(table.codes)) for pair in chain_spectra(form, chain))
        for mask, spectrum in found.items():
            columns = [c for c in range(len(table.codes)) if mask >> c & 1]
            assert spectrum.pairs() == spectrum_by_hand(rows, people, columns)
        assert len(found) == 2 ** len(table.codes) - 1


@pytest.mark.big
@given(coded_tables(), st.integers(1, 4), st.integers(2, 6))
def test_blocks_make_no_difference(drawn, block: int, small: int) -> None:
    rows, people, coded = drawn
    table = ready(coded)
    order = tuple(range(len(table.codes)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idbits.kernels.subsets._BLOCK", block)
        patch.setattr("idbits.kernels.coded._BLOCK", block)
        patch.setattr("idbits.kernels.run_lengths._SMALL", small)
        found = chain_spectra(table, Chain(order, 1))
    for length, (_, spectrum) in enumerate(found, start=1):
        assert spectrum.pairs() == spectrum_by_hand(rows, people, order[:length])


@given(coded_tables(most_columns=4))
def test_more_than_64_bits(drawn) -> None:
    rows, people, coded = drawn
    table = wide(ready(coded))
    order = tuple(range(len(table.codes)))
    assert sum(map(table.bits, order)) > 64 or len(order) < 3
    for mask, spectrum in chain_spectra(table, Chain(order, 1)):
        columns = [c for c in order if mask >> c & 1]
        assert spectrum.pairs() == spectrum_by_hand(rows, people, columns)
    assert collapsed(table).n_rows == table.n_rows if len(order) > 2 else True


@given(coded_tables(), st.booleans())
def test_partitions_equal_counting_by_hand(drawn, spacious: bool) -> None:
    rows, people, coded = drawn
    table = wide(ready(coded)) if spacious else ready(coded)
    partition = Partition.whole(table)
    for column in range(len(table.codes)):
        expected = spectrum_by_hand(rows, people, range(column + 1))
        assert partition.refined_spectrum(column).pairs() == expected
        partition = partition.refined(column)
        assert partition.spectrum().pairs() == expected


def test_a_partition_of_very_many_people_is_exact() -> None:
    people = np.array([2**60 + 1, 2**60, 3, 1], np.int64)
    table = ready(CodedRows((np.array([0, 0, 1, 1], np.uint32),), (2,), people))
    assert Partition.whole(table).refined_spectrum(0).pairs() == [(4, 1), (2**61 + 1, 1)]
    assert spectrum_of_columns(table, (0,)).pairs() == [(4, 1), (2**61 + 1, 1)]


def test_collapsed_rows_keep_their_codes() -> None:
    rng = np.random.default_rng(0)
    codes = tuple(rng.integers(0, size, 2_000).astype(np.uint32) for size in (3, 2, 4))
    table = ready(CodedRows(codes, (3, 2, 4)))
    few = collapsed(table)
    assert few.n_rows == 24
    assert few.n_people == 2_000
    again = Counter()
    for row, people in zip(zip(*(c.tolist() for c in few.codes), strict=True), few.people.tolist(), strict=True):
        again[row] += people
    assert again == Counter(zip(*(c.tolist() for c in table.codes), strict=True))


def test_nobody_is_left() -> None:
    table = ready(CodedRows((np.array([0, 1], np.uint32),), (2,), np.array([0, 0])))
    assert (table.n_rows, table.n_people) == (0, 0)
    assert chain_spectra(table, Chain((0,), 1)) == [(1, Spectrum.of({}))]


def test_keys_and_positions() -> None:
    keys = np.array([5, 2**63, 5, 0], np.uint64)
    ordered, positions = sorted_with_positions(keys)
    assert ordered.tolist() == [0, 5, 5, 2**63]
    assert positions.tolist() == [3, 0, 2, 1]
    assert size_counts(np.array([1, 10**12, 1])) == {1: 2, 10**12: 1}
    assert size_counts(np.zeros(0, np.int64)) == {}
    packed, bits = packed_keys(ready(CodedRows((np.array([0, 1], np.uint32),), (2,))), (0,))
    assert (packed.tolist(), bits) == ([0, 1], [1])


def uniques_by_hand(rows, people, n_columns, max_size):
    """Return the minimal sample uniques of each row, straight from the definition."""
    found = []
    tables = {
        columns: counted(rows, people, columns)
        for size in range(n_columns + 1)
        for columns in itertools.combinations(range(n_columns), size)
    }
    for place, row in enumerate(rows):
        someone = people is None or people[place] > 0

        def unique(columns, row=row, someone=someone):
            return someone and tables[columns].get(tuple(row[c] for c in columns)) == 1

        found.append(
            [
                columns
                for size in range(1, max_size + 1)
                for columns in itertools.combinations(range(n_columns), size)
                if unique(columns)
                and not any(unique(part) for fewer in range(1, size) for part in itertools.combinations(columns, fewer))
            ]
        )
    return found


@given(coded_tables(), st.integers(1, 5))
def test_minimal_sample_uniques_equal_their_definition(drawn, max_size: int) -> None:
    rows, people, coded = drawn
    table = ready(coded)
    n_columns = len(table.codes)
    ticks = []
    found = minimal_sample_uniques(table, max_size, lambda: ticks.append(1))
    most = min(max_size, n_columns)
    assert len(ticks) == n_sets_up_to(n_columns, most)
    kept = [place for place in range(len(rows)) if people is None or people[place] > 0]
    expected = uniques_by_hand(rows, people, n_columns, most)
    for position, place in enumerate(kept):
        sets = expected[place]
        sizes = Counter(map(len, sets))
        assert [counts[position] for counts in found.counts] == [sizes[s] for s in range(1, most + 1)]
        masks = sorted((len(s), sum(1 << c for c in s)) for s in sets)
        assert found.sets[found.smallest[position]] == (masks[0][1] if masks else 0)
        assert found.smallest_sizes[position] == (masks[0][0] if masks else 0)
        assert found.scores[position] == sum(subset_score(len(s), n_columns, most) for s in sets)


def test_the_score_of_the_literature() -> None:
    # Four attributes, sets of up to three: (4-1)(4-2)(4-3), (4-2)(4-3), (4-3).
    assert [subset_score(size, 4, 3) for size in (1, 2, 3)] == [6, 2, 1]
    assert [subset_score(size, 8, 3) for size in (1, 2, 3)] == [7 * 6 * 5, 6 * 5, 5]
    # Where all columns are allowed, the factor 0 is left out.
    assert [subset_score(size, 3, 3) for size in (1, 2, 3)] == [2, 1, 1]
