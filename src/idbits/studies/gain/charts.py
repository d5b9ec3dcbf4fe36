"""Charts of information gain, as reports, notebooks and Vega-Lite show them; none contains the value of a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from idbits.render.attributes import plain_attribute
from idbits.render.described_chart import DescribedChart
from idbits.render.heat_table import HeatRow, HeatTable
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bar_share, bits, count, decimal, share, to_places
from idbits.render.page import named, shortened
from idbits.studies.gain.result import Gain
from idbits.studies.gain.text import round_step
from idbits.studies.shared.serialisation import Json, JsonObject

__all__ = [
    "cells_chart", "charts_of", "features_chart", "growth_curve", "heat_map", "largest_gains", "people_above",
    "people_chart", "sweep_chart", "sweep_curve",
]  # fmt: skip

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_BLUE = "#2166ac"
_ORANGE = "#d95f02"
_NAME = 48
_DRAWN_COLUMNS = 12
_DRAWN_CELLS = 8
_DRAWN_ROWS = 10


def charts_of(answer: Gain) -> dict[str, DescribedChart]:
    """Return all charts by name, the main one first."""
    growth, unit = answer.growth_curve(), answer.unit
    charts = {"columns": features_chart(answer), "people": people_chart(answer)}
    if answer.comparison is not None:
        words = f"How many {unit} of the original and of the treated table are above each row information gain."
        above = answer.people_above()
        charts["people"] = DescribedChart(above, words, str(above["title"]))
    if growth is not None and answer.growth is not None:
        last = answer.growth.steps[-1]
        words = f"With all columns, the 95th percentile of the row information gain is {bits(last.rig_p95)} bits."
        charts["growth"] = DescribedChart(growth, words, str(growth["title"]))
    if answer.sweep:
        charts["sweep"] = sweep_chart(answer)
    if answer.exposed:
        charts["rows"] = cells_chart(answer)
    return charts


def features_chart(answer: Gain) -> DescribedChart:
    """Return what is learnt about each column, of all its bits."""
    ranked = answer.figures.ranked()
    drawn = ranked[:_DRAWN_COLUMNS]
    top, last = drawn[0], drawn[-1]
    average = "per record on average" if answer.people_have_several_rows else "on average"
    words = f"Bits learnt about each column {average} (dark), of all its bits (light): {named(top.column)} "
    words += f"{bits(top.mean_cig_bits)} of {bits(top.entropy_bits)}"
    words += (
        f", {named(last.column)} {bits(last.mean_cig_bits)} of {bits(last.entropy_bits)}." if len(drawn) > 1 else "."
    )
    words += (
        f" The chart shows the {_DRAWN_COLUMNS} columns with the largest gain." if len(ranked) > _DRAWN_COLUMNS else ""
    )
    bars = tuple(
        BarRow(shortened(each.column, _NAME), each.mean_cig_bits,
               f"{bits(each.mean_cig_bits)} of {bits(each.entropy_bits)} bits", "l1", whole=each.entropy_bits)
        for each in drawn
    )  # fmt: skip
    return DescribedChart(LabelledBars(bars), words, "What is learnt about each column")


def people_chart(answer: Gain) -> DescribedChart:
    """Return how many people or rows are above each row information gain (S3 figure 6)."""
    figures, unit = answer.figures, answer.unit
    curve = figures.rig_curve
    step = round_step(len(curve))
    shown = [point for index, point in enumerate(curve) if index % step == 0]
    largest = ", the largest among their records" if answer.people_have_several_rows else ""
    words = (
        f"{unit.capitalize()} above each row information gain (RIG){largest}: at least half have "
        f"{bits(figures.rig['p50'])} bits or more, at least 5% have {bits(figures.rig['p95'])} or more, "
        f"and the most exposed have {bits(figures.rig['max'])}."
    )
    rows = [(f"above {decimal(level)} bits", people, people / figures.n_people) for level, people in shown]
    rows = [row for row in rows if row[1]] or rows[:1]
    # Below the last level that everybody is above nothing changes.
    rows = rows[max((index for index, row in enumerate(rows) if row[1] == figures.n_people), default=0) :]
    bars = tuple(BarRow(name, people, bar_share(part), "l1", count(people)) for name, people, part in rows)
    title = f"{unit.capitalize()} by what is learnt about all cells of a row"
    return DescribedChart(LabelledBars(bars), words, title)


def largest_gains(answer: Gain, most: int = _DRAWN_CELLS) -> list[int]:
    """Return the indexes of the columns to draw: those with the largest gain, in the order of the table."""
    features = answer.figures.features
    ranked = sorted(range(len(features)), key=lambda index: -features[index].fig_bits)
    return sorted(ranked[:most])


def cells_chart(answer: Gain) -> DescribedChart:
    """Return what is learnt about each cell of the most exposed rows (S3 figure 5)."""
    row = "record" if answer.people_have_several_rows else "row"
    rows = (answer.exposed or ())[:_DRAWN_ROWS]
    table = HeatTable(
        tuple(
            HeatRow(
                shortened(answer.columns[index], _NAME),
                tuple((each.cig_bits[index], to_places(each.cig_bits[index], 1)) for each in rows),
            )
            for index in largest_gains(answer)
        ),
        tuple(str(number) for number in range(1, len(rows) + 1)),
        f"{row}s, most exposed first",
        "l1",
    )
    words = (
        f"The {count(len(rows))} {row}{'' if len(rows) == 1 else 's'} with the largest gain, cell by cell: the "
        f"stronger the colour, the more bits. The first {row} has {bits(rows[0].rig_bits)} bits. No value is shown."
    )
    if len(answer.columns) > _DRAWN_CELLS:
        words += f" The chart shows the {_DRAWN_CELLS} columns with the largest gain."
    return DescribedChart(table, words, f"What is learnt about each cell of the most exposed {row}s, in bits")


def sweep_chart(answer: Gain) -> DescribedChart:
    """Return the gain and the utility that are left as a column becomes coarser (S3 figure 8)."""
    sweep = answer.sweep or ()
    names = [plain_attribute(step.column) for step in sweep]
    bars = tuple(
        BarRow(shortened(name, 30), step.rig_p95, f"{bits(step.rig_p95)} bits", "l1",
               f"{bar_share(step.utility)} of the relationships" if step.utility is not None else "")
        for name, step in zip(names, sweep, strict=True)
    )  # fmt: skip
    first, last = sweep[0], sweep[-1]
    words = (
        f"As {named(names[0])} becomes {named(names[-1])}, the 95th percentile of the row information "
        f"gain goes from {bits(first.rig_p95)} to {bits(last.rig_p95)} bits"
    )
    words += f", and {share(last.utility)} of the utility is preserved." if last.utility is not None else "."
    return DescribedChart(LabelledBars(bars), words, "Information gain that is left, and what is preserved")


def heat_map(columns: Sequence[str], rows: Sequence[tuple[int, Sequence[float]]]) -> JsonObject:
    """Cells by their gain (S3 figure 5): one line per row of the table, most exposed first.

    >>> heat_map(["zip"], [(1, [3.5])])["data"]["values"]
    [{'row': '1', 'people': 1, 'place': 0, 'column': 'zip', 'bits': 3.5}]
    """
    values: list[Json] = [
        {"row": str(number), "people": people, "place": index, "column": column, "bits": bits}
        for number, (people, cells) in enumerate(rows, start=1)
        for index, (column, bits) in enumerate(zip(columns, cells, strict=True))
    ]
    return _chart(
        "What an attacker learns about the cells of the most exposed rows, in bits",
        values,
        mark={"type": "rect", "tooltip": True},
        encoding={
            "x": {"field": "column", "type": "nominal", "sort": {"field": "place"}, "title": None},
            "y": {"field": "row", "type": "ordinal", "sort": None, "title": "rows, most exposed first"},
            "color": {
                "field": "bits",
                "type": "quantitative",
                "title": "bits",
                "scale": {"scheme": "oranges", "domainMin": 0},
            },
        },
        width={"step": 48},
        height={"step": 14},
    )


def people_above(curves: Mapping[str, Sequence[tuple[float, int]]], unit: str = "people") -> JsonObject:
    """How many people (or rows) have a RIG above each number of bits (S3 figure 6), one line per table.

    >>> people_above({"this table": [(0.0, 5)]})["data"]["values"]
    [{'table': 'this table', 'bits': 0.0, 'people': 5}]
    """
    values: list[Json] = [
        {"table": name, "bits": bits, "people": people} for name, curve in curves.items() for bits, people in curve
    ]
    encoding: JsonObject = {
        "x": {"field": "bits", "type": "quantitative", "title": "row information gain (RIG), bits"},
        "y": {"field": "people", "type": "quantitative", "title": f"{unit} above this many bits"},
    }
    if len(curves) > 1:
        encoding["color"] = {"field": "table", "type": "nominal", "sort": list(curves), "title": None}
    return _chart(
        f"How many {unit} have a row information gain above this many bits",
        values,
        mark={"type": "line", "interpolate": "step-after"},
        encoding=encoding,
    )


def sweep_curve(steps: Sequence[tuple[str, float | None, float]]) -> JsonObject:
    """Utility and RIG_95 as a feature becomes coarser (S3 figure 8).

    >>> sweep_curve([("age", 1.0, 7.5)])["data"]["values"]
    [{'step': 'age', 'place': 0, 'utility': 1.0, 'rig_p95': 7.5}]
    """
    values: list[Json] = [
        {"step": name, "place": index, "utility": utility, "rig_p95": bits}
        for index, (name, utility, bits) in enumerate(steps)
    ]
    utility = _line("utility", "utility kept (blue)", _BLUE)
    rig = _line("rig_p95", "RIG, 95th percentile, bits (orange)", _ORANGE)
    return _two_axes("Utility and information gain as a column becomes coarser", values, [utility, rig])


def growth_curve(steps: Sequence[tuple[str, float, float]], threshold: float) -> JsonObject:
    """RIG_95 and PIF as columns are added (S3 figure 2), with the threshold as a rule.

    >>> growth_curve([("zip", 0.0, 0.0)], 1.0)["data"]["values"]
    [{'step': 'zip', 'place': 0, 'rig_p95': 0.0, 'pif': 0.0}]
    """
    values: list[Json] = [
        {"step": name, "place": index, "rig_p95": bits, "pif": pif} for index, (name, bits, pif) in enumerate(steps)
    ]
    rule: JsonObject = {
        "mark": {"type": "rule", "strokeDash": [4, 4], "color": _BLUE},
        "encoding": {"y": {"datum": threshold, "type": "quantitative"}},
    }
    # The rule shares the axis of PIF, so the two are one layer.
    pif: JsonObject = {"layer": [_line("pif", "PIF, bits per person (blue)", _BLUE), rule]}
    rig = _line("rig_p95", "RIG, 95th percentile, bits (orange)", _ORANGE)
    return _two_axes("What an attacker learns as columns are added", values, [pif, rig])


def _line(field: str, title: str, colour: str) -> JsonObject:
    """Return one line over the steps, with points of the same colour."""
    steps: JsonObject = {"field": "step", "type": "ordinal", "sort": {"field": "place"}, "title": None}
    return {
        "mark": {"type": "line", "point": {"color": colour}, "color": colour},
        "encoding": {
            "x": steps | {"axis": {"labelAngle": -30, "labelLimit": 150}},
            "y": {"field": field, "type": "quantitative", "title": title, "scale": {"zero": True}},
        },
    }


def _two_axes(title: str, values: list[Json], layers: list[Json]) -> JsonObject:
    return {
        "$schema": _SCHEMA,
        "title": title,
        "data": {"values": values},
        "layer": layers,
        "resolve": {"scale": {"y": "independent"}},
        "width": 420,
        "height": 240,
    }


def _chart(
    title: str, values: list[Json], *, mark: JsonObject, encoding: JsonObject, width: Json = 420, height: Json = 240
) -> JsonObject:
    return {
        "$schema": _SCHEMA,
        "title": title,
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
        "width": width,
        "height": height,
    }
