"""What an answer about events looks like: the verdict, then why, then what was left out and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, bits_of, count, decimal, share, to_places
from idbits.studies.events.result import Events, PairFigures, PairRow, TrajectoryGain, Unicity
from idbits.studies.shared.presentation import show
from idbits.wording import counted, joined

__all__ = [
    "events_verdict", "gain_table", "grid_table", "is_by_month", "left_out", "pairs_table", "unicity_table",
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
    blocks += [left_out(events), Items("Not assessed", _not_assessed(events))]
    if events.next_command is not None:
        blocks.append(Command("Next", events.next_command))
    return blocks


def events_verdict(events: Events) -> Verdict:
    """Say how many pairs of events single people out."""
    figures = events.period
    what = joined([events.time, *events.attributes])
    asked = events.asked_period
    where = f" that begin {_preposition(asked)} {asked}" if asked else ""
    gives = _given_away(events)
    if not figures.singletons:
        assert figures.spectrum is not None
        least = int(figures.spectrum.sizes[0])
        sentence = f"Each of the {count(figures.n_pairs)} pairs of events{where}, with their {what}, is shared by "
        return Verdict(
            Level.GOOD, "No pair of events singles anybody out", f"{sentence}{least} people or more. {gives}"
        )
    alone = f"{count(figures.singletons)} of {count(figures.n_pairs)} pairs of events{where} ({share(figures.share)})"
    verb = "is one" if figures.singletons == 1 else "are ones"
    sentence = f"{alone} {verb} that only one person has, by {what} of both events. {gives}"
    if figures.share >= _MANY:
        return Verdict(Level.BAD, "Two events single people out: do not hand this over as it is", sentence)
    return Verdict(Level.WARN, "Some people can be singled out by two events", sentence)


def _given_away(events: Events) -> str:
    """Say what a pair tells about whose it is."""
    if events.people == 1:
        return "All pairs belong to one person, the only one in the table."
    amount, shared = bits_of(events.person_bits, events.max_person_bits), events.period.k_hat
    return (
        f"A pair gives away {amount} bits that tell which of {count(events.people)} people it belongs to; typically "
        f"{decimal(shared)} {'person shares' if shared == 1 else 'people share'} it."
    )


def _preposition(period: str) -> str:
    """Return the word before a period: on a day, in all else."""
    return "on" if len(period) == len("2005-01-27") and ".." not in period else "in"


def pairs_table(events: Events) -> TableBlock:
    """Return the pairs by the first of their two events."""
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
        "Pairs of events by the first of the two",
        (first, *(["" for _ in blank]), "pairs", "bits", "k-hat", "alone", "share", "largest"),
        shown,
        left=(0, 1) if blank else (0,),
        caption="bits: what tells a pair from the others (log2 of the pairs would tell all of them apart). k-hat: "
        "people who typically share a pair. alone: pairs "
        f"that one person has. largest: people who share the most frequent pair.{more}",
        emphasis=(len(shown) - 1,),
    )


def is_by_month(events: Events) -> bool:
    """Whether there is one row a month: where no period was asked for, or one of very many days."""
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
    """Return how many points of a person single them out."""
    rows = []
    for row in events.unicity:
        sure = "exact" if row.draws is None else f"{share(row.low)} to {share(row.high)}"
        known = "all of them" if row.points == "all" else str(row.points)
        rows.append([known, share(row.share), sure if row.share is not None else "-", bits(row.bits),
                     count(row.people), count(row.too_few)])  # fmt: skip
    drawn = next((row.draws for row in events.unicity if row.draws is not None), None)
    how = f" Intervals (95%) come from {count(drawn)} draws, seed {events.seed}." if drawn else ""
    holds = joined(events.attributes) if events.attributes else "nothing else"
    return TableBlock(
        "How many points of a person single them out",
        ("points", "unicity", "interval", "bits", "people", "have fewer"),
        rows,
        caption=f"A point is one {events.step} with {holds}, out of all days of the table. unicity: the chance that "
        "points drawn from a person's own are those of nobody else; for all points, that nobody else has just the "
        f"same.{how}",
    )


def grid_table(events: Events) -> TableBlock:
    """Return the same when time and attributes are coarser."""
    known = list(dict.fromkeys(row.points for row in events.grid))
    cells: dict[tuple[tuple[str, ...], str], dict[int | str, Unicity]] = {}
    for row in events.grid:
        cells.setdefault((row.attributes, row.time), {})[row.points] = row
    rows = [
        [", ".join(attributes) or "time alone", time, *(share(cell[points].share) for points in known)]
        for (attributes, time), cell in cells.items()
    ]
    return TableBlock(
        "Unicity when time and attributes are coarser",
        ("attributes", "time", *("all" if points == "all" else f"{points} p." for points in known)),
        rows,
        left=(0, 1),
        caption="p.: points. Where more than two points are known, shares are drawn; --json has their intervals.",
    )


def gain_table(gain: TrajectoryGain, seed: int) -> TableBlock:
    """Return what is learnt about points of people from their others (S3 IV.C)."""
    rig = gain.rig
    row = [bits(rig["mean"]), bits(rig["p50"]), bits(rig["p95"]), bits(rig["max"]), bits(gain.mean_cig_bits),
           count(gain.mics), decimal(gain.pif), count(gain.rows_at_pif)]  # fmt: skip
    how = (
        f" {count(gain.people)} people were drawn, seed {seed}: the mean is between {bits(gain.rig_low)} and "
        f"{bits(gain.rig_high)} (95%), the largest RIG and the PIF are at least so much."
        if gain.draws is not None
        else ""
    )
    return TableBlock(
        "Bits learnt about the points of each person",
        ("RIG mean", "median", "95th", "max", "mean CIG", "MICS", "PIF", "set by"),
        [row],
        left=(),
        caption="CIG: bits learnt about a point of a person by someone who knows all their other points. RIG: the sum "
        "over a person's points. MICS: the fewest people with just the same points. PIF: the largest RIG divided by "
        f"the people with just the same points.{how}",
    )


def left_out(events: Events) -> Paragraph:
    """Say what was measured and what was left out."""
    excluded = events.excluded
    sentences = [
        f"{counted(events.records, 'record')}; {_people(events.people)} with "
        f"{counted(events.points, 'different event')} {'was' if events.people == 1 else 'were'} measured."
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
        (excluded.without_person, "no person"),
        (excluded.without_time, "no time"),
        (excluded.unreadable_time, "a time that cannot be read as a date"),
    ):
        if number:
            sentences.append(f"{counted(number, 'record')} with {what} {'is' if number == 1 else 'are'} in no pair.")
    return Paragraph(" ".join(sentences))


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{count(number)} people"


def _not_assessed(events: Events) -> tuple[str, ...]:
    sentences = []
    if events.asked_period:
        sentences.append("Pairs that begin before or after the period; the second event may lie on any later day.")
    if not events.unicity:
        sentences.append("More than two events of a person: each adds bits (see --points 1..5,all).")
    sentences.append("Other columns, near days and near places, and what is known from outside the table.")
    sentences.append("Whether the table is a sample: a pair alone here may have doubles in the population.")
    return tuple(sentences)
