"""Dates in text: every shape is read back in every order, and nothing else is read."""

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from idbits.values.dates import CLOCK_PATTERNS, DATE_FORMS, DATE_ORDERS, form_of, has_time, has_zone, read_date
from idbits.values.zones import Zone
from written_dates import SHAPES, Shape

MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59))


def moment_of(shape: Shape, moment: datetime) -> datetime:
    """Return the moment in a year that the shape can write."""
    first, last = shape.years
    return moment.replace(year=min(max(moment.year, first), last), day=min(moment.day, 28))


def first_day(moment: datetime, step: str) -> date:
    day = moment.date()
    quarter = day.replace(month=(day.month + 2) // 3 * 3 - 2, day=1)
    return {"day": day, "month": day.replace(day=1), "quarter": quarter, "year": day.replace(month=1, day=1)}[step]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
@given(moment=MOMENTS)
@example(datetime(1, 1, 1)).via("the first day")
@example(datetime(9999, 12, 31, 23, 59, 59)).via("the last second")
@example(datetime(1899, 12, 31)).via("before 1900")
@example(datetime(1969, 12, 31, 23, 59)).via("before 1970")
@example(datetime(2000, 2, 29)).via("a leap day")
def test_each_shape_is_read_back(shape: Shape, moment: datetime) -> None:
    moment = moment if shape.years == (1, 9999) else moment_of(shape, moment)
    for text in (shape.write(moment), f" {shape.write(moment)}\t"):
        form = form_of(text)
        assert form is not None
        assert form.step == shape.step
        for order in shape.orders:
            assert read_date(text, form, order) == first_day(moment, shape.step)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_text_has_one_form(shape: Shape) -> None:
    """So that it does not matter which form is tried first."""
    text = shape.write(datetime(2011, 10, 12, 13, 14, 15))
    assert sum(re.fullmatch(form.pattern, text, re.ASCII) is not None for form in DATE_FORMS) == 1


@given(st.from_regex("|".join(form.pattern for form in DATE_FORMS), fullmatch=True))
def test_no_text_has_two_forms(text: str) -> None:
    forms = [form for form in DATE_FORMS if re.fullmatch(form.pattern, text, re.ASCII)]
    assert len(forms) <= 1
    assert sum(re.fullmatch(pattern, text, re.ASCII) is not None for pattern in CLOCK_PATTERNS) <= 1


DAYS = [
    ("04/01/2019 12:02:34 AM", "mdy"), ("2019-04-01T00:02:34+02:00", "ymd"), ("2019-04-01T00:02:34Z", "ymd"),
    ("2019-04-01 00:02:34+0200", "ymd"), ("2019-04-01 00:02:34 UTC", "ymd"), ("2019-04-01 00:02", "ymd"),
    ("2019-04-01T00:02:34.123456789", "ymd"), ("01.04.2019 00:02", "dmy"), ("1 Apr 2019", "dmy"),
    ("Apr 1, 2019", "mdy"), ("01-APR-2019", "dmy"), ("01APR2019", "dmy"), ("20190401", "ymd"),
    ("20190401T000234", "ymd"), ("20190401 000234+0200", "ymd"), ("20190401T0002Z", "ymd"), ("20190401 00:02", "ymd"),
    ("01/04/19", "dmy"), ("04/01/19", "mdy"), ("19-04-01", "ymd"), ("2019-4-1", "ymd"), ("2019. 04. 01.", "ymd"),
    ("1st", None), ("1. April 2019", "dmy"), ("april 1 2019", "mdy"), ("Apr. 1, 2019", "mdy"),
    ("2019-04-01 24:00", "ymd"), ("2019-04-01 23:59:60", "ymd"), ("2019-04-01 1:02 p.m.", "ymd"),
    ("2019-04-01T00:02:34+01:16:20", "ymd"), ("01APR2019:00:02:34.5", "dmy"),
    ("2019-02-29", None), ("1900-02-29", None), ("31.02.2019", None), ("2019-13-01", None), ("2019-00-10", None),
    ("2019-01-00", None), ("2019-04-31", None), ("0000-01-01", None), ("32/01/2019", None), ("1 Foo 2019", None),
    ("2019-04-01x", None), ("20190229", None), ("2019-04-01 10", None), ("2019-04-01 25:00", None),
    ("2019-04-01 10:60", None), ("2019-04-01 24:01", None), ("10000-01-01", None), ("２０１９-04-01", None),
    ("2019--04-01", None), (" ", None), ("", None),
    ("201904", "ymd"), ("201913", None), ("311219", None), ("999912", None),
    ("2019-04-01T00:02:34+99:00", None),
    ("2019-04-01 00:02:34 CEST", None), ("Monday", None), ("1.2.3.4", None), ("2019W14", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "order"), DAYS)
def test_hand_made_examples(text: str, order: str | None) -> None:
    form = form_of(text)
    read = {} if form is None else {name: read_date(text, form, name) for name in form.orders}
    if order is None:
        assert not any(read.values())
    else:
        assert read[order] == date(2019, 4, 1)


@pytest.mark.parametrize(("year", "century"), [("00", 2000), ("68", 2000), ("69", 1900), ("99", 1900)])
def test_two_digit_years_are_those_of_posix(year: str, century: int) -> None:
    text = f"01/04/{year}"
    form = form_of(text)
    assert form is not None
    assert read_date(text, form, "dmy") == date(century + int(year), 4, 1)
    assert read_date(text, form, "dmy") == datetime.strptime(text, "%d/%m/%y").date()


def test_a_text_knows_its_time_and_its_zone() -> None:
    with_zone = ["2019-04-01T00:02Z", "2019-04-01 00:02:34.5 +02", "20190401T000234Z", "1 Apr 2019 1:02 PM GMT"]
    without = ["2019-04-01", "2019-04-01 00:02", "20190401", "20190401T000234", "01APR2019:00:02:34", "2019-04"]
    assert [has_zone(text) for text in [*with_zone, *without]] == [True] * 4 + [False] * 6
    assert [has_time(text) for text in [*with_zone, *without]] == [True] * 4 + [False, True, False, True, True, False]


ZONES = ("Europe/Budapest", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "+14:00", "-0930", "UTC")
OFFSETS = st.integers(-15 * 60 - 59, 15 * 60 + 59)


@given(
    moment=st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)).map(lambda moment: moment.replace(microsecond=0)),
    offset=OFFSETS,
    zone=st.sampled_from(ZONES),
    look=st.sampled_from(["T", " ", "compact", "half", "short"]),
)
@settings(max_examples=300)
@example(datetime(2019, 3, 31, 0, 59, 59), 0, "Europe/Budapest", "T").via("before the clocks go forward")
@example(datetime(2019, 3, 31, 1, 0), 0, "Europe/Budapest", "T").via("the clocks go forward")
@example(datetime(2019, 10, 27, 0, 59), 0, "Europe/Budapest", "T").via("the first of two equal hours")
@example(datetime(2011, 12, 30, 9, 59), 0, "Pacific/Apia", " ").via("a day that Samoa left out")
@example(datetime(1984, 12, 31, 23, 0), 0, "Europe/Budapest", "T").via("midnight in Budapest")
@example(datetime(3019, 7, 1, 22, 30), 0, "Europe/Budapest", "T").via("the far future")
def test_a_time_zone_moves_the_day(moment: datetime, offset: int, zone: str, look: str) -> None:
    """The instant of a text in another zone, as Python's own parser and zones have it."""
    sign, minutes = "-" if offset < 0 else "+", abs(offset)
    written = f"{sign}{minutes // 60:02}:{minutes % 60:02}"
    day, seconds = f"{moment.year:04}-{moment:%m-%d}", not (look == "short" and moment.second)
    texts = {
        "T": f"{day}T{moment:%H:%M:%S}{written}",
        " ": f"{day} {moment:%H:%M:%S}.25 {written}",
        "compact": f"{moment.year:04}{moment:%m%dT%H%M%S}{written.replace(':', '')}",
        "half": f"{day} {moment.hour % 12 or 12}:{moment:%M:%S} {'am' if moment.hour < 12 else 'PM'}{written}",
        "short": f"{day} {moment:%H:%M}{written}",
    }
    instant = datetime.fromisoformat(f"{day}T{moment:%H:%M}:{moment:%S}{written}")
    instant = instant if seconds else instant.replace(second=0)
    rules = ZoneInfo(zone) if "/" in zone or zone == "UTC" else datetime.strptime(zone, "%z").tzinfo
    form = form_of(texts[look])
    assert form is not None
    assert read_date(texts[look], form, "ymd", Zone(zone)) == instant.astimezone(rules).date()
    assert read_date(texts[look], form, "ymd") == moment.date()


def test_days_outside_the_calendar_are_no_dates() -> None:
    form = form_of("9999-12-31T23:30:00Z")
    assert form is not None
    assert read_date("9999-12-31T23:30:00Z", form, "ymd", Zone("Europe/Budapest")) is None
    assert read_date("0001-01-01T00:30:00Z", form, "ymd", Zone("America/New_York")) is None
    assert read_date("9999-12-31T23:30:00Z", form, "ymd", Zone("UTC")) == date.max


def test_every_order_of_a_form_has_year_and_month() -> None:
    for form in DATE_FORMS:
        assert set(form.orders) <= set(DATE_ORDERS)
        assert set(form.possible) <= set(form.orders)
        for groups in form.orders.values():
            assert bool(groups.month) == (form.step != "year")
            assert bool(groups.day) == (form.step == "day")
