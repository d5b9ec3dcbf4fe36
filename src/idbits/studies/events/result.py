"""The answer of ``idbits events``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from idbits.counts import Spectrum
from idbits.errors import InputError
from idbits.measures import entropy
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import rebuilt, saved_value
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData, plain, plain_object

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = ["Events", "LeftOut", "PairFigures", "PairRow", "TrajectoryGain", "Unicity"]


@dataclass(frozen=True, slots=True)
class PairFigures(Serialisable):
    """The figures of the pairs of events that begin on some days, all computed from their spectrum.

    Attributes:
        n_pairs: pairs, each counted once per person who has it (N).
        n_sets: different pairs.
        entropy_bits: the mean of log2(N / people who share the pair): what distinguishes a pair from the others.
        max_entropy_bits: log2 N, which would distinguish every pair of every person.
        k_hat: how many people typically share a pair.
        singletons: pairs that only one person has.
        share: these as a share of all pairs.
        guaranteed_singletons: unique pairs implied by the entropy alone.
        largest: people who share the most common pair.
        spectrum: the number of pairs by how many people share them; None if it was not saved with the figures.
    """

    json_keys: ClassVar = (
        "n_pairs", "n_sets", "entropy_bits", "max_entropy_bits", "k_hat", "singletons", "share",
        "guaranteed_singletons", "largest",
    )  # fmt: skip

    n_pairs: int
    n_sets: int
    entropy_bits: float
    max_entropy_bits: float
    k_hat: float
    singletons: int
    share: float
    guaranteed_singletons: float | None
    largest: int
    spectrum: Spectrum | None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the spectrum, which is saved for the whole period only."""
        pairs = saved_value(tuple[tuple[int, int], ...] | None, data.get("spectrum"), "spectrum")
        if pairs is not None and not all(size > 0 and sets > 0 for size, sets in pairs):
            raise InputError('"spectrum" is not what idbits writes')
        return {"spectrum": Spectrum.of(pairs) if pairs else None}

    @classmethod
    def of(cls, spectrum: Spectrum) -> PairFigures:
        """Compute the figures of a spectrum.

        Examples:
            >>> PairFigures.of(Spectrum.of({1: 2, 2: 1})).share
            0.5
        """
        n_pairs = spectrum.n_people
        singletons = int(spectrum.people[spectrum.sizes == 1].sum())
        return cls(
            n_pairs=n_pairs,
            n_sets=spectrum.n_sets,
            entropy_bits=entropy.entropy_bits(spectrum),
            max_entropy_bits=entropy.max_entropy_bits(spectrum),
            k_hat=entropy.estimated_anonymity(spectrum),
            singletons=singletons,
            share=singletons / n_pairs,
            guaranteed_singletons=entropy.guaranteed_singletons(spectrum),
            largest=int(spectrum.sizes[-1]),
            spectrum=spectrum,
        )


@dataclass(frozen=True, slots=True)
class PairRow(Serialisable):
    """The pairs whose first event is on a day or in a month; ``weekday`` is None unless it is a single day."""

    json_keys: ClassVar = ("date", "weekday", "*figures")

    date: str
    weekday: str | None
    figures: PairFigures


@dataclass(frozen=True, slots=True)
class LeftOut(Serialisable):
    """Records that are not in any pair.

    Attributes:
        people: people with ``max_events`` records or more.
        events: their records.
        without_person: records that do not name a person.
        without_time: records with an empty time.
        unreadable_time: records with a time that cannot be read.
    """

    people: int
    events: int
    without_person: int
    without_time: int
    unreadable_time: int


@dataclass(frozen=True, slots=True)
class Unicity(Serialisable):
    """How often nobody else has some points of a person.

    Attributes:
        points: the number of points that someone knows, or ``"all"``.
        time: the time step.
        attributes: the other attributes of a point.
        people: people who have at least this many points.
        too_few: people who have fewer.
        share: the unicity; None if nobody has this many points.
        low, high: its 95% interval; both equal the unicity if it is exact.
        bits: the mean of log2(people / those who have the points).
        draws: the number of random draws; None if all combinations of points were counted.
    """

    json_keys: ClassVar = (
        "points", "time", "attributes", "people", "too_few", "share", "low", "high", "bits", "draws", "exact",
        "?reasons",
    )  # fmt: skip

    points: int | str
    time: str
    attributes: tuple[str, ...]
    people: int
    too_few: int
    share: float | None
    low: float | None
    high: float | None
    bits: float | None
    draws: int | None

    @property
    def exact(self) -> bool:
        """Whether all combinations of points were counted."""
        return self.draws is None

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        names = ("share", "low", "high", "bits")
        return dict.fromkeys(names, "nobody has this many points") if self.share is None else {}


@dataclass(frozen=True, slots=True)
class TrajectoryGain(Serialisable):
    """What someone who knows all other points of a person learns about a point (S3 IV.C).

    Attributes:
        people: people whose points were measured.
        rig: mean, p50, p95 and max of RIG over people: the sum of the gains of all points of a person, in bits.
        rig_low, rig_high: the 95% interval of the mean; both equal the mean if it is exact.
        mean_cig_bits: the mean of CIG over the points of those people.
        mics: the fewest people who have exactly the same points.
        pif: the largest RIG divided by the people who have exactly the same points; a lower bound if people were drawn.
        rows_at_pif: measured people with this value.
        draws: the number of people drawn; None if everybody was measured.
    """

    json_keys: ClassVar = (
        "people", "rig", "rig_low", "rig_high", "mean_cig_bits", "mics", "pif", "rows_at_pif", "draws", "exact",
    )  # fmt: skip

    people: int
    rig: dict[str, float]
    rig_low: float
    rig_high: float
    mean_cig_bits: float
    mics: int
    pif: float
    rows_at_pif: int
    draws: int | None

    @property
    def exact(self) -> bool:
        """Whether everybody was measured."""
        return self.draws is None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Events(Answer):
    """How identifying pairs of events are, day by day, and how many points single a person out."""

    command: ClassVar[str] = "events"
    _main_table: ClassVar[str] = "days"
    _times: ClassVar = {"date": "date"}
    json_keys: ClassVar = (
        "person", "time", "attributes", "max_events", "n_records=records", "n_people=people", "n_points=points", "days",
        "months=month_rows", "period=period_row", "excluded", "unicity", "unicity_grid=grid", "gain", "seed", "notes",
        "reasons",
    )  # fmt: skip

    person: str
    time: str
    step: str
    attributes: tuple[str, ...]
    source: str | None
    asked_period: str | None
    max_events: int
    records: int
    people: int
    points: int
    days: tuple[PairRow, ...]
    months: tuple[PairRow, ...]
    period: PairFigures
    excluded: LeftOut
    unicity: tuple[Unicity, ...] = ()
    grid: tuple[Unicity, ...] = ()
    gain: TrajectoryGain | None = None
    seed: int = 0
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the fields that have no key of their own."""
        period = saved_value(dict[str, Any], data["period"], "period")
        months = saved_value(tuple[PairRow, ...] | None, data["months"], "months")
        return {
            "period": rebuilt(PairFigures, period),
            "asked_period": saved_value(str | None, period["asked"], "asked"),
            "step": saved_step(str(data["days"][0]["date"])),
            "months": months or (),
        }

    @property
    def n_records(self) -> int:
        """The number of records."""
        return self.records

    @property
    def n_people(self) -> int:
        """The number of people."""
        return self.people

    @property
    def n_points(self) -> int:
        """The number of points: different values of time and attributes of a person."""
        return self.points

    @property
    def unicity_grid(self) -> tuple[Unicity, ...]:
        """Unicity for coarser times and attributes."""
        return self.grid

    @property
    def person_bits(self) -> float:
        """The bits a pair of the period gives away about its person: the mean of log2(people / those who share it)."""
        return entropy.bits_about_person(self.people, self.period.k_hat)

    @property
    def max_person_bits(self) -> float:
        """The bits that single out one person: log2 of the number of people."""
        return entropy.bits_about_person(self.people)

    def __repr__(self) -> str:
        from idbits.render.numbers import to_places

        figures = self.period
        bits, k_hat = to_places(figures.entropy_bits, 4), to_places(figures.k_hat, 4)
        return (
            f"Events(n_pairs={figures.n_pairs}, entropy_bits={bits}, k_hat={k_hat}, "
            f"singletons={figures.singletons}, days={len(self.days)})"
        )

    @property
    def period_row(self) -> JsonObject:
        """The figures of the whole period, as plain data."""
        spectrum = self.period.spectrum
        assert spectrum is not None
        return {
            "asked": self.asked_period,
            "first": self.days[0].date,
            "last": self.days[-1].date,
            **plain_object(self.period),
            "person_bits": self.person_bits,
            "max_person_bits": self.max_person_bits,
            "spectrum": plain(spectrum.pairs()),
        }

    @property
    def month_rows(self) -> tuple[PairRow, ...] | None:
        """The pairs by month, as plain data; None if time is coarser."""
        return self.months if self.step not in ("quarter", "year") else None

    @property
    def reasons(self) -> dict[str, str]:
        """Why some figures are None."""
        reasons = {"weekday": "only single days have a weekday"} if self.months or self.step != "day" else {}
        return reasons if self.month_rows is not None else {**reasons, "months": f"times are {self.step}s"}

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.events.charts import charts_of

        return charts_of(self)

    def chart(self) -> JsonObject:
        """Return a heat map of the unicity for all times and attributes, as a Vega-Lite specification."""
        from idbits.studies.events.charts import unicity_heat_map

        rows = [row for row in self.grid if row.share is not None]
        if not rows:
            raise InputError("a heat map needs points; ask idbits.events again with points='1..4'")
        return unicity_heat_map(
            [(str(row.points), row.time, ", ".join(row.attributes) or "time only", row.share or 0.0) for row in rows]
        )


def saved_step(day: str) -> str:
    """Return the time step of a saved answer from one of its dates.

    >>> [saved_step(text) for text in ("2005-01-27", "2005-W04", "2005-01", "2005-Q1", "2005")]
    ['day', 'week', 'month', 'quarter', 'year']
    """
    marks = (("W", "week"), ("Q", "quarter"))
    marked = next((step for mark, step in marks if mark in day), None)
    return marked or ("day", "month", "year")[2 - day.count("-")]
