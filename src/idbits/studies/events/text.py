"""An answer about events as text: the verdict, the reason, what was left out and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, bits_of, count, decimal, share, to_places
from idbits.studies.events.result import Events, PairFigures, PairRow, TrajectoryGain, Unicity
from idbits.studies.shared.presentation import show
from idbits.values.days import needed_part
from idbits.wording import counted, joined

__all__ = [
    "events_not_assessed", "events_verdict", "gain_table", "grid_table", "is_by_month", "left_out", "pairs_table",
    "unicity_table",
]  # fmt: skip

_MANY = 0.01
_MOST_DAYS = 62
_MOST_ROWS = 400


@show.register
def _(events: Events) -> list[Block]:
    blocks: list[Block] = [events_verdict(events), pairs_table(events)]
    if events.unicity:
        blocks.append(unicity_table(events))
    if any((row.time, row.attributes) != (events.step, events.attributes) for row in events.grid):
        blocks.append(grid_table(events))
    if events.gain is not None:
        blocks.append(gain_table(events.gain, events.seed))
    blocks += [left_out(events), Items("Not assessed", events_not_assessed(events))]
    if events.next_command is not None:
        blocks.append(Command("Next", events.next_command))
    return blocks


def events_verdict(events: Events) -> Verdict:
    """State how many pairs of events belong to only one person."""
    figures = events.period
    what = joined([events.time, *events.attributes])
    asked = events.asked_period
    where = f" that begin {_preposition(asked)} {asked}" if asked else ""
    gives = _given_away(events)
    if not figures.singletons:
        assert figures.spectrum is not None
        least = int(figures.spectrum.sizes[0])
        everyone = f"At least {least} people share each of the {count(figures.n_sets)} different pairs of events"
        shared = everyone if figures.n_sets > 1 else f"{count(least)} people share the only pair of events"
        sentence = f"{shared}{where} ({what})."
        return Verdict(Level.GOOD, "No pair of events singles anybody out", f"{sentence} {gives}")
    pairs = f"{counted(figures.n_pairs, 'pair')} of events{where}"
    unique = f"{count(figures.singletons)} of {pairs} ({share(figures.share)})"
    verb = "belongs" if figures.singletons == 1 else "belong"
    sentence = f"{unique} {verb} to only one person, by {what} of both events. {gives}"
    if figures.share >= _MANY:
        return Verdict(Level.BAD, "Two events single people out: do not hand this over as it is", sentence)
    return Verdict(Level.WARN, "Two events single some people out", sentence)


def _given_away(events: Events) -> str:
    """State how much a pair tells about whose it is."""
    if events.people == 1:
        return "All pairs belong to one person, the only one that we measured."
    amount, shared = bits_of(events.person_bits, events.max_person_bits), events.period.k_hat
    return (
        f"A pair gives away {amount} bits that single out one of {count(events.people)} people; typically "
        f"{decimal(shared)} {'person has' if shared == 1 else 'people have'} the same pair."
    )


def _preposition(period: str) -> str:
    """Return the word before a period: on a day, in any other period."""
    return "on" if len(period) == len("2005-01-27") and ".." not in period else "in"


def pairs_table(events: Events) -> TableBlock:
    """Return the pairs by the time of their first event."""
    by_month = is_by_month(events)
    rows = events.months if by_month else events.days
    shown = _pair_rows(rows[:_MOST_ROWS], weekday=not by_month and events.step == "day")
    blank = [""] if not by_month and events.step == "day" else []
    asked = events.asked_period or ""
    whole = asked if blank and 0 < len(asked) <= len("2005-01-27") else "all"
    shown.append([whole, *blank, *_figures(events.period)])
    first = "first month" if by_month else f"first {events.step}"
    more = f" --json has every {events.step}." if by_month else ""
    more += f" {len(rows) - _MOST_ROWS:,} more rows in --json." if len(rows) > _MOST_ROWS else ""
    return TableBlock(
        f"Pairs of events by the {'date' if events.step in ('day', 'week') else events.step} of the first event",
        (first, *(["" for _ in blank]), "pairs", "bits", "typical group", "unique", "share", "largest group"),
        shown,
        left=(0, 1) if blank else (0,),
        caption="bits: what distinguishes a pair from the others (log2 of the number of pairs distinguishes "
        "all of them). typical "
        "group: people who typically have the same pair. unique: pairs "
        f"that only one person has. largest group: people with the most common pair.{more}",
        emphasis=(len(shown) - 1,),
    )


def is_by_month(events: Events) -> bool:
    """Return whether to show one row per month: no period was requested, or one with very many days."""
    finer = events.step in ("day", "week") and len(events.months) > 0
    return finer and (events.asked_period is None or len(events.days) > _MOST_DAYS)


def _pair_rows(rows: Sequence[PairRow], *, weekday: bool) -> list[list[str]]:
    return [[row.date, *([row.weekday or ""] if weekday else []), *_figures(row.figures)] for row in rows]


def _figures(figures: PairFigures) -> list[str]:
    return [
        count(figures.n_pairs),
        to_places(figures.entropy_bits, 3),
        to_places(figures.k_hat, 3, grouped=True) if figures.k_hat < 1000 else decimal(figures.k_hat),
        count(figures.singletons),
        share(figures.share),
        count(figures.largest),
    ]


def unicity_table(events: Events) -> TableBlock:
    """Return how often some points of a person fit nobody else."""
    rows = []
    for row in events.unicity:
        sure = "exact" if row.draws is None else f"{share(row.low)} to {share(row.high)}"
        known = "all of them" if row.points == "all" else str(row.points)
        rows.append([known, share(row.share), sure if row.share is not None else "-", bits(row.bits),
                     count(row.people), count(row.too_few)])  # fmt: skip
    drawn = next((row.draws for row in events.unicity if row.draws is not None), None)
    how = f" Intervals (95%) are from {count(drawn)} draws, seed {events.seed}." if drawn else ""
    contents = f" with its {joined(events.attributes)}" if events.attributes else ""
    return TableBlock(
        "How many points single a person out",
        ("points", "unicity", "interval", "bits", "people", "have fewer"),
        rows,
        caption=f"A point is one {events.step}{contents}, from the whole table. unicity: the chance that nobody else "
        "has the same points, when this many are drawn at random from those of a person; for all points, that nobody "
        f"else has exactly the same.{how}",
    )


def grid_table(events: Events) -> TableBlock:
    """Return the unicity for coarser times and attributes."""
    known = list(dict.fromkeys(row.points for row in events.grid))
    cells: dict[tuple[tuple[str, ...], str], dict[int | str, Unicity]] = {}
    for row in events.grid:
        cells.setdefault((row.attributes, row.time), {})[row.points] = row
    rows = [
        [", ".join(attributes) or "time only", time, *(share(cell[points].share) for points in known)]
        for (attributes, time), cell in cells.items()
    ]
    return TableBlock(
        "Unicity when time and attributes are coarser",
        ("attributes", "time", *("all" if points == "all" else f"{points} p." for points in known)),
        rows,
        left=(0, 1),
        caption="p.: points. With more than two points, shares are from random draws; --json has the intervals.",
    )


def gain_table(gain: TrajectoryGain, seed: int) -> TableBlock:
    """Return what someone learns about points of people from their other points (S3 IV.C)."""
    rig = gain.rig
    row = [bits(rig["mean"]), bits(rig["p50"]), bits(rig["p95"]), bits(rig["max"]), bits(gain.mean_cig_bits),
           count(gain.mics), decimal(gain.pif), count(gain.rows_at_pif)]  # fmt: skip
    how = (
        f" {count(gain.people)} people were drawn, seed {seed}: the mean is between {bits(gain.rig_low)} and "
        f"{bits(gain.rig_high)} (95%); the largest RIG and the PIF are lower bounds."
        if gain.draws is not None
        else ""
    )
    return TableBlock(
        "Bits learnt about the points of each person",
        ("RIG mean", "median", "95th", "max", "mean CIG", "MICS", "PIF", "at PIF"),
        [row],
        left=(),
        caption="CIG: bits learnt about a point of a person by someone who knows all their other points. RIG: the sum "
        "over a person's points. MICS: the fewest people with exactly the same points. PIF: the largest RIG divided by "
        f"the number of people with exactly the same points. at PIF: people who have it.{how}",
    )


def left_out(events: Events) -> Paragraph:
    """State what was measured and what was left out."""
    excluded = events.excluded
    sentences = [
        f"The table has {counted(events.records, 'record')}; we measured {_people(events.people)} with "
        f"{counted(events.points, 'different event')}."
    ]
    if excluded.people:
        part = share(excluded.events / events.records)
        sentences.append(
            f"Left out: {_people(excluded.people)} with {count(events.max_events)} records or more "
            f"({counted(excluded.events, 'record')}, {part} of all; --max-events)."
        )
    else:
        sentences.append(f"Nobody has {count(events.max_events)} records or more, so nobody was left out.")
    for number, what in (
        (excluded.without_person, "without a person"),
        (excluded.without_time, "without a time"),
        (excluded.unreadable_time, f"with a time that cannot be read as a {_part(events.step)}"),
    ):
        if number:
            sentences.append(f"{counted(number, 'record')} {what} {'is' if number == 1 else 'are'} not in any pair.")
    return Paragraph(" ".join(sentences))


def _part(step: str) -> str:
    """Return what a time of this step is."""
    part = needed_part(step)
    return "date" if part == "day" else part


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{count(number)} people"


def events_not_assessed(events: Events) -> tuple[str, ...]:
    """Return what the figures do not cover."""
    sentences = []
    if events.asked_period:
        later = "on any later day" if events.step == "day" else f"in any later {events.step}"
        sentences.append(f"Pairs that begin before or after the period; the second event may be {later}.")
    if not events.unicity:
        sentences.append("More than two events per person: each adds bits (see --points 1..5,all).")
    sentences.append(f"Other columns, approximate {events.step}s or places, and knowledge from outside the table.")
    sentences.append("Whether the table is a sample: others outside the table may have the same pairs.")
    return tuple(sentences)
