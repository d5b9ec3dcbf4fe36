"""Events on the cluster: the distinct points of each person, and the pairs of points that people have in common.

Every step groups or joins by values, so a partition that is lost with its worker is made again just as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from idbits.counts import Spectrum
from idbits.engines.spark import values
from idbits.engines.spark.counting import Counting
from idbits.engines.spark.distinct import values_of
from idbits.values.attributes import Attribute, Kind
from idbits.values.readings import DATE_ORDERS, choose_date_order, date_note

__all__ = ["EventCounts", "PointFrame", "read_points"]

# Spark has days before and after these, which no other engine reads as dates.
_YEARS = ("0001-01-01", "9999-12-31")


@dataclass(frozen=True, slots=True)
class EventCounts:
    """Records that could not become part of a trajectory, and people left out because they have too many."""

    records: int
    nobody: int
    no_time: int
    unread_time: int
    excluded_people: int
    excluded_events: int
    notes: tuple[str, ...]


def read_points(
    counting: Counting,
    person: Attribute,
    time: Attribute,
    attributes: Sequence[Attribute],
    *,
    step: str,
    max_events: int,
    notes: tuple[str, ...],
) -> tuple[EventCounts, PointFrame]:
    """Return the points of the people who have not too many records; ``time`` is a day, or what is read as one."""
    from pyspark.sql import functions as F  # noqa: N812

    valued = counting.valued([person, time, *attributes])
    day, notes = _day(counting, valued, time, notes)
    day = F.when(day.between(*(F.lit(end).cast("date") for end in _YEARS)), day)
    known = [value.alias(f"x{place}") for place, value in enumerate(values_of(valued, 2 + len(attributes))[2:])]
    begin = F.unix_date(day if step == "day" else F.trunc(day, step))
    events = valued.select(
        F.col("g0").alias("person"), begin.alias("day"), F.col("g1").isNull().alias("no_time"), *known
    )
    someone = F.col("person").isNotNull()
    found = counting.session.one(
        events.agg(
            F.count(F.lit(1)),
            F.count_if(~someone),
            F.count_if(someone & F.col("no_time")),
            F.count_if(someone & ~F.col("no_time") & F.col("day").isNull()),
        ),
        "reading events",
    )
    busy = events.where(someone).groupBy("person").agg(F.count(F.lit(1)).alias("records"))
    busy = busy.where(F.col("records") >= max_events)
    people, records = counting.session.one(
        busy.agg(F.count(F.lit(1)), F.coalesce(F.sum("records"), F.lit(0))), "counting events by person"
    )
    names = ["day", *(f"x{place}" for place in range(len(attributes)))]
    points = events.where(someone & F.col("day").isNotNull()).select("person", *names)
    if people:
        points = points.join(busy.select("person"), "person", "left_anti")
    counts = EventCounts(
        records=int(found[0]),
        nobody=int(found[1]),
        no_time=int(found[2]),
        unread_time=int(found[3]),
        excluded_people=int(people),
        excluded_events=int(records),
        notes=notes,
    )
    return counts, PointFrame(counting, counting.keep(points.distinct()), names)


def _day(counting: Counting, valued: Any, time: Attribute, notes: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    """Return the day of each record; where some texts are no dates, what the others have in common says how to read."""
    from pyspark.sql import functions as F  # noqa: N812

    if time.transforms:
        return F.col("g1"), notes
    text = F.col("g1").cast("string")
    if time.kind is not Kind.TEXT:
        return values.date_of(text, "ymd"), notes
    texts = valued.select(text.alias("text")).where(F.col("text").isNotNull()).distinct()
    read = [values.date_of(F.col("text"), order).alias(order) for order in DATE_ORDERS]
    some = F.lit(False)
    for order in DATE_ORDERS:
        some = some | F.col(order).isNotNull()
    found = counting.session.one(
        texts.select(*read).where(some).agg(F.count(F.lit(1)), *(F.count_if(F.col(o).isNull()) for o in DATE_ORDERS)),
        "looking at the dates",
    )
    dates = counting.options.dates
    unfit = dict(zip(DATE_ORDERS, map(int, found[1:]), strict=True))
    order = choose_date_order(unfit, time.column, dates) if found[0] else "ymd"
    if dates is None and found[0] > unfit[order]:
        notes = (*notes, date_note(time.column, order))
    return values.date_of(text, order), notes


class PointFrame:
    """The distinct points of people: person, day, and what else is known of an event."""

    def __init__(self, counting: Counting, frame: Any, names: Sequence[str]) -> None:
        self._counting = counting
        self._session = counting.session
        self.frame = frame
        self._names = list(names)
        self._lengths: dict[int, int] | None = None

    def coarser(self, step: str, *, attributes: bool) -> PointFrame:
        """Return the points with a coarser time, with or without their attributes."""
        from pyspark.sql import functions as F  # noqa: N812

        day = F.date_from_unix_date("day")
        names = self._names if attributes else ["day"]
        begin = F.unix_date(day if step == "day" else F.trunc(day, step)).alias("day")
        frame = self.frame.select("person", begin, *names[1:]).distinct()
        return PointFrame(self._counting, self._counting.keep(frame), names)

    def lengths(self) -> dict[int, int]:
        """Return how many people have each number of points."""
        from pyspark.sql import functions as F  # noqa: N812

        if self._lengths is None:
            counted = self.frame.groupBy("person").agg(F.count(F.lit(1)).alias("points")).groupBy("points").count()
            self._lengths = {int(row[0]): int(row[1]) for row in self._session.rows(counted, "counting points")}
        return self._lengths

    def _numbered(self) -> Any:
        """Number each person's points in the one order that all people share."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        own = Window.partitionBy("person")
        order = own.orderBy(*(F.col(name).asc_nulls_first() for name in self._names))
        numbered = self.frame.withColumn("number", F.row_number().over(order))
        return numbered.withColumn("length", F.count(F.lit(1)).over(own))

    def _pairs(self, first: int | None = None, last: int | None = None) -> Any:
        """Return each person's pairs, the earlier point first, of those that begin from one day to another."""
        from pyspark.sql import functions as F  # noqa: N812

        numbered = self._numbered()
        earlier = numbered.select(
            "person", "length", F.col("number").alias("before"), *(F.col(n).alias(f"first_{n}") for n in self._names)
        )
        if first is not None and last is not None:
            earlier = earlier.where(F.col("first_day").between(first, last))
        later = numbered.select(
            F.col("person").alias("same"),
            F.col("number").alias("after"),
            *(F.col(n).alias(f"then_{n}") for n in self._names),
        )
        condition = (F.col("person") == F.col("same")) & (F.col("before") < F.col("after"))
        return earlier.join(later, condition).drop("same", "before", "after", "person")

    @property
    def _pair(self) -> list[str]:
        return [*(f"first_{name}" for name in self._names), *(f"then_{name}" for name in self._names)]

    def day_spectra(self, first: int, last: int) -> dict[int, Spectrum]:
        """Return the spectrum of the pairs that begin on each day, days without pairs left out."""
        from pyspark.sql import functions as F  # noqa: N812

        people = self._pairs(first, last).groupBy(*self._pair).agg(F.count(F.lit(1)).alias("people"))
        found: dict[int, list[tuple[int, int]]] = {}
        for day, size, sets in self._session.rows(people.groupBy("first_day", "people").count(), "counting pairs"):
            found.setdefault(int(day), []).append((int(size), int(sets)))
        return {day: Spectrum.of(found[day]) for day in sorted(found)}

    def first_days(self) -> tuple[int, int] | None:
        """Return the first and the last day on which a pair begins."""
        from pyspark.sql import functions as F  # noqa: N812

        begin = self._numbered().where(F.col("number") < F.col("length"))
        low, high = self._session.one(begin.agg(F.min("day"), F.max("day")))
        return None if low is None else (int(low), int(high))

    def one_point(self) -> dict[tuple[int, int], int]:
        """Count points by the length of their person's trajectory and by how many people have them."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        held = F.count(F.lit(1)).over(Window.partitionBy(*self._names))
        return self._choices(self._numbered().withColumn("people", held))

    def two_points(self) -> dict[tuple[int, int], int]:
        """Count pairs of points in the same way."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        held = F.count(F.lit(1)).over(Window.partitionBy(*self._pair))
        return self._choices(self._pairs().withColumn("people", held))

    def _choices(self, frame: Any) -> dict[tuple[int, int], int]:
        rows = self._session.rows(frame.groupBy("length", "people").count(), "counting who has points")
        return {(int(length), int(people)): int(number) for length, people, number in rows}

    def whole(self) -> dict[int, int]:
        """Return how many trajectories there are that so many people have."""
        from pyspark.sql import functions as F  # noqa: N812

        points = F.array_sort(F.collect_list(F.struct(*self._names))).alias("points")
        people = self.frame.groupBy("person").agg(points).groupBy("points").agg(F.count(F.lit(1)).alias("people"))
        rows = self._session.rows(people.groupBy("people").count(), "counting trajectories")
        return {int(size): int(number) for size, number in rows}
