"""Spectra, nulls, groups and histograms against counts made by hand or by a Counter."""

import itertools
import random
from collections import Counter
from datetime import date, datetime

import pytest

from idbits.counts import Histogram, Spectrum
from idbits.engines.base import OpenOptions, PersonRows
from idbits.kernels import packed
from idbits.values.attributes import Kind, parse_attributes

PEOPLE = [
    {"zip": "1011", "sex": "F", "town": "A"},
    {"zip": "1011", "sex": "F", "town": "B"},
    {"zip": "1011", "sex": "M", "town": "A"},
    {"zip": "1012", "sex": None, "town": "A"},
    {"zip": "1012", "sex": None, "town": None},
    {"zip": None, "sex": None, "town": None},
    {"zip": None, "sex": "F", "town": None},
]


def test_a_spectrum_counts_sets_of_each_size(engine):
    table = engine.loaded(PEOPLE, ["zip", "sex"])
    qid = parse_attributes(["zip", "sex"], table.columns)
    assert table.n_people() == 7
    assert table.spectrum(qid) == Spectrum.of({1: 3, 2: 2})
    assert table.spectrum(qid[:1]) == Spectrum.of({2: 2, 3: 1})
    assert table.spectrum(qid[1:]) == Spectrum.of({3: 2, 1: 1})
    assert [table.null_people(attribute) for attribute in qid] == [2, 3]


def test_nulls_are_one_value_of_their_own(engine):
    assert engine.count(PEOPLE, ["zip", "sex"]) == {
        ("1011", "F"): 2, ("1011", "M"): 1, ("1012", None): 2, (None, None): 1, (None, "F"): 1,
    }  # fmt: skip
    assert engine.count([{"a": None}] * 3, ["a"]) == {None: 3}


def _many_columns() -> list[dict[str, str | None]]:
    draw = random.Random(5)
    made = [
        {f"c{place}": draw.choice(["x", None]) if place % 14 == 0 else "y" for place in range(70)} for _ in range(10)
    ]
    return [made[0], made[0], *made]


@pytest.mark.big
def test_seventy_columns_together(engine):
    rows = _many_columns()
    counted = Counter(tuple(row.values()) for row in rows)
    table = engine.loaded(rows, list(rows[0]))
    qid = parse_attributes(list(rows[0]), table.columns)
    assert table.spectrum(qid) == Spectrum.of(Counter(counted.values()))
    within: dict[str | None, Counter[int]] = {"x": Counter(), None: Counter()}
    for (group, *_), people in counted.items():
        within[group][people] += 1
    groups = table.group_spectra(qid[0], qid[1:])
    assert dict(groups) == {group: Spectrum.of(sizes) for group, sizes in within.items()}
    ((most_common, people),) = counted.most_common(1)
    assert people > 1
    common = table.histogram(qid, at_least=people)
    assert common == Histogram((most_common,), (people,), len(counted) - 1, len(rows) - people)
    rarest = sorted(counted, key=lambda row: (counted[row], [(cell is not None, cell or "") for cell in row]))[:3]
    assert table.histogram(qid, most=3).values == tuple(rarest)


@pytest.mark.big
def test_seventy_columns_in_a_population(engine):
    rows = _many_columns()
    release = engine.loaded(rows[:4], list(rows[0]))
    population = engine.loaded(rows * 2, list(rows[0]))
    qid = parse_attributes(list(rows[0]), release.columns)
    found = release.match(qid, population, qid)
    counted, all_counted = Counter(tuple(row.values()) for row in rows[:4]), Counter(tuple(r.values()) for r in rows)
    assert (found.missing_values, found.overfull_values) == (0, 0)
    expected = [(2 * all_counted[value], 1, people) for value, people in counted.items()]
    assert found.spectrum == Spectrum.against(expected, 2 * len(rows), len(counted))


@pytest.mark.big
def test_seventy_columns_of_a_counted_table(engine):
    rows = [row | {"n": str(number)} for number, row in enumerate(_many_columns())]
    table = engine.loaded(rows, list(rows[0])[:-1], count="n")
    qid = parse_attributes(list(rows[0])[:-1], table.columns)
    counted: Counter[tuple[str | None, ...]] = Counter()
    for number, row in enumerate(rows):
        counted[tuple(row.values())[:-1]] += number
    sizes = Counter(people for people in counted.values() if people)
    assert table.spectrum(qid) == Spectrum.of(sizes)
    merged = Spectrum.merged([spectrum for _, spectrum in table.group_spectra(qid[0], qid[1:])])
    assert merged == Spectrum.of(sizes)


def test_columns_keep_their_order_and_say_their_kinds(engine):
    table = engine([{"z": "1", "a": "2", "m": "3"}])
    assert list(table.columns.items()) == [("z", Kind.TEXT), ("a", Kind.TEXT), ("m", Kind.TEXT)]


def test_typed_columns_say_their_kinds(typed_engine):
    kinds = {f"{kind}s": kind for kind in Kind if kind is not Kind.OTHER}
    values = ("a", 1, 0.5, True, date(1985, 5, 1), datetime(1985, 5, 1, 12, 30))
    assert dict(typed_engine([dict(zip(kinds, values, strict=True))], kinds).columns) == kinds


def test_only_the_columns_that_may_be_seen_are_there(engine):
    table = engine(PEOPLE, options=OpenOptions(columns=("sex", "zip"), where="town = 'A'"))
    assert list(table.columns) == ["zip", "sex"]
    table.load(["zip"])
    assert table.n_people() == 3


def test_the_order_of_attributes_does_not_matter(engine):
    table = engine.loaded(PEOPLE, ["zip", "sex", "town"])
    spectra = [
        table.spectrum(parse_attributes(names, table.columns)) for names in itertools.permutations(table.columns)
    ]
    assert all(spectrum == Spectrum.of({1: 7}) for spectrum in spectra)


def test_groups_are_counted_within(engine):
    table = engine.loaded(PEOPLE, ["town", "zip", "sex"])
    town, zip_code, sex = parse_attributes(["town", "zip", "sex"], table.columns)
    assert dict(table.group_spectra(town, [zip_code])) == {
        "A": Spectrum.of({2: 1, 1: 1}), "B": Spectrum.of({1: 1}), None: Spectrum.of({2: 1, 1: 1}),
    }  # fmt: skip
    assert dict(table.group_spectra(sex, [sex])) == {
        "F": Spectrum.of({3: 1}), "M": Spectrum.of({1: 1}), None: Spectrum.of({3: 1}),
    }  # fmt: skip


def test_a_histogram_has_the_most_frequent_first_and_says_what_it_leaves_out(engine):
    table = engine.loaded(PEOPLE, ["zip"])
    qid = parse_attributes(["zip"], table.columns)
    everything = Histogram((("1011",), (None,), ("1012",)), (3, 2, 2))
    assert table.histogram(qid) == everything
    assert table.histogram(qid, at_least=0) == everything
    assert table.histogram(qid, at_least=3) == Histogram((("1011",),), (3,), 2, 4)
    assert table.histogram(qid, at_least=4) == Histogram((), (), 3, 7)


def test_a_histogram_of_the_most_exposed_has_the_least_frequent_first(engine):
    table = engine.loaded(PEOPLE, ["zip", "sex"])
    qid = parse_attributes(["zip", "sex"], table.columns)
    least = (((None, None), (None, "F"), ("1011", "M")), (1, 1, 1))
    assert table.histogram(qid, most=3) == Histogram(*least, 2, 4)
    assert table.histogram(qid, most=0) == Histogram((), (), 5, 7)
    assert table.histogram(qid, at_least=2, most=9) == Histogram((("1011", "F"), ("1012", None)), (2, 2), 3, 3)


def test_the_most_exposed_are_in_the_order_of_their_text(typed_engine):
    rows = [{"n": value} for value in (10, 9, -1, None, 100)]
    table = typed_engine.loaded(rows, ["n"], {"n": Kind.INTEGER})
    for most in range(1, 6):
        found = table.histogram(parse_attributes(["n"], table.columns), most=most)
        assert found.values == ((None,), ("-1",), ("10",), ("100",), ("9",))[:most]


def test_person_rows(engine):
    rows = [{"id": name} for name in ("p", "q", "p", "r", None, "p", "r", None, "P", "p ")]
    assert engine.loaded(rows, ["id"]).person_rows("id") == PersonRows(10, 2, 2)


@pytest.mark.parametrize("far", [7, 1 << 40], ids=["near", "far"])
def test_person_rows_of_numbers(typed_engine, far):
    numbers = [3, -2, 3, None, far, 3, far, None, 0]
    table = typed_engine.loaded([{"id": number} for number in numbers], ["id"], {"id": Kind.INTEGER})
    assert table.person_rows("id") == PersonRows(9, 2, 2)


def test_an_empty_table_has_nobody(typed_engine):
    table = typed_engine.loaded([], ["a", "b"], {"a": Kind.TEXT, "b": Kind.INTEGER})
    qid = parse_attributes(["a", "b"], table.columns)
    assert table.n_people() == 0
    assert table.spectrum(qid) == Spectrum.of({}) == table.spectrum(qid[:1])
    assert table.histogram(qid) == Histogram((), ())
    assert table.group_spectra(qid[0], qid[1:]) == []
    assert table.person_rows("a") == PersonRows(0, 0, 0)


def test_a_filter_that_leaves_nobody(engine):
    assert engine.count(PEOPLE, ["zip", "sex"], where="zip = '9'") == {}


def test_values_of_every_kind_are_shown_the_same(typed_engine):
    kinds = {"number": Kind.NUMBER, "flag": Kind.BOOLEAN, "whole": Kind.INTEGER}
    numbers = (1.0, -0.0, 0.0, 1e14, 1e15, 1e16, 1e-5, 0.1, 1e300, 5e-324, 123456789.125)
    rows = [{"number": number, "flag": number > 1, "whole": 3} for number in numbers]
    assert list(typed_engine.count(rows, ["number"], kinds)) == [
        "0", "0.1", "1", "100000000000000", "1000000000000000", "123456789.125", "1e+16", "1e+300", "1e-05", "5e-324",
    ]  # fmt: skip
    assert typed_engine.count(rows, ["flag", "whole"], kinds) == {("false", "3"): 6, ("true", "3"): 5}


@pytest.mark.big
@pytest.mark.parametrize(("columns", "constant_group"), [(32, True), (33, False), (64, True), (65, False)])
def test_keys_around_32_and_64_bits(typed_engine, by_each_path, columns, constant_group):
    if columns > 33 and typed_engine.name not in ("plain", "duckdb-arrow"):
        columns = 33 if columns == 65 else 32  # one kind of frame is enough for many joins
    names = [f"b{position}" for position in range(columns)]
    chance = random.Random(columns)
    lines = [[chance.random() < 0.5 for _ in names] for _ in range(12)]
    lines += lines[:5] + [[True] * columns, [False] * columns] + [[True] * (columns - 1) + [False]] * 2
    rows = [{"group": "g", **dict(zip(names, line, strict=True))} for line in lines]
    kinds = {"group": Kind.TEXT, **dict.fromkeys(names, Kind.BOOLEAN)}
    asked = (["group"] if constant_group else []) + names
    table, reference = typed_engine.loaded(rows, asked, kinds), typed_engine.reference(rows, kinds)
    qid = parse_attributes(asked, table.columns)
    assert table.spectrum(qid).pairs() == sorted(Counter(Counter(map(tuple, lines)).values()).items())
    by_each_path(table, reference, qid)


@pytest.mark.parametrize("block", [1, 3, 1 << 18])
def test_runs_that_cross_blocks_are_counted_once(engine, monkeypatch, block):
    monkeypatch.setattr(packed, "_BLOCK", block)
    for seed, values in itertools.product(range(2), (1, 5)):
        chance = random.Random(seed)
        rows = [{"a": str(chance.randrange(values)), "b": str(chance.randrange(2))} for _ in range(23)]
        table = engine.loaded(rows, ["a", "b"])
        expected = Counter(Counter((row["a"], row["b"]) for row in rows).values())
        assert dict(table.spectrum(parse_attributes(["a", "b"], table.columns)).pairs()) == expected


@pytest.mark.parametrize("memory", [None, 400_000_000])
def test_the_memory_limit_changes_no_count(engine, memory):
    rows = [{"a": str(i % 7), "b": str(i % 11), "c": str(i // 40)} for i in range(3_000)]
    found = engine.count(rows, ["a", "b", "c"], memory=memory)
    assert found == Counter((row["a"], row["b"], row["c"]) for row in rows)
