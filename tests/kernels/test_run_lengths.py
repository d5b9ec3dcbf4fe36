"""Runs given by where they begin or by what repeats, in pieces of any size, against a count by hand."""

import itertools
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.run_lengths import RunLengths

PIECES = st.lists(st.tuples(st.lists(st.booleans(), min_size=1, max_size=6), st.booleans()), max_size=8)


@given(PIECES)
def test_begins_and_repeats_say_the_same(pieces):
    runs, place, begins = RunLengths(), 1, [0]
    for begun, by_repeats in pieces:
        here = np.flatnonzero(begun) + place
        if by_repeats:
            runs.add_repeats(np.flatnonzero(np.logical_not(begun)) + place, place, len(begun))
        else:
            runs.add_begins(here)
        begins += here.tolist()
        place += len(begun)
    lengths = [end - begin for begin, end in itertools.pairwise([*begins, place])]
    assert runs.spectrum(place).pairs() == sorted(Counter(lengths).items())


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 5000)), min_size=1, max_size=20))
def test_a_run_is_as_long_as_it_has_people(rows):
    people = np.array([number for _, number in rows])
    begins = [place for place, (begin, _) in enumerate(rows) if begin and place]
    runs = RunLengths(np.concatenate(([0], people.cumsum())))
    assert not runs.rather_repeats(len(rows), len(rows))
    runs.add_begins(np.array(begins, np.int64))
    sums = [int(people[a:b].sum()) for a, b in itertools.pairwise([0, *begins, len(rows)])]
    assert runs.spectrum(len(rows)).pairs() == sorted(Counter(sums).items())
