"""Instants: equal as instants, and on the days of their zone, of the zone that is given, or of UTC, on every engine."""

import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

import clusters
import databases
import idbits
from idbits.engines.open import open_table
from idbits.engines.plain import PlainTable
from idbits.reading import OpenOptions
from idbits.values.attributes import Kind, parse_attribute
from idbits.values.zones import Zone

BUDAPEST = ZoneInfo("Europe/Budapest")


def instants() -> list[datetime]:
    """Return instants around midnight, clock changes and New Year, which MariaDB can store, too."""
    days = [datetime(1985, 1, 1), datetime(2019, 3, 31), datetime(2019, 10, 27), datetime(1999, 12, 31)]
    days += [datetime(1971, 1, 1) + timedelta(days=random.Random(3).randrange(20_000)) for _ in range(3)]
    return [(day + timedelta(minutes=47 * step)).replace(tzinfo=UTC) for day in days for step in range(-40, 40, 3)]


def arrow(moments: list[datetime], zone: str = "Europe/Budapest", unit: str = "us") -> pyarrow.Table:
    return pyarrow.table({"at": pyarrow.array([*moments, None], pyarrow.timestamp(unit, zone))})


def as_parquet(moments: list[datetime], folder: Path) -> Path:
    pyarrow.parquet.write_table(arrow(moments), folder / "t.parquet")
    return folder / "t.parquet"


def as_feather(moments: list[datetime], folder: Path) -> Path:
    pyarrow.feather.write_feather(arrow(moments), str(folder / "t.feather"))
    return folder / "t.feather"


def as_csv(moments: list[datetime], folder: Path) -> Path:
    lines = [moment.astimezone(BUDAPEST).isoformat() for moment in moments]
    (folder / "t.csv").write_text("\n".join(["at,x", *(f"{line},1" for line in lines), ",1"]) + "\n")
    return folder / "t.csv"


def as_pandas(moments: list[datetime], folder: Path) -> pandas.DataFrame:
    return pandas.DataFrame({"at": pandas.Series([*moments, None]).dt.tz_convert("Europe/Budapest")})


def as_objects(moments: list[datetime], folder: Path) -> pandas.DataFrame:
    cells = [moment.astimezone(BUDAPEST) for moment in moments]
    return pandas.DataFrame({"at": pandas.Series([*cells, None], dtype=object)})


KNOWING: dict[str, Callable[[list[datetime], Path], Any]] = {
    "arrow": lambda moments, folder: arrow(moments),
    "arrow, nanoseconds": lambda moments, folder: arrow(moments, unit="ns"),
    "arrow, seconds": lambda moments, folder: arrow(moments, unit="s"),
    "parquet": as_parquet,
    "feather": as_feather,
    "csv": as_csv,
    "pandas": as_pandas,
    "pandas objects": as_objects,
    "polars": lambda moments, folder: polars.from_arrow(arrow(moments)),
}
"""Sources that know the zone of their instants, or write an offset beside each."""


def labels(moments: list[datetime], view: str, zone: ZoneInfo) -> dict[str | None, int]:
    """Return people by day or year, computed by Python alone."""
    local = [moment.astimezone(zone) for moment in moments]
    form = {"day": "%Y-%m-%d", "year": "%Y", "month": "%Y-%m"}[view]
    return dict(Counter([*(moment.strftime(form) for moment in local), None]))


def counted(table: Any, view: str) -> dict[str | None, int]:
    attribute = parse_attribute(view, table.columns)
    found = table.histogram([attribute])
    return {value[0]: people for value, people in zip(found.values, found.people, strict=True)}


@pytest.mark.parametrize("source", KNOWING)
def test_days_are_those_of_the_zone_of_the_column(source: str, tmp_path: Path) -> None:
    """Midnight of New Year 1985 in Budapest is in 1984 in UTC."""
    made = KNOWING[source](instants(), tmp_path)
    for view in ("day", "year", "month"):
        table = open_table(made)
        table.load(["at"])
        assert counted(table, f"at:{view}") == labels(instants(), view, BUDAPEST)
        assert not [note for note in table.notes if "UTC" in note]


@pytest.mark.parametrize("source", KNOWING)
@pytest.mark.parametrize("zone", ["America/New_York", "UTC"])
def test_a_zone_that_is_given_comes_first(source: str, zone: str, tmp_path: Path) -> None:
    table = open_table(KNOWING[source](instants(), tmp_path), OpenOptions(zone=Zone(zone)))
    table.load(["at"])
    assert counted(table, "at:day") == labels(instants(), "day", ZoneInfo(zone))


@pytest.mark.parametrize("source", [source for source in KNOWING if source not in ("csv", "pandas objects")])
def test_instants_are_equal_whatever_their_zone(source: str, tmp_path: Path) -> None:
    table = open_table(KNOWING[source](instants(), tmp_path), OpenOptions(zone=Zone("America/New_York")))
    table.load(["at"])
    expected = Counter([*(moment.strftime("%Y-%m-%d %H:%M:%S") for moment in instants()), None])
    assert counted(table, "at") == dict(expected)


def test_the_plain_engine_agrees() -> None:
    rows = [{"at": moment.astimezone(BUDAPEST)} for moment in instants()] + [{"at": None}]
    for zone in (None, "America/New_York"):
        table = PlainTable(rows, {"at": Kind.TIMESTAMP}, OpenOptions(zone=Zone(zone) if zone else None))
        assert counted(table, "at:day") == labels(instants(), "day", ZoneInfo(zone) if zone else BUDAPEST)
        assert len(counted(table, "at")) == len(set(instants())) + 1


def in_postgresql(moments: list[datetime]) -> tuple[str, OpenOptions]:
    table = sa.Table("instants", sa.MetaData(), sa.Column("at", sa.DateTime(timezone=True)))
    databases.fill(databases.postgresql_address(), table, [{"at": moment} for moment in [*moments, None]])
    return databases.postgresql_address(), OpenOptions(table="instants")


def in_mariadb(moments: list[datetime]) -> tuple[str, OpenOptions]:
    table = sa.Table("instants", sa.MetaData(), sa.Column("at", mysql.TIMESTAMP(), nullable=True))
    with databases.writer(databases.mariadb_address()).connect() as connection:
        connection.exec_driver_sql("SET time_zone = '+00:00'")
        table.drop(connection, checkfirst=True)
        table.create(connection)
        connection.execute(
            table.insert(), [{"at": moment and moment.replace(tzinfo=None)} for moment in [*moments, None]]
        )
        connection.commit()
    return databases.mariadb_address(), OpenOptions(table="instants")


def in_spark(moments: list[datetime]) -> tuple[Any, OpenOptions]:
    return clusters.spark().createDataFrame([(moment,) for moment in [*moments, None]], "at timestamp"), OpenOptions()


KNOWING_NO_ZONE = {"postgresql": in_postgresql, "mariadb": in_mariadb, "spark": in_spark}


@pytest.mark.parametrize("engine_name", KNOWING_NO_ZONE)
def test_instants_without_a_zone_have_their_days_in_utc_or_in_the_zone_that_is_given(engine_name: str) -> None:
    from dataclasses import replace

    source, options = KNOWING_NO_ZONE[engine_name](instants())
    for zone in (None, "Europe/Budapest", "America/New_York"):
        table = open_table(source, replace(options, zone=Zone(zone) if zone else None))
        try:
            table.load(["at"])
            for view in ("day", "year"):
                assert counted(table, f"at:{view}") == labels(instants(), view, ZoneInfo(zone or "UTC"))
            assert len(counted(table, "at")) == len(set(instants())) + 1
            notes = [note for note in table.notes if "UTC" in note]
            assert notes == (
                [] if zone else ['the times in column "at" count on their day in UTC (change with --zone)']
            )
        finally:
            table.close()


FAR = [
    datetime(year, month, 28, 22, 30, tzinfo=UTC) for year in (1900, 2099, 2100, 2333, 2500, 9998) for month in (1, 7)
]


@pytest.mark.parametrize("engine_name", ["duckdb", "postgresql", "spark"])
def test_instants_of_the_far_future(engine_name: str) -> None:
    """MariaDB's instants end in 2038."""
    source, options = (arrow(FAR), OpenOptions()) if engine_name == "duckdb" else KNOWING_NO_ZONE[engine_name](FAR)
    table = open_table(source, OpenOptions(table=options.table, zone=Zone("Europe/Budapest")))
    try:
        table.load(["at"])
        assert counted(table, "at:day") == labels(FAR, "day", BUDAPEST)
    finally:
        table.close()


@pytest.mark.parametrize("engine_name", ["spark"])
def test_spark_knows_the_zone_of_a_parquet_file(engine_name: str, tmp_path: Path) -> None:
    clusters.spark()
    path = as_parquet(instants(), tmp_path)
    figures = [
        idbits.measure(path, "at:day", engine=engine, values=True, reveal=True) for engine in ("auto", "spark")
    ]  # fmt: skip
    assert figures[0].to_dict()["values"] == figures[1].to_dict()["values"]
    assert [row["value"][0] for row in figures[1].to_dict()["values"] if row["value"][0]] != []
    pyarrow.parquet.write_table(arrow(instants(), "UTC"), tmp_path / "u.parquet")
    both = idbits.measure([path, tmp_path / "u.parquet"], "at:day", engine="spark")
    assert any("UTC" in note for note in both.notes)


def test_files_with_different_zones_have_their_days_in_utc(tmp_path: Path) -> None:
    for zone in ("Europe/Budapest", "Asia/Tokyo"):
        pyarrow.parquet.write_table(arrow(instants(), zone), tmp_path / f"{zone[:4]}.parquet")
    table = open_table(tmp_path)
    table.load(["at"])
    expected = labels(instants(), "day", ZoneInfo("UTC"))
    assert counted(table, "at:day") == {day: 2 * people for day, people in expected.items()}
    assert any("UTC" in note for note in table.notes)


@pytest.mark.parametrize("zone", ["UTC", "+00:00", "Mars/Olympus"])
def test_utc_is_said(zone: str) -> None:
    """It may be the zone of the people, or only that of the machine."""
    column = pyarrow.array([0, 1], pyarrow.int64()).cast(pyarrow.timestamp("us")).cast(pyarrow.timestamp("us", zone))
    table = open_table(pyarrow.table({"at": column}))
    table.load(["at"])
    assert counted(table, "at:year") == {"1970": 2}
    assert list(table.notes) == ['the times in column "at" count on their day in UTC (change with --zone)']


@pytest.mark.parametrize("zone", [None, "Europe/Budapest"])
def test_times_without_a_zone_are_as_written(zone: str | None) -> None:
    moments = [datetime(1984, 12, 31, 23, 30), datetime(1985, 1, 1)]
    table = open_table(pyarrow.table({"at": moments}), OpenOptions(zone=Zone(zone) if zone else None))
    table.load(["at"])
    assert counted(table, "at:year") == {"1984": 1, "1985": 1}
    assert not table.notes


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Budapest"])
def test_the_last_nanosecond_of_a_year_is_in_that_year(zone: str | None) -> None:
    """DuckDB rounds to microseconds where it can."""
    last = [-1, 0] if zone != "Europe/Budapest" else [-3600 * 10**9 - 1, -3600 * 10**9]
    column = pyarrow.array(last, pyarrow.int64()).cast(pyarrow.timestamp("ns"))
    column = column if zone is None else column.cast(pyarrow.timestamp("ns", zone))
    table = open_table(pyarrow.table({"at": column}))
    table.load(["at"])
    for view, expected in {"year": {"1969": 1, "1970": 1}, "month": {"1969-12": 1, "1970-01": 1}}.items():
        assert counted(table, f"at:{view}") == expected
    assert counted(table, "at:day") == {"1969-12-31": 1, "1970-01-01": 1}


def test_midnight_in_budapest_is_the_same_from_everywhere(tmp_path: Path) -> None:
    """The table of the issue: New Year 1985 was 1984 in a Parquet file, and 1985 in a CSV file."""
    moment = [datetime(1985, 1, 1, tzinfo=BUDAPEST)]
    years = {
        name: idbits.measure(make(moment, tmp_path), "at:year", values=True, reveal=True)
        for name, make in KNOWING.items()
    }
    assert {json_year(answer) for answer in years.values()} == {("1985",)}


def json_year(answer: Any) -> tuple[str, ...]:
    return tuple(row["value"][0] for row in answer.to_dict()["values"] if row["value"][0] is not None)
