"""Decisions about text dates: one order per column, a question if several orders fit, and notes on what was assumed."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.errors import DataError, InputError
from idbits.values.attributes import Kind, parse_attribute
from idbits.values.date_readings import DateReading, choose_reading, count_forms, require_dates
from idbits.values.dates import form_of, read_date
from idbits.values.zones import Zone
from written_dates import SHAPES, Shape


def reading_of(
    texts: list[str], dates: str | None = None, zone: str | None = None, *, partly: bool = False
) -> DateReading:
    rules = Zone(zone) if zone else None
    return choose_reading(count_forms(texts, rules), "born", dates, zone=rules, partly=partly)


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["2019-04-01", "2019-04-01 10:00"], "ymd"), (["31/12/2019", "01/02/2019"], "dmy"),
        (["12/31/2019", "01/02/2019"], "mdy"), (["1 Apr 2019", "01APR2019"], "dmy"), (["Apr 1, 2019"], "mdy"),
        (["20190401", "2019-04-01", "20190401T000234"], "ymd"), (["31/12/85"], "dmy"), (["12/31/85"], "mdy"),
        (["85-12-31", "85-01-01"], "ymd"), (["05/05/2019"], "dmy"), (["1 Apr 2019", "02/03/2019"], "dmy"),
        (["2019"], "ymd"), (["04/2019"], "dmy"), (["31/12/2019", "04/2019", "2019"], "dmy"), ([], "ymd"),
        (["31/12/2019", "1/2/19"], "dmy"),
    ],
)  # fmt: skip
def test_the_values_settle_the_order(texts: list[str], order: str) -> None:
    reading = reading_of(texts)
    assert (reading.order, reading.unread) == (order, 0)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["03/04/2019"], "the day or the month first; choose with --dates dmy or --dates mdy"),
        (["03/04/05"], "the year or the day or the month first"), (["13/05/19"], "the year or the day first"),
        (["1/2/03"], "the day or the month first"), (["03/04/2019", "04/2019"], "the day or the month first"),
        # A date that does not exist in one order is no evidence for another order.
        (["31/04/19", "01/02/03"], "the year or the day first"),
        (["19-02-30", "19-02-01"], "the year or the day first"),
    ],
)  # fmt: skip
def test_several_orders_are_a_question(texts: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        reading_of(texts)


def test_an_order_that_is_given_is_kept_except_for_what_cannot_be_meant_in_it() -> None:
    assert reading_of(["03/04/2019"], "dmy").order == "dmy"
    assert reading_of(["03/04/19"], "ymd").order == "ymd"
    assert reading_of(["2019-04-01"], "dmy").order == "ymd"
    assert reading_of(["1 Apr 2019"], "mdy").order == "dmy"
    assert reading_of(["04/2019"], "ymd").order == "dmy"
    wrong = reading_of(["12/31/2019", "01/02/2019"], "dmy")
    assert (wrong.order, wrong.unread, wrong.better) == ("dmy", 1, "mdy")
    mixed = reading_of(["2019-04-01", "31/12/2019"], "dmy")
    assert (mixed.order, mixed.unread, mixed.elsewhere, mixed.better) == ("dmy", 1, 1, None)


def test_texts_that_are_no_dates_do_not_help_to_decide_if_some_may_be_left_out() -> None:
    assert reading_of(["31/12/2019", "soon", "99/99/2019"], partly=True).order == "dmy"
    with pytest.raises(InputError, match="--dates"):
        reading_of(["03/04/2019", "soon"], partly=True)
    assert reading_of(["soon"], partly=True).n_dates == 0


def error_of(texts: list[str], view: str, dates: str | None = None) -> str:
    attribute = parse_attribute(f"born:{view}", {"born": Kind.TEXT})
    with pytest.raises(DataError) as error:
        require_dates(reading_of(texts, dates), attribute, attribute.transforms[0], lambda forms: f"{len(forms)} forms")
    return str(error.value)


def test_errors_say_how_many_which_shape_and_what_helps() -> None:
    assert error_of(["2019-04-01", "x", "y"], "year") == (
        'column "born" has 2 values that cannot be read as a date (most often written like "1 forms"), '
        'so "born:year" cannot be computed; correct them, or leave them out with --where or --null'
    )
    assert "try --dates mdy" in error_of(["12/31/2019"], "year", "dmy")
    assert "mixes orders (2 day-month-year, 1 only in another order)" in error_of(
        ["31/12/2019", "30/12/2019", "12/31/2019"], "year"
    )
    # An impossible date is not a date in another order.
    assert "correct them" in error_of(["31/04/19", "01/04/19"], "year", "dmy")


@pytest.mark.parametrize(
    ("texts", "view", "words"),
    [
        (["2019-04", "2019-05-01"], "day", '1 date without a day (written like "1 forms")'),
        (["2019-04", "2019-04"], "week", "2 dates without a day"),
        (["2019-04", "2019"], "month", "1 date without a month"), (["2019"], "monthofyear", "1 date without a month"),
        (["2019"], "quarter", "1 date without a quarter"),
        (["2019Q2"], "month", "1 date without a month"),
        (["2019Q2"], "week", "use born:quarter or born:year"),
        (["04/2019"], "day", "use born:month or born:quarter or born:year"),
        (["2019", "2019-04"], "day", "use born:year"),
    ],
)  # fmt: skip
def test_a_date_without_a_day_has_no_week(texts: list[str], view: str, words: str) -> None:
    assert words in error_of(texts, view)


@pytest.mark.parametrize("view", ["year", "quarter", "month", "monthofyear"])
def test_a_month_has_a_year_and_a_quarter(view: str) -> None:
    attribute = parse_attribute(f"born:{view}", {"born": Kind.TEXT})
    require_dates(reading_of(["2019-04"]), attribute, attribute.transforms[0], lambda _: None)


def test_notes_say_what_was_assumed() -> None:
    assert reading_of(["2019-04-01"]).notes == ('column "born" was read as dates in the order year-month-day',)
    assert reading_of(["2019-04-01"], "ymd").notes == ()
    assert reading_of(["2019-04"]).notes == ('column "born" was read as months',)
    assert reading_of(["2019", "2018"]).notes == ('column "born" was read as years',)
    (short,) = reading_of(["01/04/19", "02/04/19"], "dmy").notes
    assert short == (
        'column "born" has 2 dates with a year of two digits: 69 to 99 were read as 1969 to 1999, '
        "and 00 to 68 as 2000 to 2068"
    )
    (zoned,) = reading_of(["2019-04-01T00:02Z", "2019-04-01"], "ymd").notes
    assert (
        zoned
        == 'column "born" has 1 date with a time zone: each counts on the day that is written (change with --zone)'
    )
    assert reading_of(["2019-04-01T00:02Z"], "ymd", "Europe/Budapest").notes == ()
    # Another order than the one that was given is said.
    assert reading_of(["2019-04-01"], "dmy").notes == ('column "born" was read as dates in the order year-month-day',)


@given(
    shape=st.sampled_from(SHAPES),
    days=st.lists(st.integers(0, 36_000), min_size=1, max_size=20),
    data=st.data(),
)
def test_a_column_of_one_shape_is_read_back_or_asked_about(shape: Shape, days: list[int], data: st.DataObject) -> None:
    """Whatever the values: never a wrong date without a question."""
    moments = [datetime(1970, 1, 1) + timedelta(days=day, seconds=day * 7) for day in days]
    texts = [shape.write(moment) for moment in moments]
    dates = data.draw(st.sampled_from([None, *shape.orders]))
    try:
        reading = reading_of(texts, dates)
    except InputError:
        assert dates is None
        return
    if dates is None and reading.order not in shape.orders:
        # Only dates that are the same in both orders leave no trace of theirs.
        assert all(moment.day == moment.month for moment in moments)
    assert reading.unread == 0
    for text, moment in zip(texts, moments, strict=True):
        form = form_of(text)
        day = read_date(text, form, reading.order)
        month = (moment.month + 2) // 3 * 3 - 2 if shape.step == "quarter" else moment.month
        parts = {"year": 1, "quarter": 2, "month": 2, "day": 3}[shape.step]
        assert (day.year, day.month, day.day)[:parts] == (moment.year, month, moment.day)[:parts]
