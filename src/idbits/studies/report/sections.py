"""The sections of a report about the measurement: bits, group sizes, values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.counts import Value
from idbits.measures.anonymity import SetSizes
from idbits.render.blocks import TableBlock
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bar_share, bits, count, decimal, share
from idbits.render.page import Figure, Section, named, shortened
from idbits.render.share_strip import ShareStrip, StripPart
from idbits.studies.measure.result import Groups, Measurement
from idbits.studies.measure.text import population_words
from idbits.studies.report import charts
from idbits.studies.report.checks import goal_size
from idbits.studies.report.findings import bits_finding, unique_finding
from idbits.studies.report.tiles import what_gives_away
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.units import Unit
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["bits_section", "sizes_section", "values_section"]

_SHOWN_GROUPS = 40
_DRAWN_GROUPS = 15
_LEAST_LEVELS = 8
_NAME = 48
_SHOWN_VALUES = 6
_VALUE = 20
_SHOWN_ROWS = 6


def bits_section(report: Report) -> Section:
    """Return the gain distribution (S0 tables II, IV, VI, VIII)."""
    figures, unit = report.measurement.figures, report.measurement.unit
    rows = [row for row in figures.gain_table if row.people]
    # Below the first level that everybody reaches nothing changes, but a chart of two bars says little.
    last = next((index for index, row in enumerate(rows) if row.share == 1), len(rows) - 1)
    kept = rows[: max(last + 1, _LEAST_LEVELS)]
    table = TableBlock(
        f"How many {unit} give away at least this many bits",
        ("bits", str(unit), "share"),
        [[str(row.bits), count(row.people), share(row.share)] for row in kept],
        left=(),
    )
    quantiles = figures.bits_quantiles
    words = f"{share(kept[0].share)} of the {unit} give away at least {counted(kept[0].bits, 'bit')}"
    words += f", {share(rows[last].share)} at least {rows[last].bits}." if last else "."
    text = (
        f"Each bit halves the group a {unit.singular} may belong to; "
        f"{bits(figures.max_entropy_bits)} bits leave one {unit.singular} of {count(figures.n_reference)}."
    )
    if quantiles is not None:
        half, most = bits(quantiles["p50"]), bits(quantiles["max"])
        text += f" Half of the {unit} give away at least {half} bits, the most exposed {most}."
    chart = LabelledBars(
        tuple(BarRow(f"at least {counted(row.bits, 'bit')}", row.share, bar_share(row.share), more=count(row.people))
              for row in rows[: last + 1])
    )  # fmt: skip
    return Section(
        "bits",
        bits_finding(report.measurement, what_gives_away(report.measurement)),
        (text,),
        (Figure(chart, words, table, f"{unit.capitalize()} by the bits they give away"),),
        topic="Bits",
    )


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
    """Return group sizes (S2 tables 3.2 and 3.3), with a box for each category if there are any."""
    measurement = report.measurement
    figures, sizes, unit = measurement.figures, measurement.figures.set_sizes, measurement.unit
    rows = [(name, figures.people_between(least, most)) for name, least, most in _RANGES]
    table = TableBlock(
        f"{unit.capitalize()} by the size of their group",
        ("group size", str(unit), "share"),
        [[name, count(people), share(figures.share(people))] for name, people in rows],
    )
    small = sum(people for _, people in rows[:3])
    words = (
        f"{share(figures.share(figures.singletons))} of the {unit} are unique, "
        f"{share(figures.share(small))} are in groups of 1 to 4, "
        f"{share(figures.share(figures.people_between(10)))} in groups of 10 or more."
    )
    text = _what_a_group_is(measurement)
    if sizes is not None and figures.n_sets is not None:
        text += (
            f" There {'is' if figures.n_sets == 1 else 'are'} {counted(figures.n_sets, 'group')}: the smallest has "
            f"{count(sizes.min)}, the median group {decimal(sizes.median)}, the mean {decimal(sizes.mean)}, the "
            f"largest {unit.counted(sizes.max)}."
        )
    text += (
        f" A guess within the group is right {share(figures.mean_risk)} of the time on average, "
        f"{share(figures.max_risk)} at most."
    )
    if measurement.population is not None:
        text += f" {population_words(measurement.population)}"
    drawn = [Figure(_strip(report), words, table)]
    groups = measurement.groups
    tables: tuple[TableBlock, ...] = ()
    if groups is not None and sizes is not None:
        drawn.append(_boxes(groups, figures, unit))
    elif groups is not None:
        tables = (_overlapping_categories(groups, figures),)
    return Section("sizes", unique_finding(measurement), (text,), tuple(drawn), tables, topic=unit.capitalize())


def _strip(report: Report) -> ShareStrip:
    """Return everybody by the size of their group: unique, below the goal, large enough."""
    figures, unit, goal = report.measurement.figures, report.measurement.unit, goal_size(report)
    small = "a group of 2" if goal == 3 else f"groups of 2 to {count(goal - 1)}"
    parts = [
        ("unique", 1, 1, "r1"),
        (f"in {small}", 2, goal - 1, "r2"),
        (f"in groups of {count(goal)}+", goal, None, "g1"),
    ]
    if goal <= 2:
        parts = [parts[0], (f"{unit.who} share their values", 2, None, "g1")]
    counted_parts = [(who, figures.people_between(least, most), meaning) for who, least, most, meaning in parts]
    return ShareStrip(
        tuple(
            StripPart(figures.share(people), bar_share(figures.share(people)), who, count(people), meaning)
            for who, people, meaning in counted_parts
            if people
        )
    )


_GROUPS_OF_RECORDS = {
    "one-record": "A person's group is everyone who shares their most telling record. Groups overlap, because people "
    "have several records.",
    "any-record": "A person's group is everyone who shares a record of theirs that is drawn at random, so the numbers "
    "are expected values. Groups overlap, because people have several records.",
    "all-records": "People with the same values in all their records form a group and cannot be distinguished by them.",
}


def _what_a_group_is(measurement: Measurement) -> str:
    people = measurement.people
    if people is not None and people.has_several_rows:
        return _GROUPS_OF_RECORDS[people.knows]
    return f"{measurement.unit.capitalize()} with the same values form a group and cannot be distinguished by them."


def _listed(groups: Groups) -> list[tuple[str, Figures]]:
    """Return categories with names short enough for an axis, the unnamed ones first."""
    ordered = sorted(groups.rows, key=lambda group: not group.folded)
    return [(_unnamed(group.n_groups) if group.folded else _label(group.label), group.figures) for group in ordered]


def _overlapping_categories(groups: Groups, overall: Figures) -> TableBlock:
    """Return the categories if groups overlap, because people have several records."""
    shown = [*_listed(groups)[:_SHOWN_GROUPS], ("overall", overall)]
    cells = [
        [shortened(name, _NAME), count(figures.n_people), bits(figures.entropy_bits),
         share(figures.share(figures.singletons)), count(figures.k_min), decimal(figures.k_hat)]
        for name, figures in shown
    ]  # fmt: skip
    by = shortened(groups.by, _NAME)
    return TableBlock(
        f"People within each {by}",
        (by, "people", "bits", "unique", "smallest group", "typical group"),
        cells,
        caption="A person counts in every category where they have records.",
        emphasis=(len(cells) - 1,),
    )


def _boxes(groups: Groups, overall: Figures, unit: Unit) -> Figure:
    listed = _listed(groups)
    folded = any(group.folded for group in groups.rows)
    shown = [*listed[:_SHOWN_GROUPS], ("overall", overall)]
    by = shortened(groups.by, _NAME)
    heads = (by, str(unit), "bits", "unique", "min", "q1", "median", "mean", "q3", "max")
    cells = []
    for name, figures in shown:
        sizes = _sizes(figures)
        cells.append([shortened(name, _NAME), count(figures.n_people), bits(figures.entropy_bits),
                      share(figures.share(figures.singletons)), count(sizes.min), decimal(sizes.q1),
                      decimal(sizes.median), decimal(sizes.mean), decimal(sizes.q3), count(sizes.max)])  # fmt: skip
    after = _AFTER_FOLDED.format(unit=unit) if folded else ""
    rest = len(listed) - _SHOWN_GROUPS
    left_out = f" {_categories(rest, 'more ')} not shown." if rest > 0 else ""
    table = TableBlock(
        f"Group sizes within each {by}",
        heads,
        cells,
        caption=f"Groups are formed within categories, smallest median first{after}.{left_out}",
        emphasis=(len(cells) - 1,),
    )
    drawn = [*listed[:_DRAWN_GROUPS], ("overall", overall)]
    boxes = [
        (name, s.min, s.q1, s.median, s.q3, s.max) for name, s in ((name, _sizes(figures)) for name, figures in drawn)
    ]
    lowest, figures = min(listed, key=lambda item: item[1].typical_size)
    which = f", for the {_DRAWN_GROUPS - folded} categories with the smallest groups{after}"
    words = (
        f"Group sizes within each {named(groups.by)}: boxes from quartile to quartile, medians marked"
        f"{which if len(listed) > _DRAWN_GROUPS else ''}. Lowest: "
        f"{named(lowest)} with a median group of {decimal(figures.typical_size)}; overall "
        f"{decimal(overall.typical_size)}."
    )
    title = f"Group sizes within each {named(groups.by)}"
    return Figure(charts.boxes(boxes, groups.by), words, table, title)


def _sizes(figures: Figures) -> SetSizes:
    assert figures.set_sizes is not None
    return figures.set_sizes


_AFTER_FOLDED = ", after one row for categories of fewer than 10 {unit} (and others, if needed to hide which these are)"


def _categories(number: int, more: str = "") -> str:
    return counted(number, f"{more}category").replace("categorys", "categories")


def _unnamed(number: int) -> str:
    return f"{_categories(number)} unnamed"


def _label(label: Value) -> str:
    return "(empty)" if label is None else label


def values_section(measurement: Measurement) -> Section:
    """Return the rarest values, for internal reports only."""
    values, unit = measurement.exposed, measurement.unit
    assert values is not None
    bits_in = {name: single.entropy_bits for name, single in measurement.columns}
    ranked = sorted(range(len(measurement.qid)), key=lambda index: -bits_in[measurement.qid[index]])
    places = sorted(ranked[:_SHOWN_VALUES])
    rows = [[*(shortened(_label(row.value[index]), _VALUE) for index in places), count(row.people), bits(row.bits)]
            for row in values.rows[:_SHOWN_ROWS]]  # fmt: skip
    hidden = values.rows[_SHOWN_ROWS:]
    more, people = values.folded_values + len(hidden), values.folded_people + sum(row.people for row in hidden)
    rest = len(measurement.qid) - len(places)
    left_out = f" {counted(rest, 'more column')} not shown." if rest > 0 else ""
    table = TableBlock(
        "The rarest values",
        (*(shortened(measurement.qid[index], _VALUE) for index in places), str(unit), "bits"),
        rows,
        left=tuple(range(len(places))),
        caption=f"Not shown: {counted(more, 'more value')} of {unit.counted(people)}.{left_out}",
    )
    return Section(
        "values",
        f"{unit.capitalize()} with these values can be found by them",
        tables=(table,),
        topic="Values (internal)",
    )
