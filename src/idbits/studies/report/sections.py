"""The sections of a report about the measurement: bits, group sizes, values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.measures.anonymity import SetSizes
from idbits.render.blocks import TableBlock
from idbits.render.numbers import bits, count, decimal, share
from idbits.render.page import Figure, Section, shortened
from idbits.studies.measure.charts import (
    after_folded,
    bits_chart,
    categories_chart,
    listed_categories,
    shares_chart,
    value_name,
)
from idbits.studies.measure.result import Groups, Measurement
from idbits.studies.measure.text import population_words
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
    text = (
        f"Each bit halves the group a {unit.singular} may belong to; "
        f"{bits(figures.max_entropy_bits)} bits leave one {unit.singular} of {count(figures.n_reference)}."
    )
    if quantiles is not None:
        half, most = bits(quantiles["p50"]), bits(quantiles["max"])
        text += f" Half of the {unit} give away at least {half} bits, the most exposed {most}."
    return Section(
        "bits",
        bits_finding(report.measurement, what_gives_away(report.measurement)),
        (text,),
        (bits_chart(report.measurement).with_table(table),),
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
    # The heading of the section says what the chart shows.
    drawn = [replace(shares_chart(measurement, goal_size(report)).with_table(table), title="")]
    groups = measurement.groups
    tables: tuple[TableBlock, ...] = ()
    if groups is not None and sizes is not None:
        drawn.append(_boxes(groups, figures, unit))
    elif groups is not None:
        tables = (_overlapping_categories(groups, figures),)
    return Section("sizes", unique_finding(measurement), (text,), tuple(drawn), tables, topic=unit.capitalize())


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


def _overlapping_categories(groups: Groups, overall: Figures) -> TableBlock:
    """Return the categories if groups overlap, because people have several records."""
    shown = [*listed_categories(groups)[:_SHOWN_GROUPS], ("overall", overall)]
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
    listed = listed_categories(groups)
    shown = [*listed[:_SHOWN_GROUPS], ("overall", overall)]
    by = shortened(groups.by, _NAME)
    heads = (by, str(unit), "bits", "unique", "min", "q1", "median", "mean", "q3", "max")
    cells = []
    for name, figures in shown:
        sizes = _sizes(figures)
        cells.append([shortened(name, _NAME), count(figures.n_people), bits(figures.entropy_bits),
                      share(figures.share(figures.singletons)), count(sizes.min), decimal(sizes.q1),
                      decimal(sizes.median), decimal(sizes.mean), decimal(sizes.q3), count(sizes.max)])  # fmt: skip
    after = after_folded(groups, unit)
    rest = len(listed) - _SHOWN_GROUPS
    left_out = f" {_categories(rest, 'more ')} not shown." if rest > 0 else ""
    table = TableBlock(
        f"Group sizes within each {by}",
        heads,
        cells,
        caption=f"Groups are formed within categories, smallest median first{after}.{left_out}",
        emphasis=(len(cells) - 1,),
    )
    return categories_chart(groups, overall, unit).with_table(table)


def _sizes(figures: Figures) -> SetSizes:
    assert figures.set_sizes is not None
    return figures.set_sizes


def _categories(number: int, more: str = "") -> str:
    return counted(number, f"{more}category").replace("categorys", "categories")


def values_section(measurement: Measurement) -> Section:
    """Return the rarest values, for internal reports only."""
    values, unit = measurement.exposed, measurement.unit
    assert values is not None
    bits_in = {name: single.entropy_bits for name, single in measurement.columns}
    ranked = sorted(range(len(measurement.qid)), key=lambda index: -bits_in[measurement.qid[index]])
    places = sorted(ranked[:_SHOWN_VALUES])
    rows = [[*(shortened(value_name(row.value[index]), _VALUE) for index in places), count(row.people), bits(row.bits)]
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
