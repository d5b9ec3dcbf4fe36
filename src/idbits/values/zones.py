"""Time zones: a name such as Europe/Budapest or an offset such as +02:00, and how far it is from UTC at each instant.

Every engine uses the offsets of Python's time zone database, never its own: a day must not depend on the engine.
Instants are written as naive datetimes in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from idbits.errors import InputError
from idbits.wording import near_names

__all__ = ["FAR", "FOLD_YEARS", "UTC_ZONE", "OffsetChanges", "Zone", "decision_tree", "find_zone", "parse_zone"]

Node = TypeVar("Node")

FAR = datetime(2100, 1, 1)
"""From here on every zone follows a fixed rule, so that its offsets repeat after ``FOLD_YEARS`` years."""

FOLD_YEARS = 400
"""The calendar repeats after 400 years, weekdays included."""

_FIRST = datetime(1800, 1, 1)
# No zone has ever changed its offset twice within 95 hours.
_STEP = timedelta(days=3)
_OFFSET = re.compile(r"(?:UTC)?([+-])([0-9]{1,2})(?::?([0-5][0-9])(?::?([0-5][0-9]))?)?", re.ASCII | re.IGNORECASE)
_MOST_HOURS = 23


@dataclass(frozen=True, slots=True)
class OffsetChanges:
    """The offsets of a zone in seconds east of UTC.

    Attributes:
        first: the offset before the first change.
        changes: ascending, the instant of each change and the offset from then on.
    """

    first: int
    changes: tuple[tuple[datetime, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone, by the name that the user or the column gives it."""

    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def is_utc(self) -> bool:
        """Whether local time is always UTC."""
        return self.offset_changes() == OffsetChanges(0)

    def local(self, instant: datetime) -> datetime:
        """Return the local time of an instant.

        >>> Zone("Europe/Budapest").local(datetime(1984, 12, 31, 23))
        datetime.datetime(1985, 1, 1, 0, 0)
        """
        return instant.replace(tzinfo=UTC).astimezone(_rules(self.name)).replace(tzinfo=None)

    def offset_changes(self, *, is_far: bool = False) -> OffsetChanges:
        """Return the offsets until ``FAR`` or, if there are later instants, for ``FOLD_YEARS`` more years."""
        return _offset_changes(self.name, is_far)


UTC_ZONE = Zone("UTC")


def find_zone(name: str) -> Zone | None:
    """Return the zone with this name or offset, or None if there is none.

    >>> find_zone("europe/budapest"), find_zone("+0530"), find_zone("Budapest")
    (Zone(name='Europe/Budapest'), Zone(name='+0530'), None)
    """
    if _rules(name) is not None:
        return Zone(name)
    lowered = {known.lower(): known for known in available_timezones()}
    known = lowered.get(name.strip().lower())
    return Zone(known) if known is not None else None


def parse_zone(name: object) -> Zone | None:
    """Return the zone that a user names; None if the user names none."""
    if name is None or isinstance(name, Zone):
        return name
    zone = find_zone(str(name))
    if zone is None:
        near = _near_zones(str(name)) or "; write a name like Europe/Budapest or an offset like +02:00"
        raise InputError(f'no time zone is named "{name}"{near} (--zone)')
    return zone


def _near_zones(name: str) -> str:
    """Return the end of a sentence that suggests the zone of a city, or zones with similar names."""
    known = sorted(available_timezones())
    wanted = "/" + name.strip().replace(" ", "_").casefold()
    city = next((zone for zone in known if zone.casefold().endswith(wanted)), None)
    return near_names(name, known) if city is None else f'; did you mean "{city}"?'


@lru_cache(maxsize=64)
def _rules(name: str) -> tzinfo | None:
    if name in ("Z", "UTC"):
        return UTC
    match = _OFFSET.fullmatch(name)
    if match is not None:
        hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
        offset = timedelta(hours=hours, minutes=minutes, seconds=seconds)
        return timezone(-offset if match[1] == "-" else offset) if hours <= _MOST_HOURS else None
    if name.startswith(("posix/", "right/")):
        # Copies of the database; the second one counts leap seconds.
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _offset(zone: tzinfo, instant: datetime) -> int:
    offset = instant.replace(tzinfo=UTC).astimezone(zone).utcoffset()
    assert offset is not None
    return round(offset.total_seconds())


@lru_cache(maxsize=64)
def _offset_changes(name: str, is_far: bool) -> OffsetChanges:
    """Look for changes step by step, then for the second of each change: the database itself is not accessible."""
    zone = _rules(name)
    assert zone is not None
    first = before = _offset(zone, _FIRST)
    if not isinstance(zone, ZoneInfo):
        return OffsetChanges(first)
    changes: list[tuple[datetime, int]] = []
    end = FAR.replace(year=FAR.year + FOLD_YEARS) if is_far else FAR
    instant = _FIRST
    while instant < end:
        following = min(instant + _STEP, end)
        after = _offset(zone, following)
        if after != before:
            changes.append((_change_between(zone, instant, following), after))
            before = after
        instant = following
    return OffsetChanges(first, tuple(changes))


def _change_between(zone: tzinfo, earlier: datetime, later: datetime) -> datetime:
    before = _offset(zone, earlier)
    while later - earlier > timedelta(seconds=1):
        middle = earlier + timedelta(seconds=(later - earlier).total_seconds() // 2)
        if _offset(zone, middle) == before:
            earlier = middle
        else:
            later = middle
    return later


def decision_tree(
    offsets: OffsetChanges, leaf: Callable[[int], Node], choose: Callable[[datetime, Node, Node], Node]
) -> Node:
    """Build the expression that finds the offset of an instant with few comparisons.

    ``choose`` gets an instant and the expressions for what is before it, and for what is not.

    >>> changes = OffsetChanges(0, ((datetime(1900, 1, 1), 3600), (datetime(1950, 1, 1), 0)))
    >>> decision_tree(changes, str, lambda at, before, after: f"({before} until {at.year}, then {after})")
    '(0 until 1900, then (3600 until 1950, then 0))'
    """

    def between(first: int, changes: tuple[tuple[datetime, int], ...]) -> Node:
        if not changes:
            return leaf(first)
        middle = len(changes) // 2 if len(changes) > 2 else 0
        instant, offset = changes[middle]
        return choose(instant, between(first, changes[:middle]), between(offset, changes[middle + 1 :]))

    return between(offsets.first, offsets.changes)
