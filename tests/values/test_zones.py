"""Time zones: offsets as Python's database has them, whatever engine uses them."""

import itertools
import struct
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from idbits.errors import InputError
from idbits.values.zones import FAR, FOLD_YEARS, OffsetChanges, Zone, decision_tree, find_zone, parse_zone

ZONES = [
    "Europe/Budapest", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca",
    "Asia/Gaza", "Europe/Dublin", "America/Caracas", "Asia/Tehran", "Antarctica/Troll", "Europe/Amsterdam", "UTC",
]  # fmt: skip


def offset_by_tree(offsets: OffsetChanges, instant: datetime) -> int:
    """Follow the comparisons of the tree, as an engine does."""
    tree = decision_tree(offsets, lambda offset: lambda _: offset, choose)
    return tree(instant)


def choose(at, before, after):
    return lambda instant: before(instant) if instant < at else after(instant)


def offset_of(zone: str, instant: datetime) -> int:
    return round(instant.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).utcoffset().total_seconds())


@given(zone=st.sampled_from(ZONES), instant=st.datetimes(datetime(1, 1, 2), FAR - timedelta(seconds=1)))
@example("Europe/Budapest", datetime(2019, 3, 31, 0, 59, 59)).via("the last second of winter")
@example("Europe/Budapest", datetime(2019, 3, 31, 1, 0, 0)).via("the first second of summer")
@example("Europe/Budapest", datetime(1890, 10, 31, 22, 43, 39)).via("the last second of local mean time")
@example("Pacific/Apia", datetime(2011, 12, 30, 10, 0)).via("the day that is left out")
def test_offsets_are_those_of_python(zone: str, instant: datetime) -> None:
    assert offset_by_tree(Zone(zone).offset_changes(), instant) == offset_of(zone, instant)
    assert Zone(zone).local(instant) - instant == timedelta(seconds=offset_of(zone, instant))


@given(zone=st.sampled_from(ZONES), instant=st.datetimes(FAR, datetime(9999, 12, 30)))
def test_offsets_of_the_far_future_repeat_every_400_years(zone: str, instant: datetime) -> None:
    folds = (instant.year - FAR.year) // FOLD_YEARS
    earlier = instant.replace(year=instant.year - folds * FOLD_YEARS)
    assert offset_by_tree(Zone(zone).offset_changes(is_far=True), earlier) == offset_of(zone, instant)


def transitions(data: bytes) -> list[int]:
    """Return the seconds at which the offset changes, from a file of the database (RFC 8536)."""

    def header(start: int) -> tuple[int, ...]:
        return struct.unpack(">6l", data[start + 20 : start + 44])

    n_utc, n_standard, n_leap, n_times, n_types, n_letters = header(0)
    second = 44 + n_times * 5 + n_types * 6 + n_letters + n_leap * 8 + n_standard + n_utc
    n_times, n_types = header(second)[3:5]
    begin = second + 44
    times = struct.unpack(f">{n_times}q", data[begin : begin + 8 * n_times])
    kinds = data[begin + 8 * n_times : begin + 9 * n_times]
    types = begin + 9 * n_times
    offsets = [struct.unpack(">l", data[types + 6 * kind : types + 6 * kind + 4])[0] for kind in range(n_types)]
    changes, before = [], offsets[0]
    for at, kind in zip(times, kinds, strict=True):
        if offsets[kind] != before:
            changes.append(at)
            before = offsets[kind]
    return changes


def database_file(zone: str) -> bytes:
    """Return the file of a zone that Python uses."""
    installed = [Path(folder, zone) for folder in TZPATH if Path(folder, zone).is_file()]
    packaged = (files("tzdata") / "zoneinfo").joinpath(*zone.split("/"))
    return installed[0].read_bytes() if installed else packaged.read_bytes()


def test_no_zone_changes_its_offset_twice_within_three_days() -> None:
    """So a look at every third day finds each change."""
    first, last = ((end - datetime(1970, 1, 1)).total_seconds() for end in (datetime(1800, 1, 1), FAR))
    found = 0
    for zone in sorted(available_timezones()):
        changes = transitions(database_file(zone))
        found += len(changes)
        assert all(later - earlier > 3 * 86_400 for earlier, later in itertools.pairwise(changes)), zone
        assert all(first < change < last for change in changes), zone
    assert found > 10_000


@pytest.mark.parametrize("zone", ["Asia/Gaza", "Africa/Casablanca", "Europe/Budapest", "America/Sao_Paulo"])
def test_all_changes_of_the_database_are_found(zone: str) -> None:
    expected = [datetime(1970, 1, 1) + timedelta(seconds=at) for at in transitions(database_file(zone))]
    found = [at for at, _ in Zone(zone).offset_changes().changes]
    assert found[: len(expected)] == expected


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Europe/Budapest", "Europe/Budapest"), ("europe/budapest", "Europe/Budapest"), (" UTC ", "UTC"), ("Z", "Z"),
        ("+02:00", "+02:00"), ("-0930", "-0930"), ("+05", "+05"), ("UTC+2", "UTC+2"), ("CET", "CET"),
    ],
)  # fmt: skip
def test_names_and_offsets(name: str, found: str) -> None:
    zone = find_zone(name)
    assert zone is not None
    assert zone.name == found


def test_offsets_mean_hours_east_of_greenwich() -> None:
    noon = datetime(2019, 4, 1, 12)
    assert Zone("+02:00").local(noon).hour == 14
    assert Zone("-0930").local(noon) == datetime(2019, 4, 1, 2, 30)
    assert Zone("UTC+2").local(noon).hour == 14
    assert [Zone(name).is_utc for name in ("UTC", "Z", "+00:00", "Etc/UTC", "Europe/London")] == [True] * 4 + [False]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Europe/Budapst", '"Europe/Budapest"'), ("Budapest", '"Europe/Budapest"'), ("new york", '"America/New_York"'),
        ("+25:00", "an offset like"), ("", "a name like"), ("../Budapest", "--zone"), ("Europe", "--zone"),
        ("right/Europe/Budapest", "--zone"),
    ],
)  # fmt: skip
def test_wrong_names_are_errors_with_near_names(name: str, near: str) -> None:
    with pytest.raises(InputError, match="--zone") as error:
        parse_zone(name)
    assert near in str(error.value)


def test_no_zone_is_no_zone() -> None:
    assert parse_zone(None) is None
    assert parse_zone(Zone("UTC")) == Zone("UTC")
