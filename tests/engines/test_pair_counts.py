"""Two tables counted value by value: every engine gives the same pairs, with rows and without."""

from collections import Counter
from datetime import date
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idbits.counts import PairCounts
from idbits.engines.base import OpenOptions
from idbits.engines.local_linking import pair_counts_of_rows
from idbits.kernels.subsets import columns_of, symmetric_chains
from idbits.values.attributes import Kind, parse_attributes

CELLS = st.tuples(
    st.sampled_from(["1", "2", "01", None]), st.sampled_from(["F", "f", "F ", None]), st.sampled_from("xy")
)
ROWS = st.lists(CELLS, min_size=1, max_size=12)
NAMES = ("zip", "sex", "job")


def pairs_of(engine, first, second, names, *, beside=True, counts=(None, None), kinds=(None, None), by_rows=False,
             null_is_value=False):  # fmt: skip
    ours = engine(first, kinds[0], OpenOptions(count=counts[0]))
    theirs = engine(second, kinds[1], OpenOptions(count=counts[1]), ours if beside else None)
    asked = [parse_attributes(names, table.columns) for table in (ours, theirs)]
    for table, attributes in zip((ours, theirs), asked, strict=True):
        table.load(attribute.column for attribute in attributes)
    chains = symmetric_chains(len(names))
    if by_rows:
        return pair_counts_of_rows(ours.linked_rows(asked[0], theirs, asked[1]), chains, null_is_value=null_is_value)
    return ours.pair_counts(asked[0], theirs, asked[1], chains, null_is_value=null_is_value)


def brute_force(first, second, *, null_is_value=False):
    """Pairs of every subset from two lists of rows, by equality of Python tuples."""
    found = {}
    n = len(first[0])
    for size in range(1, n + 1):
        for columns in combinations(range(n), size):
            counters = []
            for rows in (first, second):
                values = [tuple(row[column] for column in columns) for row in rows]
                counters.append(Counter(value for value in values if null_is_value or None not in value))
            pairs = Counter(
                (counters[0][value], counters[1][value]) for value in counters[0].keys() | counters[1].keys()
            )
            found[sum(1 << column for column in columns)] = PairCounts.of(pairs)
    return found


def as_rows(cells):
    return [dict(zip(NAMES, row, strict=True)) for row in cells]


@pytest.mark.parametrize(
    ("beside", "by_rows", "null_is_value"),
    [(True, False, False), (True, False, True), (True, True, False), (False, False, False)],
)
def test_pairs_of_every_subset(engine, beside, by_rows, null_is_value):
    first = [("1", "F", "x"), ("1", "F", "x"), ("2", None, "y"), (None, "M", "x"), ("9", "F ", "y"), ("01", "f", "x")]
    second = [("1", "F", "x"), ("2", None, "x"), (None, "M", "x"), (None, None, "y"), ("9", "F", "y"), ("1", "F", "y")]
    found = pairs_of(engine, as_rows(first), as_rows(second), NAMES, beside=beside, by_rows=by_rows,
                     null_is_value=null_is_value)  # fmt: skip
    assert found == brute_force(first, second, null_is_value=null_is_value)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(first=ROWS, second=ROWS, null_is_value=st.booleans())
def test_random_small_tables(first, second, null_is_value):
    from idbits.engines.plain import PlainTable

    tables = [PlainTable(as_rows(rows), dict.fromkeys(NAMES, Kind.TEXT), OpenOptions()) for rows in (first, second)]
    asked = [parse_attributes(NAMES, table.columns) for table in tables]
    found = tables[0].pair_counts(asked[0], tables[1], asked[1], symmetric_chains(3), null_is_value=null_is_value)
    assert found == brute_force(first, second, null_is_value=null_is_value)


@pytest.mark.parametrize("beside", [True, False])
def test_counted_tables(engine, beside):
    first = [{"a": "x", "n": "3"}, {"a": "y", "n": "0"}, {"a": None, "n": "4"}, {"a": "x", "n": "2"}]
    second = [{"a": "x", "m": "7"}, {"a": "y", "m": "300"}, {"a": "z", "m": "0"}, {"a": None, "m": "1"}]
    found = pairs_of(engine, first, second, ["a"], beside=beside, counts=("n", "m"))
    assert found[1].triples() == [(0, 300, 1), (5, 7, 1)]


@pytest.mark.parametrize("beside", [True, False])
def test_views_of_dates_and_numbers_meet_by_text(typed_engine, beside):
    first = [{"born": date(1985, 5, 1), "age": 30}, {"born": date(1985, 9, 1), "age": 31}]
    second = [{"born": date(1985, 1, 1), "age": "30"}, {"born": date(1990, 1, 1), "age": "31"}]
    kinds = ({"born": Kind.DATE, "age": Kind.INTEGER}, {"born": Kind.DATE, "age": Kind.TEXT})
    found = pairs_of(typed_engine, first, second, ["born:year", "age"], beside=beside, kinds=kinds)
    assert {mask: pairs.triples() for mask, pairs in found.items()} == {
        1: [(0, 1, 1), (2, 1, 1)],
        2: [(1, 1, 2)],
        3: [(0, 1, 1), (1, 0, 1), (1, 1, 1)],
    }
    assert columns_of(3) == (0, 1)
