"""The sections of a report that rest on the measurement: bits, set sizes, columns, changes, values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.counts import Value
from idbits.render.blocks import Table
from idbits.render.numbers import bits, count, decimal, share
from idbits.render.page import Figure, Section, named, shortened
from idbits.studies.measure.result import Groups, Measurement
from idbits.studies.measure.text import population_words
from idbits.studies.report import charts as charts_report
from idbits.studies.report.change_result import Change
from idbits.studies.shared.figures import Figures
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["bits_section", "changes_section", "sizes_section", "values_section"]

_SHOWN_GROUPS = 40
_DRAWN_GROUPS = 15
_SHOWN_CHANGES = 8
_LEAST_LEVELS = 8
_NAME = 48
_SHOWN_VALUES = 6
_VALUE = 20
_SHOWN_ROWS = 6


def bits_section(report: Report) -> Section:
    """Return the gain distribution (S0 tables II, IV, VI, VIII)."""
    figures = report.measurement.figures
    rows = [row for row in figures.gain_table if row.people]
    # Below the first level that everybody reaches there is nothing new; but a picture of two bars says little.
    last = next((place for place, row in enumerate(rows) if row.people == figures.n_rows), len(rows) - 1)
    kept = rows[: max(last + 1, _LEAST_LEVELS)]
    table = Table(
        "How many people give away at least so many bits",
        ("bits", "people", "share"),
        [[str(row.bits), count(row.people), share(row.share)] for row in kept],
        left=(),
    )
    quantiles = figures.bits_quantiles
    words = f"{share(kept[0].share)} of the people give away at least {counted(kept[0].bits, 'bit')}"
    words += f", {share(rows[last].share)} at least {rows[last].bits}." if last else "."
    text = (
        "Knowing one bit about somebody halves the crowd they may be in; knowing "
        f"{bits(figures.max_entropy_bits)} bits leaves one person of {count(figures.n_reference)}. Half of the people "
        f"give away at least {bits(quantiles['p50'])} bits, the most exposed {bits(quantiles['max'])}."
    )
    chart = charts_report.gain_distribution([(row.bits, row.share) for row in reversed(kept)])
    return Section("bits", "How many bits people give away", (text,), (Figure(chart, words, table),))


_RANGES = (
    ("1", 1, 1),
    ("2", 2, 2),
    ("3-4", 3, 4),
    ("5-9", 5, 9),
    ("10-49", 10, 49),
    ("50-99", 50, 99),
    ("100+", 100, None),
)


def sizes_section(report: Report) -> Section:
    """Return set sizes (S2 tables 3.2 and 3.3), with a box for each group where there are groups."""
    measurement = report.measurement
    figures, sizes = measurement.figures, measurement.figures.set_sizes
    rows = [(name, figures.people_between(least, most)) for name, least, most in _RANGES]
    table = Table(
        "People by the size of their set",
        ("set size k", "people", "share"),
        [[name, count(people), share(figures.share(people))] for name, people in rows],
    )
    small = sum(people for _, people in rows[:3])
    words = (
        f"{share(figures.share(figures.singletons))} of the people are alone, "
        f"{share(figures.share(small))} in sets of 1 to 4, "
        f"{share(figures.share(figures.people_between(10)))} in sets of 10 or more."
    )
    text = (
        "People with the same values form a set and hide among each other. There "
        f"{'is' if figures.n_sets == 1 else 'are'} {counted(figures.n_sets, 'set')}: the smallest has "
        f"{count(sizes.min)}, the median set {decimal(sizes.median)}, the mean {decimal(sizes.mean)}, the largest "
        f"{_people(sizes.max)}. A guess within the set is right {share(figures.mean_risk)} of the time on average, "
        f"{share(figures.max_risk)} at most."
    )
    if measurement.population is not None:
        text += f" {population_words(measurement.population)}"
    chart = charts_report.people_by_size([(name, figures.share(people)) for name, people in rows])
    drawn = [Figure(chart, words, table)]
    drawn += [_boxes(measurement.groups, figures)] if measurement.groups is not None else []
    return Section("sizes", "How many people look the same", (text,), tuple(drawn))


def _people(number: int) -> str:
    return counted(number, "person").replace("persons", "people")


def _boxes(groups: Groups, overall: Figures) -> Figure:
    ordered = sorted(groups.rows, key=lambda group: not group.folded)
    # Short enough for an axis.
    listed = [
        (f"{counted(group.n_groups, 'group')} unnamed" if group.folded else _label(group.label), group.figures)
        for group in ordered
    ]
    folded = ordered[0].folded
    shown = [*listed[:_SHOWN_GROUPS], ("overall", overall)]
    by = shortened(groups.by, _NAME)
    heads = (by, "people", "bits", "unique", "min", "q1", "median", "mean", "q3", "max")
    cells = []
    for name, figures in shown:
        sizes = figures.set_sizes
        cells.append([shortened(name, _NAME), count(figures.n_rows), bits(figures.entropy_bits),
                      share(figures.share(figures.singletons)), count(sizes.min), decimal(sizes.q1),
                      decimal(sizes.median), decimal(sizes.mean), decimal(sizes.q3), count(sizes.max)])  # fmt: skip
    rest = len(listed) - _SHOWN_GROUPS
    left_out = f" {counted(rest, 'more group')}: see --format json." if rest > 0 else ""
    table = Table(
        f"Set sizes within each {by}",
        heads,
        cells,
        caption=f"Sets are formed within the group; smallest median first{_AFTER_FOLDED if folded else ''}.{left_out}",
        emphasis=(len(cells) - 1,),
    )
    drawn = [*listed[:_DRAWN_GROUPS], ("overall", overall)]
    boxes = [
        (name, s.min, s.q1, s.median, s.q3, s.max) for name, s in ((name, figures.set_sizes) for name, figures in drawn)
    ]
    lowest, figures = min(listed, key=lambda item: item[1].set_sizes.median)
    which = f", for the {_DRAWN_GROUPS - folded} groups with the smallest sets{_AFTER_FOLDED if folded else ''}"
    words = (
        f"Set sizes within each {named(groups.by)}, a box from quartile to quartile, the median marked"
        f"{which if len(listed) > _DRAWN_GROUPS else ''}. Lowest: "
        f"{named(lowest)} with a median set of {decimal(figures.set_sizes.median)}; overall "
        f"{decimal(overall.set_sizes.median)}."
    )
    return Figure(charts_report.boxes(boxes, groups.by), words, table)


_AFTER_FOLDED = ", after one row for those of fewer than 10 people, with others if it takes them to hide which is which"


def _label(label: Value) -> str:
    return "(empty)" if label is None else label


def changes_section(report: Report) -> Section:
    """Return the changes that were tried, those that help first."""
    changes, before = report.changes, report.measurement.figures
    if not changes.tried:
        return Section("changes", "What was tried", (f"Nothing: {changes.reason}.",))
    related = bool(changes.utility_pairs)
    rows = [["as it is", share(1.0 if related else None), bits(before.entropy_bits), count(before.singletons),
             count(before.people_below["5"]), count(before.k_min), ""]]  # fmt: skip
    # Where nothing helps, a few rows show it as well as many.
    most = _SHOWN_CHANGES if changes.smallest is not None else _SHOWN_CHANGES // 2
    for change in changes.tried[:most]:
        after = change.figures
        helps = "verdict" if change.improves else "half the risk" if change.halves else "no"
        rows.append([_short(change), share(change.utility), bits(after.entropy_bits),
                     count(after.singletons), count(after.people_below["5"]), count(after.k_min), helps])  # fmt: skip
    rest = len(changes.tried) - most
    columns = counted(len(changes.utility_columns), "column")
    caption = (
        f"utility: the share kept of what {columns} say about each other beyond chance (S3 IV.E), which are "
        f"{bits(changes.utility_bits)} bits over {counted(len(changes.utility_pairs), 'pair')} of columns."
        if related
        else f"utility: {columns} say no more about each other than chance would, so that none can be lost; changes "
        "are ranked by the bits that they leave."
    )
    caption += " betters: the verdict, or half the people at risk."
    caption += f" {counted(rest, 'more change')} tried: see --format json." if rest > 0 else ""
    caption += f" {counted(changes.left_out, 'column')} with few values stayed as they are." if changes.left_out else ""
    table = Table(
        "Changes, best first",
        ("change", "utility", "bits", "alone", "below 5", "k", "betters"),
        rows,
        left=(0, 6),
        caption=caption,
        emphasis=(1,) if changes.smallest is not None else (),
    )
    text = "Coarser views of each column were tried, and leaving it out; where that was not enough, several together."
    return Section("changes", "What was tried", (text,), tables=(table,))


def _short(change: Change) -> str:
    """Say what a change does, in the few words that fit a table."""
    views = [shortened(new, _NAME) for _, new in change.replaced if new is not None]
    return ", ".join([*views, *(f"no {shortened(old, _NAME)}" for old, new in change.replaced if new is None)])


def values_section(measurement: Measurement) -> Section:
    """Return the rarest values, for internal eyes."""
    values = measurement.exposed
    assert values is not None
    bits_in = {name: own.entropy_bits for name, own in measurement.columns}
    ranked = sorted(range(len(measurement.qid)), key=lambda place: -bits_in[measurement.qid[place]])
    places = sorted(ranked[:_SHOWN_VALUES])
    rows = [[*(shortened(_label(row.value[place]), _VALUE) for place in places), count(row.people), bits(row.bits)]
            for row in values.rows[:_SHOWN_ROWS]]  # fmt: skip
    hidden = values.rows[_SHOWN_ROWS:]
    more, people = values.folded_values + len(hidden), values.folded_people + sum(row.people for row in hidden)
    rest = len(measurement.qid) - len(places)
    left_out = f" {counted(rest, 'more column')}: see --format json." if rest > 0 else ""
    table = Table(
        "The rarest values",
        (*(shortened(measurement.qid[place], _VALUE) for place in places), "people", "bits"),
        rows,
        left=tuple(range(len(places))),
        caption=f"Not shown: {counted(more, 'more value')} of {_people(people)}.{left_out}",
    )
    return Section("values", "Values (internal)", ("People who have these can be found by them.",), tables=(table,))
