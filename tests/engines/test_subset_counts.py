"""Sets of columns on every engine: each way of counting gives the spectrum that the table gives."""

import numpy as np
import pytest

from idbits.counts import CodedRows
from idbits.engines.local_subsets import LocalSubsetCounts
from idbits.kernels.subsets import columns_of
from idbits.kernels.threads import run_in_threads
from idbits.progress import TimeIsUpError
from idbits.values.attributes import parse_attributes

NAMES = ["zip", "name", "zip:prefix1"]
ROWS = [
    {"zip": "01234", "name": "é", "n": "1"},
    {"zip": None, "name": "e", "n": "0"},
    {"zip": "1234", "name": "é", "n": "3"},
    {"zip": "01234", "name": "É ", "n": "2"},
    {"zip": None, "name": "E", "n": "1"},
]
EVERYTHING = 0b111


def test_every_way_of_counting_gives_the_spectrum(engine):
    table = engine.loaded(ROWS, NAMES, count="n")
    attributes = parse_attributes(NAMES, table.columns)
    counts = table.subset_counts(attributes, threads=2)

    def expected(*masks):
        return {mask: table.spectrum([attributes[column] for column in columns_of(mask)]).pairs() for mask in masks}

    def stored(count, *arguments):
        spectra = {}
        count(*arguments, spectra.update)
        return {mask: spectrum.pairs() for mask, spectrum in spectra.items()}

    assert stored(counts.count_every_set) == expected(*range(1, EVERYTHING + 1))
    assert stored(counts.count_single_columns) == expected(1, 2, 4)
    assert stored(counts.count_all_but_one, [0, 1, 2]) == expected(3, 5, 6, EVERYTHING)
    assert stored(counts.count_beginnings, [[2, 0, 1], [1, 0, 2]]) == expected(4, 5, 2, 3, EVERYTHING)
    assert stored(counts.count_sets, [3, EVERYTHING], [1, 0, 2], ()) == expected(3, EVERYTHING)
    assert counts.sizes == tuple(table.spectrum([attribute]).n_sets for attribute in attributes)
    assert counts.n_people == 7


def test_what_cannot_be_unique_is_not_counted_and_people_who_are_alike_are_remembered():
    draw = np.random.default_rng(0)
    codes = (*(draw.integers(0, 3, 200).astype(np.uint32) for _ in range(5)), np.arange(200, dtype=np.uint32))
    counts = LocalSubsetCounts(CodedRows(codes, (3, 3, 3, 3, 3, 200)), (), None, threads=1)
    spectra = {}
    counts.count_sets([0b000111], range(6), {0b000111}, spectra.update)
    assert spectra[0b000111].n_sets < 200
    assert counts.are_alike(0b000111)
    assert not counts.are_alike(0b111111)
    counts.count_sets([0b000011], range(6), {0b000011}, spectra.update)
    assert spectra[0b000011] is None


@pytest.mark.parametrize("ends", [KeyboardInterrupt, TimeIsUpError])
def test_nothing_that_is_finished_is_lost(ends):
    stored = []

    def store(item, result):
        assert result == -item
        stored.append(item)
        if len(stored) == 1 or ends is TimeIsUpError:
            raise ends

    begun = []
    with pytest.raises(ends):
        run_in_threads(lambda item: begun.append(item) or -item, range(100), store, threads=3)
    assert sorted(stored) == sorted(begun)
    assert len(begun) < 100
