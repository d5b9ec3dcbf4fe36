"""Dates in text, in every shape: the same days on every engine, and the same errors and notes."""

import random
from collections import Counter
from datetime import datetime, timedelta

import pytest

from idbits.errors import IdbitsError
from idbits.reading import OpenOptions
from idbits.values.attributes import parse_attribute
from idbits.values.zones import Zone
from written_dates import SHAPES

PLACES = dict(zip([shape.name for shape in SHAPES], (f"c{index}" for index in range(len(SHAPES))), strict=True))


def moments(years: tuple[int, int]) -> list[datetime]:
    """Return some moments: the ends of the calendar, leap days, and days that settle an order."""
    first, last = years
    chance = random.Random(7)
    days = [
        datetime(first, 1, 1),
        datetime(last, 12, 31, 23, 59, 59),
        datetime(2000, 2, 29, 12),
        datetime(1972, 12, 13),
    ]
    days += [datetime(1996, 10, 31, 0, 30), datetime(1969, 12, 25, 7, 8, 9)]
    if first == 1:
        days += [datetime(1582, 10, 15), datetime(987, 3, 30), datetime(1899, 12, 31, 13), datetime(9998, 5, 14)]
    span = int((datetime(last, 12, 31) - datetime(first, 1, 1)).total_seconds())
    return days + [datetime(first, 1, 1) + timedelta(seconds=chance.randrange(span)) for _ in range(12)]


def label(moment: datetime, step: str) -> str:
    iso = f"{moment.year:04}-{moment:%m-%d}"
    quarter = f"{moment.year:04}-Q{(moment.month + 2) // 3}"
    return {"day": iso, "month": iso[:7], "quarter": quarter, "year": str(moment.year)}[step]


def rows_of(shapes):
    texts = {shape.name: [shape.write(moment) for moment in moments(shape.years)] for shape in shapes}
    length = max(map(len, texts.values()))
    return [
        {PLACES[name]: own[index] if index < len(own) else None for name, own in texts.items()}
        for index in range(length)
    ]


@pytest.mark.big
@pytest.mark.parametrize("order", [None, "ymd", "dmy", "mdy"])
def test_every_shape_is_read_alike(engine, order):
    shapes = [shape for shape in SHAPES if order is None or order in shape.orders]
    if order is None:
        # Without a word, these may have the year or the day first.
        shapes = [shape for shape in shapes if shape.years == (1, 9999) or "name" in shape.name or "SAS" in shape.name]
    rows = rows_of(shapes)
    counted = engine.count_each(rows, [[f"{PLACES[shape.name]}:{shape.step}"] for shape in shapes], dates=order)
    for shape, found in zip(shapes, counted, strict=True):
        own = moments(shape.years)
        expected = Counter(label(moment, shape.step) for moment in own)
        assert found == expected + Counter({None: len(rows) - len(own)}), shape.name


def test_a_few_shapes_with_every_transform(engine):
    rows = [
        {"us": "04/13/2019 12:02:34 AM", "sas": "13APR2019", "month": "04/2019", "quarter": "2019Q2", "year": "2019"},
        {"us": "12/31/2019 11:59:59 PM", "sas": "31DEC2019", "month": "12/2019", "quarter": "2020-q4", "year": "2018"},
    ]
    for column in ("us", "sas"):
        views = ["year", "quarter", "month", "week", "day", "monthofyear"]
        counted = engine.count_each(rows, [[f"{column}:{view}"] for view in views])
        assert counted == [
            {"2019": 2}, {"2019-Q2": 1, "2019-Q4": 1}, {"2019-04": 1, "2019-12": 1}, {"2019-W15": 1, "2020-W01": 1},
            {"2019-04-13": 1, "2019-12-31": 1}, {"4": 1, "12": 1},
        ]  # fmt: skip
    counted = engine.count_each(rows, [[f"month:{view}"] for view in ("year", "quarter", "month", "monthofyear")])
    assert counted == [{"2019": 2}, {"2019-Q2": 1, "2019-Q4": 1}, {"2019-04": 1, "2019-12": 1}, {"4": 1, "12": 1}]
    counted = engine.count_each(rows, [["quarter:year"], ["quarter:quarter"]])
    assert counted == [{"2019": 1, "2020": 1}, {"2019-Q2": 1, "2020-Q4": 1}]
    assert engine.count_each(rows, [["year:year"], ["year:year:band10"]]) == [{"2019": 1, "2018": 1}, {"2010": 2}]


def test_a_prefix_of_a_text_is_read_as_a_month(engine):
    rows = [{"at": "2019-04-01x"}, {"at": "2019-04-02y"}, {"at": "2018-04-02y"}, {"at": None}]
    assert engine.count(rows, ["at:prefix7:year"]) == {"2019": 2, "2018": 1, None: 1}
    assert engine.count(rows, ["at:prefix10:week"]) == {"2019-W14": 2, "2018-W14": 1, None: 1}


def test_dates_with_and_without_a_time_can_be_mixed(engine):
    rows = [
        {"at": text} for text in ("31.12.2019", "31.12.2019 00:02", "31-DEC-2019", "31/12/2019 12:02 PM", "12/2019")
    ]
    assert engine.count(rows[:4], ["at:day"]) == {"2019-12-31": 4}
    assert engine.count(rows, ["at:month"]) == {"2019-12": 5}


def test_an_order_settles_what_is_doubtful_and_nothing_else(engine):
    rows = [{"born": "03/04/1985", "at": "2019-04-01", "by": "1 Apr 2019"}]
    assert engine.count_each(rows, [["born:day"], ["at:day"], ["by:day"]], dates="mdy") == [
        {"1985-03-04": 1}, {"2019-04-01": 1}, {"2019-04-01": 1},
    ]  # fmt: skip


ERRORS = {
    "doubtful": ("day", ["03/04/2019", "05/05/2019"]),
    "doubtful with two digits": ("day", ["03/04/19", "05/05/19"]),
    "year or day": ("day", ["31/04/19", "13/05/19"]),
    "no dates": ("year", ["soon", "later", "soon!", "2019-04-01"]),
    "long": ("year", ["é" * 50, "<b>" + "9" * 40]),
    "impossible": ("day", ["31.02.2019", "30.02.2019", "31.12.2019"]),
    "mixed orders": ("day", ["31/12/2019", "30/12/2019", "12/31/2019"]),
    "mixed forms": ("day", ["2019-04-01", "31/12/2019", "13/12/2019"]),
    "no day": ("day", ["2019-04", "2019/05", "2019-06-01"]),
    "no month": ("month", ["2019", "2018", "2019-06"]),
    "quarters have no month": ("month", ["2019Q2", "2019-Q3", "2019-06"]),
    "no quarter": ("quarter", ["2019", "2018", "2019Q1"]),
    "no such quarter": ("year", ["2019Q5", "2019Q0", "2019Q1"]),
    "six digits": ("year", ["190401", "850517", "991231"]),
    "eight digits, month first": ("year", ["04012019", "05171985", "12311999"]),
    "two shapes": ("year", ["x-1", "y-2", "z 33", "2019-04-01"]),
}


def message_of(table, view: str) -> str:
    with pytest.raises(IdbitsError) as error:
        table.spectrum([parse_attribute(f"c:{view}", table.columns)])
    return f"{type(error.value).__name__}: {error.value}"


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_the_same_everywhere(engine, case):
    view, texts = ERRORS[case]
    rows = [{"c": text} for text in [*texts, None]]
    assert message_of(engine.loaded(rows, ["c"]), view) == message_of(engine.reference(rows), view)


def test_errors_show_the_most_frequent_shape_and_no_value(engine):
    table = engine.loaded([{"c": text} for text in ("Kiss 1", "Nagy 2", "Kovács", "2019-04-01")], ["c"])
    message = message_of(table, "year")
    assert '3 values that cannot be read as a date (most often written like "AAAA 9")' in message
    assert "Kiss" not in message
    table = engine.loaded([{"c": "04/01/2019 12:02:34 AM"}, {"c": "04/13/2019 12:02:34 AM"}], ["c"], dates="dmy")
    assert 'written like "99/99/9999 99:99:99 AA"), so "c:day" cannot be computed; try --dates mdy' in message_of(
        table, "day"
    )


def test_notes_are_the_same_everywhere(engine):
    rows = [{"c": "31/12/85 10:00Z", "d": "2019-04"}, {"c": "01/02/1985", "d": "2018-04"}]
    table = engine.loaded(rows, ["c", "d"])
    table.spectrum([parse_attribute(name, table.columns) for name in ("c:day", "d:month")])
    expected = [
        'column "c" was read as dates in the order day-month-year',
        'column "c" has 1 date with a year of two digits: 69 to 99 were read as 1969 to 1999, '
        "and 00 to 68 as 2000 to 2068",
        'column "c" has 1 date with a time zone: each counts on the day that is written (change with --zone)',
        'column "d" was read as months',
    ]
    # The plain engine takes no notes.
    assert [note for note in table.notes if "column" in note] == ([] if engine.name == "plain" else expected)


def test_a_time_counts_on_the_day_of_its_own_zone_or_of_the_zone_that_is_given(engine):
    texts = [
        "2019-04-01T00:30:00+02:00", "2019-03-31T22:30:00Z", "2019-03-31 22:30:00.5 UTC", "20190331T223000Z",
        "2019-04-01 12:30 am +0200", "2019-03-31 10:30:00 PM GMT", "2019-04-01", "2019-04-01 00:30",
    ]  # fmt: skip
    rows = [{"at": text} for text in texts]
    assert engine.count(rows, ["at:month"]) == {"2019-04": 4, "2019-03": 4}
    assert engine.count(rows, ["at:day"], zone=Zone("Europe/Budapest")) == {"2019-04-01": 8}
    assert engine.count(rows, ["at:day"], zone=Zone("-03:00")) == {"2019-03-31": 6, "2019-04-01": 2}
    # What is not coarsened is compared as text.
    assert len(engine.count(rows, ["at"], zone=Zone("Europe/Budapest"))) == 8


@pytest.mark.big
@pytest.mark.parametrize("zone", ["Europe/Budapest", "Pacific/Apia"])
def test_zones_of_texts_far_and_near(engine, zone):
    """The hours around clock changes, before standard time, and in the far future."""
    near = [
        datetime(2019, 3, 31),
        datetime(2019, 10, 27),
        datetime(2011, 12, 30),
        datetime(1890, 11, 1),
        datetime(1, 1, 2),
    ]
    far = [
        datetime(2099, 12, 31),
        datetime(2100, 7, 1),
        datetime(2500, 3, 28),
        datetime(9998, 10, 31),
        datetime(9999, 12, 29),
    ]
    for days in (near, [*near, *far]):
        times = [day + timedelta(minutes=75 * step) for day in days for step in range(18)]
        rows = [{"at": f"{time.year:04}-{time:%m-%dT%H:%M:%S}Z"} for time in times]
        expected = Counter(label(Zone(zone).local(time), "day") for time in times)
        assert engine.count(rows, ["at:day"], zone=Zone(zone)) == expected


@pytest.mark.big
def test_a_day_that_leaves_the_calendar_is_an_error(engine):
    rows = [{"at": "9999-12-31T23:30:00Z"}, {"at": "2019-04-01T00:30:00Z"}]
    assert engine.refuses(rows, "at:day", 1, zone=Zone("Europe/Budapest"))
    assert engine.count(rows, ["at:day"]) == {"9999-12-31": 1, "2019-04-01": 1}


@pytest.mark.big
def test_profiles_count_dates_and_months(engine):
    chance = random.Random(11)
    texts = [shape.write(moment) for shape in SHAPES for moment in moments(shape.years)[:4]]
    texts += ["soon", "", "31.02.2019", "2019-13", "1 Foo 2019", "99/99/9999", "12345678", "7", "a@b.c", "1.5", " "]
    chance.shuffle(texts)
    rows = [{"mixed": text, "day": "1 Apr 2019", "month": "2019-04", "year": "2019"} for text in texts]
    table, reference = (
        engine.loaded(rows, ["mixed", "day", "month", "year"]),
        engine.reference(rows, None, OpenOptions()),
    )
    for column in ("mixed", "day", "month", "year"):
        found, expected = table.profile(column), reference.profile(column)
        assert (found.dates, found.months, found.numbers) == (expected.dates, expected.months, expected.numbers), column
    assert reference.profile("day").dates == len(rows)
    assert (reference.profile("month").dates, reference.profile("month").months) == (0, len(rows))
    assert (reference.profile("year").dates, reference.profile("year").months) == (0, 0)
