"""Sets of columns on every engine: each way of counting gives the spectrum that the table gives."""

import numpy as np
import pytest

from idbits.counts import DrawnRecords
from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.engines.plain import PlainTable
from idbits.errors import InputError
from idbits.kernels.subsets import columns_of
from idbits.kernels.threads import run_in_threads
from idbits.progress import TimeIsUpError
from idbits.reading import OpenOptions
from idbits.values.attributes import Kind, parse_attributes

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
    counts = table.subset_counts(attributes, OpenOptions(threads=2))

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


VISITS = [
    {"who": who, "zip": code, "name": name}
    for who, code, name in [
        ("1", "01", "a"), ("1", "02", "a"), ("1", "01", "a"), ("2", "01", "a"), ("2", "02", "b"), ("3", None, "b"),
        ("3", "01", None), ("a", None, "b"), ("A", "01", "a"), (None, "02", "b"), (None, "03", None), ("é", "02", "a"),
    ]
]  # fmt: skip
REQUESTS = {
    "one record": PersonRequest(),
    "drawn record": PersonRequest(records=True),
    "all records": PersonRequest(sets=True),
}


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("null_is_own", [False, True])
def test_every_way_of_counting_people_gives_what_plain_python_counts(engine, request_, null_is_own):
    persons, request = Persons("who", null_is_own=null_is_own), REQUESTS[request_]
    table = engine.loaded(VISITS, ["who", *NAMES])
    attributes = parse_attributes(NAMES, table.columns)
    counts = table.person_subset_counts(persons, attributes, request, OpenOptions(threads=2))
    reference = engine.reference(VISITS)

    def expected(*masks):
        counted = {}
        for mask in masks:
            columns = [attributes[column] for column in columns_of(mask)]
            found = reference.person_counts(persons, columns, request, OpenOptions())
            counted[mask] = found.sets.pairs() if request.sets else list(found.smallest)
            if request.records:
                counted[mask] = DrawnRecords.of_pairs(found.records, found.n_people).triples()
        return counted

    def stored(count, *arguments):
        found = {}
        count(*arguments, found.update)
        return {
            mask: counted.triples() if request.records else counted.pairs() for mask, counted in sorted(found.items())
        }

    assert stored(counts.count_every_set) == expected(*range(1, EVERYTHING + 1))
    assert stored(counts.count_single_columns) == expected(1, 2, 4)
    assert stored(counts.count_all_but_one, [0, 1, 2]) == expected(3, 5, 6, EVERYTHING)
    assert stored(counts.count_sets, [3, EVERYTHING], [1, 0, 2], {EVERYTHING}) == expected(3, EVERYTHING)
    assert not counts.are_alike(1)
    assert counts.sizes == tuple(reference.spectrum([attribute]).n_sets for attribute in attributes)
    people = reference.person_counts(persons, attributes, PersonRequest(), OpenOptions())
    assert (counts.n_people, counts.n_rows) == (people.n_people, people.n_rows)
    assert counts.people_by_rows == people.rows
    assert stored(counts.count_beginnings, [[2, 0, 1], [1, 0, 2]]) == expected(2, 3, 4, 5, EVERYTHING)


def test_people_of_a_counted_table_cannot_be_counted(engine):
    table = engine.loaded(ROWS, NAMES, count="n")
    attributes = parse_attributes(NAMES[:1], table.columns)
    with pytest.raises(InputError, match="--count"):
        table.person_subset_counts(Persons("name"), attributes, PersonRequest(), OpenOptions(count="n"))


def test_what_cannot_be_unique_is_not_counted_and_people_who_are_alike_are_remembered():
    draw = np.random.default_rng(0)
    rows = [dict(zip("abcdef", [*draw.integers(0, 3, 5).tolist(), row], strict=True)) for row in range(200)]
    table = PlainTable(rows, dict.fromkeys("abcdef", Kind.INTEGER))
    counts = table.subset_counts(parse_attributes("abcdef", table.columns), OpenOptions(threads=1))
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
