"""What ``idbits events`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from idbits.counts import Spectrum
from idbits.measures import entropy
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, Serialisable, plain, plain_object

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Events", "LeftOut", "PairFigures", "PairRow", "TrajectoryGain", "Unicity"]


@dataclass(frozen=True, slots=True)
class PairFigures(Serialisable):
    """The figures of the pairs of events that begin on some days, all from their spectrum.

    Attributes:
        n_pairs: pairs, each counted once for each person who has it (N).
        n_sets: different pairs.
        entropy_bits: the mean of log2(N / people who share the pair): what tells a pair from the other pairs.
        max_entropy_bits: what would tell every pair of every person apart: log2 N.
        k_hat: how many people typically share a pair.
        singletons: pairs that one person alone has.
        share: these as a share of all.
        guaranteed_singletons: how many this entropy forces.
        largest: people who share the most frequent pair.
        spectrum: how many pairs are shared by how many people; None where it was not saved with the figures.
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
    def of(cls, spectrum: Spectrum) -> PairFigures:
        """Compute the figures of a spectrum.

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
    """The pairs whose first event lies on a day or in a month; ``weekday`` is None where it is no single day."""

    json_keys: ClassVar = ("date", "weekday", "*figures")

    date: str
    weekday: str | None
    figures: PairFigures


@dataclass(frozen=True, slots=True)
class LeftOut(Serialisable):
    """Records that are in no pair.

    Attributes:
        people: people with ``max_events`` records or more.
        events: their records.
        without_person: records that name no person.
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
    """How often some points of a person are those of nobody else.

    Attributes:
        points: how many points somebody knows, or ``"all"``.
        time: what time is coarsened to.
        attributes: what else a point holds.
        people: people who have so many points.
        too_few: people who have fewer.
        share: the unicity; None when nobody has so many points.
        low, high: its interval (95%); equal to it where it is exact.
        bits: the mean of log2(people / those who have the points).
        draws: how many choices of points were drawn, None where all were counted.
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
        """Whether all choices of points were counted."""
        return self.draws is None

    @property
    def reasons(self) -> dict[str, str]:
        """Why figures that are None do not exist."""
        names = ("share", "low", "high", "bits")
        return dict.fromkeys(names, "nobody has so many points") if self.share is None else {}


@dataclass(frozen=True, slots=True)
class TrajectoryGain(Serialisable):
    """What is learnt about points of people by someone who knows all others of them (S3 IV.C).

    Attributes:
        people: people whose points were looked at.
        rig: mean, p50, p95 and max of RIG over people: the gains of all points of a person, added up, in bits.
        rig_low, rig_high: the interval (95%) of the mean; equal to it where it is exact.
        mean_cig_bits: the mean of CIG over the points of those people.
        mics: the fewest people who have just the same points.
        pif: the largest RIG divided by the people who have just the same points; of people who were drawn, at least so
            much.
        rows_at_pif: people looked at who set it.
        draws: how many people were drawn, None where all were looked at.
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
        """Whether everybody was looked at."""
        return self.draws is None


@dataclass(frozen=True, kw_only=True, repr=False)
class Events(Answer):
    """How identifying pairs of events are, day by day, and how many points single people out."""

    command: ClassVar[str] = "events"
    json_keys: ClassVar = (
        "person", "time", "attributes", "max_events", "n_records=records", "n_people=people", "n_points=points", "days",
        "months", "period=period_row", "excluded", "unicity", "unicity_grid=grid", "gain", "seed", "notes", "reasons",
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

    @property
    def person_bits(self) -> float:
        """What a pair of the period tells about whose it is: the mean of log2(people / those who share it)."""
        return entropy.bits_about_person(self.people, self.period.k_hat)

    @property
    def max_person_bits(self) -> float:
        """What tells whose a pair is: log2 of the people."""
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
        """The figures of all days together, as plain data."""
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
    def reasons(self) -> dict[str, str]:
        """Why figures that are None do not exist."""
        return {"weekday": "months, weeks and longer have none"} if self.months or self.step != "day" else {}

    def to_arrow(self) -> pyarrow.Table:
        """Return one row a day with its figures."""
        import pyarrow

        return pyarrow.Table.from_pylist([row.to_dict() for row in self.days])

    def chart(self) -> JsonObject:
        """Return a heat map of the unicity for all coarsenings, as a Vega-Lite specification."""
        from idbits.errors import InputError
        from idbits.studies.events.charts import unicity_heat_map

        rows = [row for row in self.grid if row.share is not None]
        if not rows:
            raise InputError("a heat map needs points (--points 1..4)")
        return unicity_heat_map(
            [(str(row.points), row.time, ", ".join(row.attributes) or "time alone", row.share or 0.0) for row in rows]
        )
