"""Dates: read from text in each order, coarsened, and shown."""

from collections import Counter
from contextlib import closing
from datetime import date, datetime, timedelta

import pyarrow
import pytest

from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.values.attributes import Kind, parse_attribute

CASES = [
    ("1985-05-01", "year", "1985"), ("1985-05-01", "quarter", "1985-Q2"), ("1985-05-01", "month", "1985-05"),
    ("1985-05-01", "day", "1985-05-01"), ("1985-05-01", "monthofyear", "5"), ("1985-05-01", "week", "1985-W18"),
    ("2004-12-31", "week", "2004-W53"), ("2005-01-01", "week", "2004-W53"), ("2005-01-02", "week", "2004-W53"),
    ("2005-01-03", "week", "2005-W01"), ("2007-12-31", "week", "2008-W01"), ("2010-01-03", "week", "2009-W53"),
    ("2020-12-31", "week", "2020-W53"), ("2021-01-03", "week", "2020-W53"), ("2021-01-04", "week", "2021-W01"),
    ("1899-12-31", "week", "1899-W52"), ("1752-09-14", "week", "1752-W37"), ("0001-01-01", "week", "0001-W01"),
    ("0987-03-31", "quarter", "0987-Q1"), ("0987-04-01", "quarter", "0987-Q2"), ("0987-02-28", "month", "0987-02"),
    ("0987-02-28", "year", "987"), ("1600-02-29", "day", "1600-02-29"), ("2000-02-29", "monthofyear", "2"),
    ("9999-12-31", "year", "9999"), ("9999-12-31", "week", "9999-W52"), ("1969-12-31", "month", "1969-12"),
    ("1985-12-31", "quarter", "1985-Q4"), ("1985-05-31", "year:band10", "1980"), ("1985-05-31", "month:year", "1985"),
    ("1985-05-31", "year:prefix3", "198"), ("1985-05-31", "week:day", "1985-05-27"),
    ("1985-05-31", "day:month", "1985-05"),
    ("1985-11-30", "monthofyear:cap6", "6"), ("1985-07-31", "quarter:monthofyear", "7"),
    ("2005-01-01", "week:year", "2004"),
]  # fmt: skip


TRANSFORMS = sorted({transform for _, transform, _ in CASES})
DAYS = sorted({day for day, _, _ in CASES})


@pytest.mark.big
@pytest.mark.parametrize("kind", [Kind.DATE, Kind.TIMESTAMP])
def test_coarser_dates(typed_engine, kind):
    cases = {transform: [(day, text) for day, word, text in CASES if word == transform] for transform in TRANSFORMS}
    length = max(map(len, cases.values()))
    names = dict(zip(TRANSFORMS, (f"c{position}" for position in range(len(TRANSFORMS))), strict=True))
    rows = [
        {
            names[transform]: _moment(own[place][0], kind) if place < len(own) else None
            for transform, own in cases.items()
        }
        for place in range(length)
    ]
    shown = [Counter(text for _, text in own) + Counter({None: length - len(own)}) for own in cases.values()]
    qids = [[f"{name}:{transform}"] for transform, name in names.items()]
    assert typed_engine.count_each(rows, qids, dict.fromkeys(names.values(), kind)) == shown


def _moment(day, kind):
    """Return a day, or its last moment."""
    found = date.fromisoformat(day)
    return found if kind is Kind.DATE else datetime(found.year, found.month, found.day, 23, 59, 59, 999_999)


@pytest.mark.big
def test_coarser_dates_as_text(engine):
    counted = engine.count_each([{"born": day} for day in DAYS], [[f"born:{word}"] for word in TRANSFORMS])
    for transform, found in zip(TRANSFORMS, counted, strict=True):
        assert {shown for _, word, shown in CASES if word == transform} <= set(found)


@pytest.mark.big
def test_every_week_of_sixty_years(engine):
    days = [date(1960, 1, 1) + timedelta(days=i) for i in range(0, 22_000, 17)]
    expected: dict[str, int] = {}
    for day in days:
        year, week, _ = day.isocalendar()
        shown = f"{year:04}-W{week:02}"
        expected[shown] = expected.get(shown, 0) + 1
    assert engine.count([{"born": day.isoformat()} for day in days], ["born:week"]) == expected


def test_dates_and_moments_as_they_stand(typed_engine):
    days = [date(985, 5, 1), date(1985, 5, 1), None, date(1985, 5, 1)]
    found = typed_engine.count([{"born": day} for day in days], ["born"], {"born": Kind.DATE})
    assert found == {"1985-05-01": 2, "0985-05-01": 1, None: 1}
    moments = [datetime(1985, 5, 1), datetime(1985, 5, 1, 0, 0, 0, 1), datetime(1985, 5, 1, 12, 30), None]
    found = typed_engine.count([{"at": moment} for moment in moments], ["at"], {"at": Kind.TIMESTAMP})
    assert found == {"1985-05-01 00:00:00": 1, "1985-05-01 00:00:00.000001": 1, "1985-05-01 12:30:00": 1, None: 1}


@pytest.mark.parametrize(
    "texts",
    [
        ("1985-05-13", "1985-5-13", "1985/05/13", "1985.05.13", "1985.05.13.", " 1985-05-13 ", "19850513"),
        ("1985-05-13T10:00", "1985-05-13 10:00:00", "1985-05-13T10:00:00.5Z", "1985-05-13 1:00:00+02:00"),
        ("13.05.1985", "13/5/1985", "13-05-1985", "13.5.1985 10:00"),
        ("05/13/1985", "5-13-1985", "5/13/1985 23:59:59"),
    ],
)
def test_ways_to_write_one_day(engine, texts):
    assert engine.count([{"born": text} for text in texts], ["born:day"]) == {"1985-05-13": len(texts)}
    assert len(engine.count([{"born": text} for text in texts], ["born"])) == len(texts)


@pytest.mark.parametrize(("dates", "shown"), [("dmy", "1985-04-03"), ("mdy", "1985-03-04")])
def test_ambiguous_dates_need_a_word(engine, dates, shown):
    rows = [{"born": "03/04/1985"}, {"born": None}]
    assert engine.count(rows, ["born:day"], dates=dates) == {shown: 1, None: 1}
    table = engine.loaded(rows, ["born"])
    with pytest.raises(InputError, match="the day or the month first"):
        table.spectrum([parse_attribute("born:day", table.columns)])


def test_one_value_settles_the_order(engine):
    assert engine.count([{"b": "03/04/1985"}, {"b": "31/12/1985"}], ["b:month"]) == {"1985-04": 1, "1985-12": 1}
    assert engine.count([{"b": "03/04/1985"}, {"b": "12/31/1985"}], ["b:month"]) == {"1985-03": 1, "1985-12": 1}


NO_DATES = [
    "1985-02-29", "1900-02-29", "1985-13-01", "1985-00-10", "1985-01-00", "1985-04-31", "0000-01-01", "x",
    "1985-05", "1985", "1985-05-01x", "19850229", "1985-05-01 10", "10000-01-01", "１９８５-05-01", "1985--05-01", " ",
]  # fmt: skip


def test_text_that_is_no_date_is_an_error_with_its_number(engine):
    for text in NO_DATES:
        rows = [{"born": text}, {"born": "1985-05-01"}, {"born": text}, {"born": None}]
        assert engine.refuses(rows, "born:week", 2), text


def test_the_wrong_order_is_an_error(engine):
    assert engine.refuses([{"born": "31/12/1985"}, {"born": "01/02/1985"}], "born:day", 1, dates="mdy")


def test_orders_cannot_be_mixed(engine):
    assert engine.refuses([{"born": "31/12/1985"}, {"born": "12/31/1985"}], "born:day", 1)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_of_every_precision(unit):
    steps = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    column = pyarrow.array([steps, steps + 1, steps], pyarrow.int64()).cast(pyarrow.timestamp(unit))
    table = open_table(pyarrow.table({"at": column}))
    table.load(["at"])
    (at, second) = (parse_attribute(name, table.columns) for name in ("at", "at:day"))
    assert table.spectrum([at]).pairs() == [(1, 1), (2, 1)]
    assert len(set(table.histogram([at]).values)) == 2
    assert table.spectrum([second]).pairs() == [(3, 1)]


def test_coarser_dates_keep_their_look_when_the_rest_is_put_together(typed_engine):
    rows = [{"born": date(1985, 5, day)} for day in (1, 2, 3)] + [{"born": date(1990, 1, 1)}]
    kinds = {"born": Kind.DATE}
    assert typed_engine.count(rows, ["born:month:top1"], kinds) == {"1985-05": 3, "(other values)": 1}
    assert typed_engine.count(rows, ["born:quarter:top1"], kinds) == {"1985-Q2": 3, "(other values)": 1}


def test_texts_are_read_as_dates_once_for_all_views(tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_text("born\n" + "\n".join(f"{day:02}.{month:02}.1985" for day in range(1, 28) for month in range(1, 13)))
    with closing(open_table(path)) as table:
        table.load(["born"])
        run, statements = table.connection.run, []
        monkeypatch.setattr(table.connection, "run", lambda sql, *words: (statements.append(sql), run(sql, *words)))
        views = [parse_attribute(f"born:{view}", table.columns) for view in ("day", "month", "quarter", "year:band5")]
        assert [table.spectrum((view,)).n_sets for view in views] == [324, 12, 4, 1]
        assert sum("regexp_extract" in sql for sql in statements) == 1
        assert [note for note in table.notes if "day-month-year" in note] == list(table.notes)
