"""Distinct rows, cohorts and cells against counting by hand, with few and many bits, with and without weights."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from idbits.counts import CodedRows
from idbits.errors import NotEstimableError
from idbits.kernels import cohorts, distinct, exact_sums, leave_one_out, ordering
from idbits.kernels.cohorts import cells_of, pair_spectrum, ranks_of
from idbits.kernels.distinct import distinct_rows, people_by_code
from idbits.kernels.leave_one_out import LeaveOneOut
from idbits.kernels.ordering import CodedColumn, lexical_order, passes


@st.composite
def coded(draw):
    """Draw rows whose codes take few bits or more than 64 together."""
    n = draw(st.integers(1, 40))
    wide = draw(st.booleans())
    sizes = draw(
        st.lists(st.sampled_from([1, 2, 3, 5, 2**31, 2**32 - 1] if wide else [1, 2, 3, 7]), min_size=1, max_size=6)
    )
    columns = [
        draw(st.lists(st.sampled_from(sorted({0, size // 2, size - 1})), min_size=n, max_size=n)) for size in sizes
    ]
    people = draw(st.none() | st.lists(st.integers(1, 2**40), min_size=n, max_size=n))
    return CodedRows(
        tuple(np.array(column, np.uint32) for column in columns),
        tuple(sizes),
        None if people is None else np.array(people, np.int64),
    )


def plain(rows: CodedRows) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in rows.codes), strict=True))


@pytest.fixture(autouse=True)
def _few_rows_a_block(monkeypatch):
    """Blocks so small that everything spans several."""
    monkeypatch.setattr(cohorts, "_BLOCK", 3)
    monkeypatch.setattr(distinct, "_BLOCK", 4)
    monkeypatch.setattr(ordering, "_BLOCK", 5)


def counted_by_hand(rows: CodedRows) -> Counter:
    weights = rows.people.tolist() if rows.people is not None else [1] * rows.n_rows
    found: Counter = Counter()
    for row, weight in zip(plain(rows), weights, strict=True):
        found[row] += weight
    return found


@pytest.mark.big
@given(coded(), st.booleans(), st.sampled_from([1, 30]))
def test_distinct_rows_and_places(rows, with_indices, copies):
    rows = by_columns(rows)
    rows = CodedRows(rows.codes * copies, rows.sizes * copies, rows.people)
    found = distinct_rows(rows, with_indices=with_indices)
    made = list(zip(*(column.tolist() for column in found.codes), strict=True))
    assert dict(zip(made, found.cohorts().tolist(), strict=True)) == counted_by_hand(rows)
    assert len(set(made)) == len(made) == found.n_rows
    assert found.n_people == sum(counted_by_hand(rows).values())
    if with_indices:
        assert [made[index] for index in found.indices.tolist()] == plain(rows)


def by_columns(rows: CodedRows) -> CodedRows:
    """Return the rows with sizes of those codes that occur: histograms by code need memory for all."""
    codes, sizes = [], []
    for column in rows.codes:
        values, again = np.unique(column, return_inverse=True)
        codes.append(again.astype(np.uint32))
        sizes.append(len(values))
    return CodedRows(tuple(codes), tuple(sizes), rows.people)


def test_rows_of_nobody_are_left_out():
    rows = CodedRows((np.array([0, 1, 1], np.uint32),), (2,), np.array([0, 2, 3]))
    found = distinct_rows(rows)
    assert (found.codes[0].tolist(), found.people.tolist(), found.n_people) == ([1], [5], 5)
    assert found.value_people[0].tolist() == [0, 5]


def cohorts_by_hand(made, place):
    groups = defaultdict(set)
    for number, row in enumerate(made):
        groups[row[:place] + row[place + 1 :]].add((number, row[place]))
    return {frozenset(group) for group in groups.values()}


@pytest.mark.big
@given(coded(), st.sampled_from([1, 4, 1 << 15]))
def test_cohorts_of_packed_rows(rows, grouped):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leave_one_out, "_GROUPED", grouped)
        check_cohorts(distinct_rows(by_columns(rows)))


@pytest.mark.big
@given(coded(), st.integers(6, 12))
def test_cohorts_of_rows_wider_than_64_bits(rows, copies):
    # Codes stay small, but their columns are said to need many bits: sorted in passes, or by ranks of both sides.
    narrow_rows = distinct_rows(by_columns(rows))
    wide = distinct.DistinctRows(
        tuple([2**32 - 1] * (len(rows.sizes) + copies)),
        narrow_rows.n_rows,
        narrow_rows.n_people,
        narrow_rows.value_people,
        narrow_rows.people,
        None,
        None,
        (*narrow_rows.codes, *(narrow_rows.codes[0] for _ in range(copies))),
    )
    check_cohorts(wide)


def check_cohorts(rows):
    made = list(zip(*(column.tolist() for column in rows.codes), strict=True))
    found = defaultdict(set)
    for place, block in cohort_blocks(LeaveOneOut(rows), len(rows.sizes)):
        ends = [*block.starts[1:].tolist(), len(block.rows)]
        pairs = list(zip(block.rows.tolist(), block.codes.tolist(), strict=True))
        found[place] |= {frozenset(pairs[a:b]) for a, b in zip(block.starts.tolist(), ends, strict=True)}
    assert found == {place: cohorts_by_hand(made, place) for place in range(len(rows.sizes))}


def cohort_blocks(leave, n_columns):
    """Yield each column with its cohorts, whose rows are those of the table."""
    if not leave.is_packed:
        yield from ((place, block) for place in range(n_columns) for block in leave.blocks(place))
        return
    for half in (leave.first_half(), leave.last_half()):
        for start, end in half.borders() if half.columns else []:
            group = half.block(start, end)
            numbers = np.arange(len(leave._rows.keys))[group.rows]
            for place, shift, bits in half.columns:
                for block in group.cohorts(shift, bits):
                    yield place, leave_one_out.CohortBlock(numbers[block.rows], block.codes, block.starts)


def test_a_key_of_exactly_64_bits():
    # 63 bits of codes and one for the number of two rows.
    codes = (np.array([0, 2**31 - 1], np.uint32), np.array([2**32 - 1, 2**32 - 1], np.uint32))
    rows = distinct.DistinctRows((2**31, 2**32), 2, 2, (), None, None, None, codes)
    keys = ordering.pack(rows.columns, 2)
    check_cohorts(distinct.DistinctRows((2**31, 2**32), 2, 2, (), None, keys))


@given(coded())
def test_order_is_that_of_the_rows(rows):
    columns = [CodedColumn(c, max(0, s - 1).bit_length()) for c, s in zip(rows.codes, rows.sizes, strict=True)]
    order, changes = lexical_order(columns, rows.n_rows)
    made = [plain(rows)[place] for place in order.tolist()]
    assert made == sorted(plain(rows))
    assert changes.tolist() == [i == 0 or made[i] != made[i - 1] for i in range(len(made))]
    assert [column for run in passes(columns, rows.n_rows) for column in run] == [c for c in columns if c.bits]


@pytest.mark.big
@given(coded(), st.data(), st.sampled_from([0, 1 << 20]))
def test_cells_of_known_columns(rows, data, dense):
    found = distinct_rows(by_columns(rows))
    known = data.draw(st.lists(st.integers(0, len(found.sizes) - 1), unique=True))
    place = data.draw(st.integers(0, len(found.sizes) - 1))
    made = list(zip(*(column.tolist() for column in found.codes), strict=True))
    expected: dict = defaultdict(Counter)
    for row, weight in zip(made, found.cohorts().tolist(), strict=True):
        expected[tuple(row[k] for k in known)][row[place]] += weight
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cohorts, "_DENSE", dense)
        columns = found.columns
        ranks = ranks_of([columns[k] for k in known], [found.sizes[k] for k in known], found.n_rows)
        cohort, code, people = cells_of(ranks, found.codes[place], found.sizes[place], found.people)
    got: dict = defaultdict(Counter)
    key_of = {int(rank): tuple(row[k] for k in known) for rank, row in zip(ranks.ranks, made, strict=True)}
    for one, two, three in zip(cohort.tolist(), code.tolist(), people.tolist(), strict=True):
        got[key_of[one]][two] += three
    assert got == expected
    assert cohort.tolist() == sorted(cohort.tolist())


def test_people_beyond_what_floats_hold():
    people = np.array([2**53 + 1, 1, 2**60], np.int64)
    assert people_by_code(np.array([0, 1, 0], np.uint32), 2, people).tolist() == [2**53 + 1 + 2**60, 1]


def test_pairs():
    one, two = np.array([0, 0, 1, 1], np.uint32), np.array([0, 0, 1, 2], np.uint32)
    assert pair_spectrum(one, 2, two, 3, np.array([1, 2, 3, 4])).pairs() == [(3, 2), (4, 1)]


@pytest.mark.big
@given(st.lists(st.tuples(st.integers(-(2**57), 2**57), st.integers(1, 2**30)), min_size=1, max_size=30), st.data())
def test_sums_are_exact(pairs, data):
    cut = data.draw(st.integers(0, len(pairs) - 1))
    starts = np.array(sorted({0, cut}))
    numbers, weights = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    limbs = exact_sums.segment_sums(numbers, weights, starts)
    sums = [(int(high) << exact_sums.LIMB_BITS) + int(low) for high, low in zip(*limbs, strict=True)]
    parts = [pairs[a:b] for a, b in zip(starts.tolist(), [*starts[1:].tolist(), None], strict=True)]
    assert sums == [sum(number * weight for number, weight in part) for part in parts]
    assert exact_sums.exact_total(limbs) == sum(number * weight for number, weight in pairs)


def test_sums_that_could_overflow_are_refused():
    with pytest.raises(NotEstimableError):
        exact_sums.check_room(np.array([1 << 58]), 2**40)


@given(high=st.integers(0, 2**62), low=st.integers(0, 2**28 - 1))
@example(high=2**53 + 1, low=1)
def test_limbs_are_rounded_once(high, low):
    (rounded,) = exact_sums.as_floats((np.array([high]), np.array([low]))).tolist()
    assert rounded == float((high << 28) + low)
