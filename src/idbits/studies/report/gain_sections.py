"""The sections of a report about information gain: cells, rows, columns, and one column coarsened step by step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.attributes import plain_attribute
from idbits.render.blocks import TableBlock
from idbits.render.numbers import bits, count, decimal, share
from idbits.render.page import Figure, Section, named, shortened
from idbits.studies.gain.charts import cells_chart, features_chart, largest_gains, people_chart, sweep_chart
from idbits.studies.gain.result import Gain
from idbits.studies.gain.text import gain_verdict, round_step
from idbits.studies.report.findings import gain_finding, sweep_finding
from idbits.studies.shared.beside import NOTHING_BESIDE
from idbits.studies.shared.units import Unit
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["gain_section", "sweep_section"]

_SHOWN_COLUMNS = 12
_DRAWN_ROWS = 10
_NAME = 48


def gain_section(report: Report) -> Section | None:
    """Return information gain: the most exposed rows, people above each RIG, columns (S3 figures 5 and 6)."""
    gain = report.gain
    if gain is None:
        return None
    figures, unit = gain.figures, report.measurement.unit
    verb = "is" if figures.people_at_threshold == 1 else "are"
    one = "one record of a person" if gain.people_have_several_rows else "a person's row"
    anyone = "any record" if gain.people_have_several_rows else "anyone"
    text = (
        f"Suppose an attacker knows all cells of {one} but one. How much does the table tell about that cell, "
        f"beyond a guess for {anyone}? That is its information gain. " + _shortened_verdict(gain),
        f"{_summed(gain)} The personal information factor (PIF), the largest gain per {unit.singular} of a group, is "
        f"{decimal(figures.pif)}; {unit.counted(figures.people_at_threshold)} "
        f"({share(figures.people_at_threshold / figures.n_people)}) {verb} at or above the threshold of "
        f"{decimal(figures.threshold)}.",
    )
    drawn = [*([_cells(gain, unit)] if gain.exposed else []), _people(gain, unit), _features(gain)]
    return Section("gain", gain_finding(gain), text, tuple(drawn), topic="Information gain")


def _shortened_verdict(gain: Gain) -> str:
    top = gain.figures.ranked()[0]
    if not gain.figures.rig["max"]:
        return gain_verdict(replace(gain, beside=NOTHING_BESIDE)).sentence
    part = f", {share(top.share)} of the whole gain" if top.share is not None else ""
    average = "per record on average" if gain.people_have_several_rows else "on average"
    return (
        f"Someone who knows all other columns learns most about {named(top.column)}: {bits(top.mean_cig_bits)} bits "
        f"{average}{part}."
    )


def _summed(gain: Gain) -> str:
    """Say how much is learnt about all cells: of a row, or of the records of a person."""
    rig, added = gain.figures.rig, gain.figures.rig_sum
    if added is None:
        return f"The sum over a row is {_typical(rig)}."
    return (
        "A person's gain is the sum over the cells of one record, the one with the largest sum: over people, it is "
        f"{_typical(rig)}. All records of a person add up to {_typical(added)}."
    )


def _typical(summary: dict[str, float]) -> str:
    return f"{bits(summary['mean'])} bits on average and {bits(summary['p95'])} at the 95th percentile"


def _cells(gain: Gain, unit: Unit) -> Figure:
    assert gain.exposed is not None
    places = largest_gains(gain)
    row = "record" if gain.people_have_several_rows else "row"
    rows = gain.exposed[:_DRAWN_ROWS]
    names = [gain.columns[index] for index in places]
    cells = [
        [str(number), count(each.people), bits(each.rig_bits), *(bits(each.cig_bits[index]) for index in places)]
        for number, each in enumerate(rows, start=1)
    ]
    rest = len(gain.columns) - len(places)
    left_out = f" {counted(rest, 'column')} with less gain not shown." if rest > 0 else ""
    table = TableBlock(
        f"Bits learnt about each cell of the most exposed {row}s",
        (row, "people" if unit is Unit.PEOPLE else f"equal {unit}", "RIG", *(shortened(name, 30) for name in names)),
        cells,
        left=(),
        caption=f"{row.capitalize()}s are numbered by their gain. No value is shown.{left_out}",
    )
    return cells_chart(gain).with_table(table)


def _people(gain: Gain, unit: Unit) -> Figure:
    figures = gain.figures
    curve = figures.rig_curve
    step = round_step(len(curve))
    shown = [point for index, point in enumerate(curve) if index % step == 0]
    table = TableBlock(
        f"{unit.capitalize()} above each row information gain",
        ("bits", str(unit), "share"),
        [[decimal(level), count(people), share(people / figures.n_people)] for level, people in shown],
        left=(),
    )
    return people_chart(gain).with_table(table)


def _features(gain: Gain) -> Figure:
    ranked = gain.figures.ranked()
    rows = [
        [shortened(feature.column, _NAME), bits(feature.mean_cig_bits), share(feature.share),
         bits(feature.entropy_bits), bits(feature.conditional_entropy_bits)]
        for feature in ranked[:_SHOWN_COLUMNS]
    ]  # fmt: skip
    rest = len(ranked) - _SHOWN_COLUMNS
    left_out = f" {counted(rest, 'more column')} not shown." if rest > 0 else ""
    table = TableBlock(
        "What is learnt about each column",
        ("column", "mean gain", "share", "bits", "stays unknown"),
        rows,
        caption=f"mean gain: bits learnt about the column per {gain.records.singular} (mean CIG). bits: the most that "
        f"can be learnt. stays unknown: bits that someone who knows all other columns does not learn.{left_out}",
    )
    return features_chart(gain).with_table(table)


def sweep_section(report: Report) -> Section | None:
    """Return one column coarsened step by step: the remaining gain and utility (S3 figure 8)."""
    gain = report.gain
    sweep = gain.sweep if gain is not None else None
    if gain is None or not sweep:
        return None
    names = [plain_attribute(step.column) for step in sweep]
    cells = [
        [shortened(name, _NAME), share(step.utility), bits(step.rig_p95), decimal(step.pif), count(step.mics),
         count(step.people_at_threshold)]
        for name, step in zip(names, sweep, strict=True)
    ]  # fmt: skip
    table = TableBlock(
        "Step by step",
        ("column", "utility", "95th RIG", "PIF", "smallest group", "at threshold"),
        cells,
        caption="utility: the share of the relationships between the columns, beyond chance, that is preserved."
        if sweep[0].utility is not None
        else "No utility: the columns are no more related than chance would make them.",
    )
    text = "Coarser values protect people and lose relationships between the columns. The chart shows both."
    figure = sweep_chart(gain).with_table(table)
    finding = sweep_finding(names[0], sweep, report.measurement.unit)
    return Section("sweep", finding, (text,), (figure,), topic="One column step by step")
