"""Events on the cluster: the distinct points of each person, and the pairs of points that people share.

Every step groups or joins by values, so a partition that is lost with its worker is rebuilt identically.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum
from idbits.engines.backends.points import EventCounts, EventRequest, SpectrumStore
from idbits.engines.spark import dates
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.distinct import values_of
from idbits.engines.spark.text_dates import count_texts
from idbits.kernels.points import Matches, matches_of, matches_of_whole
from idbits.values.attributes import Attribute, Kind
from idbits.values.date_readings import choose_reading
from idbits.values.dates import forms_in_order
from idbits.values.days import days_by_month, digits_note, needed_part, years_note
from idbits.wording import counted

__all__ = ["PointFrame", "read_points"]

# Spark also has earlier and later days, which no other engine reads as dates.
_YEARS = ("0001-01-01", "9999-12-31")


def read_points(counting: SparkCounting, request: EventRequest, time: Attribute) -> PointFrame:
    """Return the points of people without too many records; ``time`` is a day, or is read as one."""
    n_attributes = len(request.attributes)
    valued = counting.valued([request.person, time, *request.attributes])
    day, step, notes = _day(counting, valued, time, request.step)
    day = F.when(day.between(*(F.lit(end).cast("date") for end in _YEARS)), day)
    names = ["day", *(f"x{index}" for index in range(n_attributes))]
    known = [value.alias(name) for name, value in zip(names[1:], values_of(valued, 2 + n_attributes)[2:], strict=True)]
    events = valued.select(
        F.col("g0").alias("person"),
        _first_day(day, step).alias("day"),
        F.col("g1").isNull().alias("no_time"),
        *known,
    )
    someone = F.col("person").isNotNull()
    records = counting.session.only_row(
        events.agg(
            F.count(F.lit(1)),
            F.count_if(~someone),
            F.count_if(someone & F.col("no_time")),
            F.count_if(someone & ~F.col("no_time") & F.col("day").isNull()),
        ),
        "reading events",
    )
    busy = events.where(someone).groupBy("person").agg(F.count(F.lit(1)).alias("records"))
    busy = busy.where(F.col("records") >= request.max_events)
    excluded_people, excluded_events = counting.session.only_row(
        busy.agg(F.count(F.lit(1)), F.coalesce(F.sum("records"), F.lit(0))), "counting events by person"
    )
    points = events.where(someone & F.col("day").isNotNull()).select("person", *names)
    if excluded_people:
        points = points.join(busy.select("person"), "person", "left_anti")
    counts = EventCounts(
        records=int(records[0]),
        without_person=int(records[1]),
        without_time=int(records[2]),
        unreadable_time=int(records[3]),
        excluded_people=int(excluded_people),
        excluded_events=int(excluded_events),
        step=step,
        notes=notes,
    )
    return PointFrame(counting, counting.keep(points.distinct()), names, counts)


def _first_day(day: Column, step: str) -> Column:
    """Return the first day of a day's week, month and so on, since 1970."""
    return F.unix_date(day if step == "day" else F.trunc(day, step))


def _day(
    counting: SparkCounting, valued: DataFrame, time: Attribute, step: str | None
) -> tuple[Column, str, tuple[str, ...]]:
    """Return the day of each record, the time step and notes; texts that are not dates do not decide the step."""
    if time.transforms:
        return F.col("g1"), step or "day", ()
    text = F.col("g1").cast("string")
    texts = valued.select(text.alias("v")).where(F.col("v").isNotNull()).distinct()
    if time.kind is not Kind.TEXT:
        return _day_of_digits(counting, texts, text, time.column, step)
    counts, is_far = count_texts(counting.session, texts, {"v": F.col("v")}, counting.options)["v"]
    zone = counting.options.zone
    reading = choose_reading(counts, time.column, counting.options.dates, zone=zone, partly=True)
    chosen = step or reading.finest_step
    forms = reading.forms_with(needed_part(chosen))
    return dates.date_from_text(text, forms, reading.order, zone, is_far=is_far), chosen, reading.notes


def _day_of_digits(
    counting: SparkCounting, texts: DataFrame, text: Column, column: str, step: str | None
) -> tuple[Column, str, tuple[str, ...]]:
    """Read whole numbers as dates of eight digits or as years, whichever more of them are."""

    def eight_digits(value: Column) -> Column:
        return F.when(F.length(value) == 8, dates.date_from_text(value, forms_in_order("ymd", "day"), "ymd"))

    def four_digits(value: Column) -> Column:
        return F.when(~value.startswith("0"), dates.date_from_text(value, forms_in_order("ymd", "year"), "ymd"))

    read = (F.count_if(day(F.col("v")).isNotNull()) for day in (eight_digits, four_digits))
    n_days, n_years = counting.session.only_row(texts.agg(*read), "checking the dates")
    if n_years <= n_days:
        return eight_digits(text), step or "day", (digits_note(column),)
    is_year = needed_part(step or "year") == "year"
    return four_digits(text) if is_year else F.lit(None).cast("date"), step or "year", (years_note(column),)


class PointFrame:
    """People's distinct points on the cluster: person, day and the attributes of an event."""

    trajectories = None

    @property
    def step(self) -> str:
        return self.counts.step

    def __init__(self, counting: SparkCounting, frame: DataFrame, names: Sequence[str], counts: EventCounts) -> None:
        self.counts = counts
        self._counting = counting
        self._session = counting.session
        self._frame = frame
        self._names = list(names)
        self._lengths: dict[int, int] | None = None

    def coarser(self, step: str, *, attributes: bool) -> PointFrame:
        names = self._names if attributes else ["day"]
        begin = _first_day(F.date_from_unix_date("day"), step).alias("day")
        frame = self._frame.select("person", begin, *names[1:]).distinct()
        return PointFrame(self._counting, self._counting.keep(frame), names, replace(self.counts, step=step))

    def lengths(self) -> Mapping[int, int]:
        if self._lengths is None:
            points = self._frame.groupBy("person").agg(F.count(F.lit(1)).alias("points")).groupBy("points").count()
            self._lengths = {int(row[0]): int(row[1]) for row in self._session.rows(points, "counting points")}
        return self._lengths

    def _numbered(self) -> DataFrame:
        """Number each person's points in an order that is the same for all people."""
        of_person = Window.partitionBy("person")
        order = of_person.orderBy(*(F.col(name).asc_nulls_first() for name in self._names))
        numbered = self._frame.withColumn("number", F.row_number().over(order))
        return numbered.withColumn("length", F.count(F.lit(1)).over(of_person))

    def _pairs(self, first: int | None = None, last: int | None = None) -> DataFrame:
        """Return each person's pairs that begin in a range of days, the earlier point first."""
        numbered = self._numbered()
        earlier = numbered.select(
            "person",
            "length",
            F.col("number").alias("before"),
            *(F.col(name).alias(f"first_{name}") for name in self._names),
        )
        if first is not None and last is not None:
            earlier = earlier.where(F.col("first_day").between(first, last))
        later = numbered.select(
            F.col("person").alias("same"),
            F.col("number").alias("after"),
            *(F.col(name).alias(f"then_{name}") for name in self._names),
        )
        condition = (F.col("person") == F.col("same")) & (F.col("before") < F.col("after"))
        return earlier.join(later, condition).drop("same", "before", "after", "person")

    @property
    def _pair_names(self) -> list[str]:
        return [*(f"first_{name}" for name in self._names), *(f"then_{name}" for name in self._names)]

    def day_spectra(self, first: int, last: int, store: SpectrumStore | None) -> dict[int, Spectrum]:
        """Count the pairs of all days at once, or month by month if each month is saved when it is done."""
        if store is None:
            return self._counted_spectra(first, last)
        begin, end = self.first_days() or (0, -1)
        months = days_by_month(range(max(begin, first), min(end, last) + 1))
        spectra: dict[int, Spectrum] = {}
        n_done = 0
        label = f"counting pairs of {counted(len(months), 'month')}"
        with self._session.progress.step(label, lambda: n_done / max(1, len(months))):
            for days in months:
                month = store.spectra(days[0], days[-1])
                if month is None:
                    month = self._counted_spectra(days[0], days[-1])
                    store.save_spectra(days[0], days[-1], month)
                spectra |= month
                n_done += 1
        return spectra

    def _counted_spectra(self, first: int, last: int) -> dict[int, Spectrum]:
        people = self._pairs(first, last).groupBy(*self._pair_names).agg(F.count(F.lit(1)).alias("people"))
        sizes: dict[int, list[tuple[int, int]]] = {}
        for day, size, sets in self._session.rows(people.groupBy("first_day", "people").count(), "counting pairs"):
            sizes.setdefault(int(day), []).append((int(size), int(sets)))
        return {day: Spectrum.of(sizes[day]) for day in sorted(sizes)}

    def first_days(self) -> tuple[int, int] | None:
        """Return the first and the last day on which a pair begins."""
        begin = self._numbered().where(F.col("number") < F.col("length"))
        low, high = self._session.only_row(begin.agg(F.min("day"), F.max("day")))
        return None if low is None else (int(low), int(high))

    def matches(self, n_points: int | None, draws: int, seed: int) -> Matches:  # noqa: ARG002 (nothing is drawn)
        """Return how many people share one, two or all of a person's points."""
        if n_points is None:
            return matches_of_whole(self._whole())
        able = sum(people for length, people in self.lengths().items() if length >= n_points)
        return matches_of(self._choices(n_points), n_points, able)

    def _choices(self, n_points: int) -> dict[tuple[int, int], int]:
        """Count choices of one or two points by the person's number of points and by how many people share them."""
        if n_points > 2:
            raise AssertionError("random points need the table on one machine")
        frame, names = (self._numbered(), self._names) if n_points == 1 else (self._pairs(), self._pair_names)
        held = frame.withColumn("people", F.count(F.lit(1)).over(Window.partitionBy(*names)))
        rows = self._session.rows(held.groupBy("length", "people").count(), "counting people with the points")
        return {(int(length), int(people)): int(number) for length, people, number in rows}

    def _whole(self) -> dict[int, int]:
        """Return the number of trajectories per number of people who share them."""
        points = F.array_sort(F.collect_list(F.struct(*self._names))).alias("points")
        people = self._frame.groupBy("person").agg(points).groupBy("points").agg(F.count(F.lit(1)).alias("people"))
        rows = self._session.rows(people.groupBy("people").count(), "counting trajectories")
        return {int(size): int(number) for size, number in rows}
