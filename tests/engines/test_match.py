"""A release looked up in a population: by packed codes where one engine has both, by text otherwise."""

from collections import Counter
from datetime import date, datetime

import pytest

from idbits.counts import Spectrum
from idbits.engines.base import OpenOptions, PopulationMatch
from idbits.values.attributes import Kind, parse_attributes

RELEASE = [{"zip": z, "sex": s} for z, s in [("1", "F"), ("1", "F"), ("2", "M"), (None, "M"), ("9", None), ("9", "F")]]
POPULATION = [
    {"id": "x", "sex": s, "zip": z}
    for z, s in [("1", "F")] * 5 + [("2", "M"), (None, "M"), (None, "M"), ("9", None), ("3", "F")]
]


def match(engine, release, population, names, kinds=(None, None), count=None, population_count=None, beside=True):
    ours = engine(release, kinds[0], OpenOptions(count=count))
    theirs = engine(population, kinds[1], OpenOptions(count=population_count), ours if beside else None)
    asked = [parse_attributes(names, table.columns) for table in (ours, theirs)]
    for table, qid in zip((ours, theirs), asked, strict=True):
        table.load(attribute.column for attribute in qid)
    return ours.match(asked[0], theirs, asked[1])


def brute_force(release, population):
    """PopulationMatch of two Counters."""
    rows: dict[int, list[int]] = {}
    known = {value: people for value, people in release.items() if population[value]}
    for value, people in known.items():
        row = rows.setdefault(population[value], [0, 0])
        row[0] += 1
        row[1] += people
    spectrum = Spectrum.against(
        [(size, sets, people) for size, (sets, people) in rows.items()], sum(population.values()), len(known)
    )
    over = sum(people > population[value] for value, people in known.items())
    missing = [people for value, people in release.items() if value not in known and people]
    return PopulationMatch(spectrum, len(missing), sum(missing), over)


@pytest.mark.parametrize("beside", [True, False])
def test_sizes_come_from_the_population(engine, beside):
    found = match(engine, RELEASE, POPULATION, ["zip", "sex"], beside=beside)
    ours, theirs = (Counter((row["zip"], row["sex"]) for row in rows) for rows in (RELEASE, POPULATION))
    assert found == brute_force(ours, theirs)
    assert (found.missing_values, found.missing_people, found.overfull_values) == (1, 1, 0)
    assert found.spectrum == Spectrum.against([(1, 2, 2), (2, 1, 1), (5, 1, 2)], 10, 4)


@pytest.mark.parametrize("beside", [True, False])
def test_values_that_more_have_in_the_release_are_counted(engine, beside):
    found = match(engine, RELEASE, POPULATION[4:], ["zip"], beside=beside)
    assert found == PopulationMatch(Spectrum.against([(1, 3, 5), (2, 1, 1)], 6, 4), 0, 0, 2)


@pytest.mark.parametrize("beside", [True, False])
def test_a_counted_population_and_a_counted_release(engine, beside):
    release = [{"a": "x", "n": "3"}, {"a": "y", "n": "0"}, {"a": "z", "n": "4"}, {"a": None, "n": "1"}]
    population = [{"m": "7", "a": "x"}, {"m": "5", "a": "x"}, {"m": "0", "a": "z"}, {"m": "1", "a": None}]
    found = match(engine, release, population, ["a"], count="n", population_count="m", beside=beside)
    assert found == PopulationMatch(Spectrum.against([(12, 1, 3), (1, 1, 1)], 13, 2), 1, 4, 0)
    twice = [row | {"b": "k"} for row in release], [row | {"b": "k"} for row in population]
    assert match(engine, *twice, ["a", "b"], count="n", population_count="m", beside=beside) == found


@pytest.mark.parametrize("beside", [True, False])
def test_transforms_are_of_both(engine, beside):
    release = [{"born": "1985-05-01", "age": "36"}, {"born": "1985-05-31", "age": "39.5"}]
    population = [{"born": "12.05.1985", "age": " 35"}, {"born": "13.05.1985", "age": "37"}]
    found = match(engine, release, population, ["born:month", "age:band5"], beside=beside)
    assert found == PopulationMatch(Spectrum.against([(2, 1, 2)], 2, 1), 0, 0, 0)


MERGED = [1, 1, 1, 2, 3, None, None], [1, 1, 2, 4, 5, None]


@pytest.mark.parametrize("beside", [True, False])
def test_merged_values_are_not_null(engine, beside):
    release, population = ([{"a": str(value) if value else None} for value in of] for of in MERGED)
    found = match(engine, release, population, ["a:top1"], beside=beside)
    assert found == PopulationMatch(Spectrum.against([(1, 1, 2), (2, 1, 3), (3, 1, 2)], 6, 3), 0, 0, 2)


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER])
def test_merged_numbers_are_not_null(typed_engine, kind):
    release, population = ([{"a": value} for value in of] for of in MERGED)
    found = match(typed_engine, release, population, ["a:top1"], ({"a": kind}, {"a": kind}))
    assert found == PopulationMatch(Spectrum.against([(1, 1, 2), (2, 1, 3), (3, 1, 2)], 6, 3), 0, 0, 2)


CROSSED = [
    (Kind.TEXT, Kind.INTEGER, ["36", "036", "36.0", " 36", "-1", None], [36, 36, -1, None], 3),
    (Kind.INTEGER, Kind.TEXT, [36, 7, None], ["36", "07", "7.0", None], 2),
    (Kind.TEXT, Kind.NUMBER, ["36", "0.1", "36.0", "1e16", "1e+16"], [36.0, 0.1, 1e16], 3),
    (Kind.INTEGER, Kind.NUMBER, [36, 37, None, 10**14], [36.0, 37.5, None, 1e14], 3),
    (Kind.INTEGER, Kind.NUMBER, [10**15, 10**16, -(10**15)], [1e15, 1e16, -1e15], 3),
    (Kind.INTEGER, Kind.NUMBER, [2**53, 2**53 + 1], [2.0**53, 2.0**53], 1),
    (Kind.NUMBER, Kind.INTEGER, [2.0**53], [2**53 + 1, 2**53 + 1], 0),
    (Kind.TEXT, Kind.DATE, ["1985-05-01", "1985-5-1", "01.05.1985", None], [date(1985, 5, 1), None], 2),
    (Kind.DATE, Kind.TEXT, [date(985, 5, 1), date(1985, 5, 2)], ["0985-05-01", "985-05-01"], 1),
    (Kind.TEXT, Kind.BOOLEAN, ["true", "True", "1", "false"], [True, False], 2),
    (Kind.TEXT, Kind.TIMESTAMP, ["1985-05-01 10:00:00", "1985-05-01 10:00:00.5"],
     [datetime(1985, 5, 1, 10), datetime(1985, 5, 1, 10, 0, 0, 500_000)], 2),
]  # fmt: skip


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("crossed", CROSSED, ids=lambda crossed: f"{crossed[0]}-{crossed[1]}")
def test_kinds_meet_by_their_text_and_numbers_by_value(typed_engine, crossed, beside):
    ours, theirs, values, others, known = crossed
    rows, population = [{"v": value} for value in values], [{"v": value} for value in others]
    found = match(typed_engine, rows, population, ["v"], ({"v": ours}, {"v": theirs}), beside=beside)
    assert found.spectrum.n_sets == known
    assert found.missing_values == len(set(values)) - known
    assert found.spectrum.n_reference == len(others)
    reference = typed_engine.reference(rows, {"v": ours}).match(
        parse_attributes(["v"], {"v": ours}),
        typed_engine.reference(population, {"v": theirs}),
        parse_attributes(["v"], {"v": theirs}),
    )
    assert found == reference


@pytest.mark.parametrize("transform", ["year", "month", "week", "day"])
def test_text_dates_meet_dates(typed_engine, transform):
    rows, population = [{"b": "31.12.2004"}, {"b": "13.05.1985"}], [{"b": date(2004, 12, 31)}, {"b": date(1985, 5, 13)}]
    found = match(typed_engine, rows, population, [f"b:{transform}"], ({"b": Kind.TEXT}, {"b": Kind.DATE}))
    assert found == PopulationMatch(Spectrum.against([(1, 2, 2)], 2, 2), 0, 0, 0)


@pytest.mark.parametrize("transform", ["band5", "cap90", "round10"])
def test_text_numbers_meet_numbers(typed_engine, transform):
    rows, population = [{"n": "36"}, {"n": "99.0"}], [{"n": 36}, {"n": 99}]
    found = match(typed_engine, rows, population, [f"n:{transform}"], ({"n": Kind.TEXT}, {"n": Kind.INTEGER}))
    assert found == PopulationMatch(Spectrum.against([(1, 2, 2)], 2, 2), 0, 0, 0)


def test_a_population_that_holds_nothing_of_the_release(engine):
    assert match(engine, [{"a": "x"}], [{"a": "X"}, {"a": None}], ["a"]) == PopulationMatch(
        Spectrum.against([], 2, 0), 1, 1, 0
    )
