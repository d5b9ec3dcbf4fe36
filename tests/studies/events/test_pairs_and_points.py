"""Events against plain Python: pairs, people left out, nulls, periods, several attributes, any source."""

import itertools
import json
import math
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits
from idbits.errors import DataError, EngineError, InputError, NotEstimableError

START = date(2005, 1, 28)
Row = tuple[str | None, date | None, str | None, int]

rows_of_events = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d", None]),
        st.one_of(st.none(), st.integers(0, 7).map(lambda days: START + timedelta(days=days))),
        st.sampled_from(["10", "11", "20", None]),
        st.integers(0, 1),
    ),
    max_size=50,
)


def frame(rows: list[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [(), (), (), ()]
    types = [pa.string(), pa.date32(), pa.string(), pa.int64()]
    names = ("who", "when", "place", "kind")
    return pa.table({n: pa.array(c, t) for n, c, t in zip(names, columns, types, strict=True)})


def plain_pairs(rows: list[Row], max_events: int = 1000) -> Counter[Any]:
    """Count people by pair of events: the definition, word by word."""
    records = Counter(row[0] for row in rows if row[0] is not None)
    own: dict[str, set[Any]] = {}
    for who, when, place, kind in rows:
        if who is not None and when is not None and records[who] < max_events:
            own.setdefault(who, set()).add((when, (place is None, place or ""), kind))
    return Counter(pair for events in own.values() for pair in itertools.combinations(sorted(events), 2))


def expected_figures(counts: list[int]) -> dict[str, Any]:
    n = sum(counts)
    entropy = math.fsum(k / n * math.log2(n / k) for k in counts)
    return {
        "n_pairs": n,
        "n_sets": len(counts),
        "entropy_bits": pytest.approx(entropy, abs=1e-9),
        "k_hat": pytest.approx(n / 2**entropy),
        "singletons": counts.count(1),
        "share": counts.count(1) / n,
        "largest": max(counts),
    }


@pytest.mark.big
@settings(max_examples=60)
@given(rows_of_events, st.sampled_from([3, 5, 8, 1000]), st.sampled_from([None, "2005-01", "2005-02", "2005-W05"]))
def test_pairs_equal_a_plain_count(rows: list[Row], max_events: int, period: str | None) -> None:
    spans = {
        None: (date.min, date.max),
        "2005-01": (START, date(2005, 1, 31)),
        "2005-02": (date(2005, 2, 1), date(2005, 2, 28)),
        "2005-W05": (date(2005, 1, 31), date(2005, 2, 6)),
    }
    first, last = spans[period]
    counts = {pair: k for pair, k in plain_pairs(rows, max_events).items() if first <= pair[0][0] <= last}
    ask = {"attributes": ["place", "kind"], "period": period, "max_events": max_events}
    if not counts:
        with pytest.raises((NotEstimableError, DataError)):
            idbits.events(frame(rows), "who", "when", **ask)
        return
    data = idbits.events(frame(rows), "who", "when", **ask).to_dict()
    days: dict[date, list[int]] = {}
    for pair, k in counts.items():
        days.setdefault(pair[0][0], []).append(k)
    for row in [*data["days"], data["period"]]:
        assert row["k_hat"] * 2 ** row["entropy_bits"] == pytest.approx(row["n_pairs"])
    found = {row["date"]: {key: row[key] for key in expected_figures([1])} for row in data["days"]}
    assert found == {day.isoformat(): expected_figures(own) for day, own in sorted(days.items())}
    assert [row["weekday"] for row in data["days"]] == [f"{day:%a}" for day in sorted(days)]
    whole = data["period"]
    assert {key: whole[key] for key in expected_figures([1])} == expected_figures(list(counts.values()))
    assert whole["spectrum"] == sorted([k, m] for k, m in Counter(counts.values()).items())
    busy = [n for n in Counter(row[0] for row in rows if row[0] is not None).values() if n >= max_events]
    assert data["excluded"] == {
        "people": len(busy),
        "events": sum(busy),
        "without_person": sum(row[0] is None for row in rows),
        "without_time": sum(row[0] is not None and row[1] is None for row in rows),
        "unreadable_time": 0,
    }


def test_bits_about_a_person_are_of_people_not_of_pairs() -> None:
    rows: list[Row] = []
    # Eight people with three days each: one pair of days is shared by two of them, all others by nobody.
    for person in range(8):
        rows += [(f"p{person}", START + timedelta(days=10 * person + step), "10", 0) for step in range(3)]
    rows[3] = ("p1", START, "10", 0)
    rows[4] = ("p1", START + timedelta(days=1), "10", 0)
    answer = idbits.events(frame(rows), "who", "when", ["place", "kind"])
    counts = list(plain_pairs(rows).values())
    n = sum(counts)
    assert (answer.people, n, sorted(counts)[-1]) == (8, 24, 2)
    by_hand = math.fsum(k * math.log2(8 / k) for k in counts) / n
    period = json.loads(answer.to_json())["period"]
    assert period["person_bits"] == pytest.approx(by_hand)
    assert period["max_person_bits"] == 3.0
    assert period["max_entropy_bits"] == pytest.approx(math.log2(24))
    text = " ".join(str(answer).split())
    assert "A pair gives away 2.92 of the 3.00 bits that single out one of 8 people" in text


def test_one_person_cannot_be_singled_out() -> None:
    rows: list[Row] = [("p", START + timedelta(days=step), "10", 0) for step in range(3)]
    answer = idbits.events(frame(rows), "who", "when", ["place", "kind"])
    assert json.loads(answer.to_json())["period"]["max_person_bits"] == 0.0
    text = " ".join(str(answer).split())
    assert "All pairs belong to one person" in text
    assert "1 people" not in text


@pytest.mark.big
def test_pairs_equal_a_self_join_of_real_visits(shared_data: Path) -> None:
    path = shared_data / "shopping-visits.parquet"
    answer = idbits.events(
        path, "household_id", "transaction_timestamp", ["store_id"], "2017-02", max_events=1000, memory="1GB"
    )
    joined = duckdb.sql(f"""
        WITH busy AS (SELECT household_id FROM '{path}' GROUP BY ALL HAVING count(*) >= 1000),
        e AS (SELECT DISTINCT household_id AS h, CAST(transaction_timestamp AS DATE) AS d, store_id AS s
              FROM '{path}' WHERE household_id NOT IN (FROM busy)),
        pairs AS (SELECT a.d AS d1, count(*) AS k FROM e a JOIN e b ON a.h = b.h AND (a.d, a.s) < (b.d, b.s)
                  WHERE a.d BETWEEN DATE '2017-02-01' AND DATE '2017-02-28' GROUP BY a.d, a.s, b.d, b.s)
        SELECT CAST(d1 AS VARCHAR), k, count(*) FROM pairs GROUP BY ALL ORDER BY ALL""").fetchall()
    days: dict[str, list[tuple[int, int]]] = {}
    for day, k, sets in joined:
        days.setdefault(day, []).append((k, sets))
    assert {row.date: row.figures.spectrum.pairs() for row in answer.days} == days
    assert len(days) == 28


SMALL = [
    ("a", "2005-01-03", "1"), ("a", "2005-01-05", "1"), ("b", "2005-01-03", "1"), ("b", "2005-01-05", "1"),
    ("c", "2005-01-03", "2"), ("c", "2005-02-01", "2"), ("d", "2005-01-09", "2"),
]  # fmt: skip


def small(times: list[Any] | None = None) -> pa.Table:
    who, when, place = zip(*SMALL, strict=True)
    return pa.table({"who": who, "when": times or when, "place": place})


def days_of(answer: idbits.Events) -> dict[str, list[tuple[int, int]]]:
    return {row.date: row.figures.spectrum.pairs() for row in answer.days}


EXPECTED = {"2005-01-03": [(1, 1), (2, 1)]}


@pytest.mark.parametrize(
    "times",
    [
        [row[1] for row in SMALL],
        [row[1].replace("-", ".") + "." for row in SMALL],
        ["/".join(reversed(row[1].split("-"))) for row in SMALL if row] ,
        [row[1].replace("-", "") for row in SMALL],
        [int(row[1].replace("-", "")) for row in SMALL],
        [date.fromisoformat(row[1]) for row in SMALL],
        [datetime.fromisoformat(row[1] + "T23:30") for row in SMALL],
        [datetime.fromisoformat(row[1] + "T23:30").replace(tzinfo=UTC) for row in SMALL],
        [row[1] + "T23:30:00+02:00" for row in SMALL],
    ],
    ids=["iso", "points", "day first", "digits", "integers", "dates", "moments", "moments in UTC", "text with zone"],
)  # fmt: skip
def test_times_in_many_forms(times: list[Any]) -> None:
    answer = idbits.events(small(times), "who", "when", "place", dates="dmy" if "/" in str(times[0]) else None)
    assert days_of(answer) == EXPECTED


def test_moments_and_zones_are_noted() -> None:
    moments = [datetime.fromisoformat(row[1] + "T23:30") for row in SMALL]
    assert idbits.events(small(moments), "who", "when").notes == ()
    instants = [moment.replace(tzinfo=UTC) for moment in moments]
    assert "UTC" in " ".join(idbits.events(small(instants), "who", "when").notes)
    text = [row[1] + "T23:30:00+02:00" for row in SMALL]
    assert "time zone" in " ".join(idbits.events(small(text), "who", "when").notes)


def test_unreadable_times_are_counted_and_ambiguous_ones_refused() -> None:
    times = [row[1] for row in SMALL[:5]] + ["soon", None]
    excluded = idbits.events(small(times), "who", "when", "place").to_dict()["excluded"]
    assert (excluded["unreadable_time"], excluded["without_time"]) == (1, 1)
    with pytest.raises(DataError, match=r'7 records cannot be read as a date \(most often written like "AAAA"\)'):
        idbits.events(small(["soon"] * 7), "who", "when")
    with pytest.raises(DataError, match=r"6 records cannot be read as a date .* and 1 is empty"):
        idbits.events(small([*["soon"] * 6, None]), "who", "when")
    with pytest.raises(DataError, match="contains no times: it is empty in 7 records"):
        idbits.events(small(pa.array([None] * 7, pa.string())), "who", "when")
    doubtful = ["01/02/2005", "03/02/2005"] * 3 + ["soon"]
    with pytest.raises(InputError, match="dates="):
        idbits.events(small(doubtful), "who", "when")
    assert idbits.events(small(doubtful), "who", "when", dates="mdy").days[0].date == "2005-01-02"


def test_the_second_event_may_lie_outside_the_period_and_the_first_not() -> None:
    answer = idbits.events(small(), "who", "when", "place", "2005-01-03")
    assert answer.period.n_pairs == 3
    with pytest.raises(NotEstimableError, match="the pairs of this table begin in 2005-01 "):
        idbits.events(small(), "who", "when", "place", "2005-02")
    with pytest.raises(NotEstimableError, match="no pair of events begins on 2005-02-03"):
        idbits.events(small(), "who", "when", "place", "2005-02-03")


def test_coarser_time_and_place() -> None:
    answer = idbits.events(small(), "who", "when:week", "place:prefix1")
    assert days_of(answer) == {"2005-W01": [(1, 1)]}
    assert answer.to_dict()["days"][0]["weekday"] is None
    assert "weekday" in answer.to_dict()["reasons"]
    assert idbits.events(small(), "who", "when:month", ()).period.n_pairs == 1


@pytest.mark.big
def test_the_order_of_rows_threads_and_memory_change_nothing(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    rows = [(f"p{random.integers(60)}", START + timedelta(days=int(random.integers(40))),
             str(random.integers(5)), 0) for _ in range(3_000)]  # fmt: skip
    told = idbits.events(frame(rows), "who", "when", "place", points="1..3,all", draws=200).to_json()
    pyarrow.parquet.write_table(frame(rows[::-1]), tmp_path / "events.parquet")
    csv = tmp_path / "events.csv"
    csv.write_text("who,when,place\n" + "".join(f"{a},{b},{c}\n" for a, b, c, _ in rows[::-1]))
    again = idbits.events(
        tmp_path / "events.parquet", "who", "when", "place", points="1..3,all", draws=200, threads=1, memory="64MB"
    ).to_dict()
    first = json.loads(told)
    for key in ("days", "months", "period", "excluded", "n_points", "unicity", "unicity_grid"):
        assert again[key] == first[key]
    text = idbits.events(csv, "who", "when", "place").to_dict()
    assert text["days"] == first["days"]
    assert idbits.events(polars.from_arrow(frame(rows)), "who", "when", "place").to_dict()["days"] == first["days"]


def test_a_database_counts_records_of_distinct_rows(tmp_path: Path) -> None:
    import sqlalchemy

    url = f"sqlite:///{tmp_path / 'events.db'}"
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text('CREATE TABLE events (who TEXT, "when" TEXT, place TEXT)'))
        for who, when, place in [*SMALL, *[SMALL[0]] * 5]:
            values = {"who": who, "day": when, "place": place}
            connection.execute(sqlalchemy.text("INSERT INTO events VALUES (:who, :day, :place)"), values)
    engine.dispose()
    answer = idbits.events(url, "who", "when", "place", table="events")
    assert (days_of(answer), answer.records) == (EXPECTED, 12)
    # The six equal records of a and the other one are seven records.
    limited = idbits.events(url, "who", "when", "place", table="events", max_events=7)
    assert (limited.excluded.people, limited.excluded.events, limited.period.n_pairs) == (1, 7, 2)
    assert idbits.events(url, "who", "when", "place", table="events", max_events=8).excluded.people == 0


@pytest.mark.big
def test_attributes_with_very_many_values() -> None:
    n = 4_000
    random = np.random.default_rng(4)
    table = pa.table(
        {
            "who": random.integers(0, 2**60, 900)[random.integers(0, 900, n)],
            "when": np.datetime64("2005-01-01") + random.integers(0, 3_000, n),
            **{f"x{i}": random.integers(0, 2**62, n) for i in range(6)},
        }
    )
    names = [f"x{i}" for i in range(6)]
    answer = idbits.events(table, "who", "when", names, points="1..2")
    assert (answer.period.singletons, answer.period.largest) == (answer.period.n_pairs, 1)
    lengths = Counter(table["who"].to_pylist()).values()
    assert answer.period.n_pairs == sum(k * (k - 1) // 2 for k in lengths)
    assert [row.share for row in answer.unicity] == [1.0, 1.0]


@pytest.mark.big
def test_what_cannot_be_measured() -> None:
    unique = pa.table({"who": list(range(5)), "when": ["2005-01-03"] * 5})
    with pytest.raises(NotEstimableError, match="a different person in every row"):
        idbits.events(unique, "who", "when")
    same = pa.table({"who": [1, 1, 2, 2], "when": ["2005-01-03"] * 4})
    with pytest.raises(NotEstimableError, match="nobody has two different events"):
        idbits.events(same, "who", "when")
    untimed = pa.table({"who": ["a", "a", "b"], "day": [None, None, "2005-01-01"]})
    with pytest.raises(NotEstimableError, match="a different person in every row with a time"):
        idbits.events(untimed, "who", "day")
    untimed = pa.table({"who": ["a", "a", "a", "b"], "day": ["2005-01-01", "2005-01-02", "2005-01-03", None]})
    with pytest.raises(NotEstimableError, match="everyone who has a time was left out"):
        idbits.events(untimed, "who", "day", max_events=3)
    with pytest.raises(NotEstimableError, match="everyone was left out"):
        idbits.events(pa.table({"who": [1] * 9, "when": [f"2005-01-0{i}" for i in range(1, 10)]}), "who", "when",
                      max_events=9)  # fmt: skip
    with pytest.raises(DataError, match="no record names a person"):
        idbits.events(pa.table({"who": pa.array([None] * 2, pa.int64()), "when": ["2005-01-03"] * 2}), "who", "when")
    with pytest.raises(NotEstimableError, match="no row is left"):
        idbits.events(small(), "who", "when", where="place = '9'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"person": "whom"}, 'no column named "whom"; did you mean "who"'),
        ({"time": "whenn"}, "did you mean"),
        ({"time": "when:monthofyear"}, "day, week, month"),
        ({"time": "who"}, "person=, time="),
        ({"attributes": "plaec"}, "did you mean"),
        ({"attributes": "who"}, '"who".*attributes='),
        ({"points": "1", "coarser": ["place,who:prefix1"]}, '"who".*coarser='),
        ({"period": "January"}, "2005-W05.*period="),
        ({"period": "2005-13"}, "2005-W05.*period="),
        ({"period": "2005-02..2005-01"}, "ends before it begins"),
        ({"period": "1..2..3"}, "2005-W05.*period="),
        ({"max_events": 2}, "max_events=3"),
        ({"points": "some"}, "1..5,all.*points="),
        ({"points": "0..3"}, "1 to 100 points"),
        ({"points": "5..3"}, "1 to 100 points"),
        ({"points": "3", "draws": 1}, "draws"),
        ({"points": "3", "seed": -1}, "seed="),
        ({"points": "3", "times": "hour"}, "day, week, month.*times="),
        ({"count": "place"}, "omit count="),
    ],
)  # fmt: skip
def test_wrong_questions(options: dict[str, Any], message: str) -> None:
    ask: dict[str, Any] = {"person": "who", "time": "when"} | options
    with pytest.raises(InputError, match=message):
        idbits.events(small(), **ask)


def test_too_little_memory_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from idbits.engines import coded_points

    monkeypatch.setattr(coded_points, "_POINTS_PART", 10**9)
    with pytest.raises(EngineError, match="memory="):
        idbits.events(small(), "who", "when", memory="64MB")


def test_unicity_of_the_grid(tmp_path: Path) -> None:
    answer = idbits.events(small(), "who", "when", "place", points="1,2,9,all", coarser=["place:prefix1"])
    one, two, nine, whole = answer.unicity
    # a and b share both points; c has a point and a pair alone, d one point.
    assert (one.share, two.share, whole.share) == (pytest.approx(2 / 4), pytest.approx(1 / 3), 2 / 4)
    assert (two.people, two.too_few, nine.people, nine.share) == (3, 1, 0, None)
    assert one.bits == pytest.approx((1 + 1 + 2 + 2) / 4)
    assert {row.attributes for row in answer.grid} == {("place",), ("place:prefix1",), ()}
    assert [row.time for row in answer.grid[:12:4]] == ["day", "week", "month"]
    assert "reasons" in nine.to_dict()
    spec = answer.chart()
    assert len(spec["data"]["values"]) == sum(row.share is not None for row in answer.grid)


def test_a_stopped_count_is_carried_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, kept = tmp_path / "events.parquet", tmp_path / "kept"
    random = np.random.default_rng(7)
    rows = [(f"p{random.integers(20)}", START + timedelta(days=int(random.integers(90))), "1", 0) for _ in range(400)]
    pyarrow.parquet.write_table(frame(rows), path)
    whole = idbits.events(path, "who", "when").to_dict()
    from idbits.engines import coded_points

    real, calls = coded_points.counted_day_spectra, []

    def stopped(*given: Any) -> Any:
        calls.append(given[1])
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(coded_points, "counted_day_spectra", stopped)
    with pytest.raises(KeyboardInterrupt):
        idbits.events(path, "who", "when", resume=kept)
    assert len(list(kept.glob("days-*.json"))) == 2
    monkeypatch.setattr(coded_points, "load_points", None)
    assert idbits.events(path, "who", "when", resume=kept).to_dict() == whole
    assert len(calls) == 3 + 2
    with pytest.raises(InputError, match="another question"):
        idbits.events(path, "who", "when", "place", resume=kept)
    with pytest.raises(InputError, match=r"not empty.*resume="):
        idbits.events(path, "who", "when", resume=tmp_path)
    with pytest.raises(InputError, match=r"only counts of files.*resume="):
        idbits.events(frame(rows), "who", "when", resume=kept)


def test_whole_numbers_as_times_can_be_coarser() -> None:
    numbers = small([int(row[1].replace("-", "")) for row in SMALL])
    dates = small([date.fromisoformat(row[1]) for row in SMALL])
    for time in ("when:day", "when:week"):
        assert days_of(idbits.events(numbers, "who", time, "place")) == days_of(
            idbits.events(dates, "who", time, "place")
        )
    with pytest.raises(InputError, match="day, week, month"):
        idbits.events(numbers, "who", "when:monthofyear")


@pytest.mark.parametrize(
    ("time", "period", "coarser"),
    [
        ("when", "2005-01-05", "--time when:week --attributes place --period 2005-W01"),
        ("when", "2005-01", "--time when:week --attributes place --period 2005-01"),
        ("when:week", "2005-W01", "--time when:month --attributes place --period 2005-01"),
        ("when:month", "2005-02", "--time when:quarter --attributes place --period 2005-Q1"),
        ("when:quarter", "2005-Q2", "--time when:year --attributes place --period 2005"),
    ],
)
def test_the_next_command_asks_for_a_period_that_has_pairs(
    tmp_path: Path, time: str, period: str, coarser: str
) -> None:
    when = [f"{year}-{month:02}-05" for year in (2005, 2006) for month in range(1, 13)]
    path = tmp_path / "events.csv"
    path.write_text("who,when,place\n" + "".join(f"a,{day},1\n" for day in when))
    told = idbits.events(path, "who", time, "place", period).next_command
    assert told is not None
    assert told.endswith(coarser)
    words = told.split()
    asked = words[words.index("--time") + 1], words[words.index("--period") + 1]
    assert idbits.events(path, "who", asked[0], "place", asked[1]).period.n_pairs > 0
    with pytest.raises(NotEstimableError, match=r"no week begins on 2005-01-05.*period='2005-W01'"):
        idbits.events(path, "who", "when:week", "place", "2005-01-05")


def rows_of_table(answer: idbits.Events) -> list[str]:
    from idbits.studies.events.text import pairs_table

    return [row[0] for row in pairs_table(answer).rows]


def test_without_a_period_there_is_one_row_a_month() -> None:
    when = ["2004-12-31", "2005-01-03", "2005-01-28", "2005-04-01", "2005-04-02"]
    table = pa.table({"who": ["a"] * 5, "when": when})
    assert rows_of_table(idbits.events(table, "who", "when")) == ["2004-12", "2005-01", "2005-04", "all"]
    assert rows_of_table(idbits.events(table, "who", "when:week")) == ["2004-12", "2005-01", "all"]
    assert rows_of_table(idbits.events(table, "who", "when:quarter")) == ["2004-Q4", "2005-Q1", "all"]
    assert rows_of_table(idbits.events(table, "who", "when", period="2005-01")) == [
        "2005-01-03", "2005-01-28", "2005-01",
    ]  # fmt: skip


def test_the_figure_of_a_report_has_the_rows_of_its_table() -> None:
    from idbits.studies.report.saved_text import events_section

    (figure,) = events_section(idbits.events(small(), "who", "when"), "events", "Events").figures
    assert "by the first month" in figure.words
    assert [row[0] for row in figure.table.rows] == ["2005-01", "all"]


def test_many_years_are_not_called_months() -> None:
    years = [f"{year:04}-03-01" for year in range(900, 1000)]
    answer = idbits.events(pa.table({"who": ["a"] * 100, "when": years}), "who", "when:year")
    assert rows_of_table(answer)[:2] == ["0900", "0901"]
    assert answer.months == ()
    assert (answer.to_dict()["months"], answer.to_dict()["reasons"]["months"]) == (None, "times are years")


def test_a_folder_that_keeps_nothing_yet_takes_another_question(tmp_path: Path) -> None:
    path, kept = tmp_path / "events.parquet", tmp_path / "kept"
    pyarrow.parquet.write_table(small(), path)
    with pytest.raises(InputError, match="did you mean"):
        idbits.events(path, "whom", "when", resume=kept)
    idbits.events(path, "who", "when", resume=kept)
    with pytest.raises(InputError, match="another question"):
        idbits.events(path, "who", "when", "place", resume=kept)


@pytest.mark.parametrize("file", ["events.json", "points.npy", "days-*.json"])
def test_a_damaged_folder_is_an_error(tmp_path: Path, file: str) -> None:
    path, kept = tmp_path / "events.parquet", tmp_path / "kept"
    pyarrow.parquet.write_table(small(), path)
    idbits.events(path, "who", "when", resume=kept)
    (damaged,) = kept.glob(file)
    damaged.write_bytes(damaged.read_bytes()[:9])
    with pytest.raises(InputError, match="damaged"):
        idbits.events(path, "who", "when", resume=kept)


KEPT = ["events.json", "points.npy", "starts.npy", "days.npy", "labels.npy", "days-*.json"]


@pytest.mark.parametrize("file", KEPT)
def test_a_changed_folder_is_an_error(tmp_path: Path, file: str) -> None:
    """One digit of a count, one bit of a code: the file still reads, and the figures would be others."""
    path, kept = tmp_path / "events.parquet", tmp_path / "kept"
    pyarrow.parquet.write_table(small(), path)
    idbits.events(path, "who", "when", resume=kept)
    (changed,) = kept.glob(file)
    content = bytearray(changed.read_bytes())
    digits = [place for place, byte in enumerate(content.partition(b"\n")[0]) if chr(byte).isdigit()]
    if file.endswith(".npy"):
        content[-8] ^= 1
    else:
        content[digits[-1]] = ord("7") if content[digits[-1]] != ord("7") else ord("8")
    changed.write_bytes(content)
    with pytest.raises(InputError, match=r"damaged or was changed.*resume="):
        idbits.events(path, "who", "when", resume=kept)


def test_a_mark_that_is_not_text_belongs_to_another_question(tmp_path: Path) -> None:
    path, kept = tmp_path / "events.parquet", tmp_path / "kept"
    pyarrow.parquet.write_table(small(), path)
    idbits.events(path, "who", "when", resume=kept)
    (kept / "question").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="belongs to another question"):
        idbits.events(path, "who", "when", resume=kept)


@pytest.mark.parametrize("file", KEPT)
def test_files_of_another_question_do_not_fit(tmp_path: Path, file: str) -> None:
    """They are whole, but not of this question: here, of people with other limits."""
    path, kept, other = tmp_path / "events.parquet", tmp_path / "kept", tmp_path / "other"
    pyarrow.parquet.write_table(small(), path)
    idbits.events(path, "who", "when", resume=kept)
    idbits.events(path, "who", "when", max_events=4, resume=other)
    (ours,), (theirs,) = kept.glob(file), other.glob(file)
    assert ours.name == theirs.name
    ours.write_bytes(theirs.read_bytes())
    if ours.suffix == ".npy":
        # The bytes are the same, and so is what they say; the list of digests is what differs.
        assert idbits.events(path, "who", "when", resume=kept).period.n_pairs == 3
        return
    with pytest.raises(InputError, match="damaged or was changed"):
        idbits.events(path, "who", "when", resume=kept)


def test_a_full_disk_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from idbits.kernels import events as kernel
    from idbits.studies.events import resume as event_resume

    def full(*_: Any) -> None:
        raise OSError("3 requested and 0 written")

    path, kept = tmp_path / "events.parquet", tmp_path / "kept"
    pyarrow.parquet.write_table(small(), path)
    with monkeypatch.context() as patched:
        patched.setattr(event_resume.np, "save", full)
        with pytest.raises(EngineError, match=r"cannot be written.*resume="):
            idbits.events(path, "who", "when", resume=kept)
    with monkeypatch.context() as patched:
        patched.setattr(kernel.Collector, "_spill", full)
        patched.setattr(kernel, "_BUFFER_KEYS", 1)
        with pytest.raises(EngineError, match="TMPDIR"):
            idbits.events(path, "who", "when")
    assert idbits.events(path, "who", "when", resume=kept).period.n_pairs == 3
