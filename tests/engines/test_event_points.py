"""Points of people: the same whole numbers from every engine, compared with a count in plain Python."""

from collections import Counter
from datetime import date
from itertools import combinations

import pytest

from idbits.engines.backends.points import EventRequest
from idbits.measures.unicity import unicity
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute, parse_attributes
from idbits.values.days import day_number

RECORDS = [
    ("a", "2005-01-03", "10"), ("a", "2005-01-03", "10"), ("a", "2005-01-05", "11"), ("a", "2005-02-01", None),
    ("b", "2005-01-03", "10"), ("b", "2005-01-05", "11"), ("b", None, "11"),
    ("c", "2005-01-03", "20"), ("c", "2005-02-01", None), (None, "2005-01-03", "10"),
    ("d", "2005-01-03", "10"), ("d", "2005-01-04", "10"), ("d", "2005-01-05", "10"), ("d", "2005-01-06", "10"),
    ("d", "2005-01-07", "10"),
]  # fmt: skip
ROWS = [dict(zip(("who", "when", "place"), record, strict=True)) for record in RECORDS]
# d has five records, and those are too many.
OWN = {
    who: sorted({(date.fromisoformat(when), place or "") for name, when, place in RECORDS if name == who and when})
    for who in "abc"
}


@pytest.fixture
def points(engine, drawn):
    table = engine.loaded(ROWS, ["who", "when", "place"])
    who, time, place = parse_attributes(["who", "when", "place"], table.columns)
    request = EventRequest(
        person=Attribute(who.column, who.kind), time=time, step="day", attributes=(place,), max_events=5,
        is_repeatable=drawn, is_drawn=drawn,
    )  # fmt: skip
    return table.event_points(request, OpenOptions(threads=1))


@pytest.mark.parametrize("drawn", [False, True], ids=["counted", "drawn"])
def test_points_equal_a_plain_count(points):
    counts = points.counts
    assert (counts.records, counts.without_person, counts.without_time, counts.unreadable_time) == (15, 1, 1, 0)
    assert (counts.excluded_people, counts.excluded_events) == (1, 5)
    assert points.lengths() == Counter(map(len, OWN.values()))
    people = Counter(pair for own in OWN.values() for pair in combinations(own, 2))
    sizes: dict[int, Counter[int]] = {}
    for (first, _), number in people.items():
        sizes.setdefault(day_number(first[0]), Counter())[number] += 1
    spectra = points.day_spectra(day_number(date.min), day_number(date.max), None)
    assert {day: dict(spectrum.pairs()) for day, spectrum in spectra.items()} == sizes
    assert points.first_days() == (min(sizes), max(sizes))
    (january,) = points.day_spectra(day_number(date(2005, 1, 4)), day_number(date(2005, 1, 31)), None)
    assert january == day_number(date(2005, 1, 5))


@pytest.mark.parametrize("drawn", [False, True], ids=["counted", "drawn"])
def test_matches_equal_a_plain_count(points):
    for n_points in (1, 2):
        holders = Counter(choice for own in OWN.values() for choice in combinations(own, n_points))
        alone = [
            sum(holders[choice] == 1 for choice in choices) / len(choices)
            for choices in (list(combinations(own, n_points)) for own in OWN.values())
        ]
        matches = points.matches(n_points, 100, 0)
        assert (matches.people, unicity(matches)) == (3, pytest.approx(sum(alone) / 3))
    assert unicity(points.matches(None, 100, 0)) == 1.0
    # By month and without places, a and c have the same two points.
    coarse = points.coarser("month", attributes=False)
    assert coarse.lengths() == {1: 1, 2: 2}
    assert unicity(coarse.matches(None, 100, 0)) == pytest.approx(1 / 3)
