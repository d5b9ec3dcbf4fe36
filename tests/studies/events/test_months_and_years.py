"""Events whose times are months or years: pairs against a plain count, and the words for them."""

import itertools
import json
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusters
import idbits
from idbits.errors import DataError

Visit = tuple[str, int, int, str]

VISITS: list[Visit] = [
    ("a", 2018, 1, "x"), ("a", 2019, 3, "x"), ("a", 2019, 3, "x"), ("b", 2018, 1, "x"), ("b", 2019, 3, "x"),
    ("c", 2018, 12, "y"), ("c", 2019, 1, "x"), ("d", 2018, 2, "x"), ("d", 2019, 3, "y"), ("d", 2020, 2, "y"),
]  # fmt: skip
NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

YEARS = {
    "text": lambda year, month: f"{year}",
    "whole numbers": lambda year, month: year,
    "dates coarsened": lambda year, month: date(year, month, 15),
    "months coarsened": lambda year, month: f"{year}-{month:02}",
    "eight digits coarsened": lambda year, month: int(f"{year}{month:02}15"),
}
MONTHS = {
    "year-month": lambda year, month: f"{year}-{month:02}",
    "month/year": lambda year, month: f"{month}/{year}",
    "SAS": lambda year, month: f"{NAMES[month - 1].upper()}{year}",
    "dates coarsened": lambda year, month: date(year, month, 28),
    "moments coarsened": lambda year, month: datetime(year, month, 1, tzinfo=UTC),
}


def table_of(visits: list[Visit], write: Any) -> pa.Table:
    return pa.table(
        {
            "who": [who for who, *_ in visits],
            "when": [write(year, month) for _, year, month, _ in visits],
            "place": [place for *_, place in visits],
        }
    )


def pairs(visits: list[Visit], unit: str) -> dict[str, Counter[int]]:
    """Count pairs by how many people have them, for each first year or month: the definition, word by word."""
    own: dict[str, set[tuple[str, str]]] = {}
    for who, year, month, place in visits:
        own.setdefault(who, set()).add((f"{year}" if unit == "year" else f"{year}-{month:02}", place))
    people = Counter(pair for points in own.values() for pair in itertools.combinations(sorted(points), 2))
    found: dict[str, Counter[int]] = {}
    for (first, _), number in people.items():
        found.setdefault(first[0], Counter())[number] += 1
    return found


def counted(answer: idbits.Events) -> dict[str, Counter[int]]:
    return {row.date: Counter(dict(row.figures.spectrum.pairs())) for row in answer.days}


@pytest.mark.parametrize("source", YEARS)
def test_years_as_times(source: str) -> None:
    time = "when:year" if "coarsened" in source else "when"
    answer = idbits.events(table_of(VISITS, YEARS[source]), "who", time, "place")
    assert counted(answer) == pairs(VISITS, "year")
    assert answer.step == "year"


@pytest.mark.parametrize("source", MONTHS)
def test_months_as_times(source: str) -> None:
    time = "when:month" if "coarsened" in source else "when"
    answer = idbits.events(table_of(VISITS, MONTHS[source]), "who", time, "place")
    assert counted(answer) == pairs(VISITS, "month")
    assert answer.step == "month"


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcde"), st.integers(1999, 2001), st.integers(1, 3), st.sampled_from("xy")),
        min_size=5,
        max_size=40,
    ),
    st.sampled_from(["year", "month"]),
)
def test_any_months_and_years_equal_a_plain_count(visits: list[Visit], unit: str) -> None:
    expected = pairs(visits, unit)
    if not expected:
        return
    write = YEARS["text"] if unit == "year" else MONTHS["year-month"]
    assert counted(idbits.events(table_of(visits, write), "who", "when", "place")) == expected


def test_the_words_fit_the_unit() -> None:
    years = idbits.events(table_of(VISITS, YEARS["text"]), "who", "when", "place", points="1")
    text = " ".join(str(years).split())
    assert "Pairs of events by the year of the first event" in text
    assert "first year" in text
    assert "A point is one year with its place" in text
    assert "approximate years" in text
    assert "first day" not in text
    assert years.notes == ('column "when" was read as years',)
    data = json.loads(years.to_json())
    assert [row["weekday"] for row in data["days"]] == [None] * len(data["days"])
    assert data["reasons"] == {"weekday": "only single days have a weekday", "months": "times are years"}
    assert data["months"] is None
    assert [(row["time"], row["attributes"]) for row in data["unicity_grid"]] == [("year", ["place"]), ("year", [])]
    months = idbits.events(table_of(VISITS, MONTHS["month/year"]), "who", "when", "place", period="2018")
    text = " ".join(str(months).split())
    assert "Pairs of events by the month of the first event" in text
    assert "in any later month" in text
    assert json.loads(months.to_json())["months"] == json.loads(months.to_json())["days"]


def test_the_next_command_is_one_step_coarser(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    lines = [f"{who},{year}-{month:02},{place}" for who, year, month, place in VISITS]
    path.write_text("\n".join(["who,when,place", *lines]) + "\n")
    assert "--time when:quarter" in str(idbits.events(path, "who", "when", "place").next_command)
    assert idbits.events(path, "who", "when:year", "place").next_command is None


@pytest.mark.parametrize(
    ("write", "time", "words"),
    [
        (YEARS["text"], "when:month", "10 records cannot be read as a month"),
        (YEARS["whole numbers"], "when:month", "10 records cannot be read as a month"),
        (MONTHS["year-month"], "when:week", "10 records cannot be read as a date"),
        (lambda year, month: 7, "when", "10 records cannot be read as a date"),
    ],
)
def test_a_year_has_no_month(write: Any, time: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        idbits.events(table_of(VISITS, write), "who", time, "place")


def test_times_that_are_coarser_than_the_others_are_left_out_and_counted() -> None:
    def write(year: int, month: int) -> str:
        return f"{year}" if month == 12 else f"{year}-{month:02}"

    answer = idbits.events(table_of(VISITS, write), "who", "when", "place")
    assert counted(answer) == pairs([visit for visit in VISITS if visit[2] != 12], "month")
    assert answer.excluded.unreadable_time == 1
    assert "1 record with a time that cannot be read as a month is not in any pair" in " ".join(str(answer).split())
    # As years, all of them are times.
    assert counted(idbits.events(table_of(VISITS, write), "who", "when:year", "place")) == pairs(VISITS, "year")


def test_a_stopped_count_of_years_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "visits.parquet"
    pyarrow.parquet.write_table(table_of(VISITS, YEARS["whole numbers"]), path)
    first = idbits.events(path, "who", "when", "place", resume=tmp_path / "kept")
    again = idbits.events(path, "who", "when", "place", resume=tmp_path / "kept")
    assert first.to_dict() == again.to_dict()
    assert again.step == "year"


@pytest.mark.parametrize("engine_name", ["spark"])
@pytest.mark.parametrize(
    ("write", "time"),
    [
        (YEARS["text"], "when"), (YEARS["whole numbers"], "when"), (YEARS["eight digits coarsened"], "when:year"),
        (MONTHS["year-month"], "when"), (MONTHS["SAS"], "when:year"), (MONTHS["moments coarsened"], "when:month"),
    ],
)  # fmt: skip
def test_spark_counts_the_same(engine_name: str, write: Any, time: str, tmp_path: Path) -> None:
    clusters.spark()
    path = tmp_path / "visits.parquet"
    pyarrow.parquet.write_table(table_of(VISITS, write), path)
    ours, theirs = (
        idbits.events(path, "who", time, "place", engine=engine, points="1") for engine in ("spark", "auto")
    )
    assert ours.to_dict() == theirs.to_dict()


def test_a_zone_moves_events_to_another_day() -> None:
    moments = [datetime(2018, 12, 31, 23, 30, tzinfo=UTC), datetime(2019, 1, 5, tzinfo=UTC)]
    table = pa.table({"who": ["a", "a"], "when": moments})
    assert idbits.events(table, "who", "when").days[0].date == "2018-12-31"
    answer = idbits.events(table, "who", "when", zone="Europe/Budapest")
    assert (answer.days[0].date, answer.days[0].weekday, answer.notes) == ("2019-01-01", "Tue", ())
    texts = pa.table({"who": ["a", "a"], "when": [moment.isoformat() for moment in moments]})
    assert idbits.events(texts, "who", "when", zone="Europe/Budapest").days[0].date == "2019-01-01"
    broken = pa.table({"who": ["a", "a", "a"], "when": [*(moment.isoformat() for moment in moments), "soon"]})
    assert idbits.events(broken, "who", "when", zone="Europe/Budapest").days[0].date == "2019-01-01"
